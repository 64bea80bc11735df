package catalog

import (
	"context"
	"log/slog"

	"github.com/mcpfusion/go/internal/scope"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

// Gate makes tools depend on a state. Tools that depend on the same state share one
// Gate, which must be comparable.
type Gate interface {
	// Look reads the caller's state once; the View judges tools by it. A state that
	// cannot be read gives a View that refuses.
	Look(ctx context.Context, call *middleware.Call) View
	// Claim takes the transition that the tool fires, before its handler runs and after
	// the arguments proved valid. A tool that fires none gets a nil Claim. A non-nil
	// failure refuses the call.
	Claim(ctx context.Context, call *middleware.Call, t *Tool) (Claim, *result.Failure)
}

// View judges tools by a state that was read at one moment.
type View interface {
	// Hidden reports whether the tool is missing from the caller's list.
	Hidden(t *Tool) bool
	// Refuse says why the tool may not be called now; nil if it may.
	Refuse(t *Tool) *result.Failure
}

// Claim is a transition taken but not yet made.
type Claim interface {
	// Commit makes the transition. A failure takes the place of the handler's result.
	Commit(ctx context.Context) *result.Failure
	// Release gives the transition back.
	Release(ctx context.Context)
}

// views reads each gate at most once for one request.
type views struct {
	call *middleware.Call
	seen map[Gate]View
}

func (v *views) of(ctx context.Context, g Gate) View {
	if view, ok := v.seen[g]; ok {
		return view
	}
	if v.seen == nil {
		v.seen = make(map[Gate]View, 1)
	}
	view := g.Look(ctx, v.call)
	v.seen[g] = view
	return view
}

// hides reports whether the caller may not know of i at all. A policy that panics hides it,
// from lists and from calls alike.
func (c *Catalog) hides(ctx context.Context, call *middleware.Call, i *Item) (hides bool) {
	defer func() {
		if v := recover(); v != nil {
			c.policyPanicked(ctx, call, i, v)
			hides = true
		}
	}()
	return hidden(ctx, call, i)
}

func (c *Catalog) policyPanicked(ctx context.Context, call *middleware.Call, i *Item, v any) {
	scope.Log(ctx, c.Log, slog.LevelError, "a policy panicked; what it is for is hidden",
		kindOf(call), i.ID, "panic", scope.Text(v), "stack", string(scope.Recovered(v).Stack))
}

// hidden asks the policies of i whether the caller may know of it.
func hidden(ctx context.Context, call *middleware.Call, i *Item) bool {
	for _, visible := range i.Visible {
		if !visible(ctx, call) {
			return true
		}
	}
	return false
}

// forbidden asks the guards of i for a reason to refuse the caller.
func forbidden(ctx context.Context, call *middleware.Call, i *Item) *result.Failure {
	for _, guard := range i.Guards {
		if f := guard(ctx, call); f != nil {
			return f
		}
	}
	return nil
}

// List returns the tools that the caller is shown now, in their order. What cannot be
// judged, because a policy panics, is left out.
func (c *Catalog) List(ctx context.Context, call *middleware.Call) []*Tool {
	if c.static {
		return c.tools
	}
	shows := c.Shows(ctx, call)
	shown := make([]*Tool, 0, len(c.tools))
	for _, t := range c.tools {
		if shows(&t.Item) {
			shown = append(shown, t)
		}
	}
	return shown
}

// Shows judges items for the caller's lists at one moment.
func (c *Catalog) Shows(ctx context.Context, call *middleware.Call) func(i *Item) bool {
	v := &views{call: call}
	return func(i *Item) bool {
		return c.judge(ctx, call, i, func(g Gate) bool { return !v.of(ctx, g).Hidden(i.tool) })
	}
}

// callable reports whether the caller may call t now.
func (c *Catalog) callable(ctx context.Context, v *views, t *Tool) bool {
	return c.judge(ctx, v.call, &t.Item, func(g Gate) bool { return v.of(ctx, g).Refuse(t) == nil })
}

// judge combines the policies of an item with what its gate says; a panic counts as a no.
func (c *Catalog) judge(ctx context.Context, call *middleware.Call, i *Item, open func(Gate) bool) (ok bool) {
	defer func() {
		if v := recover(); v != nil {
			c.policyPanicked(ctx, call, i, v)
			ok = false
		}
	}()
	if hidden(ctx, call, i) || forbidden(ctx, call, i) != nil {
		return false
	}
	gate := i.gate()
	return gate == nil || open(gate)
}
