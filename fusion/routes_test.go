package fusion_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/transport"
)

// route sends messages to an app and returns the answer to the last one.
type route func(t *testing.T, f *fusion.App[deps], messages []string) string

// routes are the transports.
var routes = map[string]route{"pipe": overPipe, "stdio": overStdio, "http": overHTTP}

// revisions are those that every transport serves.
var revisions = []string{"2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// calling is what a client of a revision sends to call a tool as its request 9.
func calling(revision, tool, arguments string) []string {
	call := func(meta string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":%q,"arguments":%s%s}}`, tool, arguments, meta)
	}
	if revision == "2026-07-28" {
		return []string{call(`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`)}
	}
	return []string{
		fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`, revision),
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`, call(""),
	}
}

var (
	resultOf = regexp.MustCompile(`"result":(.*)}\s*$`)
	toolOf   = regexp.MustCompile(`"params":{"name":"([^"]*)"`)
)

// resultIn is the result in a response, byte for byte.
func resultIn(t *testing.T, response string) string {
	t.Helper()
	m := resultOf.FindStringSubmatch(response)
	require.NotNil(t, m, "no result in %s", response)
	return m[1]
}

func overPipe(t *testing.T, f *fusion.App[deps], messages []string) string {
	t.Helper()
	conn, err := transport.Pipe(t.Context(), f, nil)
	require.NoError(t, err)
	defer func() { assert.NoError(t, conn.Close()) }()
	replies := bufio.NewReader(conn)
	last := ""
	for _, m := range messages {
		_, err := io.WriteString(conn, m+"\n")
		require.NoError(t, err)
		if !strings.Contains(m, `"id"`) {
			continue
		}
		last, err = replies.ReadString('\n')
		require.NoError(t, err)
	}
	return strings.TrimSpace(last)
}

func overStdio(t *testing.T, f *fusion.App[deps], messages []string) string {
	t.Helper()
	var out bytes.Buffer
	in := strings.NewReader(strings.Join(messages, "\n") + "\n")
	require.NoError(t, transport.Stdio(t.Context(), f, &transport.StdioOptions{Reader: in, Writer: &out}))
	for line := range strings.Lines(out.String()) {
		if line = strings.TrimSpace(line); strings.Contains(line, `"id":9`) {
			return line
		}
	}
	t.Fatalf("no reply in %s", out.String())
	return ""
}

func overHTTP(t *testing.T, f *fusion.App[deps], messages []string) string {
	t.Helper()
	handler, err := transport.HTTP(f, nil)
	require.NoError(t, err)
	server := httptest.NewServer(handler)
	defer server.Close()
	session, last := "", ""
	for _, m := range messages {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader(m))
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			r.Header.Set("Mcp-Session-Id", session)
		}
		if strings.Contains(m, "2026-07-28") {
			r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
			r.Header.Set("Mcp-Method", "tools/call")
			r.Header.Set("Mcp-Name", toolOf.FindStringSubmatch(m)[1])
		}
		resp, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
			session = id
		}
		last = string(body)
	}
	return last
}
