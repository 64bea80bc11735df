package protocol

import (
	"cmp"
	"context"
	"encoding/json/jsontext"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

var update = flag.Bool("update", false, "write the golden files anew")

// goldenTools are one tool for each kind of answer.
func goldenTools() []*catalog.Tool {
	get := tool("billing_get", func(_ context.Context, _ *middleware.Call, args map[string]any) (any, error) {
		if args["id"] != "inv_1" {
			return nil, result.NotFound("No invoice <" + fmt.Sprint(args["id"]) + ">").Actions("contents")
		}
		return jsontext.Value(`{"id":"inv_1","note":"<b>名前</b> & co"}`), nil
	})
	get.Title, get.Description = "Get an invoice", "Finds an invoice by its id.\n\nReply to \"名前\" & <others>."
	get.InputSchema = jsontext.Value("{\n  \"type\": \"object\",\n  \"properties\": {\"id\": {\"type\": \"string\"}},\n  \"required\": [\"id\"]\n}")
	get.OutputSchema = jsontext.Value(`{"type":"object","properties":{"id":{"type":"string"},"note":{"type":"string"}}}`)

	refund := tool("billing_refund", echo)
	refund.Hints = middleware.Hints{Destructive: true, OpenWorld: true}
	refund.Decode = func(jsontext.Value) (any, []result.Field) {
		return nil, []result.Field{{Path: "id", Problem: "is required"}, {Path: "amount", Problem: "is too small", Expected: "at least 1", Received: "0"}}
	}
	return []*catalog.Tool{
		get, refund,
		tool("contents", func(context.Context, *middleware.Call, map[string]any) (any, error) { return goldenContents(), nil }),
		tool("nothing", func(context.Context, *middleware.Call, map[string]any) (any, error) { return []result.Content{}, nil }),
		tool("done", func(context.Context, *middleware.Call, map[string]any) (any, error) { return result.Unit{}, nil }),
		tool("purpose", func(context.Context, *middleware.Call, map[string]any) (any, error) {
			return nil, result.Protocol(1234, "On purpose", map[string]any{"why": "<because>"})
		}),
	}
}

// goldenContents has each kind of content with all that it can have.
func goldenContents() *result.Response {
	half := 0.5
	notes := &result.Annotations{
		Audience: []result.Role{result.RoleUser, result.RoleAssistant}, Priority: &half,
		LastModified: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	}
	meta := map[string]any{"com.example/b": 2, "com.example/a": "<1>"}
	return &result.Response{
		Content: []result.Content{
			result.Text{Text: "bad \xff, <good>\n", Annotations: notes, Meta: meta},
			result.Image{Data: []byte("png"), MIMEType: "image/png", Annotations: &result.Annotations{}},
			result.Audio{Data: []byte("wav"), MIMEType: "audio/wav"},
			result.ResourceLink{URI: "file:///a", Name: "a", Title: "A", Description: "the file a", MIMEType: "text/plain", Size: 7, Annotations: notes, Meta: meta},
			result.EmbeddedResource{Resource: result.ResourceContents{URI: "file:///b", MIMEType: "text/plain", Text: "b", Meta: meta}, Meta: meta},
			&result.EmbeddedResource{Resource: result.ResourceContents{URI: "file:///c", Blob: []byte{0, 255}}},
		},
		Meta: map[string]any{"com.example/k": []int{1}},
	}
}

// goldenRequests are the same for all revisions; META is what a stateless request needs.
const goldenRequests = `
# the list
{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{META}}
# success
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{META,"name":"billing_get","arguments":{"id":"inv_1"}}}
# a failure that the tool reports
{"jsonrpc":"2.0","id":"four","method":"tools/call","params":{META,"name":"billing_get","arguments":{"id":"inv_9"}}}
# arguments with problems
{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{META,"name":"billing_refund","arguments":{"amount":0}}}
# contents of every kind
{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{META,"name":"contents"}}
# no content, and nothing to say
{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{META,"name":"nothing"}}
{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{META,"name":"done"}}
# an error on purpose
{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{META,"name":"purpose"}}
# an unknown tool, and one without a name
{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{META,"name":"no_such_tool","arguments":{}}}
{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{META,"arguments":{}}}
# arguments that are no object
{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{META,"name":"billing_get","arguments":"{\"id\":\"inv_1\"}"}}
# an unknown method, and those behind capabilities that are not advertised
{"jsonrpc":"2.0","id":13,"method":"no/such","params":{META}}
{"jsonrpc":"2.0","id":14,"method":"logging/setLevel","params":{META,"level":"info"}}
{"jsonrpc":"2.0","id":15,"method":"ping","params":{META}}
{"jsonrpc":"2.0","id":16,"method":"server/discover","params":{META}}
# malformed
{"jsonrpc":"2.0","id":17,"method":"tools/call","params":{"name":"billing_get",}}
{"jsonrpc":"2.0","id":null,"method":"ping"}
[{"jsonrpc":"2.0","id":18,"method":"ping"}]
# a notification has no answer
{"jsonrpc":"2.0","method":"notifications/initialized","params":{META}}
`

// transcript answers requests and writes both down. Lines beginning with # are kept.
func transcript(t *testing.T, c *Conn, requests string) string {
	t.Helper()
	var out strings.Builder
	for line := range strings.Lines(requests) {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case strings.HasPrefix(line, "#"):
			out.WriteString("\n" + line + "\n")
		default:
			out.WriteString("> " + line + "\n< " + cmp.Or(send(t, c, line), "(nothing)") + "\n")
		}
	}
	return out.String()
}

func TestTranscripts(t *testing.T) {
	c := catalog.New(catalog.Info{
		Name: "billing", Version: "1.2.3", Title: "Billing", WebsiteURL: "https://example.com/", Instructions: "Be <careful> & kind.",
	}, slog.New(slog.DiscardHandler), nil, goldenTools())
	s := mustServer(t, c, Options{})
	tests := map[string]struct{ open, meta string }{
		"2025-03-26": {`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`, `"_meta":{}`},
		"2025-06-18": {`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`, `"_meta":{}`},
		"2025-11-25": {`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`, `"_meta":{}`},
		"2026-07-28": {`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + modernMeta + `}}`, modernMeta},
	}
	for revision, test := range tests {
		t.Run(revision, func(t *testing.T) {
			got := transcript(t, s.Connect(middleware.Subject{}), "# the start\n"+test.open+strings.ReplaceAll(goldenRequests, "META", test.meta))
			path := filepath.Join("testdata", revision+".transcript")
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s differs; go test -update writes it anew. Got:\n%s", path, firstDifference(got, string(want)))
			}
		})
	}
}

// firstDifference shows the first line in which two texts differ.
func firstDifference(got, want string) string {
	wants := strings.Split(want, "\n")
	for i, line := range strings.Split(got, "\n") {
		if i >= len(wants) || line != wants[i] {
			return fmt.Sprintf("line %d: %s", i+1, line)
		}
	}
	return "fewer lines"
}
