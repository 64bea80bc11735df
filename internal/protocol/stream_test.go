package protocol

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpfusion/go/internal/catalog"
)

// reader is a Responder of a client that reads streams.
type reader struct {
	mu     sync.Mutex
	events []Event
	answer string
	status int
	err    error         // what the next event fails with
	held   chan struct{} // if not nil, events wait for it
}

func (r *reader) Streams() bool { return true }

func (r *reader) Answer(out Outgoing) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer, r.status = string(out.Body), out.Status
}

func (r *reader) Event(e Event) error {
	if r.held != nil {
		<-r.held
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.events = append(r.events, e)
	}
	return r.err
}

// read are the messages so far, one per line; a comment is a colon.
func (r *reader) read() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var lines []string
	for _, e := range r.events {
		switch {
		case e.Data == nil:
			lines = append(lines, ":")
		case len(e.Data) > 0:
			lines = append(lines, string(e.Data))
		}
	}
	return strings.Join(lines, "\n")
}

// last is the id of the last event.
func (r *reader) last() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range slices.Backward(r.events) {
		if e.ID != "" {
			return e.ID
		}
	}
	return ""
}

// storedEvents is an EventStore without bounds.
type storedEvents struct {
	mu  sync.Mutex
	all map[string][]Event // by session and stream
}

func (s *storedEvents) Append(_ context.Context, session, stream string, seq uint64, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[string][]Event{}
	}
	s.all[session+stream] = append(s.all[session+stream], Event{ID: strconv.FormatUint(seq, 10), Data: data})
	return nil
}

func (s *storedEvents) Replay(_ context.Context, session, stream string, seq uint64, visit func(uint64, []byte)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, e := range s.all[session+stream] {
		if n := uint64(i + 1); n > seq {
			visit(n, e.Data)
		}
	}
	return nil
}

func (s *storedEvents) Drop(_ context.Context, session string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key := range s.all {
		if strings.HasPrefix(key, session) {
			delete(s.all, key)
		}
	}
	return nil
}

// stage is an endpoint in a test with a session.
type stage struct {
	*Endpoint
	t       *testing.T
	session string
}

func staged(t *testing.T, o Options, tools ...*catalog.Tool) *stage {
	t.Helper()
	s := &stage{mustServer(t, catalogOf(t, tools...), o).Endpoint(), t, ""}
	s.session = openedSession(t, s.Endpoint, "")
	post(t.Context(), s.Endpoint, "", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, headerSession, s.session)
	return s
}

func (s *stage) header() http.Header { return http.Header{headerSession: {s.session}} }

// call runs a request as if run were its handler.
func (s *stage) call(ctx context.Context, to Responder, run func(x *exchange)) {
	x := s.accept(ctx, Incoming{Body: []byte(calling("1", "echo", `{}`)), Header: s.header()})
	if x.fault != nil {
		s.t.Errorf("the call is refused: %s", x.fault.message)
	}
	x.method.run = func(x *exchange, dst []byte) ([]byte, *fault) {
		run(x)
		return append(dst, `"done"`...), nil
	}
	s.answer(ctx, x, to)
}

// get opens a GET stream. It ends with the context.
func (s *stage) get(ctx context.Context, lastEvent string) *reader {
	r := &reader{}
	h := s.header()
	if lastEvent != "" {
		h[headerLastEvent] = []string{lastEvent}
	}
	go s.Get(ctx, Incoming{Header: h}, r)
	synctest.Wait()
	return r
}

