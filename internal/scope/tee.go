package scope

import (
	"bytes"
	"context"
	"encoding/json/jsontext"
	"errors"
	"log/slog"
	"sync"

	"github.com/mcpfusion/go/result"
)

// maxRecord bounds a log record that is sent to a client, in bytes.
const maxRecord = 16 << 10

// tee is a handler for a call's logger: the server's log gets every record, and the client
// those that it asked for.
type tee struct {
	slog.Handler
	line   Line
	client slog.Handler // writes to what
	what   *lastRecord
}

// lastRecord takes the JSON of one record.
type lastRecord struct {
	mu   sync.Mutex
	json bytes.Buffer
}

func newTee(server slog.Handler, line Line) slog.Handler {
	what := &lastRecord{}
	client := slog.NewJSONHandler(&what.json, &slog.HandlerOptions{Level: slog.Level(-1 << 10), ReplaceAttr: forClient})
	return &tee{Handler: server, line: line, client: client, what: what}
}

// Enabled implements [slog.Handler].
func (t *tee) Enabled(ctx context.Context, level slog.Level) bool {
	return t.line.Wants(level) || t.Handler.Enabled(ctx, level)
}

// Handle implements [slog.Handler].
func (t *tee) Handle(ctx context.Context, r slog.Record) error {
	if t.line.Wants(r.Level) {
		t.send(ctx, r)
	}
	if !t.Handler.Enabled(ctx, r.Level) {
		return nil
	}
	return t.Handler.Handle(ctx, r)
}

func (t *tee) send(ctx context.Context, r slog.Record) {
	t.what.mu.Lock()
	defer t.what.mu.Unlock()
	t.what.json.Reset()
	err := t.client.Handle(ctx, r)
	data := jsontext.Value(bytes.TrimSpace(bytes.Clone(t.what.json.Bytes())))
	if err != nil || len(data) > maxRecord || !data.IsValid(jsontext.AllowDuplicateNames(true)) {
		data, _ = jsontext.AppendQuote([]byte(`{"msg":`), bounded(r.Message))
		data = append(data, '}')
	}
	t.line.Log(r.Level, data)
}

// WithAttrs implements [slog.Handler].
func (t *tee) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &tee{t.Handler.WithAttrs(attrs), t.line, t.client.WithAttrs(attrs), t.what}
}

// WithGroup implements [slog.Handler].
func (t *tee) WithGroup(name string) slog.Handler {
	return &tee{t.Handler.WithGroup(name), t.line, t.client.WithGroup(name), t.what}
}

// forClient drops what travels beside the data, and the texts of errors, which may say
// anything.
func forClient(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && (a.Key == slog.TimeKey || a.Key == slog.LevelKey) {
		return slog.Attr{}
	}
	err, isError := a.Value.Any().(error)
	if !isError {
		return a
	}
	if f, is := errors.AsType[*result.Failure](err); is {
		return slog.String(a.Key, f.Error())
	}
	return slog.String(a.Key, "see the server's log")
}
