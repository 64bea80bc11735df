package transport

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/middleware"
)

// site is a served app and a client of it.
type site struct {
	t      *testing.T
	server *Server
	http   *httptest.Server
	client *http.Client
}

func serving(t *testing.T, o *HTTPOptions, tools ...*catalog.Tool) *site {
	t.Helper()
	return servingApp(t, app{tools: tools}, o)
}

func servingApp(t *testing.T, a App, o *HTTPOptions) *site {
	t.Helper()
	s, err := HTTP(a, o)
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s)
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(func() {
		client.CloseIdleConnections()
		h.Close()
	})
	return &site{t, s, h, client}
}

// reply is what came back.
type reply struct {
	status int
	body   string
	header http.Header
	closes bool // the server says that the connection ends
}

// send makes a request. A header "Host" is the one the request is addressed to.
func (s *site) send(method, body string, headers ...string) reply {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.http.URL, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		switch {
		case headers[i] == "Host":
			req.Host = headers[i+1]
		case headers[i+1] == "":
			req.Header.Del(headers[i])
		case headers[i] == "Content-Type":
			req.Header.Set(headers[i], headers[i+1])
		default:
			req.Header.Add(headers[i], headers[i+1])
		}
	}
	return s.do(req)
}

func (s *site) do(req *http.Request) reply {
	s.t.Helper()
	resp, err := s.client.Do(req)
	if err != nil {
		s.t.Error(err)
		return reply{}
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		s.t.Error(err)
	}
	return reply{resp.StatusCode, string(body), resp.Header, resp.Close}
}

func (s *site) post(body string, headers ...string) reply {
	s.t.Helper()
	return s.send(http.MethodPost, body, headers...)
}

// open opens a session and returns its header.
func (s *site) open(headers ...string) []string {
	s.t.Helper()
	r := s.post(opening, headers...)
	if r.status != 200 || r.header.Get("Mcp-Session-Id") == "" {
		s.t.Fatalf("initialize gave %+v", r)
	}
	return []string{"Mcp-Session-Id", r.header.Get("Mcp-Session-Id")}
}

// modernHeaders mirror a stateless call of a tool.
func modernHeaders(name string) []string {
	return []string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", name}
}

func TestASessionOverHTTP(t *testing.T) {
	s := serving(t, nil, tool("echo", echo))
	id := s.open()
	if r := s.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, id...); r.status != 202 || r.body != "" {
		t.Errorf("initialized gave %+v", r)
	}
	want(t, s.post(listing, id...).body, `"name":"echo"`)
	r := s.post(calling("1", "echo", `{"a":1}`), id...)
	want(t, r.body, `"structuredContent":{"a":1}`)
	if r.status != 200 || r.header.Get("Mcp-Session-Id") != "" {
		t.Errorf("got %+v", r)
	}
}

func TestAStatelessCallOverHTTP(t *testing.T) {
	s := serving(t, nil, tool("echo", echo))
	r := s.post(modern("1", "echo", `{"a":1}`), modernHeaders("echo")...)
	want(t, r.body, `"resultType":"complete"`, `"structuredContent":{"a":1}`)
	if r.status != 200 || r.header.Get("Mcp-Session-Id") != "" {
		t.Errorf("got %+v", r)
	}
}

func TestOtherMethodsAreNotAllowed(t *testing.T) {
	s := serving(t, nil)
	id := s.open()
	for _, method := range []string{"PUT", "OPTIONS", "PATCH"} {
		if r := s.send(method, "", id...); r.status != 405 || r.header.Get("Allow") != "POST, GET, DELETE" {
			t.Errorf("%s gave %+v", method, r)
		}
	}
	for _, method := range []string{"GET", "DELETE"} { // the stateless revision has no sessions
		if r := s.send(method, "", "Mcp-Protocol-Version", "2026-07-28"); r.status != 405 || r.header.Get("Allow") != "POST, GET, DELETE" {
			t.Errorf("%s gave %+v", method, r)
		}
	}
}

