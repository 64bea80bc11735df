package transport

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json/v2"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpfusion/go/internal/scope"
	"github.com/mcpfusion/go/middleware"
)

const (
	soakClients = 200
	soakCalls   = 3 // of each session
)

// TestSoakG2_SessionsAndCallsLeaveNothingBehind opens sessions, calls in every way that a
// call can go and walks off. FUSION_SOAK=1 makes it 10,000 sessions, or as many as a minute
// has room for; else there are fewer.
//
// All rounds are alike, and each ends in the same rest: no connection is open and every
// session has expired. What the heap holds then after the first round, when maps and pools
// have their size, is the baseline. So what is left of a call or of a session shows.
func TestSoakG2_SessionsAndCallsLeaveNothingBehind(t *testing.T) {
	rounds, perClient := 4, 1
	if os.Getenv("FUSION_SOAK") != "" {
		rounds, perClient = 11, 5
	}
	perRound := soakClients * perClient
	s := soaking(t, rounds*perRound*soakCalls)
	goroutines := runtime.NumGoroutine()
	start := time.Now()
	var baseline uint64
	for round := range rounds {
		if round > 1 && time.Since(start) > time.Minute*9/10 {
			break
		}
		s.round(round*perRound, perClient)
		s.rest(goroutines)
		if heap := heapInUse(); round == 0 {
			baseline = heap
		} else if heap > baseline+baseline/10 {
			t.Errorf("round %d leaves a heap of %d bytes, %d before", round, heap, baseline)
		}
	}
	t.Logf("%d sessions in %v, %d bytes at rest: %s", s.opened.Load(), time.Since(start).Round(time.Millisecond), baseline, s.audit())
}

// soak is a site under load, with a ledger of its calls by number.
type soak struct {
	*site
	hasty         *http.Client // of requests that are given up
	ahead         atomic.Int64 // of the sessions' clock, in ns
	opened, ended atomic.Int64
	runs, answers []atomic.Int32
	kept          []atomic.Bool // neither cancelled nor aborted: must be answered
}

// soaking serves an app whose sessions live by a clock that the test sets ahead: however
// slow the machine, none expires before that.
func soaking(t *testing.T, calls int) *soak {
	t.Helper()
	s := &soak{runs: make([]atomic.Int32, calls), answers: make([]atomic.Int32, calls), kept: make([]atomic.Bool, calls)}
	work := tool("work", s.work)
	o := HTTPOptions{SessionIdle: time.Second, SessionEnded: func(middleware.Session) { s.ended.Add(1) }}
	s.site = serving(t, &o, work)
	engine := o.protocol()
	started := time.Now()
	engine.Now = func() time.Time { return started.Add(time.Duration(s.ahead.Load())) }
	server, err := serverOf(frozenApp(t, work), engine)
	if err != nil {
		t.Fatal(err)
	}
	s.server.endpoint = server.Endpoint()
	s.reconnect()
	return s
}

// reconnect takes new clients: what theirs keep is none of the server's. Requests that are
// given up have one of their own, for a connection that is shared can fail the next request
// with the deadline of the one before.
func (s *soak) reconnect() {
	s.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: soakClients}}
	s.hasty = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: soakClients}}
}

// work is the handler: it counts its run, tells of its progress and takes a moment.
func (s *soak) work(ctx context.Context, _ *middleware.Call, args map[string]any) (any, error) {
	n := int(args["n"].(float64))
	s.runs[n].Add(1)
	for i := range 3 {
		scope.LineOf(ctx).Progress(float64(i+1), 3, "going on")
	}
	moment := time.NewTimer(rand.N(3 * time.Millisecond))
	defer moment.Stop()
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-moment.C:
		return args, nil
	}
}

// round lets all clients visit, each some times in a row.
func (s *soak) round(first, perClient int) {
	var clients sync.WaitGroup
	for client := range soakClients {
		clients.Go(func() {
			for visit := range perClient {
				s.visit(first + client*perClient + visit)
			}
		})
	}
	clients.Wait()
}

// visit opens a session, makes its calls and walks off; sometimes from an open stream.
func (s *soak) visit(number int) {
	id := s.open()
	s.opened.Add(1)
	s.post(initialized, id...)
	if number%2 == 0 {
		s.leave(http.MethodGet, "", time.Millisecond, id...)
	}
	for i := range soakCalls {
		n := number*soakCalls + i
		ways[(number+i)%len(ways)](s, n, id)
	}
}

// ways are how a call can go.
var ways = []func(s *soak, n int, session []string){
	(*soak).plain, (*soak).streamed, (*soak).resumed, (*soak).cancelled, (*soak).aborted,
	(*soak).stateless, (*soak).statelessStreamed, (*soak).statelessAborted,
}

var takesStreams = []string{"Accept", "application/json, text/event-stream"}

func (s *soak) call(n int, message func(id, name, arguments string) string) string {
	return message(strconv.Itoa(n), "work", fmt.Sprintf(`{"n":%d}`, n))
}

// noisy is a call of a session that asks for progress.
func noisy(id, name, arguments string) string {
	return strings.Replace(calling(id, name, arguments), `"params":{`, `"params":{"_meta":{"progressToken":1},`, 1)
}

// noisyModern is a stateless call that asks for progress.
func noisyModern(id, name, arguments string) string {
	return strings.Replace(modern(id, name, arguments), `"_meta":{`, `"_meta":{"progressToken":1,`, 1)
}

func (s *soak) plain(n int, session []string) {
	s.kept[n].Store(true)
	s.count(strings.NewReader(s.post(s.call(n, calling), session...).body), false)
}

