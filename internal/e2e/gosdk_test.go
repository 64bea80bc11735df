package e2e_test

import (
	"context"
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
				server := &mcp.CommandTransport{Command: stdioCommand(t, billingArgs(t))}
				check(t, sessionOf(t, connectGoSDK(t, server, revision)), revision)
			})
			t.Run("http", func(t *testing.T) {
				server := &mcp.StreamableClientTransport{Endpoint: startHTTP(t, billingArgs(t))}
				check(t, sessionOf(t, connectGoSDK(t, server, revision)), revision)
			})
			t.Run("memory", func(t *testing.T) {
				conn := pipe(t, newBilling(t))
				check(t, sessionOf(t, connectGoSDK(t, &mcp.IOTransport{Reader: conn, Writer: conn}, revision)), revision)
			})
			t.Run("stdio probe", func(t *testing.T) {
				server := &mcp.CommandTransport{Command: stdioCommand(t, probeArgs(t))}
				checkProbed(t, probedBy(t, connectGoSDK(t, server, revision), true), revision)
			})
			t.Run("http probe", func(t *testing.T) {
				server := &mcp.StreamableClientTransport{Endpoint: startHTTP(t, probeArgs(t))}
				checkProbed(t, probedBy(t, connectGoSDK(t, server, revision), true), revision)
			})
			t.Run("memory probe", func(t *testing.T) {
				conn := pipe(t, newProbe())
				server := &mcp.IOTransport{Reader: conn, Writer: conn}
				checkProbed(t, probedBy(t, connectGoSDK(t, server, revision), true), revision)
			})
		})
	}
}

// goSDK is a [goClient].
type goSDK struct {
	session *mcp.ClientSession
	heard   hearing
}

func connectGoSDK(t *testing.T, server mcp.Transport, revision string) goSDK {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	heard := newHearing()
	client := mcp.NewClient(&mcp.Implementation{Name: "fusion-e2e-gosdk", Version: "1.0.0"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { heard.changed <- struct{}{} },
		ProgressNotificationHandler: func(_ context.Context, n *mcp.ProgressNotificationClientRequest) {
			heard.progress <- progress{n.Params.Progress, n.Params.Total, n.Params.Message}
		},
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			action, content := answer(r.Params.Message)
			return &mcp.ElicitResult{Action: action, Content: content}, nil
		},
	})
	session, err := client.Connect(ctx, server, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	require.NoError(t, err)
	return goSDK{session, heard}
}

func (c goSDK) revision() string { return c.session.InitializeResult().ProtocolVersion }
func (c goSDK) told() hearing    { return c.heard }
func (c goSDK) close() error     { return c.session.Close() }

func (c goSDK) tools(ctx context.Context) (all []tool, err error) {
	for found, err := range c.session.Tools(ctx, nil) {
		if err != nil {
			return nil, err
		}
		tool, err := as[tool](found)
		if err != nil {
			return nil, err
		}
		all = append(all, tool)
	}
	return all, nil
}

func (c goSDK) call(ctx context.Context, call call) (reply, error) {
	arguments, err := as[map[string]any](call.Arguments)
	if err != nil {
		return reply{}, err
	}
	params := &mcp.CallToolParams{Name: call.Name, Arguments: arguments}
	params.SetProgressToken(call.Name)
	res, err := c.session.CallTool(ctx, params)
	if rpc := new(jsonrpc.Error); errors.As(err, &rpc) {
		return replyOf(nil, int(rpc.Code))
	}
	if err != nil {
		return reply{}, err
	}
	return replyOf(res, 0)
}
