// Package gosdk mounts what a Fusion app declares on a server of the official Go SDK, for
// teams that have one and keep it.
//
//	server := mcp.NewServer(&mcp.Implementation{Name: "ours", Version: "1"}, nil)
//	err := gosdk.Mount(server, app)
//
// Tools, prompts, resources, resource templates and completions run on Fusion's own
// dispatch path, with every policy of the app, and give what Fusion's own transports give:
// results, failures, and JSON-RPC errors with their codes and data. What the server has
// besides stays as it is, but an item of the same name or URI is replaced. Several apps may
// be mounted on one server. Mount them before the server is connected, and after the
// server's own middleware: what receives must not be asked about what nobody has, and what
// sends would see log records that are only considered.
//
// # Who calls
//
// A call's Subject is the SDK's TokenInfo, that is its UserID, Scopes and Extra; its Header
// is that of the HTTP request; its Session is the SDK's, where that has an id. Lists leave
// out what the caller may not see, and are marked as private then. As the SDK makes the
// pages before, a page may be short or empty, with others behind it.
//
// # What nobody has
//
// A tool or a prompt that neither the server nor the app has is answered by the app, so that
// it cannot be told from a hidden one. A hidden resource is answered as the SDK answers one
// that does not exist, whose code is -32602 in all revisions.
//
// # The client
//
// In a session handlers reach their client as with Fusion's own transports: progress and log
// records go to it if it asked for them, and questions are answered while the call runs,
// within 2 minutes, if the client declares the capability and the revision has it. In
// revision 2026-07-28 it is only told: progress, and log records of the level in the request.
//
// # Completion
//
// If the app suggests anything, the server advertises completions. Questions about the
// app's prompts and templates go to the app, all others to the CompletionHandler of
// mcp.ServerOptions, if there is one. How often a client may ask is not limited here.
//
// # What the SDK's server does not do
//
//   - In revision 2026-07-28 no client has a capability: questions fail, and a tool that
//     Requires one is answered with the error -32021.
//   - Numbers in a form are read as float64, and a sampling temperature of 0 is left out.
//     An answer that the SDK cannot read is not asked for again.
//   - Subscriptions are the server's own, with its SubscribeHandler. ResourceUpdated of the
//     app reaches them where it is for everyone, not where it is for some subjects.
//     ListChanged reaches nobody: the SDK tells of lists only when it changes them itself.
//   - Older revisions get what only later ones define: icons, _meta, cacheScope and so on.
//   - A priority of 0 and the text of an empty resource are left out on the wire.
package gosdk

import (
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/middleware"
)

// App is what can be mounted, such as a fusion.App.
type App interface {
	// Catalog freezes what is declared. It fails while the app has build errors.
	Catalog() (*catalog.Catalog, error)
}

// Mount adds what the app declares to server, beside what that has. It fails if the app has
// build errors or something that the SDK refuses, and leaves the server as it was.
func Mount(server *mcp.Server, app App) error {
	c, err := app.Catalog()
	if err != nil {
		return err
	}
	b := newBridge(c)
	if err := b.try(); err != nil {
		return err
	}
	b.addTo(server)
	server.AddReceivingMiddleware(b.receive)
	server.AddSendingMiddleware(send)
	c.Listen("", "", news{server})
	return nil
}

// bridge answers the SDK's requests out of a catalog.
type bridge struct {
	catalog   *catalog.Catalog
	lists     map[string]*list // by the method that asks for it
	completes bool
}

// list is what one of the SDK's lists has of the app.
type list struct {
	kind   middleware.Kind
	items  map[string]*catalog.Item
	steady bool // the same for every caller at every moment
}

func newList[T any](kind middleware.Kind, all []T, item func(T) *catalog.Item) *list {
	l := &list{kind: kind, items: make(map[string]*catalog.Item, len(all)), steady: true}
	for _, one := range all {
		i := item(one)
		l.items[i.Name] = i
		l.steady = l.steady && i.Steady()
	}
	return l
}

func newBridge(c *catalog.Catalog) *bridge {
	ofResource := func(r *catalog.Resource) *catalog.Item { return &r.Item }
	b := &bridge{catalog: c, lists: map[string]*list{
		"tools/list":               newList(middleware.KindTool, c.Tools(), func(t *catalog.Tool) *catalog.Item { return &t.Item }),
		"prompts/list":             newList(middleware.KindPrompt, c.Prompts(), func(p *catalog.Prompt) *catalog.Item { return &p.Item }),
		"resources/list":           newList(middleware.KindResource, c.Resources(), ofResource),
		"resources/templates/list": newList(middleware.KindResource, c.Templates(), ofResource),
	}}
	for _, p := range c.Prompts() {
		b.completes = b.completes || len(p.Complete) > 0
	}
	for _, t := range c.Templates() {
		b.completes = b.completes || len(t.Complete) > 0
	}
	return b
}

// try adds everything to a server that is thrown away: the SDK panics on what it refuses.
func (b *bridge) try() (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("gosdk: the SDK refuses the app: %v", v)
		}
	}()
	b.addTo(mcp.NewServer(&mcp.Implementation{Name: b.catalog.Info.Name, Version: b.catalog.Info.Version}, nil))
	return nil
}

func (b *bridge) addTo(server *mcp.Server) {
	for _, t := range b.catalog.Tools() {
		server.AddTool(tool(t), b.callTool)
	}
	for _, p := range b.catalog.Prompts() {
		server.AddPrompt(prompt(p), b.getPrompt)
	}
	for _, r := range b.catalog.Resources() {
		server.AddResource(resource(r), b.readResource)
	}
	for _, t := range b.catalog.Templates() {
		server.AddResourceTemplate(template(t), b.readResource)
	}
}