func (s *soak) streamed(n int, session []string) {
	s.kept[n].Store(true)
	s.count(strings.NewReader(s.post(s.call(n, noisy), append(takesStreams, session...)...).body), false)
}

func (s *soak) stateless(n int, _ []string) {
	s.kept[n].Store(true)
	s.count(strings.NewReader(s.post(s.call(n, modern), modernHeaders("work")...).body), false)
}

func (s *soak) statelessStreamed(n int, _ []string) {
	s.kept[n].Store(true)
	s.count(strings.NewReader(s.post(s.call(n, noisyModern), append(takesStreams, modernHeaders("work")...)...).body), false)
}

// resumed drops a stream at its first event and reads on by GET, to the answer.
func (s *soak) resumed(n int, session []string) {
	s.kept[n].Store(true)
	last := s.drop(http.MethodPost, s.call(n, noisy), append(takesStreams, session...)...)
	r := s.send(http.MethodGet, "", append(append(takesStreams, session...), "Last-Event-ID", last)...)
	s.count(strings.NewReader(r.body), false)
}

// cancelled cancels a call while it runs, before it or behind it.
func (s *soak) cancelled(n int, session []string) {
	var call sync.WaitGroup
	call.Go(func() {
		s.count(strings.NewReader(s.post(s.call(n, noisy), append(takesStreams, session...)...).body), false)
	})
	time.Sleep(rand.N(3 * time.Millisecond))
	s.post(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, n), session...)
	call.Wait()
}

func (s *soak) aborted(n int, session []string) {
	s.leave(http.MethodPost, s.call(n, calling), rand.N(3*time.Millisecond), session...)
}

func (s *soak) statelessAborted(n int, _ []string) {
	s.leave(http.MethodPost, s.call(n, noisyModern), rand.N(3*time.Millisecond), append(takesStreams, modernHeaders("work")...)...)
}

// leave makes a request and hangs up after a time, whatever has come until then.
func (s *soak) leave(method, body string, after time.Duration, headers ...string) {
	ctx, cancel := context.WithTimeout(s.t.Context(), after)
	defer cancel()
	if resp, err := s.hasty.Do(s.request(ctx, method, body, headers...)); err == nil {
		s.count(resp.Body, false)
		_ = resp.Body.Close()
	}
}

// drop makes a request, reads one event and hangs up. It returns the event's id.
func (s *soak) drop(method, body string, headers ...string) (last string) {
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	resp, err := s.client.Do(s.request(ctx, method, body, headers...))
	if err != nil {
		s.t.Error(err)
		return ""
	}
	defer func() { _ = resp.Body.Close() }()
	return s.count(resp.Body, true)
}

// count reads an answer, or a stream up to its end or its first event, and books the
// responses. It returns the id of the last event.
func (s *soak) count(body io.Reader, one bool) (last string) {
	for lines := bufio.NewScanner(body); lines.Scan(); {
		line := lines.Text()
		if id, is := strings.CutPrefix(line, "id: "); is {
			last = id
		}
		s.book([]byte(strings.TrimPrefix(line, "data: ")))
		if one && line == "" {
			return last
		}
	}
	return last
}

// book enters a response. One that broke off is none.
func (s *soak) book(line []byte) {
	var response struct {
		ID     *int `json:"id"`
		Result struct {
			StructuredContent *struct {
				N int `json:"n"`
			} `json:"structuredContent"`
		} `json:"result"`
	}
	if json.Unmarshal(line, &response) != nil || response.ID == nil {
		return
	}
	s.answers[*response.ID].Add(1)
	if data := response.Result.StructuredContent; data != nil && data.N != *response.ID {
		s.t.Errorf("call %d got the answer of %d", *response.ID, data.N)
	}
}

// rest waits until nothing runs and every session has expired.
func (s *soak) rest(goroutines int) {
	s.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		s.client.CloseIdleConnections()
		s.hasty.CloseIdleConnections()
		s.ahead.Add(int64(time.Minute))
		now, ended := runtime.NumGoroutine(), s.ended.Load()
		switch {
		case now <= goroutines && ended == s.opened.Load():
			s.reconnect()
			return
		case time.Now().After(deadline):
			s.t.Fatalf("%d goroutines, %d before; %d of %d sessions ended", now, goroutines, ended, s.opened.Load())
		}
	}
}

// heapInUse is what live objects take. The second collection takes what pools keep for one.
func heapInUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// audit checks that no call was lost and none was made or answered twice.
func (s *soak) audit() string {
	s.t.Helper()
	var kept, runs, answers int
	for n := range s.runs {
		ran, answered := s.runs[n].Load(), s.answers[n].Load()
		runs, answers = runs+int(ran), answers+int(answered)
		switch {
		case s.kept[n].Load():
			if kept++; ran != 1 || answered != 1 {
				s.t.Errorf("call %d ran %d times and was answered %d times", n, ran, answered)
			}
		case ran > 1 || answered > 1:
			s.t.Errorf("call %d, which was given up, ran %d times and was answered %d times", n, ran, answered)
		}
	}
	if given := len(s.runs) - kept; given < kept/10 || runs == kept {
		s.t.Errorf("of %d calls, %d were given up and %d ran: this tests nothing", len(s.runs), given, runs)
	}
	return fmt.Sprintf("%d calls, %d kept, %d runs, %d answers", len(s.runs), kept, runs, answers)
}

// request is a request that its client can give up.
func (s *site) request(ctx context.Context, method, body string, headers ...string) *http.Request {
	s.t.Helper()
	req, err := http.NewRequestWithContext(ctx, cmp.Or(method, http.MethodPost), s.http.URL, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	return req
}
