package gosdk_test

import (
	"context"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/result"
	"github.com/mcpfusion/go/transport/gosdk"
)

// host is a server with items of its own, on which the app is mounted.
func host(t *testing.T, f *fusion.App[deps]) *mcp.Server {
	t.Helper()
	server := newServer(&mcp.ServerOptions{
		CompletionHandler: func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{"of the host"}}}, nil
		},
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
	})
	server.AddTool(&mcp.Tool{Name: "own", InputSchema: map[string]any{"type": "object"}},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return nil, &jsonrpc.Error{Code: 7, Message: "of the host"}
		})
	server.AddResource(&mcp.Resource{URI: "own://missing", Name: "missing"},
		func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return nil, mcp.ResourceNotFoundError(r.Params.URI)
		})
	require.NoError(t, gosdk.Mount(server, f))
	return server
}

func TestWhatTheServerHasStaysAsItIs(t *testing.T) {
	c := clientOf(t, host(t, newApp()), "2025-11-25", nil)
	items := listed(t, c)
	for _, item := range []string{"tool own", "resource own://missing", "tool get", "prompt greet"} {
		assert.Contains(t, items, item)
	}
	assert.Contains(t, callTool("own", nil)(t, c), `{"code":7`)
	assert.Contains(t, readResource("own://missing")(t, c), `-32602`)
	assert.Contains(t, complete("ref/prompt", "own", "a", "", nil)(t, c), "of the host")
	assert.Contains(t, complete("ref/prompt", "greet", "name", "A", nil)(t, c), "Ada")
}

func TestCompletionIsAdvertisedByAServerWithoutItsOwn(t *testing.T) {
	for _, revision := range revisions {
		c := bridged(t, newApp(), revision, nil)
		assert.NotNil(t, c.InitializeResult().Capabilities.Completions, revision)
	}
}

func TestACallOfEachKindSaysWhatItIs(t *testing.T) {
	var seen fusion.Call
	f := fusion.New("test", "1", deps{}, nil)
	r := f.Wrap(func(ctx context.Context, call *fusion.Call, next fusion.Next) *result.Response {
		seen = *call
		return next(ctx, call)
	})
	r.Query("t").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[int] { return result.OK(1) })
	r.Prompt("p").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[string] { return result.OK("") })
	r.Resource("r://r").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[string] { return result.OK("x") })
	for _, revision := range revisions {
		c := bridged(t, f, revision, nil)
		for kind, call := range map[string]func(*testing.T, *mcp.ClientSession) string{
			"tool": callTool("t", nil), "prompt": getPrompt("p", nil), "resource": readResource("r://r"),
		} {
			call(t, c)
			assert.EqualValues(t, kind, seen.Kind)
			assert.Equal(t, revision, seen.Revision)
			assert.NotEmpty(t, seen.Name)
			assert.NotNil(t, seen.Tool)
		}
	}
}

func TestAnUpdatedResourceIsToldToTheServersSubscribers(t *testing.T) {
	f := newApp()
	server := host(t, f)
	near, far := mcp.NewInMemoryTransports()
	session, err := server.Connect(t.Context(), far, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Wait() })
	told := make(chan string, 1)
	c := connect(t, near, "2025-11-25", &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { told <- r.Params.URI },
	})
	require.NoError(t, c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "test://text"}))
	f.ResourceUpdated(t.Context(), "test://text")
	select {
	case uri := <-told:
		assert.Equal(t, "test://text", uri)
	case <-time.After(10 * time.Second):
		t.Fatal("nothing was told")
	}
}
