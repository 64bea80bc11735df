package scope

import (
	"context"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/mcpfusion/go/result"
)

// maxRecord bounds a log record that is sent to a client, in bytes.
const maxRecord = 16 << 10

// tee is a handler for a call's logger: the server's log gets every record, and the client
// those that it asked for.
type tee struct {
	slog.Handler // the server's
	line         Line
	added        []addition // by With and WithGroup, in order
}

// addition is what With or WithGroup added.
type addition struct {
	group string // "" for attributes
	attrs []slog.Attr
}

// Enabled implements [slog.Handler].
func (t *tee) Enabled(ctx context.Context, level slog.Level) bool {
	return t.line.Wants(level) || t.Handler.Enabled(ctx, level)
}

// Handle implements [slog.Handler].
func (t *tee) Handle(ctx context.Context, r slog.Record) error {
	if t.line.Wants(r.Level) {
		t.line.Log(r.Level, t.record(r))
	}
	if !t.Handler.Enabled(ctx, r.Level) {
		return nil
	}
	return t.Handler.Handle(ctx, r)
}

// WithAttrs implements [slog.Handler].
func (t *tee) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &tee{t.Handler.WithAttrs(attrs), t.line, append(slices.Clip(t.added), addition{attrs: attrs})}
}

// WithGroup implements [slog.Handler].
func (t *tee) WithGroup(name string) slog.Handler {
	if name == "" {
		return t
	}
	return &tee{t.Handler.WithGroup(name), t.line, append(slices.Clip(t.added), addition{group: name})}
}

// record is a record as the client is sent it: an object with the message as "msg" and the
// attributes. If one of them panics, or all are too long, it is the message alone.
func (t *tee) record(r slog.Record) (data jsontext.Value) {
	defer func() {
		if recover() != nil || len(data) > maxRecord {
			o := object{}
			o.set("msg", bounded(r.Message))
			data = o.json()
		}
	}()
	root := &object{}
	open := root
	for _, a := range t.added {
		if a.group != "" {
			open = open.group(a.group)
		}
		open.add(a.attrs)
	}
	r.Attrs(func(a slog.Attr) bool {
		open.add([]slog.Attr{a})
		return true
	})
	root.set("msg", r.Message)
	return root.json()
}

// object is a JSON object on its way. Each name is there once, with its last value.
type object struct {
	names  []string
	values map[string]any
}

func (o *object) set(name string, value any) {
	if o.values == nil {
		o.values = make(map[string]any)
	}
	if _, known := o.values[name]; !known {
		o.names = append(o.names, name)
	}
	o.values[name] = value
}

// group opens an object inside, or goes on with it.
func (o *object) group(name string) *object {
	if inner, is := o.values[name].(*object); is {
		return inner
	}
	inner := &object{}
	o.set(name, inner)
	return inner
}

func (o *object) add(attrs []slog.Attr) {
	for _, a := range attrs {
		v := a.Value.Resolve()
		switch {
		case v.Kind() == slog.KindGroup && a.Key == "":
			o.add(v.Group())
		case v.Kind() == slog.KindGroup && len(v.Group()) > 0:
			o.group(a.Key).add(v.Group())
		case v.Kind() != slog.KindGroup && !a.Equal(slog.Attr{}):
			o.set(a.Key, shown(v))
		}
	}
}

// json is the object, the message first.
func (o *object) json() jsontext.Value {
	if at := slices.Index(o.names, "msg"); at > 0 {
		o.names = slices.Insert(slices.Delete(o.names, at, at+1), 0, "msg")
	}
	b, err := json.Marshal(o, forClients)
	if err != nil {
		panic(err)
	}
	return b
}

// MarshalJSONTo implements [json.MarshalerTo].
func (o *object) MarshalJSONTo(e *jsontext.Encoder) error {
	if err := e.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, name := range o.names {
		if err := errors.Join(e.WriteToken(jsontext.String(name)), json.MarshalEncode(e, o.values[name])); err != nil {
			return err
		}
	}
	return e.WriteToken(jsontext.EndObject)
}

// unseen stands for what clients are not shown.
const unseen = "see the server's log"

// forClients keeps the texts of errors from clients, which may say anything: also of those
// inside other values.
var forClients = json.JoinOptions(json.Deterministic(true), jsontext.AllowInvalidUTF8(true),
	json.WithMarshalers(json.MarshalToFunc(func(e *jsontext.Encoder, err error) error {
		return e.WriteToken(jsontext.String(errorText(err)))
	})))

// errorText is what a client may read of an error: what a model may, and nothing else.
func errorText(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = unseen
		}
	}()
	if f, is := errors.AsType[*result.Failure](err); is {
		return f.Error()
	}
	return unseen
}

// shown is a value of an attribute as clients are sent it. One that cannot be encoded is
// left to the server's log.
func shown(v slog.Value) (data any) {
	switch v.Kind() {
	case slog.KindDuration:
		return v.Duration().String()
	case slog.KindTime:
		return v.Time().Format(time.RFC3339Nano)
	case slog.KindFloat64:
		if b, err := json.Marshal(v.Float64()); err == nil {
			return jsontext.Value(b)
		}
		return v.String()
	case slog.KindAny:
		defer func() {
			if recover() != nil {
				data = unseen
			}
		}()
		b, err := json.Marshal(v.Any(), forClients)
		if err != nil {
			return unseen
		}
		return jsontext.Value(b)
	}
	return v.Any()
}
