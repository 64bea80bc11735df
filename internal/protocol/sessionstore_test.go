package protocol

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpfusion/go/middleware"
)

// sharedSessions is a SessionStore for a test.
type sharedSessions struct {
	mu      sync.Mutex
	records map[string][]byte
	err     error
}

func (s *sharedSessions) Save(_ context.Context, id string, record []byte, _ time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.records == nil {
		s.records = map[string][]byte{}
	}
	s.records[id] = record
	return s.err
}

func (s *sharedSessions) Load(_ context.Context, id string, _ time.Duration) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.records[id], s.err
}

func (s *sharedSessions) Delete(_ context.Context, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.records, id)
	return s.err
}

// deleted is the status of a DELETE.
func deleted(t *testing.T, e *Endpoint, subject, id string) int {
	t.Helper()
	status := 0
	e.Delete(t.Context(), Incoming{Header: http.Header{headerSession: {id}}, Subject: middleware.Subject{ID: subject}},
		inJSON(func(out Outgoing) { status = out.Status }))
	return status
}

func TestG6_AnyReplicaServesASession(t *testing.T) {
	store := &sharedSessions{}
	capable := tool("capable", func(_ context.Context, call *middleware.Call, _ map[string]any) (any, error) {
		return call.Session.ID() + " " + call.Session.Client().Name + " " + call.Revision, nil
	})
	var all []*Endpoint
	for range 2 {
		all = append(all, mustServer(t, catalogOf(t, capable), Options{Sessions: store}).Endpoint())
	}
	opening := strings.Replace(initializing, `"capabilities":{}`, `"capabilities":{"elicitation":{"url":{}}}`, 1)
	id := post(t.Context(), all[0], "ann", opening).session
	for _, e := range append(all, all...) {
		want(t, post(t.Context(), e, "ann", calling("1", "capable", `{}`), headerSession, id).body, id+" c 2025-11-25")
		if a := post(t.Context(), e, "ben", pinging, headerSession, id); a.status != 404 {
			t.Errorf("someone else gets %+v", a)
		}
		x := e.accept(t.Context(), Incoming{Body: []byte(pinging), Header: http.Header{headerSession: {id}}, Subject: middleware.Subject{ID: "ann"}})
		if !x.declares("elicitation") || !x.declares("elicitation", "url") || x.declares("elicitation", "form") || x.declares("sampling") {
			t.Error("the capabilities are not those of the client")
		}
	}
	if status := deleted(t, all[1], "ann", id); status != 204 {
		t.Errorf("DELETE gives %d", status)
	}
	for _, e := range all {
		if a := post(t.Context(), e, "ann", pinging, headerSession, id); a.status != 404 {
			t.Errorf("an ended session answers %+v", a)
		}
	}
	store.err = errors.New("down")
	if a := post(t.Context(), all[0], "ann", initializing); a.status != 503 || a.session != "" {
		t.Errorf("without a store: %+v", a)
	}
	if a := post(t.Context(), all[0], "ann", pinging, headerSession, id); a.status != 503 {
		t.Errorf("without a store: %+v", a)
	}
}

func TestARecordThatCannotBeReadIsNoSession(t *testing.T) {
	store := &sharedSessions{records: map[string][]byte{
		"a": []byte(`{`), "b": []byte(`{"revision":"2026-07-28"}`), "c": []byte(`{"revision":"x"}`), "d": []byte(`{"subject":"ann","revision":"2025-11-25"}`),
	}}
	e := mustServer(t, catalogOf(t), Options{Sessions: store}).Endpoint()
	for id := range store.records {
		if a := post(t.Context(), e, "", pinging, headerSession, id); a.status != 404 {
			t.Errorf("%s gets %+v", id, a)
		}
	}
}

func TestG3_EachEndOfASessionIsToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ended []string
		e := mustServer(t, catalogOf(t), Options{MaxSessions: 2, SessionIdle: time.Hour, SessionEnded: func(s middleware.Session) {
			ended = append(ended, s.ID())
			panic("hook")
		}}).Endpoint()
		told := func(id string) {
			t.Helper()
			if synctest.Wait(); !slices.Equal(ended, []string{id}) {
				t.Errorf("told are %v, not %s", ended, id)
			}
			ended = nil
		}
		first := openedSession(t, e, "")
		if status := deleted(t, e, "", first); status != 204 {
			t.Errorf("DELETE gives %d", status)
		}
		told(first)
		if status := deleted(t, e, "", first); status != 404 {
			t.Errorf("DELETE again gives %d", status)
		}
		second := openedSession(t, e, "")
		time.Sleep(90 * time.Minute) // and no request comes
		told(second)
		third := openedSession(t, e, "")
		openedSession(t, e, "")
		fifth := openedSession(t, e, "")
		told(third)
		if err := e.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if err := e.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if len(ended) != 2 || !slices.Contains(ended, fifth) {
			t.Errorf("told are %v", ended)
		}
	})
}

func TestG3_AStreamsSessionEndsWithIt(t *testing.T) {
	var ended []string
	s := mustServer(t, catalogOf(t), Options{SessionEnded: func(s middleware.Session) { ended = append(ended, s.ID()) }})
	served(t, s, initializing+"\n"+strings.Replace(initializing, `"id":1`, `"id":2`, 1)+"\n")
	if len(ended) != 2 || ended[0] == ended[1] {
		t.Errorf("told are %v", ended)
	}
}

