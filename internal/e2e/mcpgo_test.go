package e2e_test

import (
	"context"
	"errors"
	"os/exec"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"
)

// TestMCPGo runs the client of mcp-go, as a client with sessions and as one without.
func TestMCPGo(t *testing.T) {
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			t.Run("stdio", func(t *testing.T) {
				check(t, sessionOf(t, connectMCPGo(t, mcpGoStdio(t, billingArgs(t)), revision)), revision)
			})
			t.Run("http", func(t *testing.T) {
				check(t, sessionOf(t, connectMCPGo(t, mcpGoHTTP(t, billingArgs(t), revision), revision)), revision)
			})
			t.Run("stdio probe", func(t *testing.T) {
				checkProbed(t, probedBy(t, connectMCPGo(t, mcpGoStdio(t, probeArgs(t)), revision), true), revision)
			})
			t.Run("http probe", func(t *testing.T) {
				// With a session over HTTP this client gives up without a word to the server, for
				// which a lost connection is no reason to stop.
				cancels := revision == "2026-07-28"
				got := probedBy(t, connectMCPGo(t, mcpGoHTTP(t, probeArgs(t), revision), revision), cancels)
				if !cancels {
					require.Zero(t, got.Waits.Cancelled)
					got.Waits.Cancelled = 1
				}
				checkProbed(t, got, revision)
			})
		})
	}
}

func mcpGoStdio(t *testing.T, server []string) transport.Interface {
	t.Helper()
	return transport.NewStdioWithOptions(server[0], nil, server[1:], transport.WithCommandFunc(
		func(context.Context, string, []string, []string) (*exec.Cmd, error) {
			return stdioCommand(t, server), nil
		},
	))
}

func mcpGoHTTP(t *testing.T, server []string, revision string) transport.Interface {
	t.Helper()
	var options []transport.StreamableHTTPCOption
	if revision != "2026-07-28" {
		options = append(options, transport.WithContinuousListening()) //nolint:staticcheck // sessions need it, and it rules out the newest revision
	}
	over, err := transport.NewStreamableHTTP(startHTTP(t, server), options...)
	require.NoError(t, err)
	return over
}

// mcpGo is a [goClient].
type mcpGo struct {
	client *client.Client
	heard  hearing
	stop   func()
}

func connectMCPGo(t *testing.T, over transport.Interface, revision string) mcpGo {
	t.Helper()
	options := []client.ClientOption{client.WithProtocolVersion(revision), client.WithElicitationHandler(mcpGoUser{})}
	c := mcpGo{client.NewClient(over, options...), newHearing(), func() {}}
	require.NoError(t, c.client.Start(t.Context()))
	c.client.OnNotification(c.hear)
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = revision
	hello.Params.ClientInfo = mcp.Implementation{Name: "fusion-e2e-mcpgo", Version: "1.0.0"}
	_, err := c.client.Initialize(t.Context(), hello)
	require.NoError(t, err)
	if revision == "2026-07-28" {
		c.stop, err = c.client.ListenAsync(t.Context(), mcp.SubscriptionFilter{ToolsListChanged: true}, func(err error) { t.Error(err) })
		require.NoError(t, err)
	}
	return c
}

func (c mcpGo) revision() string { return c.client.ProtocolVersion() }
func (c mcpGo) told() hearing    { return c.heard }

func (c mcpGo) hear(n mcp.JSONRPCNotification) {
	switch n.Method {
	case string(mcp.MethodNotificationToolsListChanged):
		c.heard.changed <- struct{}{}
	case "notifications/progress":
		p, _ := as[progress](n.Params.AdditionalFields)
		c.heard.progress <- p
	}
}

// mcpGoUser answers questions.
type mcpGoUser struct{}

func (mcpGoUser) Elicit(_ context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	action, content := answer(r.Params.Message)
	return &mcp.ElicitationResult{Action: mcp.ElicitationResponseAction(action), Content: content}, nil
}

func (c mcpGo) close() error {
	c.stop()
	return c.client.Close()
}

func (c mcpGo) tools(ctx context.Context) (all []tool, err error) {
	found, err := c.client.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return nil, err
	}
	return as[[]tool](found.Tools)
}

func (c mcpGo) call(ctx context.Context, call call) (reply, error) {
	var request mcp.CallToolRequest
	request.Params.Name, request.Params.Arguments = call.Name, call.Arguments
	request.Params.Meta = &mcp.Meta{ProgressToken: call.Name}
	res, err := c.client.CallTool(ctx, request)
	if errors.Is(err, mcp.ErrInvalidParams) {
		return replyOf(nil, mcp.INVALID_PARAMS)
	}
	if err != nil {
		return reply{}, err
	}
	return replyOf(res, 0)
}
