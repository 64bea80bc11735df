package catalog

import (
	"bytes"
	"context"
	"encoding/json/jsontext"
	"errors"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mcpfusion/go/internal/scope"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tool is a catalog tool whose handler is h; tests change what they are about.
func tool(id string, h func(ctx context.Context) (any, error)) *Tool {
	return &Tool{
		ID: id, Name: strings.ReplaceAll(id, ".", "_"), Verb: middleware.Mutation,
		Derive: func(ctx context.Context, _ *middleware.Call, s *scope.Scope) (any, error) {
			return handlerContext{ctx, s}, nil
		},
		Decode: func(jsontext.Value) (any, []result.Field) { return nil, nil },
		Invoke: func(app, _ any) (any, error) { return h(app.(handlerContext)) },
		Present: func(_ context.Context, v any) (*result.Response, error) {
			return &result.Response{Data: v}, nil
		},
	}
}

type handlerContext struct {
	context.Context
	scope *scope.Scope
}

func says(v any) func(context.Context) (any, error) {
	return func(context.Context) (any, error) { return v, nil }
}

// testLog keeps what was logged.
type testLog struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *testLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *testLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

func newTest(t *testing.T, wraps []middleware.Wrap, tools ...*Tool) (*Catalog, *testLog) {
	t.Helper()
	log := &testLog{}
	return New(Info{Name: "test", Version: "1"}, slog.New(slog.NewTextHandler(log, nil)), wraps, tools), log
}

func call(t *testing.T, c *Catalog, name string) *Reply {
	t.Helper()
	return c.Call(t.Context(), &middleware.Call{Kind: middleware.KindTool, Name: name})
}

func TestASuccessHasItsDataAsTextAndStructured(t *testing.T) {
	c, _ := newTest(t, nil, tool("a.b", says(map[string]any{"x": "<&>"})), tool("n", says(5)), tool("s", says("bare")))

	reply := call(t, c, "a_b")
	assert.Equal(t, `{"x":"<&>"}`, string(reply.Structured))
	assert.Equal(t, `{"x":"<&>"}`, string(reply.Lead))

	reply = call(t, c, "n")
	assert.Equal(t, `{"result":5}`, string(reply.Structured))
	assert.Equal(t, `{"result":5}`, string(reply.Lead))

	reply = call(t, c, "s")
	assert.Equal(t, `{"result":"bare"}`, string(reply.Structured))
	assert.Equal(t, `bare`, string(reply.Lead))
}

func TestUnitIsTheTextOKAlone(t *testing.T) {
	c, _ := newTest(t, nil, tool("u", says(result.Unit{})))
	reply := call(t, c, "u")
	assert.Equal(t, "OK", string(reply.Lead))
	assert.Nil(t, reply.Structured)
}

func TestTheEnvelopeHasItsKeysInOrder(t *testing.T) {
	failure := result.Error("SOLD_OUT", "None left").RetryAfter(1500*time.Millisecond).Suggest("wait").
		Actions("a.b", "nowhere", "a_b").Details(map[string]any{"z": 1, "a": "<"}).Critical()
	failure.Fields = []result.Field{{Path: "x", Problem: "p", Expected: "e", Received: "r"}, {Problem: "whole"}}
	failure.Reference = "ref"
	c, _ := newTest(t, nil, tool("f", func(context.Context) (any, error) { return nil, failure }), tool("a.b", says(1)))
	reply := call(t, c, "f")
	assert.True(t, reply.IsError)
	assert.Nil(t, reply.Structured)
	assert.Equal(t, `{"error":{"code":"SOLD_OUT","message":"None left","retryable":true,"retryAfterSeconds":1.5,`+
		`"suggestion":"wait","availableActions":["a_b"],"fields":[{"path":"x","problem":"p","expected":"e","received":"r"},`+
		`{"path":"","problem":"whole"}],"details":{"a":"<","z":1},"severity":"critical","reference":"ref"}}`, string(reply.Lead))
}

func TestAnOrdinaryErrorIsMaskedAndLoggedUnderItsReference(t *testing.T) {
	c, log := newTest(t, nil, tool("f", func(context.Context) (any, error) { return nil, errors.New("dsn=postgres://secret") }))
	reply := call(t, c, "f")
	text := string(reply.Lead)
	assert.Contains(t, text, `{"error":{"code":"INTERNAL","message":"The tool failed with an internal error","retryable":false,"reference":"`)
	assert.NotContains(t, text, "secret")
	reference := text[strings.Index(text, `reference":"`)+12:][:16]
	assert.Contains(t, log.String(), reference)
	assert.Contains(t, log.String(), "postgres://secret")
}

func TestAFailureIsFoundThroughWrapping(t *testing.T) {
	c, log := newTest(t, nil, tool("f", func(context.Context) (any, error) {
		return nil, errors.Join(errors.New("hidden cause"), result.NotFound("gone"))
	}))
	reply := call(t, c, "f")
	assert.Equal(t, `{"error":{"code":"NOT_FOUND","message":"gone","retryable":false}}`, string(reply.Lead))
	assert.Contains(t, log.String(), "hidden cause")
}

func TestAProtocolErrorIsAFault(t *testing.T) {
	c, _ := newTest(t, nil, tool("f", func(context.Context) (any, error) { return nil, result.Protocol(-1, "on purpose", nil) }))
	assert.Equal(t, &result.ProtocolError{Code: -1, Message: "on purpose"}, call(t, c, "f").Fault)
}

func TestE4_PanicsAnywhereAreContained(t *testing.T) {
	boom := func(v any) { panic(v) }
	cases := map[string]*Tool{
		"in the handler": tool("p", func(context.Context) (any, error) { boom("x"); return nil, nil }),
		"with nil":       tool("p", func(context.Context) (any, error) { boom(nil); return nil, nil }),
		"by the runtime": tool("p", func(context.Context) (any, error) { var m map[string]int; m["x"] = 1; return nil, nil }),
	}
	for name, change := range map[string]func(*Tool){
		"in a Use": func(t *Tool) {
			t.Derive = func(context.Context, *middleware.Call, *scope.Scope) (any, error) { panic("x") }
		},
		"in a decoder":   func(t *Tool) { t.Decode = func(jsontext.Value) (any, []result.Field) { panic("x") } },
		"in a presenter": func(t *Tool) { t.Present = func(context.Context, any) (*result.Response, error) { panic("x") } },
		"in an encoder":  func(t *Tool) { t.Encode = func([]byte, any) ([]byte, error) { panic("x") } },
		"in a Wrap": func(t *Tool) {
			t.Wraps = []middleware.Wrap{func(context.Context, *middleware.Call, middleware.Next) *result.Response { panic("x") }}
		},
		"in a guard": func(t *Tool) {
			t.Guards = []middleware.Guard{func(context.Context, *middleware.Call) *result.Failure { panic("x") }}
		},
		"with timeout": func(t *Tool) { t.Timeout = time.Minute; t.Invoke = func(any, any) (any, error) { panic("x") } },
	} {
		cases[name] = tool("p", says(1))
		change(cases[name])
	}
	for name, p := range cases {
		t.Run(name, func(t *testing.T) {
			c, log := newTest(t, nil, p, tool("q", says("fine")))
			reply := call(t, c, "p")
			assert.True(t, reply.IsError)
			assert.Contains(t, string(reply.Lead), `"code":"INTERNAL"`)
			assert.NotContains(t, string(reply.Lead), "goroutine")
			assert.Contains(t, log.String(), "goroutine", "the stack is for the log")
			assert.Equal(t, "fine", string(call(t, c, "q").Lead))
		})
	}
}

func TestE5_APanicWithCanceledIsACancellation(t *testing.T) {
	c, log := newTest(t, nil, tool("p", func(context.Context) (any, error) { panic(context.Canceled) }))
	assert.Contains(t, string(call(t, c, "p").Lead), `"code":"CANCELLED"`)
	assert.Empty(t, log.String())
}

func TestAFailureToShowAResultSaysThatTheActionWasCarriedOut(t *testing.T) {
	m := tool("m", says(func() {}))
	q := tool("q", says(func() {}))
	q.Hints.ReadOnly = true
	c, _ := newTest(t, nil, m, q)
	assert.Contains(t, string(call(t, c, "m").Lead), "was carried out")
	assert.NotContains(t, string(call(t, c, "q").Lead), "was carried out")
}

func TestAnUnknownToolNamesNothingElse(t *testing.T) {
	c, _ := newTest(t, nil, tool("secret.tool", says(1)))
	fault := call(t, c, "secret_too").Fault
	require.NotNil(t, fault)
	assert.Equal(t, -32602, fault.Code)
	assert.Equal(t, `Unknown tool: "secret_too"`, fault.Message)
	assert.Less(t, len(call(t, c, strings.Repeat("ä", 1<<20)).Fault.Message), 100)
}

func TestAHiddenToolAnswersLikeAnUnknownOne(t *testing.T) {
	hiddenTool := tool("h", says(1))
	hiddenTool.Visible = []middleware.Visible{func(_ context.Context, call *middleware.Call) bool { return call.Subject.ID == "boss" }}
	c, _ := newTest(t, nil, hiddenTool)
	unknown, _ := newTest(t, nil)
	assert.Equal(t, call(t, unknown, "h"), call(t, c, "h"))
	assert.Empty(t, c.List(t.Context(), &middleware.Call{}))

	boss := &middleware.Call{Name: "h", Subject: middleware.Subject{ID: "boss"}}
	assert.Equal(t, `{"result":1}`, string(c.Call(t.Context(), boss).Structured))
	assert.Len(t, c.List(t.Context(), boss), 1)
}

func TestAGuardRefusesAtListAndAtCallWithItsReason(t *testing.T) {
	g := tool("g", func(context.Context) (any, error) { panic("must not run") })
	g.Guards = []middleware.Guard{func(context.Context, *middleware.Call) *result.Failure { return result.Forbidden("no scope") }}
	helper := tool("x", func(context.Context) (any, error) { return nil, result.Conflict("c").Actions("g", "x") })
	c, _ := newTest(t, nil, g, helper)
	assert.Contains(t, string(call(t, c, "g").Lead), `{"error":{"code":"FORBIDDEN","message":"no scope"`)
	assert.Equal(t, []*Tool{helper}, c.List(t.Context(), &middleware.Call{}))
	assert.Contains(t, string(call(t, c, "x").Lead), `"availableActions":["x"]`, "a refused tool is not suggested")
}

func TestF8_EachWrapSeesWhatTheInnerOneMade(t *testing.T) {
	add := func(name string) middleware.Wrap {
		return func(ctx context.Context, call *middleware.Call, next middleware.Next) *result.Response {
			resp := next(ctx, call)
			resp.Guidance.Notices = append(resp.Guidance.Notices, name)
			return resp
		}
	}
	p := tool("p", says(1))
	p.Wraps = []middleware.Wrap{add("router"), add("tool")}
	c, _ := newTest(t, []middleware.Wrap{add("server")}, p)
	reply := call(t, c, "p")
	require.Len(t, reply.Content, 1)
	assert.Equal(t, `{"notices":["tool","router","server"]}`, reply.Content[0].(result.Text).Text)
}

func TestF4_E8_AWrapSeesTheCauseAndMapsIt(t *testing.T) {
	errNoRows := errors.New("no rows")
	mapping := func(ctx context.Context, call *middleware.Call, next middleware.Next) *result.Response {
		resp := next(ctx, call)
		if errors.Is(resp.Cause, errNoRows) {
			resp.Failure = result.NotFound("No such row")
		}
		return resp
	}
	c, _ := newTest(t, []middleware.Wrap{mapping}, tool("p", func(context.Context) (any, error) {
		return nil, errors.Join(errors.New("query"), errNoRows)
	}))
	assert.Equal(t, `{"error":{"code":"NOT_FOUND","message":"No such row","retryable":false}}`, string(call(t, c, "p").Lead))
}

func TestWrapsSeeUnknownToolsAndRefusals(t *testing.T) {
	var seen []string
	spy := func(ctx context.Context, call *middleware.Call, next middleware.Next) *result.Response {
		resp := next(ctx, call)
		seen = append(seen, call.Name, map[bool]string{true: "known", false: "unknown"}[call.Tool != nil])
		return resp
	}
	c, _ := newTest(t, []middleware.Wrap{spy}, tool("p", says(1)))
	call(t, c, "p")
	call(t, c, "q")
	assert.Equal(t, []string{"p", "known", "q", "unknown"}, seen)
}

func TestDeferredWorkRunsInReverseOnceAlsoAfterAPanic(t *testing.T) {
	var order []int
	c, log := newTest(t, nil, tool("p", func(ctx context.Context) (any, error) {
		s := ctx.(handlerContext).scope
		s.Defer(func() { order = append(order, 1) })
		s.Defer(func() { panic("contained") })
		s.Defer(func() { order = append(order, 2) })
		panic("x")
	}))
	assert.True(t, call(t, c, "p").IsError)
	assert.Equal(t, []int{2, 1}, order)
	assert.Contains(t, log.String(), "contained")
}

func TestATimeoutAnswersWhileAStubbornHandlerGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var finished atomic.Bool
		p := tool("p", func(context.Context) (any, error) {
			time.Sleep(time.Hour)
			finished.Store(true)
			return 1, nil
		})
		p.Timeout = time.Second
		c, _ := newTest(t, nil, p)
		start := time.Now()
		reply := call(t, c, "p")
		assert.Contains(t, string(reply.Lead), `"code":"TIMEOUT"`)
		assert.Contains(t, string(reply.Lead), `"retryable":false`)
		assert.Equal(t, time.Second, time.Since(start))
		assert.False(t, finished.Load())
		time.Sleep(time.Hour)
		synctest.Wait()
		assert.True(t, finished.Load())
	})
}