func TestH15_MediaTypes(t *testing.T) {
	s := serving(t, nil)
	tests := []struct {
		name, header, value string
		status              int
	}{
		{"both as a client must", "Accept", "application/json, text/event-stream", 200},
		{"anything accepted", "Accept", "*/*", 200},
		{"any application accepted", "Accept", "text/html, application/*;q=0.8", 200},
		{"JSON alone accepted", "Accept", "Application/JSON; charset=utf-8", 200},
		{"no Accept", "Accept", "", 200},
		{"HTML alone accepted", "Accept", "text/html", 406},
		{"a stream alone accepted", "Accept", "text/event-stream", 406},
		{"JSON in UTF-8", "Content-Type", "application/json; charset=UTF-8", 200},
		{"JSON in capitals", "Content-Type", "Application/JSON", 200},
		{"JSON in Latin-1", "Content-Type", "application/json; charset=iso-8859-1", 415},
		{"text", "Content-Type", "text/plain", 415},
		{"a form", "Content-Type", "application/x-www-form-urlencoded", 415},
		{"no Content-Type", "Content-Type", "", 415},
		{"a broken Content-Type", "Content-Type", "application/json;", 200},
		{"a compressed body", "Content-Encoding", "gzip", 415},
		{"a body that is what it is", "Content-Encoding", "identity", 200},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := s.post(opening, test.header, test.value)
			if r.status != test.status {
				t.Errorf("got %+v", r)
			}
			if r.status != 200 {
				want(t, r.body, `{"jsonrpc":"2.0","error":{"code":-32600`, test.header)
			}
		})
	}
}

func TestH16_TextIsUTF8AndSaysSo(t *testing.T) {
	s := serving(t, nil, tool("名前", echo))
	id := s.open()
	for _, r := range []reply{s.post(listing, id...), s.post(calling("1", "名前", `{"語":"日本語 😀"}`), id...), s.post(calling("1", "無い", `{}`), id...), s.send("GET", "")} {
		if r.header.Get("Content-Type") != "application/json; charset=utf-8" {
			t.Errorf("got %+v", r)
		}
	}
	want(t, s.post(listing, id...).body, "名前", "ツール")
	want(t, s.post(calling("1", "名前", `{"語":"日本語 😀"}`), id...).body, `"structuredContent":{"語":"日本語 😀"}`)
	want(t, s.post(calling("1", "無い", `{}`), id...).body, "無い")
	want(t, s.post(modern("1", "名前", `{}`), modernHeaders("=?base64?5ZCN5YmN?=")...).body, `"resultType"`)
}

func TestH11_OriginsAndHosts(t *testing.T) {
	listed := &HTTPOptions{AllowedOrigins: []string{"https://App.example.com/"}, AllowedHosts: []string{"mcp.example.com", "127.0.0.1"}}
	anyone := &HTTPOptions{AllowedOrigins: []string{"*"}}
	tests := []struct {
		name    string
		options *HTTPOptions
		headers []string
		status  int
	}{
		{"no origin", nil, nil, 200},
		{"an origin of this machine", nil, []string{"Origin", "http://localhost:3000"}, 200},
		{"an origin of this machine by address", nil, []string{"Origin", "https://127.0.0.1"}, 200},
		{"an origin of this machine by IPv6", nil, []string{"Origin", "http://[::1]:80"}, 200},
		{"another origin", nil, []string{"Origin", "https://evil.example"}, 403},
		{"an origin that begins like this machine", nil, []string{"Origin", "http://localhost.evil.example"}, 403},
		{"an origin with this machine as its user", nil, []string{"Origin", "http://localhost@evil.example"}, 403},
		{"an origin with a user", nil, []string{"Origin", "http://evil.example@localhost"}, 403},
		{"an origin with a path", nil, []string{"Origin", "http://localhost/page"}, 403},
		{"an origin with a query", nil, []string{"Origin", "http://localhost?q"}, 403},
		{"a null origin", nil, []string{"Origin", "null"}, 403},
		{"a malformed origin", nil, []string{"Origin", "://"}, 403},
		{"an origin of a file", nil, []string{"Origin", "file://localhost"}, 403},
		{"two origins", nil, []string{"Origin", "http://localhost", "Origin", "http://localhost"}, 403},
		{"an evil host", nil, []string{"Host", "evil.example"}, 403},
		{"an evil host with an origin alike", nil, []string{"Host", "evil.example", "Origin", "http://evil.example"}, 403},
		{"this machine's name", nil, []string{"Host", "LocalHost:8080"}, 200},
		{"this machine's IPv6 address", nil, []string{"Host", "[::1]:8080"}, 200},
		{"a listed origin", listed, []string{"Origin", "https://app.example.com"}, 200},
		{"a listed origin with a port", listed, []string{"Origin", "https://app.example.com:444"}, 403},
		{"this machine's origin, not listed", listed, []string{"Origin", "http://localhost"}, 403},
		{"a listed host", listed, []string{"Host", "MCP.example.com:443"}, 200},
		{"this machine's name, not listed", listed, []string{"Host", "localhost"}, 403},
		{"any origin", anyone, []string{"Origin", "null"}, 200},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := serving(t, test.options)
			r := s.post(opening, test.headers...)
			if r.status != test.status {
				t.Errorf("got %+v", r)
			}
			if r := s.post(`{bad`, test.headers...); test.status == 403 && r.status != 403 {
				t.Errorf("the body was looked at first: %+v", r)
			}
			if r.header.Get("Access-Control-Allow-Origin") != "" {
				t.Error("it lets pages of other sites read")
			}
		})
	}
}

