package catalog

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

func TestE4_APolicyThatPanicsHidesWhatItIsForFromListsAndCalls(t *testing.T) {
	p := tool("p", says("never"))
	p.Visible = []middleware.Visible{func(context.Context, *middleware.Call) bool { panic("x") }}
	c, log := newTest(t, nil, p, tool("q", says("fine")))
	hidden, unknown := call(t, c, "p"), call(t, c, "u")
	assert.Equal(t, &result.ProtocolError{Code: -32602, Message: `Unknown tool: "p"`}, hidden.Fault)
	assert.Equal(t, unknown.Fault.Code, hidden.Fault.Code)
	assert.Len(t, c.List(t.Context(), &middleware.Call{}), 1)
	assert.Contains(t, log.String(), "goroutine", "the stack is for the log")
}

func TestTS_WhatAWrapIsToldIsWhatRuns(t *testing.T) {
	for name, change := range map[string]func(*middleware.Call) *middleware.Call{
		"renames the call":  func(call *middleware.Call) *middleware.Call { call.Name = "delete"; return call },
		"renames its copy":  func(call *middleware.Call) *middleware.Call { other := *call; other.Name = "delete"; return &other },
		"names nothing":     func(call *middleware.Call) *middleware.Call { call.Name = ""; return call },
		"names what is not": func(call *middleware.Call) *middleware.Call { call.Name = "none"; return call },
	} {
		var told []string
		inner := func(ctx context.Context, call *middleware.Call, next middleware.Next) *result.Response {
			told = append(told, call.Tool.Name)
			return next(ctx, call)
		}
		read := tool("read", says("read"))
		read.Wraps = []middleware.Wrap{inner}
		c, _ := newTest(t, []middleware.Wrap{func(ctx context.Context, call *middleware.Call, next middleware.Next) *result.Response {
			return next(ctx, change(call))
		}}, read, tool("delete", func(context.Context) (any, error) { panic("a check was passed by") }))
		assert.Equal(t, "read", string(call(t, c, "read").Lead), name)
		assert.Equal(t, []string{"read"}, told, name)
	}
}

// turnstile is a Gate that lets one call through at a time and moves on when it commits.
type turnstile struct {
	mu    sync.Mutex
	held  bool
	moved int
}

func (g *turnstile) Look(context.Context, *middleware.Call) View { return g }
func (g *turnstile) Hidden(*Tool) bool                           { return g.Refuse(nil) != nil }
func (g *turnstile) Refuse(*Tool) *result.Failure {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.moved > 0 {
		return result.Error(result.CodeWrongState, "It was done").Details(map[string]string{"state": "done"})
	}
	return nil
}

func (g *turnstile) Claim(context.Context, *middleware.Call, *Tool) (Claim, *result.Failure) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.held || g.moved > 0 {
		return nil, result.Conflict("Another call is at it")
	}
	g.held = true
	return g, nil
}

func (g *turnstile) Commit(context.Context) *result.Failure {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.held = false
	g.moved++
	return nil
}

func (g *turnstile) Release(context.Context) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.held = false
}

func TestG18_OfParallelCallsExactlyOneHandlerRuns(t *testing.T) {
	for range 20 {
		gate, runs := &turnstile{}, 0 // unguarded: two runs at once are a race
		pay := tool("pay", func(context.Context) (any, error) { runs++; return "paid", nil })
		pay.Gate = gate
		c, _ := newTest(t, nil, pay)
		var wg sync.WaitGroup
		paid := make(chan string, 100)
		for range 100 {
			wg.Go(func() {
				if reply := c.Call(t.Context(), &middleware.Call{Name: "pay"}); !reply.IsError {
					paid <- string(reply.Lead)
				}
			})
		}
		wg.Wait()
		assert.Equal(t, 1, runs)
		assert.Len(t, paid, 1)
		assert.Equal(t, 1, gate.moved)
	}
}

func TestG19_TheStateMovesOnByTheHandlersReturnAlone(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*Tool)
		moved  int
	}{
		"a success": {func(*Tool) {}, 1},
		"a failure": {func(t *Tool) { t.Invoke = func(any, any) (any, error) { return nil, result.Conflict("c") } }, 0},
		"a panic":   {func(t *Tool) { t.Invoke = func(any, any) (any, error) { panic("x") } }, 0},
		"a Wrap that answers itself": {func(t *Tool) {
			t.Wraps = []middleware.Wrap{func(context.Context, *middleware.Call, middleware.Next) *result.Response {
				return &result.Response{Data: "cached"}
			}}
		}, 0},
		"a refusal": {func(t *Tool) {
			t.Guards = []middleware.Guard{func(context.Context, *middleware.Call) *result.Failure { return result.Forbidden("Not you") }}
		}, 0},
		"a presenter that fails after the action": {func(t *Tool) {
			t.Present = func(context.Context, any) (*result.Response, error) { panic("x") }
		}, 1},
		"a Wrap that makes a failure of it afterwards": {func(t *Tool) {
			t.Wraps = []middleware.Wrap{func(ctx context.Context, call *middleware.Call, next middleware.Next) *result.Response {
				next(ctx, call)
				return result.FromError(result.Conflict("c"))
			}}
		}, 1},
	} {
		gate := &turnstile{}
		p := tool("p", says(1))
		p.Gate = gate
		tc.change(p)
		c, _ := newTest(t, nil, p)
		call(t, c, "p")
		assert.Equal(t, tc.moved, gate.moved, name)
		assert.False(t, gate.held, name)
	}
}

func TestG15_AToolThatTheStateHidesIsRefusedByNameToo(t *testing.T) {
	pay := tool("pay", func(context.Context) (any, error) { panic("it ran") })
	pay.Gate = &turnstile{moved: 1}
	c, _ := newTest(t, nil, pay, tool("look", says("fine")))
	assert.Len(t, c.List(t.Context(), &middleware.Call{}), 1)
	reply := call(t, c, "pay")
	assert.True(t, reply.IsError)
	assert.Equal(t, `{"error":{"code":"WRONG_STATE","message":"It was done","retryable":false,"details":{"state":"done"}}}`, string(reply.Lead))
}
