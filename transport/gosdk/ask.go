//nolint:staticcheck // sessions have what 2026-07-28 deprecates
package gosdk

import (
	"context"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ask asks the client by the SDK's function for the method.
func (l *line) ask(ctx context.Context, method string, params jsontext.Value) (jsontext.Value, error) {
	switch method {
	case "elicitation/create":
		return l.elicit(ctx, params)
	case "sampling/createMessage":
		p := &mcp.CreateMessageWithToolsParams{}
		if err := json.Unmarshal(params, p); err != nil {
			return nil, err
		}
		return answered(l.session.CreateMessageWithTools(ctx, p))
	case "roots/list":
		p := &mcp.ListRootsParams{}
		if err := json.Unmarshal(params, p); err != nil {
			return nil, err
		}
		return answered(l.session.ListRoots(ctx, p))
	}
	return nil, fmt.Errorf("the SDK sends no %q", method)
}

// elicit asks the user. The SDK refuses an answer that does not match the schema, where the
// user should be asked again, so it learns of the schema only when it sends, see [send].
func (l *line) elicit(ctx context.Context, params jsontext.Value) (jsontext.Value, error) {
	whole := &mcp.ElicitParams{}
	if err := json.Unmarshal(params, whole); err != nil {
		return nil, err
	}
	var form struct {
		Schema jsontext.Value `json:"requestedSchema"`
	}
	if err := json.Unmarshal(params, &form); err != nil {
		return nil, err
	}
	if whole.Mode == "" {
		whole.Mode = "form"
	}
	if form.Schema != nil {
		whole.RequestedSchema = form.Schema // whose members keep their order
	}
	r, err := l.session.Elicit(context.WithValue(ctx, wholeKey{}, whole), &mcp.ElicitParams{Mode: whole.Mode, Message: whole.Message})
	if err != nil {
		return nil, err
	}
	return marshal(struct {
		Action  string         `json:"action"`
		Content map[string]any `json:"content,omitzero"` // an empty form is one, too
	}{r.Action, r.Content})
}

func answered[R mcp.Result](r R, err error) (jsontext.Value, error) {
	if err != nil {
		return nil, err
	}
	return marshal(r)
}

type (
	// probeKey finds the note of a log record that it would be sent.
	probeKey struct{}
	// wholeKey finds the params of an elicitation as they travel.
	wholeKey struct{}
)

// send is the sending middleware: what the SDK's functions cannot be told.
func send(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		if wanted, is := ctx.Value(probeKey{}).(*bool); is {
			*wanted = true
			return nil, nil
		}
		whole, is := ctx.Value(wholeKey{}).(*mcp.ElicitParams)
		if session, ours := r.GetSession().(*mcp.ServerSession); is && ours && method == "elicitation/create" {
			r = &mcp.ServerRequest[mcp.Params]{Session: session, Params: whole}
		}
		return next(ctx, method, r)
	}
}
