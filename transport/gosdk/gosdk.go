// Package gosdk mounts the tools of a Fusion app on a server of the official Go SDK, for
// teams that have one and keep it.
//
//	server := mcp.NewServer(&mcp.Implementation{Name: "ours", Version: "1"}, nil)
//	err := gosdk.Mount(server, app)
//
// Calls run on Fusion's own dispatch path, with every policy of the app: the results are
// those of Fusion's own transports. Who calls is the SDK's TokenInfo.
package gosdk

import (
	"context"
	"encoding/json/v2"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/middleware"
)

// App is what can be mounted, such as a fusion.App.
type App interface {
	// Catalog freezes the declared tools. It fails while the app has build errors.
	Catalog() (*catalog.Catalog, error)
}

// Mount adds the app's tools to server, beside those it has. It fails if the app has build
// errors, and leaves the server as it was. Tools that a caller may not see are missing
// from that caller's list.
func Mount(server *mcp.Server, app App) error {
	c, err := app.Catalog()
	if err != nil {
		return err
	}
	b := bridge{c}
	for _, t := range c.Tools() {
		server.AddTool(definition(t), b.call)
	}
	server.AddReceivingMiddleware(b.filterLists)
	return nil
}

func definition(t *catalog.Tool) *mcp.Tool {
	d := &mcp.Tool{
		Name: t.Name, Title: t.Title, Description: t.Description,
		InputSchema: t.InputSchema,
		Annotations: &mcp.ToolAnnotations{
			ReadOnlyHint: t.Hints.ReadOnly, DestructiveHint: &t.Hints.Destructive,
			IdempotentHint: t.Hints.Idempotent, OpenWorldHint: &t.Hints.OpenWorld,
		},
	}
	if t.OutputSchema != nil {
		d.OutputSchema = t.OutputSchema
	}
	return d
}

// bridge answers the SDK's requests out of a catalog.
type bridge struct{ catalog *catalog.Catalog }

// call runs a tool and turns its reply into the SDK's types.
func (b bridge) call(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	call := callOf(r.Extra, r.Session, r.ProtocolVersion())
	call.Name, call.Arguments = r.Params.Name, r.Params.Arguments
	if meta, err := json.Marshal(r.Params.Meta); err == nil && len(r.Params.Meta) > 0 {
		call.Meta = meta
	}
	if kind := call.Arguments.Kind(); len(call.Arguments) > 0 && kind != '{' && kind != 'n' {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: `Invalid params: "arguments" must be an object`}
	}
	reply := b.catalog.Call(ctx, call)
	if reply.Fault != nil {
		data, err := json.Marshal(reply.Fault.Data)
		if err != nil || reply.Fault.Data == nil {
			data = nil
		}
		return nil, &jsonrpc.Error{Code: int64(reply.Fault.Code), Message: reply.Fault.Message, Data: data}
	}
	return result(reply), nil
}

// filterLists takes what the caller may not see out of the SDK's lists.
func (b bridge) filterLists(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, r)
		list, is := res.(*mcp.ListToolsResult)
		if err != nil || !is || b.catalog.Static() {
			return res, err
		}
		session, _ := r.GetSession().(*mcp.ServerSession)
		shown := b.catalog.List(ctx, callOf(r.GetExtra(), session, ""))
		filtered := *list
		filtered.Tools = slices.DeleteFunc(slices.Clone(list.Tools), func(d *mcp.Tool) bool {
			t := b.catalog.Find(d.Name)
			return t != nil && !slices.Contains(shown, t)
		})
		return &filtered, nil
	}
}

// callOf is a request as policies see it.
func callOf(extra *mcp.RequestExtra, session *mcp.ServerSession, revision string) *middleware.Call {
	call := &middleware.Call{Kind: middleware.KindTool, Revision: revision}
	if extra != nil {
		call.Header = extra.Header
		if token := extra.TokenInfo; token != nil {
			call.Subject = middleware.Subject{ID: token.UserID, Scopes: token.Scopes, Claims: token.Extra}
		}
	}
	if session != nil && session.ID() != "" {
		call.Session = sdkSession{session}
	}
	return call
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