// noted is a notification with a number.
func noted(n int) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"n","params":{"n":%d}}`, n)
}

const done = `{"jsonrpc":"2.0","id":1,"result":"done"}`

func TestAnAnswerIsAStreamOnlyIfSomethingComesBeforeIt(t *testing.T) {
	s := staged(t, Options{Events: &storedEvents{}})
	var r reader
	s.call(t.Context(), &r, func(*exchange) {})
	if r.answer != done || r.events != nil {
		t.Errorf("got %+v", &r)
	}
	s.call(t.Context(), &r, func(x *exchange) { x.notify(noted(1)); x.notify(noted(2)) })
	if got := r.read(); got != string(noted(1))+"\n"+string(noted(2))+"\n"+done {
		t.Errorf("got %s", got)
	}
	if first := r.events[0]; first.ID == "" || first.Retry == 0 || len(first.Data) > 0 {
		t.Errorf("the stream begins with %+v", first)
	}
	var late *exchange
	var plain string
	s.call(t.Context(), inJSON(func(out Outgoing) { plain = string(out.Body) }), func(x *exchange) { late = x; x.notify(noted(1)) })
	if late.notify(noted(2)); plain != done {
		t.Errorf("a client that takes no stream gets %s", plain)
	}
}

func TestOlderRevisionsGetNoPrimingEvent(t *testing.T) {
	s := &stage{mustServer(t, catalogOf(t), Options{Events: &storedEvents{}}).Endpoint(), t, ""}
	opening := strings.Replace(initializing, "2025-11-25", "2025-06-18", 1)
	s.session = post(t.Context(), s.Endpoint, "", opening).session
	var r reader
	s.call(t.Context(), &r, func(x *exchange) { x.notify(noted(1)) })
	for _, e := range r.events {
		if e.Data != nil && len(e.Data) == 0 || e.Retry > 0 {
			t.Errorf("got %+v", e)
		}
	}
}

func TestH13_SilenceOnAStreamIsFilledWithComments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := staged(t, Options{KeepAlive: time.Second})
		var r reader
		s.call(t.Context(), &r, func(*exchange) { time.Sleep(3500 * time.Millisecond) })
		if got := r.read(); got != ":\n:\n:\n"+done {
			t.Errorf("the call gets %q", got)
		}
		ctx, cancel := context.WithCancel(t.Context())
		g := s.get(ctx, "")
		time.Sleep(3500 * time.Millisecond)
		cancel()
		synctest.Wait()
		time.Sleep(10 * time.Second) // nothing comes any more
		if got := g.read(); got != ":\n:\n:\n:" {
			t.Errorf("the GET stream gets %q", got)
		}
		s.sessions.close()
	})
}

func TestH19_AClientIsAskedOnTheCallsOwnStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := staged(t, Options{AskTimeout: time.Minute})
		var r reader
		var answers []string
		ask := func(x *exchange, ctx context.Context) {
			ctx, cancel := (&dialog{x: x}).Patience(ctx)
			defer cancel()
			answer, err := x.request(ctx, "elicitation/create", []byte(`{"message":"?"}`))
			answers = append(answers, fmt.Sprint(string(answer), err))
		}
		respond := func(body string) {
			time.Sleep(time.Second)
			_, question, _ := strings.Cut(r.read(), `"id":"`)
			id, _, _ := strings.Cut(question, `"`)
			r.events = nil
			a := post(t.Context(), s.Endpoint, "", `{"jsonrpc":"2.0","id":"`+id+`",`+body+`}`, headerSession, s.session)
			if a.status != 202 || a.body != "" {
				t.Errorf("a response is answered %+v", a)
			}
		}
		s.call(t.Context(), &r, func(x *exchange) {
			go respond(`"result":{"action":"accept"}`)
			ask(x, t.Context())
			go respond(`"error":{"code":-1,"message":"no"}`)
			ask(x, t.Context())
			ask(x, t.Context()) // nobody answers
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(errBoom)
			ask(x, ctx)
		})
		want(t, strings.Join(answers, "\n"), `{"action":"accept"}<nil>`, "the client answered -1: no", errNoResponse.Error(), errBoom.Error())
		want(t, r.read(), `"method":"notifications/cancelled"`, done)
		s.call(t.Context(), inJSON(func(Outgoing) {}), func(x *exchange) {
			if _, err := x.request(t.Context(), "ping", nil); !errors.Is(err, errNoChannel) {
				t.Errorf("without a stream: %v", err)
			}
		})
		s.sessions.close()
	})
}

