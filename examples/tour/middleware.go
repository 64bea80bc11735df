package tour

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"time"

	"github.com/mcpfusion/go/examples/shared"
	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
	"github.com/mcpfusion/go/transport"
)

// region: needs

// Shop is an app's own dependencies. It has what package shared needs of a context.
type Shop struct {
	Orders *Orders
	Tokens *shared.Tokens
}

// UserTokens is what shared.HasTokens asks for.
func (s Shop) UserTokens() *shared.Tokens { return s.Tokens }

// endregion

// region: typed

// Clerk is what handlers see after withClerk.
type Clerk struct {
	Shop
	Name string
}

// withClerk derives Clerk from Shop. A failure ends the call before its arguments are read.
func withClerk(ctx *fusion.Ctx[Shop]) result.Result[Clerk] {
	return shared.FindUser(ctx).Map(func(u shared.User) Clerk { return Clerk{ctx.App, u.Name} })
}

// endregion

// Middleware declares what docs/middleware.md shows.
func Middleware(f *fusion.App[Shop]) {
	// region: wrap
	f.Wrap(timed, notFound)
	// endregion

	// region: use
	orders := f.Router("orders").Use(withClerk) // Router[Clerk]

	orders.Query("mine").
		Describe("Count my open orders").
		Handle(func(ctx *fusion.Ctx[Clerk], _ fusion.NoInput) result.Result[string] {
			ctx.Defer(func() { ctx.Log().Info("done") })
			return result.OK("orders of " + ctx.App.Name)
		})
	// endregion

	// region: derive
	staff := f.Router("staff").Use(middleware.Derive(shared.FindUser,
		func(s Shop, u shared.User) Clerk { return Clerk{s, u.Name} }))

	staff.Query("whoami").Describe("Say who is signed in").
		Handle(func(ctx *fusion.Ctx[Clerk], _ fusion.NoInput) result.Result[string] {
			return result.OK(ctx.App.Name)
		})
	// endregion

	// region: group
	admin := f.Router("admin").Timeout(10 * time.Second)
	admin.Query("ping").Describe("Say hello").Handle(pong[Shop])

	owners := admin.Group().Require(ownerOnly) // a copy of admin's policies, and one more
	owners.Mutation("wipe").Describe("Delete everything").Handle(pong[Shop])
	// endregion

	// region: mount
	f.Mount("stock", RegisterStock)
	// endregion
}

// region: guard

// ownerOnly is asked when tools are listed and again at the call.
func ownerOnly(_ context.Context, call *fusion.Call) *result.Failure {
	if call.Subject.ID != "u_owner" {
		return result.Forbidden("Only the owner may do this")
	}
	return nil
}

// endregion

// region: wraps

// timed goes around every call, also to tools that do not exist.
func timed(ctx context.Context, call *fusion.Call, next fusion.Next) *result.Response {
	start := time.Now()
	resp := next(ctx, call)
	if took := time.Since(start); took > time.Second {
		resp.Guidance.Notices = append(resp.Guidance.Notices, "This took "+took.String())
	}
	return resp
}

// notFound turns an error of the app into a failure that the model may see.
func notFound(ctx context.Context, call *fusion.Call, next fusion.Next) *result.Response {
	resp := next(ctx, call)
	if errors.Is(resp.Cause, fs.ErrNotExist) {
		resp.Failure = result.NotFound("There is no such file")
	}
	return resp
}

// endregion

// region: register

// NeedsOrders is what this package needs of the context of the app that mounts it.
type NeedsOrders interface{ OrderStore() *Orders }

// RegisterStock declares this package's tools on any app's router.
func RegisterStock[C NeedsOrders](r *fusion.Router[C]) {
	r.Query("open").
		Describe("Count the open orders").
		Handle(func(ctx *fusion.Ctx[C], _ fusion.NoInput) result.Result[int] {
			return result.OK(ctx.App.OrderStore().Count("open"))
		})
}

// endregion

// OrderStore is what NeedsOrders asks for.
func (s Shop) OrderStore() *Orders { return s.Orders }

func pong[C any](*fusion.Ctx[C], fusion.NoInput) result.Result[string] { return result.OK("pong") }

// Serve shows how callers are found out over HTTP.
func Serve(f *fusion.App[Shop], tokens *shared.Tokens) (http.Handler, error) {
	// region: authenticate
	server, err := transport.HTTP(f, &transport.HTTPOptions{Authenticate: tokens.Authenticate})
	// endregion
	if err != nil {
		return nil, err
	}
	return server, nil
}
