package catalog

import (
	"context"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"log/slog"
	"slices"
	"strconv"

	"github.com/mcpfusion/go/internal/scope"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

// encodeAny is the JSON of a value that no compiled type stands for, as an object.
func encodeAny(data any) ([]byte, error) {
	if raw, is := data.(jsontext.Value); is && raw.Kind() == jsontext.KindBeginObject {
		return raw, nil
	}
	b, err := marshal(data)
	if err != nil || jsontext.Value(b).Kind() == '{' {
		return b, err
	}
	return slices.Concat([]byte(`{"result":`), b, []byte{'}'}), nil
}

// marshal encodes what users made. A panic in it is an error.
func marshal(v any) (b []byte, err error) {
	defer func() {
		if v := recover(); v != nil {
			b, err = nil, scope.Recovered(v)
		}
	}()
	return json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
}

// object appends the members of one JSON object.
type object struct{ dst []byte }

func (o *object) key(name string) {
	if o.dst[len(o.dst)-1] != '{' {
		o.dst = append(o.dst, ',')
	}
	o.dst = append(quote(o.dst, name), ':')
}

func (o *object) text(name, value string) {
	o.key(name)
	o.dst = quote(o.dst, value)
}

func (o *object) textIf(name, value string) {
	if value != "" {
		o.text(name, value)
	}
}

func (o *object) textsIf(name string, values []string) {
	if len(values) == 0 {
		return
	}
	o.key(name)
	o.dst = append(o.dst, '[')
	for i, v := range values {
		if i > 0 {
			o.dst = append(o.dst, ',')
		}
		o.dst = quote(o.dst, v)
	}
	o.dst = append(o.dst, ']')
}

// quote appends s as a JSON string; invalid UTF-8 is replaced.
func quote(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}

// envelope writes what the model reads of a failure, keys in the order of the contract.
func (c *Catalog) envelope(ctx context.Context, call *middleware.Call, f *result.Failure) []byte {
	o := object{dst: append(make([]byte, 0, 256), `{"error":{`...)}
	o.text("code", string(f.Code))
	o.text("message", f.Message)
	o.key("retryable")
	o.dst = strconv.AppendBool(o.dst, f.Retryable)
	if seconds := f.RetryAfterSeconds(); seconds > 0 {
		o.key("retryAfterSeconds")
		o.dst = strconv.AppendFloat(o.dst, seconds, 'f', -1, 64)
	}
	o.textIf("suggestion", f.Suggestion)
	o.textsIf("availableActions", c.available(ctx, call, f.AvailableActions))
	appendFields(&o, f.Fields)
	c.appendDetail(ctx, &o, call, f.Detail)
	o.textIf("severity", string(f.Severity))
	o.textIf("reference", f.Reference)
	return append(o.dst, "}}"...)
}

func appendFields(o *object, fields []result.Field) {
	if len(fields) == 0 {
		return
	}
	o.key("fields")
	o.dst = append(o.dst, '[')
	for i, field := range fields {
		if i > 0 {
			o.dst = append(o.dst, ',')
		}
		o.dst = append(o.dst, '{')
		o.text("path", field.Path)
		o.text("problem", field.Problem)
		o.textIf("expected", field.Expected)
		o.textIf("received", field.Received)
		o.dst = append(o.dst, '}')
	}
	o.dst = append(o.dst, ']')
}

// appendDetail leaves out details that cannot be encoded: the failure itself matters more.
func (c *Catalog) appendDetail(ctx context.Context, o *object, call *middleware.Call, detail any) {
	if detail == nil {
		return
	}
	b, err := marshal(detail)
	if err != nil {
		scope.Log(ctx, c.Log, slog.LevelError, "the details of a failure cannot be encoded", kindOf(call), call.Name, "error", err)
		return
	}
	o.key("details")
	o.dst = append(o.dst, b...)
}

// available reduces tool ids to the wire names of those the caller may use now.
func (c *Catalog) available(ctx context.Context, call *middleware.Call, ids []string) []string {
	var names []string
	v := &views{call: call}
	for _, id := range ids {
		t := c.lookup(id)
		if t == nil {
			c.Log.WarnContext(ctx, "a failure names a tool that does not exist", "tool", call.Name, "action", id)
		}
		if t != nil && !slices.Contains(names, t.Name) && c.callable(ctx, v, t) {
			names = append(names, t.Name)
		}
	}
	return names
}

// lookup finds a tool by its id or its wire name.
func (c *Catalog) lookup(id string) *Tool {
	if t, found := c.byID[id]; found {
		return t
	}
	return c.byName[id]
}

// guidance is the block that tells the model how to read the reply and what to do next;
// nil when there is nothing to tell.
func (c *Catalog) guidance(ctx context.Context, call *middleware.Call, g result.Guidance) result.Content {
	if len(g.Rules)+len(g.Next)+len(g.Notices) == 0 {
		return nil
	}
	o := object{dst: []byte{'{'}}
	o.textsIf("rules", g.Rules)
	c.appendNext(ctx, &o, call, g.Next)
	o.textsIf("notices", g.Notices)
	if len(o.dst) == 1 {
		return nil
	}
	return result.Text{
		Text:        string(append(o.dst, '}')),
		Annotations: &result.Annotations{Audience: []result.Role{result.RoleAssistant}},
	}
}
