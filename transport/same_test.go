package transport

import (
	"context"
	"strings"
	"testing"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

// resultOf is what a response has behind its id.
func resultOf(t *testing.T, response string) string {
	t.Helper()
	_, rest, found := strings.Cut(strings.TrimSpace(response), `,"result":`)
	if !found {
		_, rest, found = strings.Cut(strings.TrimSpace(response), `,"error":`)
	}
	if !found {
		t.Fatalf("this is no response: %q", response)
	}
	return rest
}

// lastLine is the answer to the last of a stream's requests.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

func TestTheSameCallGivesTheSameResultOnEveryTransport(t *testing.T) {
	tools := []*catalog.Tool{
		tool("echo", echo),
		tool("markup", func(context.Context, *middleware.Call, map[string]any) (any, error) {
			return "<h2>a & b</h2> 名前 \xff", nil
		}),
		tool("fails", func(context.Context, *middleware.Call, map[string]any) (any, error) {
			return nil, result.Conflict("It <is> taken").Actions("echo")
		}),
	}
	cases := map[string][2]string{
		"data":         {"echo", `{"b":1,"a":"<h2>a & b</h2>","語":[1.50,9007199254740993]}`},
		"text":         {"markup", `{}`},
		"a failure":    {"fails", `{}`},
		"unknown tool": {"none", `{}`},
		"no object":    {"echo", `[]`},
	}
	for name, test := range cases {
		session, stateless := calling("1", test[0], test[1]), modern("1", test[0], test[1])
		t.Run(name+" in a session (row B24)", func(t *testing.T) {
			site := serving(t, nil, tools...)
			p := piped(t, app{tools: tools}, nil)
			p.ask(opening)
			same(t, map[string]string{
				"stdio": lastLine(over(t, app{tools: tools}, &StdioOptions{}, opening, session)),
				"HTTP":  site.post(session, site.open()...).body,
				"pipe":  p.ask(session),
			})
		})
		t.Run(name+" without one (row B24)", func(t *testing.T) {
			same(t, map[string]string{
				"stdio": lastLine(over(t, app{tools: tools}, &StdioOptions{}, stateless)),
				"HTTP":  serving(t, nil, tools...).post(stateless, modernHeaders(test[0])...).body,
				"pipe":  piped(t, app{tools: tools}, nil).ask(stateless),
			})
		})
	}
}

// same fails unless all responses have the same result.
func same(t *testing.T, responses map[string]string) {
	t.Helper()
	first := resultOf(t, responses["stdio"])
	for transport, response := range responses {
		if got := resultOf(t, response); got != first {
			t.Errorf("over %s: %s\nover stdio: %s", transport, got, first)
		}
	}
}
