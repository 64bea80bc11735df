package protocol

import (
	"context"
	"encoding/json/v2"
	"log/slog"
	"strings"
	"testing"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/middleware"
)

// page is what a client reads of a list.
type page struct {
	Result struct {
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
		NextCursor *string `json:"nextCursor"`
		CacheScope string  `json:"cacheScope"`
		TTL        *int    `json:"ttlMs"`
	} `json:"result"`
	Error struct {
		Code int `json:"code"`
	} `json:"error"`
}

func (p page) names() string {
	names := make([]string, len(p.Result.Tools))
	for i, t := range p.Result.Tools {
		names[i] = t.Name
	}
	return strings.Join(names, " ")
}

// listing asks for a page with the given params.
func listing(t *testing.T, c *Conn, params string) (p page) {
	t.Helper()
	reply := send(t, c, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+params+`}}`)
	if err := json.Unmarshal([]byte(reply), &p); err != nil {
		t.Fatal(err, reply)
	}
	return p
}

// pagesOf follows the cursors.
func pagesOf(t *testing.T, c *Conn) (pages []string) {
	t.Helper()
	params := ""
	for {
		p := listing(t, c, params)
		pages = append(pages, p.names())
		if p.Result.NextCursor == nil {
			return pages
		}
		params = `"cursor":"` + *p.Result.NextCursor + `"`
	}
}

func pagedServer(t *testing.T, size int, tools ...*catalog.Tool) *Server {
	t.Helper()
	return mustServer(t, catalog.New(catalog.Info{PageSize: size}, slog.New(slog.DiscardHandler), nil, tools), Options{})
}

func TestListsComeInPages(t *testing.T) {
	tools := []*catalog.Tool{tool("a", echo), tool("b", echo), tool("c", echo), tool("d", echo)}
	for _, visible := range [][]middleware.Visible{nil, {func(context.Context, *middleware.Call) bool { return true }}} {
		tools[1].Visible = visible // one list is the same for all, the other is judged by caller
		for size, want := range map[int]string{1: "a|b|c|d", 2: "a b|c d", 3: "a b c|d", 4: "a b c d", 0: "a b c d", -1: "a b c d"} {
			c := opened(t, pagedServer(t, size, tools...), "2025-11-25")
			if got := strings.Join(pagesOf(t, c), "|"); got != want {
				t.Errorf("pages of %d: %s, want %s", size, got, want)
			}
		}
	}
	if got := pagesOf(t, opened(t, pagedServer(t, 0), "2025-11-25")); len(got) != 1 || got[0] != "" {
		t.Errorf("no tools are %q", got)
	}
}

func TestH17_ABadCursorIsRefused(t *testing.T) {
	c := opened(t, pagedServer(t, 1, tool("a", echo), tool("b", echo)), "2025-11-25")
	for _, cursor := range []string{`"bogus"`, `"AAAAAAE"`, `"AAAAAAE="`, `" "`, `1`, `{}`, `[]`, `true`} {
		if p := listing(t, c, `"cursor":`+cursor); p.Error.Code != codeInvalidParams {
			t.Errorf("%s gave %+v", cursor, p)
		}
	}
	for _, cursor := range []string{`""`, `null`} { // the first page
		if p := listing(t, c, `"cursor":`+cursor); p.names() != "a" {
			t.Errorf("%s gave %+v", cursor, p)
		}
	}
}

func TestH17_AToolThatVanishesBetweenPagesLeavesNoGap(t *testing.T) {
	gone := make(map[string]bool)
	var tools []*catalog.Tool
	for _, name := range []string{"a", "b", "c", "d"} {
		one := tool(name, echo)
		one.Visible = []middleware.Visible{func(context.Context, *middleware.Call) bool { return !gone[name] }}
		tools = append(tools, one)
	}
	c := opened(t, pagedServer(t, 2, tools...), "2025-11-25")
	first := listing(t, c, "")
	gone["a"], gone["c"] = true, true // one that was listed and the one that is next
	second := listing(t, c, `"cursor":"`+*first.Result.NextCursor+`"`)
	if first.names() != "a b" || second.names() != "d" || second.Result.NextCursor != nil {
		t.Errorf("pages are %q and %q", first.names(), second.names())
	}
}

func TestOnlyAListThatAnyoneMayReadIsPublic(t *testing.T) {
	guarded := tool("b", echo)
	guarded.Visible = []middleware.Visible{func(context.Context, *middleware.Call) bool { return true }}
	steady, varying := pagedServer(t, 0, tool("a", echo)), pagedServer(t, 0, guarded)
	tests := []struct {
		name    string
		server  *Server
		subject string
		scope   string
		ttl     int
	}{
		{"the same for all", steady, "", "public", steadyTTL},
		{"behind authentication", steady, "ada", "private", steadyTTL},
		{"by caller", varying, "", "private", changingTTL},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := test.server.Connect(middleware.Subject{ID: test.subject})
			p := listing(t, c, modernMeta)
			if p.Result.CacheScope != test.scope || p.Result.TTL == nil || *p.Result.TTL != test.ttl {
				t.Errorf("got %+v", p.Result)
			}
		})
	}
}

func TestASchemaThatIsNoJSONIsAnErrorAtTheStart(t *testing.T) {
	bad := tool("bad", echo)
	bad.InputSchema = []byte(`{"type":`)
	if _, err := New(catalogOf(t, bad), Options{}); err == nil {
		t.Error("it was served")
	}
	none := tool("none", echo)
	none.InputSchema = nil
	want(t, send(t, opened(t, serverOf(t, none), "2025-11-25"), `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`), `"inputSchema":{"type":"object","properties":{}}`)
}