func TestAHandlerThatObeysTheTimeoutIsToldTimeoutToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := tool("p", func(ctx context.Context) (any, error) { <-ctx.Done(); return nil, ctx.Err() })
		p.Timeout = time.Second
		c, _ := newTest(t, nil, p)
		assert.Contains(t, string(call(t, c, "p").Lead), `"code":"TIMEOUT"`)
	})
}

func TestAHandlerThatIsInTimeIsNeverTakenForCancelled(t *testing.T) {
	p := tool("p", says(1))
	p.Timeout = time.Minute
	c, _ := newTest(t, nil, p)
	for range 2000 {
		require.Equal(t, `{"result":1}`, string(call(t, c, "p").Lead))
	}
}

func TestAHandlerThatEndsItsGoroutineIsAnsweredUnderATimeout(t *testing.T) {
	p := tool("p", func(context.Context) (any, error) { runtime.Goexit(); return nil, nil })
	p.Timeout = time.Minute
	c, _ := newTest(t, nil, p)
	assert.Contains(t, string(call(t, c, "p").Lead), `"code":"INTERNAL"`)
}

func TestGoexitReleasesTheClaimAndRunsDeferredWork(t *testing.T) {
	gate := &fakeGate{}
	p := tool("p", func(context.Context) (any, error) { runtime.Goexit(); return nil, nil })
	p.Gate = gate
	c, _ := newTest(t, nil, p)
	done := make(chan struct{})
	go func() {
		defer close(done)
		call(t, c, "p")
	}()
	<-done
	assert.Equal(t, []string{"look p", "claim p", "release p"}, gate.log)
}

