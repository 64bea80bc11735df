package transport

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/middleware"
)

// everyMethod sends something within a session by each method and returns the statuses.
func (s *site) everyMethod(headers ...string) []int {
	s.t.Helper()
	return []int{
		s.post(pinging, headers...).status,
		s.post(initialized, headers...).status,
		s.send(http.MethodGet, "", append(headers, "Accept", "text/event-stream")...).status,
		s.send(http.MethodDelete, "", headers...).status,
	}
}

// allAre fails unless each status is the one that is wanted.
func allAre(t *testing.T, name string, status int, got []int) {
	t.Helper()
	for _, g := range got {
		if g != status {
			t.Errorf("%s gives %v, want %d", name, got, status)
		}
	}
}

func TestG4_ByEveryMethodAnUnknownSessionIs404AndAMissingOne400(t *testing.T) {
	s := serving(t, nil)
	live := s.open()
	ended := s.open()
	s.send(http.MethodDelete, "", ended...)
	for name, id := range map[string]string{"an ended session": ended[1], "a stale one": "stale", "one like another": live[1] + "x", "a malformed one": "ä/ü?=&", "a long one": strings.Repeat("x", 5000)} {
		allAre(t, name, 404, s.everyMethod("Mcp-Session-Id", id))
	}
	allAre(t, "none", 400, s.everyMethod())
	allAre(t, "two", 400, s.everyMethod(append(live, live...)...))
	if r := s.post(pinging, live...); r.status != 200 {
		t.Errorf("the live session gives %+v", r)
	}
}

// tokens authenticates "Bearer SUBJECT.N": a new N is a new token of the same subject.
func tokens(r *http.Request) (middleware.Subject, error) {
	token, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !found {
		return middleware.Subject{}, errors.New("no token")
	}
	id, n, _ := strings.Cut(token, ".")
	return middleware.Subject{ID: id, Claims: map[string]any{"token": n}}, nil
}

