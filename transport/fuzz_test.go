package transport

import (
	"bytes"
	"context"
	"encoding/json/jsontext"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/internal/protocol"
	"github.com/mcpfusion/go/internal/scope"
	"github.com/mcpfusion/go/middleware"
)

// parseEvents reads a stream as the standard of server-sent events says: fields until a
// blank line. A comment is an event without fields.
func parseEvents(t *testing.T, stream string) (all []protocol.Event) {
	t.Helper()
	blocks := strings.SplitAfter(stream, "\n\n")
	if blocks[len(blocks)-1] != "" {
		t.Errorf("%q ends in the middle of an event", stream)
	}
	for _, block := range blocks[:len(blocks)-1] {
		e := protocol.Event{}
		for line := range strings.Lines(strings.TrimSuffix(block, "\n")) {
			field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
			switch field {
			case ":":
			case "id":
				e.ID = value
			case "data":
				e.Data = []byte(value)
			case "retry":
				ms := 0
				if _, err := fmt.Sscan(value, &ms); err != nil {
					t.Errorf("%q: %v", line, err)
				}
				e.Retry = time.Duration(ms) * time.Millisecond
			default:
				t.Errorf("%q is no field", line)
			}
		}
		all = append(all, e)
	}
	return all
}

func FuzzEvents(f *testing.F) {
	f.Add("c1-0", uint16(500), []byte(""))
	f.Add("", uint16(0), []byte(`{"jsonrpc":"2.0","method":"n","params":"data: x"}`))
	f.Add("g-1", uint16(0), []byte("id: 7"))
	f.Fuzz(func(t *testing.T, id string, retry uint16, data []byte) {
		if strings.ContainsAny(id, "\r\n") || bytes.ContainsAny(data, "\r\n") {
			return // neither has line breaks: ids are ours, messages are one line
		}
		sent := []protocol.Event{{ID: id, Retry: time.Duration(retry) * time.Millisecond, Data: append([]byte{}, data...)}, {}, {ID: id, Data: []byte("{}")}}
		var stream []byte
		for _, e := range sent {
			stream = appendEvent(stream, e)
		}
		if got := parseEvents(t, string(stream)); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", sent) {
			t.Errorf("%q came back as %q", sent, got)
		}
	})
}

// fuzzed is an app whose tool says what it is told to and tells of progress.
var fuzzed = app{tools: []*catalog.Tool{tool("echo", echo), tool("tells", func(ctx context.Context, call *middleware.Call, args map[string]any) (any, error) {
	scope.LineOf(ctx).Progress(1, 0, fmt.Sprint(args))
	return string(call.Arguments), nil
})}}

var seedMessages = []string{
	opening, pinging, listing, initialized, calling("1", "echo", `{"a":[1,"\ud800",{"b":null}]}`), modern(`"x"`, "tells", `{"":"\n"}`),
	noisy("2", "tells", `{"a":1}`), noisyModern("3", "tells", `{}`), `[` + pinging + `,` + listing + `,{"jsonrpc":"2.0","id":7,"method":"x"}]`,
	`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
	`{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{` + modernMeta + `,"notifications":{"toolsListChanged":true}}}`,
	strings.Replace(opening, "2025-11-25", "2025-03-26", 1), `{"id":null}`, `[]`, `[[`, "\uFEFF{}", "\x00", `{"jsonrpc":"2.0","id":1e400,"method":"ping"}`,
}

// isMessage reports whether a text is one JSON-RPC message, or a batch of them.
func isMessage(text []byte) bool {
	return jsontext.Value(text).IsValid(jsontext.AllowDuplicateNames(true)) &&
		!bytes.ContainsAny(text, "\r\n") && (bytes.HasPrefix(text, []byte(`{"jsonrpc":"2.0",`)) || bytes.HasPrefix(text, []byte(`[{"jsonrpc":"2.0",`)))
}

func FuzzStdio(f *testing.F) {
	for _, m := range seedMessages {
		f.Add([]byte(m))
		f.Add([]byte(opening + "\n" + m + "\r\n" + pinging))
	}
	f.Add([]byte(strings.Join(seedMessages, "\n")))
	f.Fuzz(func(t *testing.T, in []byte) {
		var out bytes.Buffer
		if err := Stdio(t.Context(), fuzzed, &StdioOptions{Reader: bytes.NewReader(in), Writer: &out, DrainTimeout: time.Second, MaxMessageBytes: 10_000}); err != nil {
			t.Errorf("%q ends it with %v", in, err)
		}
		for line := range bytes.Lines(out.Bytes()) {
			if message, whole := bytes.CutSuffix(line, []byte("\n")); !whole || !isMessage(message) {
				t.Errorf("%q is answered %q", in, line)
			}
		}
	})
}

func FuzzHTTP(f *testing.F) {
	for _, m := range seedMessages {
		for _, method := range []string{"POST", "GET", "DELETE"} {
			f.Add(method, "2025-11-25", "", "", "application/json, text/event-stream", []byte(m))
		}
		f.Add("POST", "2025-03-26", "", "", "", []byte("["+m+","+m+"]"))
		f.Add("POST", "2026-07-28", "tools/call", "tells", "*/*", []byte(m))
	}
	f.Add("GET", "", "gAB-18446744073709551615", "", "text/event-stream", []byte(nil))
	f.Fuzz(func(t *testing.T, method, version, mark, name, accept string, body []byte) {
		s, err := HTTP(fuzzed, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Shutdown(t.Context()) }()
		opens := opening
		if version == "2025-03-26" { // which has batches
			opens = strings.Replace(opening, "2025-11-25", version, 1)
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, request(t.Context(), opens))
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond) // of a stream that waits for news
		defer cancel()
		r := request(ctx, string(body))
		r.Method = method
		r.Header = http.Header{
			"Content-Type": {"application/json"}, "Accept": {accept}, "Mcp-Session-Id": {w.Header().Get("Mcp-Session-Id")},
			"Mcp-Protocol-Version": {version}, "Mcp-Method": {mark}, "Last-Event-Id": {mark}, "Mcp-Name": {name},
		}
		w = httptest.NewRecorder()
		s.ServeHTTP(w, r)
		checkAnswer(t, w)
	})
}

// request is a POST that comes over no connection.
func request(ctx context.Context, body string) *http.Request {
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	return r
}

// checkAnswer fails unless an answer is a message, a stream of them or nothing.
func checkAnswer(t *testing.T, w *httptest.ResponseRecorder) {
	t.Helper()
	switch w.Header().Get("Content-Type") {
	case contentType:
		if !isMessage(w.Body.Bytes()) {
			t.Errorf("%d with %q", w.Code, w.Body)
		}
	case eventStream:
		for _, e := range parseEvents(t, w.Body.String()) {
			if len(e.Data) > 0 && !isMessage(e.Data) {
				t.Errorf("an event has %q", e.Data)
			}
		}
	default:
		if w.Body.Len() > 0 || w.Code != http.StatusAccepted && w.Code != http.StatusNoContent {
			t.Errorf("%d with %v %q", w.Code, w.Header(), w.Body)
		}
	}
}