func TestOnOtherAddressesAnyHostIsServed(t *testing.T) {
	s, err := HTTP(app{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for address, status := range map[string]int{"10.0.0.5": 200, "127.0.0.2": 403, "::1": 403} {
		r := httptest.NewRequest(http.MethodPost, "http://mcp.example.com/", strings.NewReader(opening))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, &net.TCPAddr{IP: net.ParseIP(address)})))
		if w.Code != status {
			t.Errorf("%s gave %d %s", address, w.Code, w.Body)
		}
	}
}

func TestABodyOverTheLimitIsRefused(t *testing.T) {
	small := serving(t, &HTTPOptions{MaxBodyBytes: 200})
	fits := opening + strings.Repeat(" ", 200-len(opening))
	if r := small.post(fits); r.status != 200 {
		t.Errorf("a body of the limit's size gave %+v", r)
	}
	if r := small.post(fits + " "); r.status != 413 || !strings.Contains(r.body, "larger than 200 bytes") {
		t.Errorf("got %+v", r)
	}
	usual := serving(t, nil)
	if r := usual.post(opening + strings.Repeat(" ", 4<<20-len(opening))); r.status != 200 {
		t.Errorf("4 MiB gave %d", r.status)
	}
	if r := usual.post(opening + strings.Repeat(" ", 4<<20)); r.status != 413 {
		t.Errorf("more than 4 MiB gave %d", r.status)
	}
}

// chunked hides the length of a body.
type chunked struct{ io.Reader }

func TestABodyOfUnknownLengthIsBoundedToo(t *testing.T) {
	s := serving(t, &HTTPOptions{MaxBodyBytes: 200})
	for body, status := range map[string]int{opening: 200, opening + strings.Repeat(" ", 200): 413} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.http.URL, chunked{strings.NewReader(body)})
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		if r := s.do(req); r.status != status {
			t.Errorf("got %+v, want %d", r, status)
		}
	}
}