func TestAResponseThatNobodyWaitsForIsIgnored(t *testing.T) {
	s := staged(t, Options{})
	for _, id := range []string{`"x"`, `1`} {
		if a := post(t.Context(), s.Endpoint, "", `{"jsonrpc":"2.0","id":`+id+`,"result":{}}`, headerSession, s.session); a.status != 202 {
			t.Errorf("got %+v", a)
		}
	}
}

func TestH20_ASlowReaderStarvesNobody(t *testing.T) {
	s := staged(t, Options{})
	r := &reader{held: make(chan struct{})}
	finished := make(chan struct{})
	sent := make(chan struct{})
	go func() {
		defer close(finished)
		s.call(t.Context(), r, func(x *exchange) {
			for n := range 10_000 {
				x.notify(noted(n))
			}
			close(sent)
		})
	}()
	<-sent // without a single event read
	if a := post(t.Context(), s.Endpoint, "", `{"jsonrpc":"2.0","id":2,"method":"ping"}`, headerSession, s.session); a.status != 200 {
		t.Errorf("another request gets %+v", a)
	}
	close(r.held)
	<-finished
	got := r.read()
	if !strings.HasSuffix(got, done) || strings.Count(got, "\n") > 2*maxQueued {
		t.Errorf("got %d messages, the last %s", strings.Count(got, "\n"), got[max(0, len(got)-60):])
	}
}

func TestG22_ABrokenStreamIsReadOnByItsClientAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := staged(t, Options{Events: &storedEvents{}})
		var r reader
		ctx, cancel := context.WithCancel(t.Context())
		goOn := make(chan struct{})
		go s.call(ctx, &r, func(x *exchange) {
			x.notify(noted(1))
			<-goOn
			x.notify(noted(2))
			<-goOn
		})
		synctest.Wait()
		cancel() // the connection breaks, the call goes on
		synctest.Wait()
		goOn <- struct{}{}
		synctest.Wait()
		again := s.get(t.Context(), r.last())
		if got := again.read(); got != string(noted(2)) {
			t.Errorf("resumed: %s", got)
		}
		close(goOn)
		synctest.Wait()
		if got := again.read(); got != string(noted(2))+"\n"+done {
			t.Errorf("resumed to the end: %s", got)
		}
		if got := s.get(t.Context(), again.last()).read(); got != ":" { // at least the headers
			t.Errorf("behind the end: %s", got)
		}
		if got := s.get(t.Context(), r.last()).read(); got != string(noted(2))+"\n"+done {
			t.Errorf("resumed after the end: %s", got)
		}
		other := *s
		other.session = openedSession(t, s.Endpoint, "")
		ctx, cancel = context.WithCancel(t.Context())
		if got := other.get(ctx, r.last()).read(); got != ":" {
			t.Errorf("another session reads %s", got)
		}
		cancel()
		s.sessions.close()
	})
}

func TestAConnectionEndsWhenItsTimeIsUpAndTheCallGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := staged(t, Options{Events: &storedEvents{}, ReconnectAfter: time.Second})
		var r reader
		start := time.Now()
		s.call(t.Context(), &r, func(*exchange) { time.Sleep(3 * time.Second) })
		if took := time.Since(start); took != time.Second || r.read() != "" || r.last() == "" {
			t.Errorf("after %v: %s", took, r.read())
		}
		time.Sleep(1500 * time.Millisecond)
		again := s.get(t.Context(), r.last())
		time.Sleep(time.Second)
		if got := again.read(); got != ":\n"+done {
			t.Errorf("got %s", got)
		}
		s.sessions.close()
	})
}

func TestADroppedStreamLeavesNothingBehind(t *testing.T) { // row G2
	s := staged(t, Options{Events: &storedEvents{}})
	r := &reader{err: errors.New("reset")}
	s.call(t.Context(), r, func(x *exchange) { x.notify(noted(1)) })
	if of := s.sessions.find(s.session, ""); of == nil || len(of.streams.calls) > 0 {
		t.Error("a stream is left")
	}
	if left := s.calls.running(); len(left) > 0 {
		t.Errorf("left are %v", names(left))
	}
}
