package protocol

import (
	"context"
	"encoding/json/jsontext"
	"sync"
	"time"

	"github.com/mcpfusion/go/internal/scope"
)

// flight is a request that runs, and its context.
type flight struct {
	context.Context

	msg    *message
	key    string
	cancel context.CancelCauseFunc
	calls  *calls
	line   scope.Line // of a call's handler; nil elsewhere
	// cancelled by the client; guarded by the ids.
	cancelled bool
	// holds are the reasons to keep its place, guarded by the calls.
	holds int
	// after runs behind the answer; guarded by the calls.
	after    []func()
	answered bool
}

// Value implements [context.Context]: the flight is the slot of its request, and has the
// line of its call.
func (f *flight) Value(key any) any {
	switch key {
	case scope.SlotKey{}:
		return f
	case scope.LineKey{}:
		return f.line
	}
	return f.Context.Value(key)
}

// Hold implements [scope.Slot].
func (f *flight) Hold() (release func()) {
	f.calls.hold(f)
	return func() { f.calls.leave(f) }
}

// After implements [scope.Slot].
func (f *flight) After(run func()) {
	f.calls.mu.Lock()
	answered := f.answered
	if !answered {
		f.after = append(f.after, run)
	}
	f.calls.mu.Unlock()
	if answered {
		run()
	}
}

// settle runs what waits for the answer.
func (f *flight) settle() {
	f.calls.mu.Lock()
	after := f.after
	f.answered, f.after = true, nil
	f.calls.mu.Unlock()
	for _, run := range after {
		run()
	}
}

// String names the request for the log.
func (f *flight) String() string {
	if f.msg.params.name != nil {
		return string(f.msg.method) + " " + string(f.msg.params.name)
	}
	return string(f.msg.method)
}

// idKey is the same for two ids if they are equal: a string is not the number that it
// spells, and may be escaped in several ways.
func idKey(id jsontext.Value) string {
	if isString(id) {
		return `"` + string(unquote(id))
	}
	return string(id)
}

// ids are the requests that run in one session or on one stream, by their id. A nil ids
// takes any, as the stateless revision wants it over HTTP, where each POST stands alone.
type ids struct {
	mu      sync.Mutex
	running map[string]*flight
}

func newIDs() *ids { return &ids{running: make(map[string]*flight)} }

// claim takes the id of a request. It is false while another one has it.
func (t *ids) claim(f *flight) bool {
	if t == nil {
		return true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, taken := t.running[f.key]; taken {
		return false
	}
	t.running[f.key] = f
	return true
}

// release gives the id back. It is false if the client has cancelled the request, which
// then gets no answer.
func (t *ids) release(f *flight) bool {
	if t == nil {
		return true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if f.cancelled {
		return false
	}
	delete(t.running, f.key)
	return true
}

// cancel ends a request for the client. Its id is free at once. It is false if no request
// with that id runs.
func (t *ids) cancel(key string, cause error) bool {
	t.mu.Lock()
	f := t.running[key]
	if f != nil {
		f.cancelled = true
		delete(t.running, key)
	}
	t.mu.Unlock()
	if f == nil {
		return false
	}
	f.cancel(cause)
	return true
}

// cancelAll ends all requests for the server: they are answered.
func (t *ids) cancelAll(cause error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, f := range t.running {
		f.cancel(cause)
	}
}

// left reports that the client has cancelled the request.
func (t *ids) left(f *flight) bool {
	if t == nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return f.cancelled
}

// has reports that a request with that id runs.
func (t *ids) has(key string) bool {
	if t == nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	_, taken := t.running[key]
	return taken
}

// idle reports that nothing runs.
func (t *ids) idle() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.running) == 0
}

// admission is whether a request may run.
type admission uint8

const (
	admitted admission = iota
	full
	closed
)

// calls are all requests that run on one stream or endpoint.
type calls struct {
	limit int
	// patience is how long a request waits for room, unless one has just waited in vain. It
	// slows a client that pipelines, and lets a cancellation through that comes behind.
	patience time.Duration

	mu     sync.Mutex
	live   map[*flight]struct{}
	closed bool
	stuck  bool          // one has waited in vain and nothing has ended since
	freed  chan struct{} // has an element if one has ended while another may wait
	done   chan struct{} // closed when it is closed and nothing runs
}

func newCalls(limit int, patience time.Duration) *calls {
	return &calls{
		limit: limit, patience: patience,
		live:  make(map[*flight]struct{}),
		freed: make(chan struct{}, 1),
		done:  make(chan struct{}),
	}
}

// enter admits a request, which must leave in the end.
func (c *calls) enter(f *flight) admission {
	a, wait := c.try(f)
	if a != full || !wait {
		return a
	}
	timer := time.NewTimer(c.patience)
	defer timer.Stop()
	for {
		select {
		case <-c.freed:
			if a, _ := c.try(f); a != full {
				return a
			}
		case <-timer.C:
			c.mu.Lock()
			c.stuck = true
			c.mu.Unlock()
			return full
		}
	}
}

// try admits a request if there is room now, or says whether it is worth to wait.
func (c *calls) try(f *flight) (a admission, wait bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed:
		return closed, false
	case len(c.live) >= c.limit:
		return full, c.patience > 0 && !c.stuck
	}
	c.live[f] = struct{}{}
	f.holds = 1
	return admitted, false
}

// hold lets a request that runs keep its place until it has left once more.
func (c *calls) hold(f *flight) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f.holds++
}

// leave gives up one hold on a place. With the last one, the place is free.
func (c *calls) leave(f *flight) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.holds--; f.holds > 0 {
		return
	}
	delete(c.live, f)
	c.stuck = false
	select {
	case c.freed <- struct{}{}:
	default:
	}
	if c.closed && len(c.live) == 0 {
		close(c.done)
	}
}

// close admits no more requests. The channel is closed when the last one has left.
func (c *calls) close() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.closed = true
		if len(c.live) == 0 {
			close(c.done)
		}
	}
	return c.done
}

// quit ends all requests, admits no more and waits a moment for the end.
func (c *calls) quit(cause error) {
	done := c.close()
	c.cancel(cause)
	timer := time.NewTimer(shutdownGrace)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}

// isClosed reports that no more requests are admitted.
func (c *calls) isClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// cancel ends all requests that run, for the server's own reasons: they are answered.
func (c *calls) cancel(cause error) {
	for _, f := range c.running() {
		f.cancel(cause)
	}
}

// running are the requests that have not left.
func (c *calls) running() []*flight {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make([]*flight, 0, len(c.live))
	for f := range c.live {
		all = append(all, f)
	}
	return all
}
