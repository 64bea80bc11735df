package catalog

import (
	"context"
	"errors"
	"time"
	"unicode/utf8"

	"github.com/mcpfusion/go/internal/scope"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

// settleTimeout bounds the commit or release of a claim, which must not end with the
// caller's context.
const settleTimeout = 10 * time.Second

// Call runs one call to its rendered end. Policies, containment and masking all happen
// inside; it never panics and never returns nil.
func (c *Catalog) Call(ctx context.Context, call *middleware.Call) *Reply {
	i := c.find(call)
	if i != nil {
		call.Tool = &i.Tool
	}
	return c.render(ctx, call, i, c.answer(ctx, call))
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

// dispatch goes from the server's wraps to the item's. An item that the caller may not
// know of is answered as one that does not exist.
func (c *Catalog) dispatch(ctx context.Context, call *middleware.Call) *result.Response {
	if call.Kind == middleware.KindCompletion {
		return c.complete(ctx, call)
	}
	i := c.items[call.Tool] // not by name again: what Wraps were told is what runs
	if i == nil || c.hides(ctx, call, i) {
		return result.FromError(unknown(call))
	}
	return i.run(ctx, call)
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

// runner is what the wraps of an item go around.
func (c *Catalog) runner(i *Item) middleware.Next {
	run := func(ctx context.Context, call *middleware.Call) *result.Response {
		if f := forbidden(ctx, call, i); f != nil {
			return result.FromError(f)
		}
		if err := i.lacking(ctx); err != nil {
			return result.FromError(err)
		}
		if f := shut(ctx, call, i); f != nil {
			return result.FromError(f)
		}
		return c.attempt(ctx, call, i)
	}
	if i.Timeout > 0 {
		return c.timed(i.Timeout, run)
	}
	return run
}

// shut says why the state refuses the call; nil if it does not.
func shut(ctx context.Context, call *middleware.Call, i *Item) *result.Failure {
	gate := i.gate()
	if gate == nil {
		return nil
	}
	return gate.Look(ctx, call).Refuse(i.tool)
}

// lacking is the error for a client without a capability that the item needs.
func (i *Item) lacking(ctx context.Context) error {
	var missing []string
	for _, capability := range i.Requires {
		if !scope.Supports(ctx, capability) {
			missing = append(missing, capability)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return scope.Lacking(missing...)
}

// attempt runs the handler once: derive, decode, claim, handle; then the deferred work, the
// claim's end and the presenter. While the client has a question to answer, whatever the
// handler returned, nothing is settled: the call ends here to begin anew with the answer.
func (c *Catalog) attempt(ctx context.Context, call *middleware.Call, i *Item) *result.Response {
	r := run{item: i, call: call, scope: scope.New(c.Log, i.ID)}
	err := r.contained(ctx)
	if questions := r.scope.Questions(); len(questions) > 0 && !isPanic(err) {
		_ = settle(ctx, r.claim, false)
		r.reuse()
		return &result.Response{Pending: &result.Pending{Requests: questions}}
	}
	if f := settle(ctx, r.claim, err == nil); f != nil {
		err = f
	}
	if err != nil {
		return r.noticed(result.FromError(err))
	}
	return r.noticed(c.present(ctx, i, r.value))
}

func isPanic(err error) bool {
	_, is := errors.AsType[*scope.Panic](err)
	return is
}

// run is one run of a handler.
type run struct {
	item  *Item
	call  *middleware.Call
	scope *scope.Scope
	claim Claim
	round scope.Round // of a retry that may be made only once; else nil
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
				if len(r.scope.Questions()) > 0 {
					r.reuse()
				}
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
	app, err := r.item.Derive(ctx, r.call, r.scope)
	if err != nil {
		return err
	}
	in, problems := r.item.Decode(r.call.Arguments)
	if len(problems) > 0 {
		return result.InvalidArguments(problems...)
	}
	if gate := r.item.gate(); gate != nil {
		claim, refusal := gate.Claim(ctx, r.call, r.item.tool)
		if refusal != nil {
			return refusal
		}
		r.claim = claim
	}
	if err := r.useUp(ctx); err != nil {
		return err
	}
	r.value, err = r.item.Invoke(app, in)
	return err
}

// useUp makes the retry of a call that changes something the only one of its kind, from
// just before its handler on: what refuses it earlier does not use it up.
func (r *run) useUp(ctx context.Context) error {
	if r.call.Round == 0 || r.item.Verb == middleware.Query {
		return nil
	}
	round, is := scope.LineOf(ctx).(scope.Round)
	if !is {
		return nil
	}
	if err := round.Use(ctx); err != nil {
		return err
	}
	r.round = round
	return nil
}

// reuse lets the same retry be made again: it only led to another question.
func (r *run) reuse() {
	if r.round != nil {
		r.round.Reuse()
	}
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
func (c *Catalog) present(ctx context.Context, i *Item, value any) (resp *result.Response) {
	defer func() {
		if v := recover(); v != nil {
			resp = i.unpresentable(scope.Recovered(v))
		}
	}()
	resp, err := i.Present(ctx, value)
	if err != nil {
		return i.unpresentable(err)
	}
	return resp
}
