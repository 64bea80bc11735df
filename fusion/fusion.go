// Package fusion declares MCP tools, prompts and resources with chained calls. Types flow along the chain: Use
// derives the handler's context, Returns fixes its result, and the input struct binds
// the declared parameters.
//
//	type Deps struct{ Invoices *invoices.Store }
//
//	f := fusion.New("billing", "1.0.0", Deps{store}, nil)
//
//	f.Mutation("billing.refund").
//		Describe("Refund an invoice by ID").
//		WithString("id", "Invoice ID").
//		WithInteger("amount_cents", "Amount to refund in CENTS", "min=1").
//		Handle(func(ctx *fusion.Ctx[Deps], in struct {
//			ID          string
//			AmountCents int64
//		}) result.Result[Invoice] {
//			return result.Of(ctx.App.Invoices.Refund(ctx, in.ID, in.AmountCents))
//		})
//
//	err := transport.Stdio(ctx, f, nil)
//
// [New] makes the [App]; [App.Query], [App.Mutation] and [App.Action] begin a [ToolBuilder],
// whose Handle ends it; a [Router] groups tools under a prefix with policies of their
// own. Mistakes in declarations are collected and reported by [App.Err], with file and
// line, before anything is served.
package fusion

import (
	"context"
	"errors"
	"log/slog"
	"reflect"
	"sync"
	"time"

	"github.com/mcpfusion/go/builder"
	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

// What users name most, from the packages that define it.
type (
	// Ctx is the context of a call, see [middleware.Ctx].
	Ctx[C any] = middleware.Ctx[C]
	// Call is a request as middleware sees it, see [middleware.Call].
	Call = middleware.Call
	// Subject is an authenticated caller, see [middleware.Subject].
	Subject = middleware.Subject
	// Next goes on with a call inside a Wrap, see [middleware.Next].
	Next = middleware.Next
	// Wrap is middleware around calls, see [middleware.Wrap].
	Wrap = middleware.Wrap
	// Guard refuses callers with a reason, see [middleware.Guard].
	Guard = middleware.Guard
	// Router declares tools under a prefix, see [builder.Router].
	Router[C any] = builder.Router[C]
	// ToolBuilder is a tool being declared, see [builder.Tool].
	ToolBuilder[C any] = builder.Tool[C]
	// PromptBuilder is a prompt being declared, see [builder.Prompt].
	PromptBuilder[C any] = builder.Prompt[C]
	// ResourceBuilder is a resource being declared, see [builder.Resource].
	ResourceBuilder[C any] = builder.Resource[C]
	// Icon is a picture beside a name, see [result.Icon].
	Icon = result.Icon
	// Tool is a finished tool, see [builder.Compiled].
	Tool = builder.Compiled
	// Args are arguments with typed getters, see [builder.Args].
	Args = builder.Args
	// NoInput is the input of a tool that takes no arguments.
	NoInput = builder.NoInput
	// RuleText is what a rule of an app's own says, see [App.Rule].
	RuleText = builder.RuleText
	// LintRule is a rule that finds what MCP allows and known clients refuse.
	LintRule = builder.LintRule
	// BuildError is a mistake in a declaration, see [builder.Error].
	BuildError = builder.Error
)

// Options says how an app runs. The zero value is the default of each field.
type Options struct {
	// Logger receives what models are not shown; default [slog.Default].
	Logger *slog.Logger
	// Title is the server's name for people; default none.
	Title string
	// WebsiteURL is told to clients; default none.
	WebsiteURL string
	// Icons are the server's pictures for clients; default none.
	Icons []Icon
	// Instructions tell models how to use the server as a whole; default none.
	Instructions string
	// KeepDots keeps the dots of tool ids in the names that clients see. By default
	// "billing.refund" is "billing_refund" to them, since common clients refuse dots.
	KeepDots bool
	// PageSize is how many entries one page of a list has; default 250, since some clients
	// read only the first page.
	PageSize int
	// LintOff switches rules off that find what MCP allows and known clients, or the APIs of
	// model vendors, refuse; by default all are on.
	LintOff []LintRule
}

// App is a server's set of tools, prompts and resources. D is the type of its own dependencies, which handlers
// find in Ctx.App. Transports serve it; see package transport.
//
// Tools are declared first and served then: the first transport that starts freezes the
// app, and a later declaration is an error. Declaring is for one goroutine.
type App[D any] struct {
	registry *builder.Registry
	root     *builder.Router[D]
	info     catalog.Info

	mu     sync.Mutex
	frozen *catalog.Catalog
}

// New starts an app that tells clients its name and version. Deps is handed to every
// handler as it is. A nil opts means defaults.
func New[D any](name, version string, deps D, opts *Options) *App[D] {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	registry := builder.NewRegistry(o.Logger, o.KeepDots)
	registry.CheckIcons(o.Icons)
	registry.LintOff(o.LintOff)
	return &App[D]{
		registry: registry,
		root:     builder.NewRouter(registry, deps),
		info: catalog.Info{
			Name: name, Version: version, Title: o.Title, WebsiteURL: o.WebsiteURL,
			Instructions: o.Instructions, Icons: o.Icons, PageSize: o.PageSize,
		},
	}
}

// Query declares a tool that only reads.
func (a *App[D]) Query(name string) *builder.Tool[D] { return a.top().Query(name) }

// Mutation declares a tool that may change or destroy what was there.
func (a *App[D]) Mutation(name string) *builder.Tool[D] { return a.top().Mutation(name) }

// Action declares a tool that does something without destroying what was there.
func (a *App[D]) Action(name string) *builder.Tool[D] { return a.top().Action(name) }

// Prompt declares a prompt: messages that a person picks to begin or go on with.
func (a *App[D]) Prompt(name string) *builder.Prompt[D] { return a.top().Prompt(name) }

// Resource declares a resource, or a template with variables: "orders://{id}/lines".
func (a *App[D]) Resource(uri string) *builder.Resource[D] { return a.top().Resource(uri) }

// Router is a router under a prefix, with a copy of the policies so far.
func (a *App[D]) Router(prefix string) *Router[D] { return a.top().Router(prefix) }

// Group is a router without a prefix, for policies that only some tools need.
func (a *App[D]) Group() *Router[D] { return a.top().Group() }

// Mount lets another package declare its tools under a prefix, see [builder.Router.Mount].
func (a *App[D]) Mount(prefix string, register func(*Router[D])) { a.top().Mount(prefix, register) }

// Use derives the root router for handlers with the context E. From then on tools are
// declared on it and no longer on the app, which is still what transports serve.
func (a *App[D]) Use[E any](m func(*Ctx[D]) result.Result[E]) *Router[E] { return a.top().Use(m) }

// Wrap adds around-middleware for every call to the server, also for tools that do not
// exist. The first added runs outermost, outside of all wraps of routers and tools.
func (a *App[D]) Wrap(wraps ...middleware.Wrap) *App[D] {
	a.top()
	a.registry.Wrap(wraps...)
	return a
}

// Visible hides all tools from callers for whom it returns false.
func (a *App[D]) Visible(visible func(context.Context, *Call) bool) *App[D] {
	a.top().Visible(visible)
	return a
}

// Require refuses callers for whom a guard returns a failure, with its reason.
func (a *App[D]) Require(guards ...middleware.Guard) *App[D] {
	a.top().Require(guards...)
	return a
}

// Timeout bounds each call to a tool, see [builder.Tool.Timeout].
func (a *App[D]) Timeout(d time.Duration) *App[D] {
	a.top().Timeout(d)
	return a
}

// Coerce says whether tools take strings for the numbers, booleans, lists and objects that
// they spell, see [builder.Tool.Coerce]. The default is true.
func (a *App[D]) Coerce(on bool) *App[D] {
	a.top().Coerce(on)
	return a
}

// Rule adds a rule of the app's own to the tag language: rules of parameters and validate
// tags may name it, for values of type T and for types of their own like it. Holds runs on
// values that are there, concurrently; a panic in it refuses the value. Rules come before
// the first declaration, and are not for the forms of [middleware.Ctx.Elicit].
//
//	f.Rule("sku", func(s string) bool { return skuPattern.MatchString(s) }, fusion.RuleText{
//		Problem: "is no SKU", Expected: "a SKU such as AB-123",
//	})
func (a *App[D]) Rule[T any](name string, holds func(T) bool, text RuleText) *App[D] {
	var check func(reflect.Value) bool
	if holds != nil {
		check = func(v reflect.Value) bool {
			t, _ := reflect.TypeAssert[T](v)
			return holds(t)
		}
	}
	builder.AddRule(a.root, name, reflect.TypeFor[T](), check, text)
	return a
}

// Err returns every mistake in the declarations so far, joined, each a [*BuildError];
// nil means that the app can be served.
func (a *App[D]) Err() error {
	if a.registry == nil {
		return errUnmade
	}
	return a.registry.Err()
}

// Warnings returns what some clients or model vendors' APIs refuse although MCP allows it,
// each a [*BuildError] with its Rule. It does not keep the app from being served; what
// costs a client every tool is in [App.Err]. Warnings are logged once, when the first
// transport starts.
func (a *App[D]) Warnings() []error {
	if a.registry == nil {
		return nil
	}
	return a.registry.Warnings(a.info)
}

var errUnmade = errors.New("fusion: this App was not made by New")

// top is the root router. An app that New did not make has none, and nowhere to note that
// as a mistake.
func (a *App[D]) top() *builder.Router[D] {
	if a.root == nil {
		panic(errUnmade.Error())
	}
	return a.root
}

// ListChanged tells clients that their lists of tools, prompts and resources are no longer
// what they were, for changes that only the app knows of. It concerns the clients of these
// subjects, or everyone if there are none. With the context of a call, they are told after
// its reply. Before the app is served, there is nobody to tell.
func (a *App[D]) ListChanged(ctx context.Context, subjects ...string) {
	if c := a.served(); c != nil {
		c.Changed(ctx, catalog.AnyChange, catalog.Audience{Subjects: subjects})
	}
}

// ResourceUpdated tells the clients that subscribed to a resource that it has changed, by
// its URI. It concerns the clients of these subjects, or everyone if there are none. With
// the context of a call, they are told after its reply.
func (a *App[D]) ResourceUpdated(ctx context.Context, uri string, subjects ...string) {
	if c := a.served(); c != nil {
		c.Updated(ctx, uri, catalog.Audience{Subjects: subjects})
	}
}

// served is the frozen catalog, or nil before the first transport starts.
func (a *App[D]) served() *catalog.Catalog {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.frozen
}

// Catalog freezes the app and returns what transports serve, or the error of [App.Err].
// Transports call it; users need not.
func (a *App[D]) Catalog() (*catalog.Catalog, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.registry == nil {
		return nil, errUnmade
	}
	if a.frozen == nil {
		frozen, err := a.registry.Freeze(a.info)
		a.frozen = frozen
		return frozen, err
	}
	if err := a.registry.Err(); err != nil {
		return nil, err
	}
	return a.frozen, nil
}