func TestG4_DeadSessionsAreNotFoundAndMissingOnesBadRequests(t *testing.T) {
	e := serverOf(t).Endpoint()
	gets := func(headers ...string) int {
		h := http.Header{}
		for i := 0; i < len(headers); i += 2 {
			h.Set(headers[i], headers[i+1])
		}
		r := &reader{}
		e.Get(t.Context(), Incoming{Header: h}, r)
		return r.status
	}
	for _, id := range []string{"stale", strings.Repeat("x", 999), "\x7f"} {
		if got := []int{post(t.Context(), e, "", pinging, headerSession, id).status, gets(headerSession, id), deleted(t, e, "", id)}; !slices.Equal(got, []int{404, 404, 404}) {
			t.Errorf("%.9q gives %v", id, got)
		}
	}
	if got := []int{post(t.Context(), e, "", pinging).status, gets(), deleted(t, e, "", "")}; !slices.Equal(got, []int{400, 400, 400}) {
		t.Errorf("none gives %v", got)
	}
}

func TestH12_ShutdownEndsStreamsAndDrainsCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := staged(t, Options{})
		g := s.get(t.Context(), "")
		l := s.listen(t.Context(), "", "1", `{"toolsListChanged":true}`)
		var r reader
		go s.call(t.Context(), &r, func(*exchange) { time.Sleep(500 * time.Millisecond) })
		synctest.Wait()
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took != 500*time.Millisecond || s.Ready() {
			t.Errorf("it took %v", took)
		}
		synctest.Wait()
		if open := len(s.listens.running()) + len(s.calls.running()); open > 0 || r.answer != done {
			t.Errorf("%d are open, the call got %s", open, r.answer)
		}
		want(t, l.read(), `"resultType":"complete"`)
		want(t, g.read(), ":")
		if got := s.get(t.Context(), ""); got.status != 503 && got.status != 404 {
			t.Errorf("a later stream gets %d", got.status)
		}
		if err := s.Shutdown(ctx); err != nil {
			t.Error(err)
		}
	})
}

func TestDuringAShutdownRunningCallsHearTheirClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := staged(t, Options{})
		var answered reader
		var outcome string
		go s.call(t.Context(), &answered, func(x *exchange) {
			answer, _ := x.request(x.ctx, "elicitation/create", []byte(`{}`))
			outcome = string(answer)
		})
		synctest.Wait()
		ended := make(chan error, 1)
		go func() { ended <- s.Shutdown(t.Context()) }()
		synctest.Wait()
		_, question, _ := strings.Cut(answered.read(), `"id":"`)
		id, _, _ := strings.Cut(question, `"`)
		if a := post(t.Context(), s.Endpoint, "", `{"jsonrpc":"2.0","id":"`+id+`","result":{"ok":1}}`, headerSession, s.session); a.status != 202 {
			t.Errorf("a response gets %+v", a)
		}
		if a := post(t.Context(), s.Endpoint, "", cancelling, headerSession, s.session); a.status != 202 {
			t.Errorf("a cancellation gets %+v", a)
		}
		if a := post(t.Context(), s.Endpoint, "", pinging, headerSession, s.session); a.status != 503 {
			t.Errorf("a request gets %+v", a)
		}
		if err := <-ended; err != nil || outcome != `{"ok":1}` {
			t.Errorf("%v, %s", err, outcome)
		}
	})
}

func TestADeletedSessionCancelsItsCallsAndEndsItsStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := staged(t, Options{})
		s.get(t.Context(), "")
		var cause error
		var r reader
		go s.call(t.Context(), &r, func(x *exchange) { <-x.ctx.Done(); cause = context.Cause(x.ctx) })
		synctest.Wait()
		deleted(t, s.Endpoint, "", s.session)
		synctest.Wait()
		if !errors.Is(cause, errSessionEnded) || len(s.listens.running()) > 0 || r.answer != done {
			t.Errorf("cause %v, open %d, answer %s", cause, len(s.listens.running()), r.answer)
		}
	})
}

func TestG6_AReplicaThatHoldsASessionFollowsWhatItsClientChangesElsewhere(t *testing.T) {
	store := &sharedSessions{}
	replica := func() *Endpoint {
		return featured(t, Options{Sessions: store}).Endpoint()
	}
	a, b := replica(), replica()
	id := post(t.Context(), a, "", initializing).session
	ask := func(e *Endpoint, method, params string) {
		t.Helper()
		want(t, post(t.Context(), e, "", `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`, headerSession, id).body, `"result"`)
	}
	held := func(e *Endpoint) (level logLevel, uris string) {
		t.Helper()
		s, f := e.find(t.Context(), id, "")
		if f != nil {
			t.Fatal(f)
		}
		return logLevel(s.logLevel.Load()), strings.Join(s.news.resources(), " ")
	}
	ask(b, "ping", "{}") // from here on b holds it too
	ask(a, "resources/subscribe", `{"uri":"test://a"}`)
	ask(a, "logging/setLevel", `{"level":"error"}`)
	ask(b, "resources/subscribe", `{"uri":"test://t/b"}`)
	ask(b, "logging/setLevel", `{"level":"info"}`)
	ask(b, "resources/unsubscribe", `{"uri":"test://a"}`)
	for _, e := range []*Endpoint{a, b} {
		if level, uris := held(e); level.String() != "info" || uris != "test://t/b" {
			t.Errorf("got %s, %s", level, uris)
		}
	}
}
