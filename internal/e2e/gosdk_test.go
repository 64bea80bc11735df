package e2e_test

import (
	"context"
	"encoding/json/v2"
	"errors"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// TestGoSDK runs the official Go client, as a client with sessions and as one without.
func TestGoSDK(t *testing.T) {
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			t.Run("stdio", func(t *testing.T) {
				check(t, goSDK(t, &mcp.CommandTransport{Command: stdioCommand(t, billingArgs(t))}, revision), revision)
			})
			t.Run("http", func(t *testing.T) {
				check(t, goSDK(t, &mcp.StreamableClientTransport{Endpoint: startHTTP(t, billingArgs(t))}, revision), revision)
			})
			t.Run("memory", func(t *testing.T) {
				conn := pipe(t)
				check(t, goSDK(t, &mcp.IOTransport{Reader: conn, Writer: conn}, revision), revision)
			})
		})
	}
}

// goSDK has a session over a transport. Closing it waits for a server process to end, which
// must be in order.
func goSDK(t *testing.T, transport mcp.Transport, revision string) session {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	client := mcp.NewClient(&mcp.Implementation{Name: "fusion-e2e-gosdk", Version: "1.0.0"}, nil)
	cs, err := client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	require.NoError(t, err)
	s := session{ProtocolVersion: cs.InitializeResult().ProtocolVersion}
	for found, err := range cs.Tools(ctx, nil) {
		require.NoError(t, err)
		s.Tools = append(s.Tools, as[tool](t, found))
	}
	for _, c := range calls() {
		s.Replies = append(s.Replies, goSDKCall(ctx, t, cs, c))
	}
	require.NoError(t, cs.Close())
	return s
}

func goSDKCall(ctx context.Context, t *testing.T, cs *mcp.ClientSession, c call) reply {
	t.Helper()
	res, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: c.Name, Arguments: as[map[string]any](t, c.Arguments)})
	if rpc := new(jsonrpc.Error); errors.As(err, &rpc) {
		return as[reply](t, map[string]any{"error": map[string]any{"code": rpc.Code}})
	}
	require.NoError(t, err)
	return as[reply](t, map[string]any{"result": res})
}

// as goes by way of JSON from one type to another.
func as[T any](t *testing.T, v any) T {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	var to T
	require.NoError(t, json.Unmarshal(b, &to))
	return to
}
