package builder

import (
	"context"
	"log/slog"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

func pass(ctx context.Context, call *middleware.Call, next middleware.Next) *result.Response {
	return next(ctx, call)
}

func same(ctx *middleware.Ctx[int]) result.Result[int] { return result.OK(ctx.App) }

func all(context.Context, *middleware.Call) bool { return true }

func open(context.Context, *middleware.Call) *result.Failure { return nil }

func done(*middleware.Ctx[int], NoInput) result.Result[result.Unit] { return result.Done() }

// A clone must copy each slice, or an append through one router would write into what
// another one has.
func TestAClonedPolicySharesNoSlice(t *testing.T) {
	original := reflect.New(reflect.TypeFor[policy]()).Elem()
	for _, field := range original.Fields() {
		if field.Kind() == reflect.Slice {
			slice := reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem()
			slice.Set(reflect.MakeSlice(slice.Type(), 1, 8))
		}
	}
	p := original.Addr().Interface().(*policy)
	clone := reflect.ValueOf(p.clone())
	slices := 0
	for field, value := range original.Fields() {
		if value.Kind() == reflect.Slice {
			slices++
			assert.NotEqual(t, value.Pointer(), clone.FieldByIndex(field.Index).Pointer(), field.Name)
		}
	}
	assert.Equal(t, 4, slices)
}

func TestChildrenOfOneRouterShareNothing(t *testing.T) {
	reg := NewRegistry(slog.New(slog.DiscardHandler), false)
	parent := NewRouter(reg, 0).Router("p").Wrap(pass).Visible(all).Require(open).Use(same)
	one := parent.Router("one").Wrap(pass).Wrap(pass).Visible(all).Require(open).Use(same)
	two := parent.Group().Wrap(pass).Require(open).Require(open)
	tool := one.Query("x").Describe("d").Wrap(pass).Visible(all).Require(open).Use(same)
	plain := one.Query("y").Describe("d")
	bare := parent.Query("z").Describe("d")
	tool.Handle(done)
	plain.Handle(done)
	bare.Handle(done)
	two.Query("w").Describe("d").Handle(done)
	assert.NoError(t, reg.Err())

	for name, want := range map[string]struct {
		policy                        policy
		steps, wraps, visible, guards int
	}{
		"the parent":      {parent.rec.policy, 1, 1, 1, 1},
		"a child":         {one.rec.policy, 2, 3, 2, 2},
		"its sibling":     {two.rec.policy, 1, 2, 1, 3},
		"a tool":          {tool.chain.policy, 3, 4, 3, 3},
		"the tool beside": {plain.chain.policy, 2, 3, 2, 2},
		"the parent's":    {bare.chain.policy, 1, 1, 1, 1},
	} {
		assert.Len(t, want.policy.steps, want.steps, name)
		assert.Len(t, want.policy.wraps, want.wraps, name)
		assert.Len(t, want.policy.visible, want.visible, name)
		assert.Len(t, want.policy.guards, want.guards, name)
	}
	assert.Equal(t, "p.one", one.rec.policy.prefix)
	assert.Equal(t, "p", two.rec.policy.prefix)
}
