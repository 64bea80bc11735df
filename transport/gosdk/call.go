package gosdk

import (
	"context"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"fmt"
	"net/url"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/middleware"
)

func (b *bridge) callTool(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	call := callOf(middleware.KindTool, r)
	call.Name = r.Params.Name
	switch arguments := r.Params.Arguments; arguments.Kind() {
	case jsontext.KindBeginObject:
		call.Arguments = arguments
	case jsontext.KindNull, jsontext.KindInvalid: // none
	default:
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: `Invalid params: "arguments" must be an object`}
	}
	return answer(ctx, b, call, b.run(ctx, r, call), toolResult)
}

func (b *bridge) getPrompt(ctx context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	call := callOf(middleware.KindPrompt, r)
	call.Name, call.Arguments = r.Params.Name, object(r.Params.Arguments)
	return answer(ctx, b, call, b.run(ctx, r, call), promptResult)
}

func (b *bridge) readResource(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	if reached, is := ctx.Value(reachedKey{b}).(*bool); is {
		*reached = true
	}
	if u, err := url.Parse(r.Params.URI); err != nil || !u.IsAbs() {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: `Invalid params: "uri" must be an absolute URI`}
	}
	call := callOf(middleware.KindResource, r)
	call.Name = r.Params.URI
	reply := b.run(ctx, r, call)
	if f := reply.Fault; f != nil && f.Message == "Resource not found" && !isJSON(f.Data) {
		return nil, mcp.ResourceNotFoundError(call.Name) // hidden, which must look like one that nobody has
	}
	return answer(ctx, b, call, reply, resourceResult)
}

// isJSON tells the data of a failure from those of a missing resource.
func isJSON(data any) bool {
	_, is := data.(jsontext.Value)
	return is
}

func (b *bridge) complete(ctx context.Context, r *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	call := callOf(middleware.KindCompletion, r)
	q := catalog.Question{Kind: middleware.KindPrompt, Argument: r.Params.Argument.Name, Prefix: r.Params.Argument.Value}
	if call.Name = r.Params.Ref.Name; r.Params.Ref.Type == "ref/resource" {
		q.Kind, call.Name = middleware.KindResource, r.Params.Ref.URI
	}
	if r.Params.Context != nil {
		call.Arguments = object(r.Params.Context.Arguments)
	}
	return answer(ctx, b, call, b.catalog.Complete(ctx, call, q), completion)
}

// answer turns a reply into the SDK's result, or into an error where it is one. A reply that
// has no JSON is replaced by a failure, which always has.
func answer[R any](ctx context.Context, b *bridge, call *middleware.Call, reply *catalog.Reply, convert func(*catalog.Reply) (R, error)) (R, error) {
	var none R
	if reply.Fault == nil {
		res, err := convert(reply)
		if err == nil {
			return res, nil
		}
		if reply = b.catalog.Unsendable(ctx, call, err); reply.Fault == nil {
			return convert(reply)
		}
	}
	fault := &jsonrpc.Error{Code: int64(reply.Fault.Code), Message: reply.Fault.Message}
	if reply.Fault.Data != nil {
		if data, err := marshal(reply.Fault.Data); err == nil {
			fault.Data = data
		}
	}
	return none, fault
}

// stateless is the first revision without sessions, and before the last with them.
const (
	stateless = "2026-07-28"
	before    = "2025-11-25"
)

// callOf is a request as policies see it.
func callOf(kind middleware.Kind, r mcp.Request) *middleware.Call {
	meta := r.GetParams().GetMeta()
	call := &middleware.Call{Kind: kind, Revision: revision(r, meta), Meta: object(meta)}
	if extra := r.GetExtra(); extra != nil {
		call.Header = extra.Header
		if token := extra.TokenInfo; token != nil {
			call.Subject = middleware.Subject{ID: token.UserID, Scopes: token.Scopes, Claims: token.Extra}
		}
	}
	if session, is := r.GetSession().(*mcp.ServerSession); is && session.ID() != "" && call.Revision < stateless {
		call.Session = sdkSession{session}
	}
	return call
}

// revision is that of the request. Of a session the SDK tells the one that its client asked
// for, which need not be the one it got.
func revision(r mcp.Request, meta map[string]any) string {
	v, _ := r.(interface{ ProtocolVersion() string })
	if v == nil {
		return ""
	}
	version := v.ProtocolVersion()
	if _, own := meta[mcp.MetaKeyProtocolVersion]; own {
		return version
	}
	if version >= stateless || !slices.Contains(mcp.SupportedProtocolVersions(), version) {
		return before
	}
	return version
}

// object is the JSON of a map; nil for none.
func object[V any](m map[string]V) jsontext.Value {
	if m == nil {
		return nil
	}
	b, err := marshal(m)
	if err != nil {
		return nil
	}
	return b
}

// marshal encodes what users made. A panic in it is an error: the SDK contains none.
func marshal(v any) (b []byte, err error) {
	defer func() {
		if v := recover(); v != nil {
			b, err = nil, fmt.Errorf("encoding panicked with a %T", v)
		}
	}()
	return json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
}

// sdkSession is a session that the SDK keeps.
type sdkSession struct{ session *mcp.ServerSession }

// ID implements [middleware.Session].
func (s sdkSession) ID() string { return s.session.ID() }

// Client implements [middleware.Session].
func (s sdkSession) Client() middleware.Client {
	if p := s.session.InitializeParams(); p != nil && p.ClientInfo != nil {
		return middleware.Client{Name: p.ClientInfo.Name, Version: p.ClientInfo.Version}
	}
	return middleware.Client{}
}