func TestABodyThatBreaksOffIsRefused(t *testing.T) {
	s, err := HTTP(app{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for length, status := range map[int64]int{1000: 400, 100_000: 400, -1: 400, 1 << 50: 413} {
		r := httptest.NewRequest(http.MethodPost, "/", io.MultiReader(strings.NewReader(opening), brokenReader{}))
		r.Header.Set("Content-Type", "application/json")
		r.ContentLength = length
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != status {
			t.Errorf("with length %d: %d %s", length, w.Code, w.Body)
		}
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("broken") }

// bearer lets in who has a token, as the token.
func bearer(r *http.Request) (middleware.Subject, error) {
	token, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case token == "panic":
		panic("secret: the key store is gone")
	case !found:
		return middleware.Subject{ID: "half"}, errors.New("secret: no token")
	}
	return middleware.Subject{ID: token}, nil
}

func TestAuthenticateRunsOnEveryRequest(t *testing.T) {
	var log bytes.Buffer
	a := app{tools: []*catalog.Tool{tool("who", who)}, log: slog.New(slog.NewTextHandler(&log, nil))}
	s := servingApp(t, a, &HTTPOptions{Authenticate: bearer})
	adas := s.open("Authorization", "Bearer ada")
	want(t, s.post(calling("1", "who", `{}`), append(adas, "Authorization", "Bearer ada")...).body, `"caller:ada"`)
	want(t, s.post(modern("1", "who", `{}`), append(modernHeaders("who"), "Authorization", "Bearer bob")...).body, `"caller:bob"`)
	for _, message := range []string{opening, listing, calling("1", "who", `{}`), `{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{bad`} {
		r := s.post(message, adas...)
		if r.status != 401 || r.header.Get("WWW-Authenticate") != "Bearer" || r.body != `{"jsonrpc":"2.0","error":{"code":-32600,"message":"Authentication required"}}` {
			t.Errorf("%s gave %+v", message, r)
		}
	}
	want(t, log.String(), "secret: no token")
	if r := s.post(listing, append(adas, "Authorization", "Bearer bob")...); r.status != 404 {
		t.Errorf("someone else's session gave %+v", r)
	}
}

func TestE14_APanicInAuthenticateIsContainedAndNotShown(t *testing.T) {
	var log bytes.Buffer
	s := servingApp(t, app{log: slog.New(slog.NewTextHandler(&log, nil))}, &HTTPOptions{Authenticate: bearer})
	r := s.post(opening, "Authorization", "Bearer panic")
	if r.status != 500 || !strings.Contains(r.body, `"code":-32603`) || strings.Contains(r.body, "secret") {
		t.Errorf("got %+v", r)
	}
	want(t, log.String(), "secret: the key store is gone", "http_test.go")
	if r := s.post(opening, "Authorization", "Bearer ada"); r.status != 200 {
		t.Errorf("the next one got %+v", r)
	}
}

func TestAHandlerThatPanicsOrEndsItsGoroutineIsAnswered(t *testing.T) {
	s := serving(t, nil,
		tool("panic", func(context.Context, *middleware.Call, map[string]any) (any, error) { panic("secret") }),
		tool("exit", func(context.Context, *middleware.Call, map[string]any) (any, error) {
			runtime.Goexit()
			return nil, nil
		}))
	id := s.open()
	for _, name := range []string{"panic", "exit", "panic"} {
		r := s.post(calling("1", name, `{}`), id...)
		want(t, r.body, `"id":1`, `"isError":true`, "INTERNAL")
		if r.status != 200 || strings.Contains(r.body, "secret") || r.closes != (name == "exit") {
			t.Errorf("%s gave %+v", name, r)
		}
	}
}

func TestALostConnectionCancelsAStatelessCallAndNoOther(t *testing.T) {
	release := make(chan struct{})
	block, began := blocking(release)
	s := serving(t, nil, block)
	id := s.open()
	ctx, hangUp := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	leave := func(body string, headers []string) context.Context {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.http.URL, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		for i := 0; i < len(headers); i += 2 {
			req.Header.Set(headers[i], headers[i+1])
		}
		wg.Go(func() {
			if resp, err := s.client.Do(req); err == nil {
				_ = resp.Body.Close()
			}
		})
		return <-began
	}
	session := leave(calling("1", "block", `{}`), id)
	stateless := leave(modern("1", "block", `{}`), modernHeaders("block"))
	hangUp()
	<-stateless.Done()
	if session.Err() != nil {
		t.Error("a session's call was cancelled")
	}
	close(release)
	wg.Wait()
}

func TestSessionsAreBoundedAndEnd(t *testing.T) {
	few := serving(t, &HTTPOptions{MaxSessions: 1})
	first := few.open()
	few.open()
	if r := few.post(pinging, first...); r.status != 404 {
		t.Errorf("the first session gave %+v", r)
	}
	short := serving(t, &HTTPOptions{SessionIdle: time.Millisecond})
	id := short.open()
	time.Sleep(5 * time.Millisecond)
	if r := short.post(pinging, id...); r.status != 404 {
		t.Errorf("an idle session gave %+v", r)
	}
}

func TestHTTPBoundsWhatRunsAtOnce(t *testing.T) {
	release := make(chan struct{})
	block, began := blocking(release)
	s := serving(t, &HTTPOptions{MaxInFlight: 1}, block)
	id := s.open()
	var wg sync.WaitGroup
	wg.Go(func() { want(t, s.post(calling("1", "block", `{}`), id...).body, "done") })
	<-began
	want(t, s.post(calling("2", "block", `{}`), id...).body, "OVERLOADED")
	close(release)
	wg.Wait()
}

func TestShutdownDrainsAndThenRefuses(t *testing.T) {
	release := make(chan struct{})
	block, began := blocking(release)
	s := serving(t, nil, block)
	id := s.open()
	var wg sync.WaitGroup
	wg.Go(func() { want(t, s.post(calling("1", "block", `{}`), id...).body, "done") })
	<-began
	brief, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- s.server.Shutdown(t.Context()) }()
	time.AfterFunc(20*time.Millisecond, func() { close(release) })
	if err := <-ended; err != nil {
		t.Error(err)
	}
	wg.Wait()
	<-brief.Done()
	if err := s.server.Shutdown(brief); err != nil {
		t.Errorf("again: %v", err)
	}
	if r := s.post(opening); r.status != 503 || !strings.Contains(r.body, "shutting down") {
		t.Errorf("got %+v", r)
	}
}

func TestG2_ClientsThatVanishLeaveNothingBehind(t *testing.T) {
	s := serving(t, nil, tool("echo", echo)) // TestMain looks for goroutines
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 50 {
				conn, err := net.Dial("tcp", s.http.Listener.Addr().String())
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = io.WriteString(conn, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{")
				_ = conn.Close()
			}
		})
	}
	wg.Wait()
}
