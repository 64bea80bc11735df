package catalog

import (
	"cmp"
	"context"
	"encoding/json/jsontext"
	"fmt"

	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

// The codes of JSON-RPC and MCP that a missing item or a failure is answered with.
const (
	codeInvalidParams = -32602
	codeInternal      = -32603
	codeNoResource    = -32002 // before 2026-07-28
)

// kindOf is what a call is for, in a word.
func kindOf(call *middleware.Call) string {
	if call.Kind == "" {
		return string(middleware.KindTool)
	}
	return string(call.Kind)
}

// unknown answers a call for what does not exist, or not for this caller. It names nothing
// but what was asked for.
func unknown(call *middleware.Call) error {
	if call.Kind != middleware.KindResource {
		return unknownNamed("Unknown "+kindOf(call), call.Name)
	}
	return result.Protocol(missing(call), "Resource not found", map[string]any{"uri": excerpt(call.Name, 512)})
}

func unknownNamed(what, name string) error {
	return result.Protocol(codeInvalidParams, fmt.Sprintf("%s: %q", what, excerpt(name, 64)), nil)
}

// isTool reports that a call is answered with a tool's result, which has room for failures.
func isTool(call *middleware.Call) bool { return call.Kind == "" || call.Kind == middleware.KindTool }

// missing is the code of a resource that does not exist, which 2026-07-28 changed.
func missing(call *middleware.Call) int {
	if call.Revision >= "2026-07-28" {
		return codeInvalidParams
	}
	return codeNoResource
}

// plain renders what is no tool. Such results have no place for guidance.
func plain(call *middleware.Call, i *Item, resp *result.Response) (*Reply, error) {
	reply := &Reply{Meta: resp.Meta}
	kind := middleware.Kind("")
	switch data := resp.Data.(type) {
	case []result.Message:
		kind, reply.Messages = middleware.KindPrompt, append([]result.Message{}, data...)
		if i != nil {
			reply.Description = i.Description
		}
	case []result.ResourceContents:
		kind, reply.Contents = middleware.KindResource, append([]result.ResourceContents{}, data...)
		for n := range reply.Contents {
			reply.Contents[n].URI = cmp.Or(reply.Contents[n].URI, call.Name)
		}
	case []string:
		kind, reply.Values = middleware.KindCompletion, append([]string{}, data...)
	}
	if kind != call.Kind {
		return nil, fmt.Errorf("the data is of type %T, which no %s has", resp.Data, call.Kind)
	}
	return reply, nil
}

// fault renders a failure where there is no result to put it into, as a JSON-RPC error with
// the facts as its data.
func (c *Catalog) fault(ctx context.Context, call *middleware.Call, f *result.Failure) *result.ProtocolError {
	code := codeInternal
	switch f.Code {
	case result.CodeInvalidArguments:
		code = codeInvalidParams
	case result.CodeNotFound:
		if code = codeInvalidParams; call.Kind == middleware.KindResource {
			code = missing(call)
		}
	}
	return &result.ProtocolError{Code: code, Message: f.Message, Data: jsontext.Value(c.envelope(ctx, call, f))}
}
