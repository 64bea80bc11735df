package middleware_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

type deps struct{ name string }

type user struct{ id string }

type tenant struct {
	deps
	user user
}

func findUser(ctx *middleware.Ctx[deps]) result.Result[user] {
	if ctx.Call.Subject.Anonymous() {
		return result.Fail[user](result.Unauthorized("Sign in"))
	}
	return result.OK(user{ctx.Call.Subject.ID})
}

// findUserAnywhere is what a shared package exports: it serves every context type.
func findUserAnywhere[C any](ctx *middleware.Ctx[C]) result.Result[user] {
	return result.OK(user{ctx.Call.Subject.ID})
}

func ctxOf(id string) *middleware.Ctx[deps] {
	return &middleware.Ctx[deps]{
		Context: context.Background(), App: deps{"app"},
		Call: &middleware.Call{Subject: middleware.Subject{ID: id}},
	}
}

func TestDeriveMergesWhatASharedSourceFound(t *testing.T) {
	merge := func(d deps, u user) tenant { return tenant{d, u} }
	for name, use := range map[string]middleware.Use[deps, tenant]{
		"a plain source":   middleware.Derive(findUser, merge),
		"a generic source": middleware.Derive(findUserAnywhere, merge),
	} {
		got, err := use(ctxOf("ann")).Get()
		assert.NoError(t, err, name)
		assert.Equal(t, tenant{deps{"app"}, user{"ann"}}, got, name)
	}
	_, err := middleware.Derive(findUser, merge)(ctxOf("")).Get()
	assert.ErrorIs(t, err, result.Unauthorized(""))
}

func TestAContextBuiltByATestNeedsNoDispatch(t *testing.T) {
	ctx := ctxOf("ann").With(tenant{})
	ctx.Defer(func() { t.Error("nobody ends this call") })
	ctx.Notice("lost")
	assert.NotNil(t, ctx.Log())
	assert.Equal(t, "ann", ctx.Call.Subject.ID)
}

func TestTheFirstWrapAddedRunsOutermost(t *testing.T) {
	var order []string
	wrap := func(name string) middleware.Wrap {
		return func(ctx context.Context, call *middleware.Call, next middleware.Next) *result.Response {
			order = append(order, name+" in")
			defer func() { order = append(order, name+" out") }()
			return next(ctx, call)
		}
	}
	next := middleware.Chain([]middleware.Wrap{wrap("a"), wrap("b")}, func(context.Context, *middleware.Call) *result.Response {
		order = append(order, "handler")
		return &result.Response{}
	})
	next(t.Context(), &middleware.Call{})
	assert.Equal(t, []string{"a in", "b in", "handler", "b out", "a out"}, order)
}

func TestAnOuterWrapSeesWhatHappenedToAnInnerOne(t *testing.T) {
	errInner := errors.New("inner")
	for name, inner := range map[string]middleware.Wrap{
		"it panicked": func(context.Context, *middleware.Call, middleware.Next) *result.Response { panic(errInner) },
		"it returned nothing": func(context.Context, *middleware.Call, middleware.Next) *result.Response {
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			var seen *result.Response
			outer := func(ctx context.Context, call *middleware.Call, next middleware.Next) *result.Response {
				seen = next(ctx, call)
				return seen
			}
			middleware.Chain([]middleware.Wrap{outer, inner}, nil)(t.Context(), &middleware.Call{})
			assert.NotNil(t, seen)
			assert.True(t, seen.Failed())
		})
	}
}