// fakeGate allows the tools it does not close, and writes down what it is asked.
type fakeGate struct {
	closed []string
	lost   bool
	log    []string
	looks  int
}

func (g *fakeGate) Look(_ context.Context, call *middleware.Call) View {
	g.looks++
	g.log = append(g.log, "look "+call.Name)
	return g
}
func (g *fakeGate) Hidden(t *Tool) bool { return slices.Contains(g.closed, t.ID) }
func (g *fakeGate) Refuse(t *Tool) *result.Failure {
	if g.Hidden(t) {
		return result.Error(result.CodeWrongState, "not now")
	}
	return nil
}
func (g *fakeGate) Claim(_ context.Context, _ *middleware.Call, t *Tool) (Claim, *result.Failure) {
	if g.lost {
		return nil, result.Conflict("taken")
	}
	g.log = append(g.log, "claim "+t.ID)
	return fakeClaim{g, t}, nil
}

type fakeClaim struct {
	gate *fakeGate
	tool *Tool
}

func (c fakeClaim) Commit(ctx context.Context) *result.Failure {
	c.gate.log = append(c.gate.log, "commit "+c.tool.ID)
	if ctx.Err() != nil {
		c.gate.log = append(c.gate.log, "on a dead context")
	}
	return nil
}
func (c fakeClaim) Release(context.Context) { c.gate.log = append(c.gate.log, "release "+c.tool.ID) }

