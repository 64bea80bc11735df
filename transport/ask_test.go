package transport

import (
	"context"
	"encoding/json/v2"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/internal/scope"
	"github.com/mcpfusion/go/middleware"
)

type consent struct {
	OK bool `json:"ok"`
}

// asker is a tool that tells its progress and then asks the user.
func asker() *catalog.Tool {
	t := tool("ask", echo)
	t.Verb = middleware.Action
	t.Derive = func(ctx context.Context, call *middleware.Call, s *scope.Scope) (any, error) {
		return middleware.NewCtx(ctx, struct{}{}, call, s), nil
	}
	t.Invoke = func(app, _ any) (any, error) {
		ctx := app.(*middleware.Ctx[struct{}])
		ctx.Progress(1, 2, "half")
		return ctx.Elicit[consent]("sure", "Sure?").Map(func(c consent) string { return "answered " + strconv.FormatBool(c.OK) }).Get()
	}
	return t
}

const askingClient = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}}}`

// opened is the id of a session of a client that can be asked.
func (s *site) opened(headers ...string) string {
	s.t.Helper()
	r := s.post(askingClient, headers...)
	id := r.header.Get("Mcp-Session-Id")
	if id == "" {
		s.t.Fatalf("got %+v", r)
	}
	return id
}

// question reads the id of the next request to the client off a stream.
func (r *reading) question(t *testing.T) string {
	t.Helper()
	line := r.until(t, `"method":"elicitation/create"`)
	var m struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal([]byte(strings.TrimPrefix(line, "data: ")), &m); err != nil || m.ID == "" {
		t.Fatalf("%v in %s", err, line)
	}
	return m.ID
}

func accepting(id string) string {
	return `{"jsonrpc":"2.0","id":"` + id + `","result":{"action":"accept","content":{"ok":true}}}`
}

func TestAQuestionOverHTTPGoesOutOnTheCallsStreamAndItsAnswerComesByPost(t *testing.T) {
	s := serving(t, nil, asker())
	session := s.opened()
	stream := s.read(http.MethodPost, `{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"_meta":{"progressToken":"p"},"name":"ask"}}`, "Mcp-Session-Id", session)
	stream.until(t, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1,"total":2,"message":"half"}}`)
	id := stream.question(t)

	other := s.opened()
	if r := s.post(accepting(id), "Mcp-Session-Id", other); r.status != 202 {
		t.Errorf("got %+v", r)
	}
	if r := s.post(accepting("guess"), "Mcp-Session-Id", session); r.status != 202 {
		t.Errorf("got %+v", r)
	}
	select {
	case line := <-stream.lines:
		if strings.Contains(line, "answered") {
			t.Errorf("somebody else answered: %s", line)
		}
	case <-time.After(50 * time.Millisecond):
	}
	if r := s.post(accepting(id), "Mcp-Session-Id", session); r.status != 202 || r.body != "" {
		t.Errorf("got %+v", r)
	}
	stream.until(t, `"id":"c","result":{"content":[{"type":"text","text":"answered true"}]`)
}

func TestACallThatWaitsForAnAnswerEndsWithItsSession(t *testing.T) {
	s := serving(t, nil, asker())
	session := s.opened()
	stream := s.read(http.MethodPost, calling("1", "ask", "{}"), "Mcp-Session-Id", session)
	stream.question(t)
	if r := s.send(http.MethodDelete, "", "Mcp-Session-Id", session); r.status != 204 && r.status != 200 {
		t.Errorf("got %+v", r)
	}
	for line := range stream.lines {
		if strings.Contains(line, "answered") {
			t.Error(line)
		}
	}
}

func TestACallThatWaitsForAnAnswerCanBeCancelled(t *testing.T) {
	s := serving(t, nil, asker())
	session := s.opened()
	stream := s.read(http.MethodPost, calling("7", "ask", "{}"), "Mcp-Session-Id", session)
	stream.question(t)
	s.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`, "Mcp-Session-Id", session)
	for line := range stream.lines {
		if strings.Contains(line, `"result"`) || strings.Contains(line, `"error"`) {
			t.Error("answered although it was cancelled:", line)
		}
	}
}

func TestAClientThatTakesNoStreamCannotBeAsked(t *testing.T) {
	s := serving(t, nil, asker())
	r := s.post(calling("1", "ask", "{}"), "Mcp-Session-Id", s.opened(), "Accept", "application/json")
	want(t, r.body, "NO_ANSWER")
}

func TestAQuestionOfTheStatelessRevisionIsAnOrdinaryResult(t *testing.T) {
	s := serving(t, nil, asker())
	call := func(capabilities, rest string) reply {
		return s.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":`+capabilities+`},"name":"ask"`+rest+`}}`,
			"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "ask")
	}
	r := call(`{"elicitation":{}}`, "")
	if r.status != 200 || !strings.HasPrefix(r.header.Get("Content-Type"), "application/json") {
		t.Errorf("got %+v", r)
	}
	want(t, r.body, `"resultType":"input_required"`)
	r = call(`{"elicitation":{}}`, `,"inputResponses":{"sure":{"action":"accept","content":{"ok":true}}}`)
	want(t, r.body, `"answered true"`)
	r = call(`{"sampling":{}}`, "")
	if r.status != 400 {
		t.Errorf("got %+v", r)
	}
	want(t, r.body, `"code":-32021`, `"requiredCapabilities":{"elicitation":{"form":{}}}`)
}

func TestStateKeysOfAWrongLengthAreRefusedAtTheStart(t *testing.T) {
	_, err := HTTP(app{}, &HTTPOptions{StateKeys: [][]byte{[]byte("short")}})
	if err == nil || !strings.Contains(err.Error(), "StateKeys[0] has 5 bytes; give it 32 random ones") {
		t.Error(err)
	}
}

// counted is a NonceStore that counts.
type counted struct {
	t      *testing.T
	used   chan string
	reused chan string
}

func (c counted) Use(_ context.Context, nonce string, ttl time.Duration) (bool, error) {
	if ttl < time.Minute || ttl > 10*time.Minute {
		c.t.Errorf("a time to live of %s", ttl)
	}
	c.used <- nonce
	return true, nil
}

func (c counted) Reuse(_ context.Context, nonce string) error {
	c.reused <- nonce
	return nil
}

func TestTheNonceStoreAndTheLifeOfStatesAreOptions(t *testing.T) {
	store := counted{t, make(chan string, 9), make(chan string, 9)}
	s := serving(t, &HTTPOptions{Nonces: store, StateLife: time.Minute}, asker())
	call := func(rest string) string {
		return s.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}},"name":"ask"`+rest+`}}`,
			"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "ask").body
	}
	state := func(body string) string {
		var r struct {
			Result struct {
				State string `json:"requestState"`
			} `json:"result"`
		}
		if err := json.Unmarshal([]byte(body), &r); err != nil {
			t.Fatal(err)
		}
		return `,"requestState":"` + r.Result.State + `"`
	}
	first := state(call(""))
	again := state(call(first)) // with no answer it only leads to the question again
	if used, reused := <-store.used, <-store.reused; used != reused {
		t.Errorf("%q was used and %q taken back", used, reused)
	}
	want(t, call(`,"inputResponses":{"sure":{"action":"accept","content":{"ok":true}}}`+again), `"answered true"`)
	if <-store.used; len(store.reused) != 0 {
		t.Error("what was finished was taken back")
	}
}
