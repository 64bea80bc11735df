package builder

import (
	"fmt"
	"reflect"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/presenter"
	"github.com/mcpfusion/go/result"
)

// Returns fixes what the handler returns and who presents it: from here on it must
// return Result[R].
func (t *Tool[C]) Returns[R any](p presenter.Shows[R]) *Presented[C, R] {
	return returns[R](t, "Returns", p, presenter.One)
}

// ReturnsList is [Tool.Returns] for a handler that returns Result[[]R]. The model reads
// {"items":[…],"shown":n,"total":m}.
func (t *Tool[C]) ReturnsList[R any](p presenter.Shows[R]) *Presented[C, []R] {
	return returns[[]R](t, "ReturnsList", p, presenter.Many)
}

// ReturnsPage is [Tool.Returns] for a handler that returns Result[presenter.Page[R]]. The
// model reads what it reads of a list, with "nextCursor" unless the page is the last.
func (t *Tool[C]) ReturnsPage[R any](p presenter.Shows[R]) *Presented[C, presenter.Page[R]] {
	return returns[presenter.Page[R]](t, "ReturnsPage", p, presenter.Paged)
}

func returns[Out, C, R any](t *Tool[C], method string, p presenter.Shows[R], form presenter.Form) *Presented[C, Out] {
	next := &Presented[C, Out]{chain: t.chain}
	if t.chain.touch(t.stage, method) {
		t.chain.stage++
		if v := reflect.ValueOf(p); p == nil || v.Kind() == reflect.Pointer && v.IsNil() {
			t.chain.failf(callSite(), "%s was given a nil presenter; pass presenter.For[T](name)", method)
		} else {
			next.output = func() output { return presented[Out](presenter.Compile(p, form)) }
		}
	}
	next.stage = t.chain.stage
	return next
}

// Presented is a tool whose handler must return Result[Out], which a presenter shows.
type Presented[C, Out any] struct {
	chain  *chain
	stage  int
	output func() output // nil without a presenter
}

// Use adds typed middleware, see [Tool.Use].
func (t *Presented[C, Out]) Use[D any](m func(*middleware.Ctx[C]) result.Result[D]) *Presented[D, Out] {
	return &Presented[D, Out]{chain: t.chain, stage: use(t.chain, t.stage, m), output: t.output}
}

// Handle ends the chain, see [Tool.Handle].
func (t *Presented[C, Out]) Handle[In any](h func(*middleware.Ctx[C], In) result.Result[Out]) Compiled {
	if t.chain.end(t.stage, h != nil) && t.output != nil {
		t.chain.compile(handlerOf(h), t.output())
	}
	return Compiled{t.chain.id}
}

// unsuitable finds what presenters always suggest and clients could not call.
func (r *Registry) unsuitable() (errs []error) {
	tools := make(map[string]*chain, 2*len(r.chains))
	for _, c := range r.chains {
		if c.kind == middleware.KindTool {
			tools[c.id], tools[c.wire] = c, c
		}
	}
	for _, c := range r.chains {
		for _, next := range c.suggested {
			if problem := misfit(tools[next.Tool], next); problem != "" {
				errs = append(errs, &Error{Site: c.handled, Kind: c.kind, Tool: c.id,
					Problem: fmt.Sprintf("its presenter always suggests %q, %s", next.Tool, problem)})
			}
		}
	}
	return errs
}

// misfit says why a tool cannot be suggested so; "" if it can.
func misfit(c *chain, next result.NextAction) string {
	switch {
	case c == nil:
		return "which is no tool; name a tool by its id"
	case c.compiled == nil:
		return "" // it has mistakes of its own
	}
	if problem := catalog.Misfit(c.compiled, next.Arguments); problem != "" {
		return "with arguments that it does not take: " + problem
	}
	return ""
}
