package fusion_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/fusion/fusiontest"
	"github.com/mcpfusion/go/result"
)

// tracer is an app whose every layer writes down that it ran.
type tracer struct {
	mu    sync.Mutex
	trace []string
}

func (tr *tracer) note(what string) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.trace = append(tr.trace, what)
}

// take returns what was noted and forgets it.
func (tr *tracer) take() []string {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	trace := tr.trace
	tr.trace = nil
	return trace
}

func (tr *tracer) wrap(name string) func(context.Context, *fusion.Call, fusion.Next) *result.Response {
	return func(ctx context.Context, call *fusion.Call, next fusion.Next) *result.Response {
		tr.note(name + " in")
		defer tr.note(name + " out")
		return next(ctx, call)
	}
}

func (tr *tracer) app() *fusion.App[deps] {
	f := newApp()
	f.Wrap(tr.wrap("server"))
	r := f.Router("r").Wrap(tr.wrap("router")).Use(func(ctx *fusion.Ctx[deps]) result.Result[derived] {
		tr.note("use")
		ctx.Defer(func() { tr.note("defer") })
		return derive(ctx)
	})
	r.Query("a").Describe("d").Wrap(tr.wrap("tool")).WithString("id", "d").
		Handle(func(ctx *fusion.Ctx[derived], in struct{ ID string }) result.Result[invoice] {
			tr.note("handler " + in.ID)
			ctx.Notice("noticed")
			return result.OK(invoice{ID: in.ID})
		})
	return f
}

func TestF3_EveryRouteRunsTheSameLayersAndGivesTheSameBytes(t *testing.T) {
	want := []string{"server in", "router in", "tool in", "use", "handler x", "defer", "tool out", "router out", "server out"}
	for _, revision := range revisions {
		tr := &tracer{}
		f := tr.app()
		inTest := fusiontest.New(t, f).Revision(revision).Call("r.a", map[string]any{"id": "x"})
		assert.Equal(t, want, tr.take(), "fusiontest")
		for name, route := range routes {
			reply := route(t, f, calling(revision, "r_a", `{"id":"x"}`))
			assert.Equal(t, want, tr.take(), "%s %s", revision, name)
			assert.Equal(t, string(inTest.Raw()), resultIn(t, reply), "%s %s", revision, name)
		}
	}
}

func TestF2_AWrapAfterTheStartIsRefusedAndTheOthersRunOnce(t *testing.T) {
	tr := &tracer{}
	f := tr.app()
	tools := fusiontest.New(t, f)
	f.Wrap(tr.wrap("late"))
	assert.ErrorContains(t, f.Err(), "Wrap after the first declaration")
	for range 12 {
		tools.Call("r.a", map[string]any{"id": "x"})
		assert.Len(t, tr.take(), 9)
	}
}

func TestF2_AWrapAfterTheStartIsRefusedAlsoIfNothingIsDeclared(t *testing.T) {
	f := newApp()
	fusiontest.New(t, f)
	f.Wrap(passes)
	assert.ErrorContains(t, f.Err(), "Wrap after")
}

func TestF4_ARetrySeesTheErrorThatTheHandlerReturned(t *testing.T) {
	errBusy := errors.New("busy")
	runs := 0
	f := newApp()
	f.Wrap(func(ctx context.Context, call *fusion.Call, next fusion.Next) *result.Response {
		resp := next(ctx, call)
		for errors.Is(resp.Cause, errBusy) {
			resp = next(ctx, call)
		}
		return resp
	})
	f.Query("a").Describe("d").WithString("id", "d").
		Handle(func(ctx *fusion.Ctx[deps], in struct{ ID string }) result.Result[string] {
			if runs++; runs < 3 {
				ctx.Notice("of an attempt that failed")
				return result.Err[string](fmt.Errorf("store: %w", errors.Join(errBusy, errSecret)))
			}
			return result.OK(in.ID)
		})
	reply := fusiontest.New(t, f).Call("a", map[string]any{"id": "x"})
	assert.Equal(t, "x", reply.Text())
	assert.Empty(t, reply.Guidance().Notices)
	assert.Equal(t, 3, runs)
}

func TestF7_AWrapSeesTheToolsThatAreDeclaredAfterIt(t *testing.T) {
	tr := &tracer{}
	f := newApp()
	f.Wrap(tr.wrap("observer"))
	says(f.Query("a"), "a")
	says(f.Router("r").Query("b"), "b")
	f.Mount("m", register[deps])
	tools := fusiontest.New(t, f)
	for _, id := range []string{"a", "r.b", "m.greet"} {
		tools.Call(id, nil)
		assert.Equal(t, []string{"observer in", "observer out"}, tr.take(), id)
	}
}

func TestF8_EachWrapGoesOnWithWhatTheInnerOneMade(t *testing.T) {
	add := func(text string) func(context.Context, *fusion.Call, fusion.Next) *result.Response {
		return func(ctx context.Context, call *fusion.Call, next fusion.Next) *result.Response {
			resp := next(ctx, call)
			resp.Data = resp.Data.(string) + text
			return resp
		}
	}
	f := newApp()
	f.Wrap(add(" server"))
	says(f.Router("r").Wrap(add(" router")).Query("a").Wrap(add(" outer"), add(" inner")), "handler")
	assert.Equal(t, "handler inner outer router server", fusiontest.New(t, f).Call("r.a", nil).Text())
}

func TestF6_ContextsOfParallelCallsDoNotMix(t *testing.T) {
	type user struct{ id string }
	f := newApp()
	users := f.Use(func(ctx *fusion.Ctx[deps]) result.Result[user] { return result.OK(user{ctx.Call.Subject.ID}) })
	users.Query("whoami").Describe("d").Handle(func(ctx *fusion.Ctx[user], _ fusion.NoInput) result.Result[string] {
		return result.OK(ctx.App.id)
	})
	tools := fusiontest.New(t, f)
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			id := fmt.Sprintf("user-%d", i)
			assert.Equal(t, id, tools.As(fusion.Subject{ID: id}).Call("whoami", nil).Text())
		})
	}
	wg.Wait()
}

func TestTS_AWrapThatForgetsToAnswerIsAnInternalError(t *testing.T) {
	f := newApp()
	f.Wrap(func(ctx context.Context, call *fusion.Call, next fusion.Next) *result.Response {
		next(ctx, call)
		return nil
	})
	says(f.Query("a"), "x")
	reply := fusiontest.New(t, f).Call("a", nil)
	assert.Equal(t, result.CodeInternal, reply.Failure().Code)
	assert.NotContains(t, string(reply.Raw()), "undefined")
}

func TestAMiddlewareMayKeepTheArguments(t *testing.T) {
	var kept []*fusion.Call
	f := newApp()
	f.Wrap(func(ctx context.Context, call *fusion.Call, next fusion.Next) *result.Response {
		kept = append(kept, call)
		return next(ctx, call)
	})
	f.Query("a").Describe("d").WithString("id", "d").
		Handle(func(_ *fusion.Ctx[deps], in struct{ ID string }) result.Result[string] { return result.OK(in.ID) })
	tools := fusiontest.New(t, f)
	for i := range 20 {
		tools.Call("a", map[string]any{"id": strconv.Itoa(i)})
	}
	for i, call := range kept {
		assert.Equal(t, fmt.Sprintf(`{"id":"%d"}`, i), string(call.Arguments))
	}
}