func TestAToolThatDoesNotExistIsLoggedWhereItIsNamed(t *testing.T) {
	c, log := newTest(t, nil,
		tool("f", func(context.Context) (any, error) { return nil, result.NotFound("gone").Actions("no.such") }),
		tool("n", says(result.Unit{})))
	call(t, c, "f")
	assert.Contains(t, log.String(), "action=no.such")
}

func TestTheGateIsAskedByListCallAndAvailableActions(t *testing.T) {
	gate := &fakeGate{closed: []string{"pay"}}
	pay, ship := tool("pay", says("paid")), tool("ship", says("shipped"))
	pay.Gate, ship.Gate = gate, gate
	other := tool("other", func(context.Context) (any, error) { return nil, result.Conflict("c").Actions("pay", "ship") })
	c, _ := newTest(t, nil, pay, ship, other)

	assert.Equal(t, []*Tool{ship, other}, c.List(t.Context(), &middleware.Call{}))
	assert.Equal(t, 1, gate.looks, "one look for one list")
	assert.Contains(t, string(call(t, c, "pay").Lead), `"code":"WRONG_STATE"`)
	assert.Contains(t, string(call(t, c, "other").Lead), `"availableActions":["ship"]`)
	assert.NotContains(t, gate.log, "claim pay")
}