func TestG7_NobodyElseUsesASession(t *testing.T) {
	block, began := blocking(nil)
	s := serving(t, &HTTPOptions{Authenticate: tokens}, block)
	id := s.open("Authorization", "Bearer ann.1")
	as := func(token string) []string { return []string{id[0], id[1], "Authorization", "Bearer " + token} }
	anns, bens := as("ann.1"), as("ben.1")
	answer := make(chan reply, 1)
	go func() { answer <- s.post(calling("7", "block", `{}`), anns...) }()
	ctx := <-began
	allAre(t, "someone else", 404, s.everyMethod(bens...))
	cancelling := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"bored"}}`
	if r := s.post(cancelling, bens...); r.status != 404 || ctx.Err() != nil {
		t.Errorf("someone else's cancellation gives %+v, %v", r, ctx.Err())
	}
	stranger, unknown := s.post(pinging, bens...), s.post(pinging, "Mcp-Session-Id", "none", "Authorization", "Bearer ben.1")
	if stranger.body != unknown.body {
		t.Errorf("it tells that the session exists: %s, not %s", stranger.body, unknown.body)
	}
	s.post(cancelling, anns...)
	<-ctx.Done()
	<-answer
}

func TestG7_TheLogTellsAStrangerFromAStaleSession(t *testing.T) {
	for name, store := range map[string]SessionStore{"alone": nil, "with a store": &sharedSessions{records: map[string][]byte{}}} {
		var log bytes.Buffer
		s := servingApp(t, app{log: slog.New(slog.NewTextHandler(&log, nil))}, &HTTPOptions{Authenticate: tokens, Sessions: store})
		id := s.open("Authorization", "Bearer ann.1")
		s.post(pinging, "Mcp-Session-Id", "stale", "Authorization", "Bearer ben.1")
		if log.Len() > 0 {
			t.Errorf("%s: a stale session is logged: %s", name, &log)
		}
		s.post(pinging, append(id, "Authorization", "Bearer ben.1")...)
		want(t, log.String(), "did not open it", "subject=ben")
		if strings.Contains(log.String(), id[1]) {
			t.Errorf("%s: the log has a session's id: %s", name, &log)
		}
	}
}

func TestG8_ANewTokenOfTheSamePersonGoesOnWithTheSession(t *testing.T) {
	s := serving(t, &HTTPOptions{Authenticate: tokens}, tool("who", who))
	id := s.open("Authorization", "Bearer ann.1")
	for _, token := range []string{"ann.1", "ann.2", "ann.3"} {
		r := s.post(calling("1", "who", `{}`), append(id, "Authorization", "Bearer "+token)...)
		want(t, r.body, `"caller:ann"`)
	}
}

func TestL2_AHandlerSeesTheTokenOfItsOwnRequest(t *testing.T) {
	s := serving(t, &HTTPOptions{Authenticate: tokens}, tool("token", func(_ context.Context, call *middleware.Call, _ map[string]any) (any, error) {
		return "claim:" + call.Subject.Claims["token"].(string) + " header:" + call.Header.Get("Authorization"), nil
	}))
	id := s.open("Authorization", "Bearer ann.1")
	for _, n := range []string{"2", "3"} {
		r := s.post(calling("1", "token", `{}`), append(id, "Authorization", "Bearer ann."+n)...)
		want(t, r.body, "claim:"+n+" header:Bearer ann."+n)
	}
}

// sharedSessions is a SessionStore for a test.
type sharedSessions struct {
	mu      sync.Mutex
	records map[string][]byte
}

func (s *sharedSessions) Save(_ context.Context, id string, record []byte, _ time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records[id] = record
	return nil
}

func (s *sharedSessions) Load(_ context.Context, id string, _ time.Duration) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.records[id], nil
}

func (s *sharedSessions) Delete(_ context.Context, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.records, id)
	return nil
}

func TestG6_BehindALoadBalancerEachServerAnswersEachRequest(t *testing.T) {
	session := tool("session", func(_ context.Context, call *middleware.Call, _ map[string]any) (any, error) {
		if call.Session == nil {
			return "none", nil
		}
		return call.Session.ID() + " of " + call.Session.Client().Name, nil
	})
	store := &sharedSessions{records: map[string][]byte{}}
	var all []*site
	for range 2 {
		all = append(all, serving(t, &HTTPOptions{Sessions: store}, session))
	}
	id := all[0].open()
	for range 3 {
		for _, s := range all {
			want(t, s.post(calling("1", "session", `{}`), id...).body, id[1]+" of c")
			want(t, s.post(modern("1", "session", `{}`), modernHeaders("session")...).body, "none")
		}
	}
	if r := all[1].send(http.MethodDelete, "", id...); r.status != 204 {
		t.Errorf("DELETE gives %+v", r)
	}
	for _, s := range all {
		allAre(t, "an ended session", 404, s.everyMethod(id...))
	}
}

func TestG2_StatelessRequestsThatAreDroppedLeaveNoGoroutines(t *testing.T) {
	block, began := blocking(nil)
	s := serving(t, &HTTPOptions{KeepAlive: time.Millisecond}, block)
	before := runtime.NumGoroutine()
	listen := `{"jsonrpc":"2.0","id":"l1","method":"subscriptions/listen","params":{` + modernMeta + `,"notifications":{"toolsListChanged":true}}}`
	for range 50 {
		s.read("POST", modern("1", "block", `{}`), modernHeaders("block")...).drop()
		s.read("POST", listen, "MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "subscriptions/listen").drop()
		<-(<-began).Done()
	}
	s.client.CloseIdleConnections()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if now := runtime.NumGoroutine(); now <= before+5 {
			return
		} else if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", now, before)
		}
	}
}

func TestG3_EachEndOfASessionIsToldOnceOverHTTP(t *testing.T) {
	ended := make(chan string, 10)
	told := func(id string) {
		t.Helper()
		select {
		case got := <-ended:
			if got != id {
				t.Errorf("told is %s, not %s", got, id)
			}
		case <-time.After(10 * time.Second):
			t.Errorf("%s is not told", id)
		}
	}
	o := &HTTPOptions{MaxSessions: 1, SessionIdle: time.Hour, SessionEnded: func(s middleware.Session) { ended <- s.ID() }}
	s := serving(t, o)
	deleted := s.open()
	s.send("DELETE", "", deleted...)
	s.send("DELETE", "", deleted...)
	told(deleted[1])
	first, second := s.open(), s.open()
	told(first[1])
	for range 2 {
		if err := s.server.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	}
	told(second[1])
	o.SessionIdle = 20 * time.Millisecond
	idle := serving(t, o).open()
	told(idle[1])
	if len(ended) > 0 {
		t.Errorf("told again: %s", <-ended)
	}
}

func TestTS_ASessionWhoseClientIsKilledIsReaped(t *testing.T) {
	ended := make(chan string, 1)
	s := serving(t, &HTTPOptions{SessionIdle: 20 * time.Millisecond, SessionEnded: func(s middleware.Session) { ended <- s.ID() }})
	id := s.open()
	g := s.read("GET", "", id...)
	time.Sleep(60 * time.Millisecond)
	if len(ended) > 0 {
		t.Fatal("it ended while its client listened")
	}
	g.drop() // the client goes without a word
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Error("it lives on")
	}
	allAre(t, "the session", 404, s.everyMethod(id...))
}

func TestTS_TheNumberOfSessionsIsBounded(t *testing.T) {
	ended := make(chan string, 20)
	s := serving(t, &HTTPOptions{MaxSessions: 5, SessionEnded: func(s middleware.Session) { ended <- s.ID() }})
	var ids [][]string
	for range 20 {
		ids = append(ids, s.open())
	}
	if len(ended) != 15 {
		t.Errorf("%d of 20 sessions have ended", len(ended))
	}
	for i, id := range ids {
		if got := s.post(pinging, id...).status; got != map[bool]int{true: 200, false: 404}[i >= 15] {
			t.Errorf("session %d answers %d", i, got)
		}
	}
}

func TestG12_AClientThatOnlyPostsCausesNoNoise(t *testing.T) {
	var log bytes.Buffer
	var c *catalog.Catalog
	change := tool("change", func(ctx context.Context, _ *middleware.Call, _ map[string]any) (any, error) {
		for range 50 {
			c.Changed(ctx, catalog.AnyChange, catalog.Audience{})
		}
		return "changed", nil
	})
	c, err := app{tools: []*catalog.Tool{change}, log: slog.New(slog.NewTextHandler(&log, nil))}.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	s := servingApp(t, frozen{c}, nil)
	id := s.open()
	want(t, s.post(calling("1", "change", `{}`), id...).body, "changed") // right after initialize
	s.post(initialized, id...)
	for range 10 {
		want(t, s.post(calling("1", "change", `{}`), id...).body, "changed")
	}
	want(t, s.post(pinging, id...).body, `"result":{}`)
	if log.Len() > 0 {
		t.Errorf("it logs %s", &log)
	}
}
