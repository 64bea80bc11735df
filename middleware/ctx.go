package middleware

import (
	"context"
	"log/slog"

	"github.com/mcpfusion/go/internal/scope"
	"github.com/mcpfusion/go/result"
)

// Ctx is the context of one call. App has what the application put there: its
// dependencies, and what each Use middleware derived from them.
//
// It ends when the caller cancels, when the tool's timeout passes or when the server
// shuts down; [context.Cause] says which.
//
// A test may build one from its three fields; Defer, Notice and Progress then do nothing,
// and there is no client to ask.
type Ctx[C any] struct {
	context.Context

	// App is the application's own context value.
	App C
	// Call is the request.
	Call *Call

	scope *scope.Scope
}

// NewCtx is how the dispatch path makes the first context of a call.
func NewCtx[C any](ctx context.Context, app C, call *Call, s *scope.Scope) *Ctx[C] {
	return &Ctx[C]{Context: ctx, App: app, Call: call, scope: s}
}

// With returns a context for another application value and the same call.
func (c *Ctx[C]) With[D any](app D) *Ctx[D] {
	return &Ctx[D]{Context: c.Context, App: app, Call: c.Call, scope: c.scope}
}

// Defer runs f when the call ends: after the handler, last added first, once, also when
// the handler panics or the caller has gone.
func (c *Ctx[C]) Defer(f func()) { c.scope.Defer(f) }

// Notice adds a remark that the model reads beside a successful result.
func (c *Ctx[C]) Notice(text string) { c.scope.Notice(text) }

// Log is the server's logger with the tool's name on each record. A client that asks for
// log records of a level gets those too, on the call's own stream and without the texts of
// errors: log no secrets and no personal data here.
func (c *Ctx[C]) Log() *slog.Logger { return c.scope.Logger(scope.LineOf(c)) }

// Progress tells the client how far the call is, if it asked for that: progress out of
// total, in any unit; a total of 0 is unknown. Each must be more than the one before; others
// are dropped, as is what comes after the reply. The message is for a person and may be "".
func (c *Ctx[C]) Progress(progress, total float64, message string) {
	if line := scope.LineOf(c); line != nil {
		line.Progress(progress, total, message)
	}
}

// Use is a typed middleware: from the context C it derives the context D that the rest
// of the chain and the handler see. A failure ends the call.
type Use[C, D any] = func(*Ctx[C]) result.Result[D]

// Derive makes a typed middleware from a shared source and from what the application
// does with its finding:
//
//	router.Use(middleware.Derive(shared.RequireUser, func(d Deps, u shared.User) Tenant {
//		return Tenant{Deps: d, User: u}
//	}))
func Derive[C, S, D any](source func(*Ctx[C]) result.Result[S], merge func(C, S) D) Use[C, D] {
	return func(ctx *Ctx[C]) result.Result[D] {
		return source(ctx).Map(func(s S) D { return merge(ctx.App, s) })
	}
}
