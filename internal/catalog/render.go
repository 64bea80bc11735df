package catalog

import (
	"bytes"
	"context"
	"encoding/json/jsontext"
	"errors"
	"log/slog"
	"reflect"
	"slices"

	"github.com/mcpfusion/go/internal/scope"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

// Reply is a call's result, rendered but for what differs between protocol revisions.
type Reply struct {
	// Lead is the text of the first content block; nil when there is none.
	Lead []byte
	// Content are the blocks after it.
	Content []result.Content
	// Structured is the data as a JSON object; nil when there is none.
	Structured jsontext.Value
	// IsError marks a failure that the model is told.
	IsError bool
	// Meta is the result's own _meta.
	Meta map[string]any
	// Messages are what a prompt gave; nothing but Description and Meta is set then.
	Messages    []result.Message
	Description string
	// Contents are what a resource holds; nothing but Meta is set then.
	Contents []result.ResourceContents
	// Values are suggestions; nothing but Meta is set then.
	Values []string
	// Pending asks the client for input; nothing else is set then.
	Pending *result.Pending
	// Fault is a JSON-RPC error; nothing else is set then.
	Fault *result.ProtocolError
}

// render turns a response into the reply. Here errors that are no Failure are masked,
// and actions are reduced to what the caller may do now.
func (c *Catalog) render(ctx context.Context, call *middleware.Call, i *Item, resp *result.Response) (reply *Reply) {
	defer func() {
		if v := recover(); v != nil {
			reply = c.failure(ctx, call, i.unshown(resp, scope.Recovered(v)))
		}
	}()
	switch {
	case resp.Pending != nil && !resp.Failed():
		return &Reply{Pending: resp.Pending, Meta: resp.Meta}
	case resp.Failed():
		return c.failure(ctx, call, resp)
	}
	reply, err := c.success(ctx, call, i, resp)
	if err != nil {
		return c.failure(ctx, call, i.unpresentable(err))
	}
	return reply
}

func (c *Catalog) success(ctx context.Context, call *middleware.Call, i *Item, resp *result.Response) (*Reply, error) {
	if !isTool(call) {
		return plain(call, i, resp)
	}
	var t *Tool
	if i != nil {
		t = i.tool
	}
	reply := &Reply{Meta: resp.Meta, Content: resp.Content}
	if resp.Content == nil {
		if err := reply.encode(t, resp.Data); err != nil {
			return nil, err
		}
	}
	if guidance := c.guidance(ctx, call, resp.Guidance); guidance != nil {
		reply.Content = append(slices.Clip(reply.Content), guidance)
	}
	reply.Content = append(slices.Clip(reply.Content), resp.UI...)
	return reply, nil
}

// encode writes the data once; the text block is the same bytes.
func (r *Reply) encode(t *Tool, data any) error {
	if _, unit := data.(result.Unit); unit || data == nil && (t == nil || t.OutputSchema == nil) {
		r.Lead = ok
		return nil
	}
	structured, err := t.encode(data)
	if err != nil {
		return err
	}
	r.Structured, r.Lead = structured, structured
	if s, isString := text(data, structured); isString {
		if r.Lead = []byte(s); s == "" {
			r.Lead = ok
		}
	}
	return nil
}

// text is data that is a string, of whatever type, and that travels as one.
func text(data any, structured []byte) (string, bool) {
	if s, is := data.(string); is {
		return s, true
	}
	v := reflect.ValueOf(data)
	if v.Kind() != reflect.String {
		return "", false
	}
	plain := append(quote([]byte(`{"result":`), v.String()), '}')
	return v.String(), bytes.Equal(plain, structured)
}

// ok is the text of a reply that has nothing else to say.
var ok = []byte("OK")

// encode turns data into a JSON object on one line. Data that a Wrap put there may be of
// any type.
func (t *Tool) encode(data any) (object jsontext.Value, err error) {
	if t == nil || t.Encode == nil {
		object, err = encodeAny(data)
	} else {
		object, err = t.Encode(make([]byte, 0, 256), data)
	}
	if err == nil && (bytes.IndexByte(object, '\n') >= 0 || bytes.IndexByte(object, '\r') >= 0) {
		object = object.Clone() // it may be someone else's
		err = object.Compact()
	}
	return object, err
}

// failure renders a failed call and logs what the model is not shown.
func (c *Catalog) failure(ctx context.Context, call *middleware.Call, resp *result.Response) *Reply {
	f := resp.Failure
	if f == nil {
		if fault, is := errors.AsType[*result.ProtocolError](resp.Cause); is && fault != nil {
			return &Reply{Fault: fault}
		}
		f = c.mask(ctx, call, resp.Cause)
	} else if hasMore(resp.Cause, f) {
		scope.Log(ctx, c.Log, slog.LevelWarn, "call refused", kindOf(call), call.Name, "code", f.Code, "error", errors.Join(resp.Cause, f.Unwrap()))
	}
	if !isTool(call) {
		return &Reply{Fault: c.fault(ctx, call, f)}
	}
	return &Reply{Lead: c.envelope(ctx, call, f), IsError: true, Meta: resp.Meta}
}

// hasMore reports that there is more to a failure than the model is shown.
func hasMore(cause error, f *result.Failure) bool {
	plain, is := cause.(*result.Failure) //nolint:errorlint // a wrapped failure has more
	return f.Unwrap() != nil || cause != nil && (!is || plain != f)
}

// mask stands in for an error that the model must not see.
func (c *Catalog) mask(ctx context.Context, call *middleware.Call, cause error) *result.Failure {
	if errors.Is(cause, context.Canceled) {
		return result.Error(result.CodeCancelled, "The call was cancelled before it finished").Because(cause)
	}
	f := result.Error(result.CodeInternal, "The "+kindOf(call)+" failed with an internal error")
	if _, is := errors.AsType[*unpresentable](cause); is {
		f.Message = "The action was carried out, but its result cannot be shown; do not repeat it"
	}
	f.Reference = newReference()
	c.logCause(ctx, call, f.Reference, cause)
	return f
}

func (c *Catalog) logCause(ctx context.Context, call *middleware.Call, reference string, cause error) {
	attrs := []any{kindOf(call), call.Name, "reference", reference, "error", cause}
	if p, is := errors.AsType[*scope.Panic](cause); is {
		attrs = append(attrs, "panic", p.Text(), "stack", string(p.Stack))
	}
	scope.Log(ctx, c.Log, slog.LevelError, "call failed", attrs...)
}

// unpresentable is a failure to show the result of a handler that succeeded.
type unpresentable struct{ error }

func (u *unpresentable) Unwrap() error { return u.error }

// unpresentable makes the response for a result that cannot be shown. Of a tool that
// only reads there is no action to speak of.
func (i *Item) unpresentable(err error) *result.Response {
	if i == nil || i.Hints.ReadOnly {
		return result.FromError(err)
	}
	return &result.Response{Cause: &unpresentable{err}}
}

// unshown makes the response in place of one that cannot be rendered. Of a call that
// failed nothing was carried out.
func (i *Item) unshown(resp *result.Response, err error) *result.Response {
	if resp.Failed() {
		return result.FromError(err)
	}
	return i.unpresentable(err)
}
