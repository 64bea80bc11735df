package builder

import (
	"context"
	"slices"
	"time"

	"github.com/mcpfusion/go/internal/scope"
	"github.com/mcpfusion/go/middleware"
)

// first makes the context of a call from the app's dependencies.
type first func(ctx context.Context, call *middleware.Call, s *scope.Scope) any

// step is one Use middleware without its types: it takes a *Ctx[C] and gives a *Ctx[D].
type step func(prev any) (any, error)

// policy is what a router hands down to what is declared on it.
type policy struct {
	prefix  string
	first   first
	steps   []step
	wraps   []middleware.Wrap
	visible []middleware.Visible
	guards  []middleware.Guard
	timeout time.Duration
	strict  bool // no coercion
}

// clone copies every slice, so that no child can touch its parent or its siblings.
func (p policy) clone() policy {
	p.steps = slices.Clone(p.steps)
	p.wraps = slices.Clone(p.wraps)
	p.visible = slices.Clone(p.visible)
	p.guards = slices.Clone(p.guards)
	return p
}

// derive runs the steps in the order declared; the first failure ends the call.
func (p policy) derive(ctx context.Context, call *middleware.Call, s *scope.Scope) (any, error) {
	current := p.first(ctx, call, s)
	for _, next := range p.steps {
		derived, err := next(current)
		if err != nil {
			return nil, err
		}
		current = derived
	}
	return current, nil
}

// erase forgets the types of a Use middleware.
func erase[C, D any](m middleware.Use[C, D]) step {
	return func(prev any) (any, error) {
		ctx := prev.(*middleware.Ctx[C])
		app, err := m(ctx).Get()
		if err != nil {
			return nil, err
		}
		return ctx.With(app), nil
	}
}
