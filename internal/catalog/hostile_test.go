package catalog

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

// hostileError is an error of which one method panics with itself.
type hostileError struct{ method string }

func (e *hostileError) trip(method string) {
	if e.method == method {
		panic(e)
	}
}
func (e *hostileError) Error() string { e.trip("Error"); return "hostile" }
func (e *hostileError) Is(error) bool { e.trip("Is"); return false }
func (e *hostileError) As(any) bool   { e.trip("As"); return false }
func (e *hostileError) Unwrap() error { e.trip("Unwrap"); return nil }

func TestE4_ErrorsThatPanicAreContained(t *testing.T) {
	for _, method := range []string{"Error", "Is", "As", "Unwrap"} {
		err := &hostileError{method}
		for name, h := range map[string]func(context.Context) (any, error){
			"returned": func(context.Context) (any, error) { return nil, err },
			"panicked": func(context.Context) (any, error) { panic(err) },
			"a cause":  func(context.Context) (any, error) { return nil, result.NotFound("").Because(err) },
			"deferred": func(ctx context.Context) (any, error) {
				ctx.(handlerContext).scope.Defer(func() { panic(err) })
				return nil, errors.New("x")
			},
		} {
			for _, timeout := range []time.Duration{0, time.Minute} {
				t.Run(method+" "+name, func(t *testing.T) {
					p := tool("p", h)
					p.Timeout = timeout
					c, log := newTest(t, nil, p)
					reply := call(t, c, "p")
					assert.True(t, reply.IsError)
					assert.NotContains(t, string(reply.Lead), "was carried out")
					assert.NotEmpty(t, log.String())
				})
			}
		}
	}
}

func TestAPanicIsNoWayToAnswer(t *testing.T) {
	for name, v := range map[string]any{
		"failure":  result.NotFound("shown?"),
		"protocol": result.Protocol(7, "shown?", nil),
	} {
		t.Run(name, func(t *testing.T) {
			c, log := newTest(t, nil, tool("p", func(context.Context) (any, error) { panic(v) }))
			assert.Contains(t, string(call(t, c, "p").Lead), `"code":"INTERNAL"`)
			assert.Contains(t, log.String(), "goroutine")
		})
	}
}

func TestAPanicWithCyclicDataIsLoggedByItsType(t *testing.T) {
	c, log := newTest(t, nil, tool("p", func(context.Context) (any, error) {
		cycle := map[string]any{}
		cycle["self"] = cycle
		panic(cycle)
	}))
	assert.Contains(t, string(call(t, c, "p").Lead), `"code":"INTERNAL"`)
	assert.Contains(t, log.String(), "a map[string]interface {}")
}

// explosive panics when it is encoded.
type explosive struct{}

func (explosive) MarshalJSON() ([]byte, error) { panic("x") }

func TestAFailureIsShownWithoutDetailsThatPanic(t *testing.T) {
	c, log := newTest(t, nil, tool("p", func(context.Context) (any, error) {
		return nil, result.NotFound("gone").Details(explosive{})
	}))
	reply := call(t, c, "p")
	assert.JSONEq(t, `{"error":{"code":"NOT_FOUND","message":"gone","retryable":false}}`, string(reply.Lead))
	assert.Contains(t, log.String(), "cannot be encoded")
}

func TestATypedNilErrorIsAnErrorToo(t *testing.T) {
	var failure *result.Failure
	var protocol *result.ProtocolError
	for name, err := range map[string]error{"failure": failure, "protocol": protocol} {
		t.Run(name, func(t *testing.T) {
			c, _ := newTest(t, nil, tool("p", func(context.Context) (any, error) { return nil, err }))
			reply := call(t, c, "p")
			assert.True(t, reply.IsError)
			assert.Contains(t, string(reply.Lead), `"code":"INTERNAL"`)
			assert.NotContains(t, string(reply.Lead), "was carried out", "it was not")
		})
	}
}

func TestAResponseThatManyCallsShareIsNotWritten(t *testing.T) {
	shared := &result.Response{
		Content: append(make([]result.Content, 0, 8), result.Text{Text: "x"}),
		UI:      []result.Content{result.Text{Text: "ui"}},
	}
	answer := func(context.Context, *middleware.Call, middleware.Next) *result.Response { return shared }
	c, _ := newTest(t, []middleware.Wrap{answer}, tool("p", says(1)))
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { call(t, c, "p") })
	}
	all.Wait()
}

func TestDeferredWorkThatEndsTheGoroutineLeavesTheClaimToTheHandlersReturn(t *testing.T) {
	for want, err := range map[string]error{"commit p": nil, "release p": errors.New("x")} {
		t.Run(want, func(t *testing.T) {
			p := tool("p", func(ctx context.Context) (any, error) {
				ctx.(handlerContext).scope.Defer(runtime.Goexit)
				return 1, err
			})
			gate := &fakeGate{}
			p.Gate = gate
			c, _ := newTest(t, nil, p)
			done := make(chan struct{})
			go func() {
				defer close(done)
				call(t, c, "p")
			}()
			<-done
			assert.Equal(t, want, gate.log[len(gate.log)-1])
		})
	}
}
