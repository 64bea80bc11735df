package e2e_test

import (
	"context"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/examples/tour"
	"github.com/mcpfusion/go/fusion"
)

// newTour has all tools that the docs show with a store of orders.
func newTour() *fusion.App[tour.Deps] {
	f := fusion.New("tour", "1.0.0", tour.Deps{Orders: tour.NewOrders()}, nil)
	tour.Parameters(f) // first, for it has a rule of its own
	tour.Tools(f)
	tour.Asks(f)
	return f
}

// listed are the servers whose tools the clients list beside those of billing.
var listed = map[string]func(*testing.T) address{
	"tour": func(t *testing.T) address {
		t.Helper()
		return address{command: selfArgs(t, tourArg)}
	},
	"quickstart":  func(*testing.T) address { return address{command: []string{filepath.Join(examples, "quickstart")}} },
	"conformance": startConformance,
}

// startConformance serves the fixtures of the conformance suite, which do not say where.
func startConformance(t *testing.T) address {
	t.Helper()
	free, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	addr := free.Addr().String()
	require.NoError(t, free.Close())
	cmd := stdioCommand(t, []string{filepath.Join(examples, "conformance"), "-http", addr})
	require.NoError(t, cmd.Start())
	stopAtEnd(t, cmd)
	require.Eventually(t, func() bool {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", addr)
		return err == nil && conn.Close() == nil
	}, patience, 10*time.Millisecond)
	return address{url: "http://" + addr + "/mcp"}
}

// checkList holds what a client lists to what another one of the same server does, to each
// keyword of the schemas.
func checkList(t *testing.T, got []tool, at address) {
	t.Helper()
	var server mcp.Transport = &mcp.StreamableClientTransport{Endpoint: at.url}
	if at.url == "" {
		server = &mcp.CommandTransport{Command: stdioCommand(t, at.command)}
	}
	client := connectGoSDK(t, server, "2026-07-28")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	want, err := client.tools(ctx)
	require.NoError(t, err)
	require.NoError(t, client.close())
	require.NotEmpty(t, want)
	assert.Equal(t, want, got)
}
