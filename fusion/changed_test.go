package fusion_test

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/result"
	"github.com/mcpfusion/go/transport"
)

// told reads a pipe until a line with the text.
func told(t *testing.T, lines *bufio.Scanner, text string) {
	t.Helper()
	for lines.Scan() {
		if strings.Contains(lines.Text(), text) {
			return
		}
	}
	t.Errorf("%q never came", text)
}

func TestListChangedReachesTheClientsOfItsSubjects(t *testing.T) {
	f := newApp()
	f.Action("unlock").Describe("Unlock the vault").
		Handle(func(ctx *fusion.Ctx[deps], _ fusion.NoInput) result.Result[string] {
			f.ListChanged(ctx, ctx.Call.Subject.ID)
			return result.OK("unlocked")
		})
	f.ListChanged(t.Context()) // nobody is there yet

	clients := map[string]io.ReadWriteCloser{}
	lines := map[string]*bufio.Scanner{}
	for _, name := range []string{"ann", "ben"} {
		client, err := transport.Pipe(t.Context(), f, &transport.PipeOptions{Subject: fusion.Subject{ID: name}})
		require.NoError(t, err)
		t.Cleanup(func() { _ = client.Close() })
		_, err = io.WriteString(client, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`)
		require.NoError(t, err)
		clients[name], lines[name] = client, bufio.NewScanner(client)
		told(t, lines[name], `"listChanged":true`)
	}
	_, err := io.WriteString(clients["ann"], `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"unlock"}}`+"\n")
	require.NoError(t, err)
	told(t, lines["ann"], "unlocked") // first the reply
	told(t, lines["ann"], "notifications/tools/list_changed")

	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	<-ctx.Done()
	_, err = io.WriteString(clients["ben"], `{"jsonrpc":"2.0","id":3,"method":"ping"}`+"\n")
	require.NoError(t, err)
	require.True(t, lines["ben"].Scan())
	assert.Contains(t, lines["ben"].Text(), `"id":3`, "nothing but the reply")
}
