package catalog

import (
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/mcpfusion/go/internal/scope"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

// invalidParams is the JSON-RPC code of a name that does not exist.
const invalidParams = -32602

// settleTimeout bounds the commit or release of a claim, which must not end with the
// caller's context.
const settleTimeout = 10 * time.Second

// Call runs one call to its rendered end. Policies, containment and masking all happen
// inside; it never panics and never returns nil.
func (c *Catalog) Call(ctx context.Context, call *middleware.Call) *Reply {
	t := c.byName[call.Name]
	if t != nil {
		call.Tool = &t.Tool
	}
	return c.render(ctx, call, t, c.answer(ctx, call))
}

// answer is the outermost layer: whatever panics below ends here.
func (c *Catalog) answer(ctx context.Context, call *middleware.Call) (resp *result.Response) {
	defer func() {
		if v := recover(); v != nil {
			resp = result.FromError(scope.Recovered(v))
		}
	}()
	return c.enter(ctx, call)
}

// dispatch goes from the server's wraps to the tool's. A tool that the caller may not
// know of is answered as one that does not exist.
func (c *Catalog) dispatch(ctx context.Context, call *middleware.Call) *result.Response {
	t := c.byName[call.Name]
	if t == nil || hidden(ctx, call, t) {
		return result.FromError(unknownTool(call.Name))
	}
	return t.run(ctx, call)
}

func unknownTool(name string) error {
	return result.Protocol(invalidParams, fmt.Sprintf("Unknown tool: %q", excerpt(name, 64)), nil)
}

// excerpt cuts s to at most n bytes on a rune's edge.
func excerpt(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// runner is what the wraps of a tool go around.
func (c *Catalog) runner(t *Tool) middleware.Next {
	run := func(ctx context.Context, call *middleware.Call) *result.Response {
		if f := refuse(ctx, call, t); f != nil {
			return result.FromError(f)
		}
		return c.attempt(ctx, call, t)
	}
	if t.Timeout > 0 {
		return c.timed(t.Timeout, run)
	}
	return run
}

// refuse asks the guards first and then the state.
func refuse(ctx context.Context, call *middleware.Call, t *Tool) *result.Failure {
	if f := forbidden(ctx, call, t); f != nil {
		return f
	}
	if t.Gate == nil {
		return nil
	}
	return t.Gate.Look(ctx, call).Refuse(t)
}

// attempt runs the tool once: derive, decode, claim, handle; then the deferred work, the
// claim's end and the presenter.
func (c *Catalog) attempt(ctx context.Context, call *middleware.Call, t *Tool) *result.Response {
	r := run{tool: t, call: call, scope: scope.New(c.Log, t.ID)}
	err := r.contained(ctx)
	if f := settle(ctx, r.claim, err == nil); f != nil {
		err = f
	}
	if err != nil {
		return r.noticed(result.FromError(err))
	}
	return r.noticed(c.present(ctx, t, r.value))
}

// run is one run of a tool.
type run struct {
	tool  *Tool
	call  *middleware.Call
	scope *scope.Scope
	claim Claim
	value any
}

// contained runs the steps and then the deferred work. A panic becomes the error. A
// handler that ends its goroutine leaves nobody to answer to; its claim is released. If
// deferred work does, the handler's return still decides.
func (r *run) contained(ctx context.Context) (err error) {
	ended := false
	defer func() {
		if v := recover(); v != nil {
			err, ended = scope.Recovered(v), true
		}
		closed := false
		defer func() {
			if !ended || !closed { // the goroutine ends, so nobody else does it
				_ = settle(ctx, r.claim, ended && err == nil)
			}
		}()
		r.scope.Close(ctx)
		closed = true
	}()
	err = r.steps(ctx)
	ended = true
	return err
}

func (r *run) steps(ctx context.Context) error {
	app, err := r.tool.Derive(ctx, r.call, r.scope)
	if err != nil {
		return err
	}
	in, problems := r.tool.Decode(r.call.Arguments)
	if len(problems) > 0 {
		return result.InvalidArguments(problems...)
	}
	if r.tool.Gate != nil {
		claim, refusal := r.tool.Gate.Claim(ctx, r.call, r.tool)
		if refusal != nil {
			return refusal
		}
		r.claim = claim
	}
	r.value, err = r.tool.Invoke(app, in)
	return err
}

// noticed adds the remarks that the handler made.
func (r *run) noticed(resp *result.Response) *result.Response {
	if notices := r.scope.Notices(); len(notices) > 0 {
		resp.Guidance.Notices = append(resp.Guidance.Notices, notices...)
	}
	return resp
}

// settle ends a claim by what the handler did. It outlives the caller, within a bound.
func settle(ctx context.Context, claim Claim, success bool) *result.Failure {
	if claim == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	if success {
		return claim.Commit(ctx)
	}
	claim.Release(ctx)
	return nil
}

// present shapes a value that the handler returned. What fails from here on does not
// undo the action, and the reply says so.
func (c *Catalog) present(ctx context.Context, t *Tool, value any) (resp *result.Response) {
	defer func() {
		if v := recover(); v != nil {
			resp = t.unpresentable(scope.Recovered(v))
		}
	}()
	resp, err := t.Present(ctx, value)
	if err != nil {
		return t.unpresentable(err)
	}
	return resp
}
