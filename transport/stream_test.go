package transport

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/internal/protocol"
	"github.com/mcpfusion/go/middleware"
)

// frozen is an App whose catalog a test has in its hands.
type frozen struct{ catalog *catalog.Catalog }

func (f frozen) Catalog() (*catalog.Catalog, error) { return f.catalog, nil }

func frozenApp(t *testing.T, tools ...*catalog.Tool) frozen {
	t.Helper()
	c, err := app{tools: tools}.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	return frozen{c}
}

// reading is a stream that a client reads line by line.
type reading struct {
	header http.Header
	lines  chan string // closed at the end
	drop   context.CancelFunc
}

// read sends a request and reads the stream that answers it.
func (s *site) read(method, body string, headers ...string) *reading {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	req, err := http.NewRequestWithContext(ctx, method, s.http.URL, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := s.client.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	r := &reading{resp.Header, make(chan string, 100), cancel}
	go func() {
		defer close(r.lines)
		defer func() { _ = resp.Body.Close() }()
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			r.lines <- lines.Text()
		}
	}()
	s.t.Cleanup(func() {
		cancel()
		for range r.lines { // to its end
		}
	})
	return r
}

// until reads lines up to one with the text, which it returns.
func (r *reading) until(t *testing.T, text string) string {
	t.Helper()
	deadline := time.After(10 * time.Second)
	for {
		select {
		case line, open := <-r.lines:
			if !open {
				t.Errorf("the stream ended without %q", text)
				return ""
			}
			if strings.Contains(line, text) {
				return line
			}
		case <-deadline:
			t.Errorf("the stream has no %q", text)
			return ""
		}
	}
}

const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

