package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mcpfusion/go/examples/shared"
	"github.com/mcpfusion/go/transport"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// process is one of those behind the address.
type process struct {
	t   *testing.T
	mcp *transport.Server
	url string
	end func() error // what serve returns once its context has ended
}

func start(t *testing.T, common stores) *process {
	t.Helper()
	tokens := shared.NewTokens(map[string]shared.User{"secret": {ID: "ann"}})
	mcp, err := transport.HTTP(newApp(), options(tokens, common))
	require.NoError(t, err)
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, newServer(mcp), mcp, listener) }()
	end := sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() { _ = end() })
	return &process{t: t, mcp: mcp, url: "http://" + listener.Addr().String(), end: end}
}

// open makes a request as the proxy passes it on.
func (p *process) open(method, path, body string, headers ...string) *http.Response {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.url+path, strings.NewReader(body))
	require.NoError(p.t, err)
	r.Host = "mcp.example.com"
	r.Header.Set("Authorization", "Bearer secret")
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(r)
	require.NoError(p.t, err)
	return resp
}

// send is open that reads the body to its end.
func (p *process) send(method, path, body string, headers ...string) (resp *http.Response, text string) {
	p.t.Helper()
	resp = p.open(method, path, body, headers...)
	return resp, read(p.t, resp)
}

func read(t *testing.T, resp *http.Response) string {
	t.Helper()
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return string(b)
}

// call calls a tool of 2026-07-28; more are members of params behind the name. It returns
// when the first bytes of the answer are there.
func (p *process) call(name, more string) *http.Response {
	p.t.Helper()
	return p.open(http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+name+`"`+more+
		`,"_meta":{"progressToken":1,"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}}`,
		"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", name)
}

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`

func TestTheServerStandsBesideOtherRoutes(t *testing.T) {
	p := start(t, stores{})
	for name, c := range map[string]struct {
		method, path string
		headers      []string
		status       int
	}{
		"a page of the app":                    {method: http.MethodGet, path: "/", status: http.StatusOK},
		"readiness, which needs no token":      {method: http.MethodGet, path: "/ready", headers: []string{"Authorization", ""}, status: http.StatusOK},
		"a client with a token":                {method: http.MethodPost, path: "/mcp", status: http.StatusOK},
		"a client without one":                 {method: http.MethodPost, path: "/mcp", headers: []string{"Authorization", ""}, status: http.StatusUnauthorized},
		"a page of an allowed origin":          {method: http.MethodPost, path: "/mcp", headers: []string{"Origin", "https://app.example.com"}, status: http.StatusOK},
		"a page of another origin":             {method: http.MethodPost, path: "/mcp", headers: []string{"Origin", "https://evil.example"}, status: http.StatusForbidden},
		"a page that asks whether it may send": {method: http.MethodOptions, path: "/mcp", headers: []string{"Authorization", "", "Origin", "https://app.example.com", "Access-Control-Request-Method", "POST"}, status: http.StatusNoContent},
	} {
		t.Run(name, func(t *testing.T) {
			resp, body := p.send(c.method, c.path, hello, c.headers...)
			assert.Equal(t, c.status, resp.StatusCode, body)
		})
	}
}

func TestCallsEndBeforeTheServerDoes(t *testing.T) {
	p := start(t, stores{})
	running := p.call("jobs_wait", `,"arguments":{"milliseconds":300}`)
	require.NoError(t, p.end())
	assert.Contains(t, read(t, running), "The job is done")
}

func TestWhatArrivesDuringAShutdownIsTurnedAway(t *testing.T) {
	p := start(t, stores{})
	require.NoError(t, p.mcp.Shutdown(t.Context()))
	ready, _ := p.send(http.MethodGet, "/ready", "")
	assert.Equal(t, http.StatusServiceUnavailable, ready.StatusCode)
	resp, body := p.send(http.MethodPost, "/mcp", hello)
	assert.Equal(t, http.StatusServiceUnavailable, resp.StatusCode)
	assert.Contains(t, body, "shutting down")
}

func TestASessionMovesBetweenProcesses(t *testing.T) {
	common := stores{sessions: &records{all: map[string][]byte{}}}
	a, b := start(t, common), start(t, common)
	opened, _ := a.send(http.MethodPost, "/mcp", hello)
	resp, body := b.send(http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":2,"method":"ping"}`, "Mcp-Session-Id", opened.Header.Get("Mcp-Session-Id"))
	assert.Equal(t, http.StatusOK, resp.StatusCode, body)
}

func TestAQuestionIsAnsweredToAnotherProcessOnce(t *testing.T) {
	older, newer := make([]byte, 32), append(make([]byte, 31), 1)
	spent := &nonces{used: map[string]bool{}}
	a := start(t, stores{keys: [][]byte{older}, nonces: spent})
	b := start(t, stores{keys: [][]byte{newer, older}, nonces: spent}) // a new key comes first
	asked := read(t, a.call("jobs_restart", ""))
	state := regexp.MustCompile(`"requestState":"([^"]+)"`).FindStringSubmatch(asked)
	require.Len(t, state, 2, asked)
	answer := `,"requestState":"` + state[1] + `","inputResponses":{"confirm":{"action":"accept","content":{"ok":true}}}`
	assert.Contains(t, read(t, b.call("jobs_restart", answer)), "The job was restarted")
	assert.Contains(t, read(t, a.call("jobs_restart", answer)), "was used already")
}

func TestStateKeys(t *testing.T) {
	for text, want := range map[string][][]byte{"": nil, "YQ==": {[]byte("a")}, "YQ==, Yg==": {[]byte("a"), []byte("b")}} {
		keys, err := stateKeys(text)
		require.NoError(t, err)
		assert.Equal(t, want, keys, text)
	}
	_, err := stateKeys("?")
	assert.ErrorContains(t, err, "read a state key")
}

// records is a SessionStore in memory.
type records struct {
	mu  sync.Mutex
	all map[string][]byte
}

func (r *records) Save(_ context.Context, id string, record []byte, _ time.Duration) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all[id] = record
	return nil
}

func (r *records) Load(_ context.Context, id string, _ time.Duration) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all[id], nil
}

func (r *records) Delete(_ context.Context, id string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.all, id)
	return nil
}

// nonces is a NonceStore in memory.
type nonces struct {
	mu   sync.Mutex
	used map[string]bool
}

func (n *nonces) Use(_ context.Context, nonce string, _ time.Duration) (fresh bool, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	fresh = !n.used[nonce]
	n.used[nonce] = true
	return fresh, nil
}

func (n *nonces) Reuse(_ context.Context, nonce string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.used, nonce)
	return nil
}
