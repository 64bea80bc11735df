package gosdk_test

import (
	"context"
	"encoding/json/v2"
	"io"
	"regexp"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/presenter"
	"github.com/mcpfusion/go/result"
	"github.com/mcpfusion/go/transport"
	"github.com/mcpfusion/go/transport/gosdk"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type wireError = jsonrpc.Error

var reference = regexp.MustCompile(`[0-9a-f]{16}`)

type deps struct{}

type invoice struct {
	ID     string `json:"id"`
	Cents  int64  `json:"cents"`
	Secret string `json:"secret"`
}

func newApp() *fusion.App[deps] {
	f := fusion.New("test", "1", deps{}, nil)
	f.Query("get").Title("Get").Describe("Get <one>").WithString("id", "The id", "min=1").
		Returns(presenter.For[invoice]("Invoice").Only("id", "cents")).
		Handle(func(ctx *fusion.Ctx[deps], in struct{ ID string }) result.Result[invoice] {
			if in.ID == "none" {
				return result.Fail[invoice](result.NotFound("gone").Actions("get", "hidden"))
			}
			ctx.Notice("noticed <&>")
			return result.OK(invoice{in.ID, 5, "secret"})
		})
	f.Action("unit").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[result.Unit] { return result.Done() })
	f.Query("content").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[[]result.Content] {
		return result.OK([]result.Content{
			result.Text{Text: "a", Annotations: &result.Annotations{Audience: []result.Role{result.RoleUser}}},
			result.Image{Data: []byte("png"), MIMEType: "image/png"},
			result.Audio{Data: []byte("wav"), MIMEType: "audio/wav"},
			result.ResourceLink{URI: "x://y", Name: "y", Size: 3},
			result.EmbeddedResource{Resource: result.ResourceContents{URI: "x://z", Text: "t"}},
		})
	})
	f.Query("boom").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[int] { panic("x") })
	f.Query("protocol").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[int] {
		return result.Err[int](result.Protocol(42, "on purpose", map[string]any{"a": 1}))
	})
	f.Query("hidden").Describe("d").Visible(func(context.Context, *fusion.Call) bool { return false }).
		Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[int] { return result.OK(1) })
	return f
}

// bridged is a client of an SDK server on which the app is mounted.
func bridged(t *testing.T, f *fusion.App[deps]) *mcp.ClientSession {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	require.NoError(t, gosdk.Mount(server, f))
	near, far := mcp.NewInMemoryTransports()
	session, err := server.Connect(t.Context(), far, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Wait() })
	return connect(t, near) // whose end ends the session
}

// native is a client of the app's own engine.
func native(t *testing.T, f *fusion.App[deps]) *mcp.ClientSession {
	t.Helper()
	conn, err := transport.Pipe(t.Context(), f, nil)
	require.NoError(t, err)
	return connect(t, &mcp.IOTransport{Reader: io.NopCloser(conn), Writer: conn})
}

func connect(t *testing.T, tr mcp.Transport) *mcp.ClientSession {
	t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, nil).Connect(t.Context(), tr, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// outcome is what a client got, as JSON.
func outcome(t *testing.T, c *mcp.ClientSession, tool string, args any) string {
	t.Helper()
	r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return "error"
	}
	delete(r.Meta, "io.modelcontextprotocol/serverInfo")
	b, err := json.Marshal(r, json.Deterministic(true))
	require.NoError(t, err)
	return reference.ReplaceAllString(string(b), "REF")
}

func TestTheSameCallsGiveTheSameResultsAsTheNativeEngine(t *testing.T) {
	f := newApp()
	theirs, ours := bridged(t, f), native(t, f)
	for _, call := range []struct {
		tool string
		args any
	}{
		{"get", map[string]any{"id": "x"}}, {"get", map[string]any{"id": "none"}}, {"get", map[string]any{"id": ""}},
		{"get", map[string]any{"idd": 5}}, {"get", nil}, {"get", []int{1}}, {"unit", nil}, {"unit", map[string]any{"x": 1}},
		{"content", nil}, {"boom", nil}, {"protocol", nil}, {"hidden", nil}, {"unknown", nil},
	} {
		want := outcome(t, ours, call.tool, call.args)
		assert.Equal(t, want, outcome(t, theirs, call.tool, call.args), "%s %v", call.tool, call.args)
	}
}

func TestTheSameToolsAreListed(t *testing.T) {
	f := newApp()
	list := func(c *mcp.ClientSession) map[string]string {
		tools := map[string]string{}
		for tool, err := range c.Tools(t.Context(), nil) {
			require.NoError(t, err)
			b, err := json.Marshal(tool, json.Deterministic(true))
			require.NoError(t, err)
			tools[tool.Name] = string(b)
		}
		return tools
	}
	ours := list(native(t, f))
	assert.Equal(t, ours, list(bridged(t, f)))
	assert.NotContains(t, ours, "hidden")
}

func TestAnErrorOnPurposeKeepsItsCode(t *testing.T) {
	_, err := bridged(t, newApp()).CallTool(t.Context(), &mcp.CallToolParams{Name: "protocol"})
	var wire *wireError
	require.ErrorAs(t, err, &wire)
	assert.EqualValues(t, 42, wire.Code)
	assert.JSONEq(t, `{"a":1}`, string(wire.Data))
}

func TestAnAppWithBuildErrorsIsNotMounted(t *testing.T) {
	f := fusion.New("test", "1", deps{}, nil)
	f.Query("a")
	assert.Error(t, gosdk.Mount(mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil), f))
}