func TestAGetStreamTellsWhatChanges(t *testing.T) {
	f := frozenApp(t, tool("echo", echo))
	s := servingApp(t, f, nil)
	id := s.open()
	s.post(initialized, id...)
	g := s.read("GET", "", id...)
	for header, value := range map[string]string{"Content-Type": "text/event-stream", "X-Accel-Buffering": "no", "Cache-Control": "no-store"} {
		if got := g.header.Get(header); got != value {
			t.Errorf("%s is %q", header, got)
		}
	}
	prime := strings.TrimPrefix(g.until(t, "id: "), "id: ")
	g.until(t, "retry: ")
	f.catalog.Changed(t.Context(), catalog.AnyChange, catalog.Audience{})
	g.until(t, `data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	g.drop()
	again := s.read("GET", "", append(id, "Last-Event-ID", prime)...)
	again.until(t, `notifications/tools/list_changed`)
	if r := s.send("DELETE", "", id...); r.status != 204 {
		t.Errorf("DELETE gives %+v", r)
	}
	for range again.lines { // to the end
	}
	if r := s.send("GET", "", append(id, "Accept", "text/event-stream")...); r.status != 404 {
		t.Errorf("GET gives %+v", r)
	}
}

func TestASubscriptionOverHTTP(t *testing.T) {
	f := frozenApp(t, tool("echo", echo))
	s := servingApp(t, f, nil)
	listen := `{"jsonrpc":"2.0","id":"l1","method":"subscriptions/listen","params":{` + modernMeta + `,"notifications":{"toolsListChanged":true}}}`
	l := s.read("POST", listen, "MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "subscriptions/listen")
	l.until(t, "notifications/subscriptions/acknowledged")
	f.catalog.Changed(t.Context(), catalog.AnyChange, catalog.Audience{})
	want(t, l.until(t, "list_changed"), `"io.modelcontextprotocol/subscriptionId":"l1"`)
	if err := s.server.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	l.until(t, `"resultType":"complete"`)
}

func TestH13_ASlowCallIsAnsweredByAStream(t *testing.T) {
	release := make(chan struct{})
	block, _ := blocking(release)
	s := serving(t, &HTTPOptions{KeepAlive: 10 * time.Millisecond}, block)
	var open []*reading
	for name, r := range map[string]*reading{
		"in a session": s.read("POST", calling("1", "block", `{}`), s.open()...),
		"without one":  s.read("POST", modern("1", "block", `{}`), modernHeaders("block")...),
	} {
		if got := r.header.Get("Content-Type"); got != "text/event-stream" {
			t.Errorf("%s: Content-Type is %q", name, got)
		}
		for range 3 {
			r.until(t, ":")
		}
		open = append(open, r)
	}
	close(release)
	for _, r := range open {
		want(t, r.until(t, `"id":1`), "done")
	}
}

func TestH12_ShutdownEndsOpenStreams(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	block, began := blocking(release)
	s := serving(t, nil, block)
	id := s.open()
	g := s.read("GET", "", id...)
	answer := make(chan reply, 1)
	go func() { answer <- s.post(calling("1", "block", `{}`), id...) }()
	<-began
	ready := func() int {
		w := httptest.NewRecorder()
		s.server.Ready().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/ready", nil))
		return w.Code
	}
	if ready() != 200 {
		t.Error("it must be ready")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	if err := s.server.Shutdown(ctx); err != nil { // the call ends when it is cancelled
		t.Error(err)
	}
	if took := time.Since(start); took > 5*time.Second || ready() != 503 {
		t.Errorf("it took %v", took)
	}
	for range g.lines { // to the end
	}
	if r := <-answer; r.status != 200 {
		t.Errorf("the call got %+v", r)
	}
}

func TestG2_ClientsThatVanishLeaveNoGoroutines(t *testing.T) {
	s := serving(t, nil, tool("echo", echo))
	before := runtime.NumGoroutine()
	for range 50 {
		g := s.read("GET", "", s.open()...)
		g.drop()
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

func TestCORSIsAnOption(t *testing.T) {
	off := serving(t, nil)
	if r := off.send("OPTIONS", "", "Origin", "http://localhost:1", "Access-Control-Request-Method", "POST"); r.status != 405 || r.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("off: %+v", r)
	}
	on := serving(t, &HTTPOptions{CORS: true, AllowedOrigins: []string{"https://app.example.com"}})
	pre := on.send("OPTIONS", "", "Origin", "https://app.example.com", "Access-Control-Request-Method", "POST",
		"Access-Control-Request-Headers", "content-type, mcp-param-region, x-other")
	if pre.status != 204 || pre.header.Get("Access-Control-Allow-Origin") != "https://app.example.com" {
		t.Errorf("a preflight gets %+v", pre)
	}
	want(t, pre.header.Get("Access-Control-Allow-Headers"), "Mcp-Session-Id", "Last-Event-ID", "mcp-param-region")
	if strings.Contains(pre.header.Get("Access-Control-Allow-Headers"), "x-other") {
		t.Error("any header is allowed")
	}
	r := on.post(opening, "Origin", "https://app.example.com")
	if r.status != 200 || r.header.Get("Vary") != "Origin" {
		t.Errorf("got %+v", r)
	}
	want(t, r.header.Get("Access-Control-Expose-Headers"), "Mcp-Session-Id")
	if r := on.post(opening, "Origin", "https://evil.example.com"); r.status != 403 || r.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("another origin gets %+v", r)
	}
}

func TestHeadersAreBounded(t *testing.T) {
	s := serving(t, &HTTPOptions{MaxHeaderBytes: 1000})
	if r := s.post(opening, "X-Large", strings.Repeat("x", 1000)); r.status != 431 {
		t.Errorf("got %+v", r)
	}
}

func TestTheEndOfASessionIsTold(t *testing.T) {
	ended := make(chan string, 1)
	s := serving(t, &HTTPOptions{SessionEnded: func(s middleware.Session) { ended <- s.ID() }})
	id := s.open()
	s.send("DELETE", "", id...)
	if got := <-ended; got != id[1] {
		t.Errorf("told is %s", got)
	}
}

func TestEventsAreWrittenAsClientsReadThem(t *testing.T) {
	for want, e := range map[string]protocol.Event{
		":\n\n":                            {},
		"id: c1-0\nretry: 500\ndata: \n\n": {ID: "c1-0", Retry: 500 * time.Millisecond, Data: []byte{}},
		"data: {}\n\n":                     {Data: []byte("{}")},
	} {
		if got := string(appendEvent(nil, e)); got != want {
			t.Errorf("%+v is %q", e, got)
		}
	}
}