func TestAClaimIsTakenAfterValidationAndEndedByTheHandlersReturn(t *testing.T) {
	cases := map[string]struct {
		change func(*Tool)
		want   []string
	}{
		"success commits":  {func(*Tool) {}, []string{"look p", "claim p", "commit p"}},
		"failure releases": {func(t *Tool) { t.Invoke = func(any, any) (any, error) { return nil, result.Conflict("c") } }, []string{"look p", "claim p", "release p"}},
		"panic releases":   {func(t *Tool) { t.Invoke = func(any, any) (any, error) { panic("x") } }, []string{"look p", "claim p", "release p"}},
		"bad input claims not": {func(t *Tool) {
			t.Decode = func(jsontext.Value) (any, []result.Field) { return nil, []result.Field{{}} }
		}, []string{"look p"}},
		"a refused Use neither": {func(t *Tool) {
			t.Derive = func(context.Context, *middleware.Call, *scope.Scope) (any, error) {
				return nil, result.Unauthorized("u")
			}
		}, []string{"look p"}},
		"a bad presenter commits": {func(t *Tool) { t.Present = func(context.Context, any) (*result.Response, error) { panic("x") } }, []string{"look p", "claim p", "commit p"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			gate := &fakeGate{}
			p := tool("p", says(1))
			p.Gate = gate
			tc.change(p)
			c, _ := newTest(t, nil, p)
			call(t, c, "p")
			assert.Equal(t, tc.want, gate.log)
		})
	}
}

func TestACommitOutlivesACallerThatLeft(t *testing.T) {
	gate := &fakeGate{}
	ctx, cancel := context.WithCancel(t.Context())
	p := tool("p", func(context.Context) (any, error) { cancel(); return 1, nil })
	p.Gate = gate
	c, _ := newTest(t, nil, p)
	c.Call(ctx, &middleware.Call{Name: "p"})
	assert.Equal(t, []string{"look p", "claim p", "commit p"}, gate.log)
}

func TestALostClaimRefusesBeforeTheHandler(t *testing.T) {
	p := tool("p", func(context.Context) (any, error) { panic("must not run") })
	p.Gate = &fakeGate{lost: true}
	c, _ := newTest(t, nil, p)
	assert.Contains(t, string(call(t, c, "p").Lead), `"code":"CONFLICT"`)
}

func TestF6_ParallelCallsDoNotMix(t *testing.T) {
	c, _ := newTest(t, nil, func() *Tool {
		p := tool("p", nil)
		p.Derive = func(_ context.Context, call *middleware.Call, _ *scope.Scope) (any, error) {
			return call.Subject.ID, nil
		}
		p.Invoke = func(app, _ any) (any, error) { return app, nil }
		return p
	}())
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			user := strings.Repeat("u", i+1)
			reply := c.Call(t.Context(), &middleware.Call{Name: "p", Subject: middleware.Subject{ID: user}})
			assert.Equal(t, user, string(reply.Lead))
		})
	}
	wg.Wait()
}
