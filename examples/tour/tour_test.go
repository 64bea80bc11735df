package tour

import (
	"encoding/json/jsontext"
	"flag"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/examples/shared"
	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/fusion/fusiontest"
	"github.com/mcpfusion/go/result"
)

var update = flag.Bool("update", false, "rewrite the replies that the docs show")

func quiet() *fusion.Options { return &fusion.Options{Logger: slog.New(slog.DiscardHandler)} }

func toolsApp() *fusion.App[Deps] {
	f := fusion.New("tour", "1.0.0", Deps{NewOrders()}, quiet())
	Tools(f)
	return f
}

// golden compares a text with the file that the docs show.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o750))
		require.NoError(t, os.WriteFile(file, []byte(got), 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), got, "go test ./examples/tour -update")
}

var reference = regexp.MustCompile(`"reference":"[0-9a-f]+"`)

func pretty(t *testing.T, text string) string {
	t.Helper()
	v := jsontext.Value(reference.ReplaceAllString(text, `"reference":"9f0c7a51d2e84b36"`))
	require.NoError(t, v.Indent(jsontext.WithIndent("  ")))
	return string(v) + "\n"
}

func TestTheRepliesInTheDocsAreReal(t *testing.T) {
	tools := fusiontest.New(t, toolsApp())
	golden(t, "not_found.json", pretty(t, tools.Call("orders.get", map[string]any{"id": "ord_9"}).Text()))
	golden(t, "invalid_arguments.json", pretty(t, tools.Call("orders.search", jsontext.Value(`{"customer":"ann","limit":"many","item":["lamp"]}`)).Text()))
	golden(t, "internal.json", pretty(t, tools.Call("orders.get", map[string]any{"id": "broken"}).Text()))
}

func TestTheBuildErrorsInTheDocsAreReal(t *testing.T) {
	golden(t, "build_errors.txt", Broken(fusion.New("tour", "1.0.0", Deps{}, quiet())).Error()+"\n")
}

func TestEachToolOfTheTourWorks(t *testing.T) {
	tools := fusiontest.New(t, toolsApp())
	assert.Len(t, tools.List(), 10)
	assert.Equal(t, 1, tools.Call("orders.count", map[string]any{"status": "open"}).Data[int]())
	assert.Equal(t, "OK", tools.Call("orders.cancel", map[string]any{"id": "ord_1"}).Text())
	conflict := tools.Call("orders.cancel", map[string]any{"id": "ord_2"}).Failure()
	assert.Equal(t, []string{"orders_track"}, conflict.AvailableActions)
	assert.Equal(t, map[string]any{"status": "sent"}, conflict.Detail)
	assert.Equal(t, "in transit", tools.Call("orders.track", map[string]any{"id": "ord_1"}).Data[string]())
	assert.Len(t, tools.Call("orders.search", map[string]any{"customer": "a@example.com", "limit": 1}).Data[[]Order](), 1)
	assert.Equal(t, "report as csv", tools.Call("orders.report", map[string]any{
		"window": map[string]any{"from": "2026-01-01T00:00:00Z"}, "statuses": []string{"open"},
	}).Text())
	assert.Equal(t, 7, tools.Call("orders.stock", map[string]any{"region": "eu", "item": "lamp"}).Data[int]())
	assert.Equal(t, "by id x", tools.Call("orders.lookup", map[string]any{"id": "x"}).Text())
	assert.Equal(t, `exported with {"filter":{"a":1}}`, tools.Call("orders.export", jsontext.Value(`{"filter":{"a":1}}`)).Text())
	assert.Equal(t, `{"id":"ord_1","status":"open","items":["lamp"]}`, string(tools.Call("orders.get", map[string]any{"id": "ord_1"}).Structured()))
	assert.Contains(t, string(tools.Call("orders.label", map[string]any{"id": "ord_1"}).Raw()), `"mimeType":"image/png"`)
}

func TestTheMiddlewareOfTheTourWorks(t *testing.T) {
	tokens := shared.NewTokens(map[string]shared.User{"t": {ID: "u_ann", Name: "Ann"}, "o": {ID: "u_owner", Name: "Owner"}})
	f := middlewareApp(tokens)
	_, err := Serve(f, tokens)
	require.NoError(t, err)
	tools := fusiontest.New(t, f)
	ann, owner := tools.As(fusion.Subject{ID: "u_ann"}), tools.As(fusion.Subject{ID: "u_owner"})

	assert.Equal(t, result.CodeUnauthorized, tools.Call("orders.mine", nil).Failure().Code)
	assert.Equal(t, "orders of Ann", ann.Call("orders.mine", nil).Data[string]())
	assert.Equal(t, "Ann", ann.Call("staff.whoami", nil).Data[string]())
	assert.Equal(t, "pong", ann.Call("admin.ping", nil).Data[string]())
	assert.Equal(t, result.CodeForbidden, ann.Call("admin.wipe", nil).Failure().Code)
	assert.Equal(t, "pong", owner.Call("admin.wipe", nil).Data[string]())
	assert.Len(t, owner.List(), len(ann.List())+1)
	assert.Equal(t, 1, ann.Call("stock.open", nil).Data[int]())
}
