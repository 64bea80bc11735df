package protocol

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"
)

const pinging = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

// alive reports whether a session answers.
func alive(t *testing.T, e *Endpoint, id string) bool {
	t.Helper()
	return post(t.Context(), e, "", pinging, "Mcp-Session-Id", id).status == 200
}

// clock is a clock that a test moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func TestASessionEndsWhenItIsIdleForTooLong(t *testing.T) {
	c := &clock{now: time.Unix(1_000_000, 0)}
	e := mustServer(t, catalogOf(t), Options{SessionIdle: time.Minute, Now: c.Now}).Endpoint()
	used, unused := openedSession(t, e, ""), openedSession(t, e, "")
	for range 3 {
		c.pass(40 * time.Second)
		if !alive(t, e, used) {
			t.Fatal("a session that is used has ended")
		}
	}
	if alive(t, e, unused) {
		t.Error("a session that is not used lives on")
	}
	if n := len(e.sessions.byID); n != 1 || e.sessions.order.Len() != 1 {
		t.Errorf("%d sessions are kept", n)
	}
}

func TestASessionDoesNotEndWhileARequestRuns(t *testing.T) {
	c := &clock{now: time.Unix(1_000_000, 0)}
	release := make(chan struct{})
	block, began := blocking(release)
	e := mustServer(t, catalogOf(t, block), Options{SessionIdle: time.Minute, MaxSessions: 1, Now: c.Now}).Endpoint()
	id := openedSession(t, e, "")
	var wg sync.WaitGroup
	wg.Go(func() { post(context.Background(), e, "", calling("9", "block", `{}`), "Mcp-Session-Id", id) })
	<-began
	c.pass(time.Hour)
	if a := post(t.Context(), e, "", initializing); a.status != 503 || !strings.Contains(a.body, "too many sessions") {
		t.Errorf("a session too many gave %+v", a)
	}
	close(release)
	wg.Wait()
	if !alive(t, e, id) {
		t.Error("the session has ended")
	}
}

func TestASessionIsIdleSinceItsLastRequestCameOrEnded(t *testing.T) {
	c := &clock{now: time.Unix(1_000_000, 0)}
	release := make(chan struct{})
	block, began := blocking(release)
	e := mustServer(t, catalogOf(t, block), Options{SessionIdle: time.Minute, Now: c.Now}).Endpoint()
	id := openedSession(t, e, "")
	var wg sync.WaitGroup
	wg.Go(func() { post(context.Background(), e, "", calling("9", "block", `{}`), "Mcp-Session-Id", id) })
	<-began
	c.pass(50 * time.Second)
	close(release)
	wg.Wait()
	for range 2 {
		c.pass(50 * time.Second)
		if e.sessions.find(id, "") == nil {
			t.Error("the session has ended")
		}
	}
}

func TestTheSessionIdleTheLongestMakesRoom(t *testing.T) {
	e := mustServer(t, catalogOf(t), Options{MaxSessions: 2}).Endpoint()
	first, second := openedSession(t, e, ""), openedSession(t, e, "")
	if !alive(t, e, first) {
		t.Fatal("the first is dead")
	}
	third := openedSession(t, e, "")
	if !alive(t, e, first) || alive(t, e, second) || !alive(t, e, third) {
		t.Error("not the one idle the longest made room")
	}
}

func TestG2_AbandonedSessionsAreBounded(t *testing.T) {
	e := mustServer(t, catalogOf(t), Options{MaxSessions: 10}).Endpoint()
	seen := make(map[string]bool)
	for range 200 {
		seen[openedSession(t, e, "")] = true
	}
	if len(seen) != 200 || len(e.sessions.byID) != 10 || e.sessions.order.Len() != 10 {
		t.Errorf("%d ids, %d sessions", len(seen), len(e.sessions.byID))
	}
}

func TestTheDefaultsOfTheLimits(t *testing.T) {
	for _, given := range []Options{{}, {MaxMessageBytes: -1, MaxDepth: -1, MaxInFlight: -1, MaxSessions: -1, SessionIdle: -1, DrainTimeout: -1}} {
		defaults(t, given.withDefaults())
	}
}

func defaults(t *testing.T, o Options) {
	t.Helper()
	if o.MaxMessageBytes != 4<<20 || o.MaxDepth != 256 || o.MaxInFlight != 1024 || o.MaxSessions != 10_000 ||
		o.SessionIdle != 30*time.Minute || o.DrainTimeout != 10*time.Second || o.Now == nil {
		t.Errorf("got %+v", o)
	}
}
