package fusion_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/internal/protocol"
	"github.com/mcpfusion/go/middleware"
)

// answer is what a client of the newest revision gets for a request without arguments.
func answer(t *testing.T, f *fusion.App[deps], method string) string {
	t.Helper()
	c, err := f.Catalog()
	require.NoError(t, err)
	server, err := protocol.New(c, protocol.Options{})
	require.NoError(t, err)
	return string(server.Connect(middleware.Subject{}).Handle(t.Context(), fmt.Appendf(nil,
		`{"jsonrpc":"2.0","id":1,"method":%q,"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`, method)))
}

func TestEachOptionIsOnTheWire(t *testing.T) {
	f := fusion.New("test", "1.2.3", deps{}, &fusion.Options{
		Title: "A <title>", WebsiteURL: "https://example.com", Instructions: "Ask first.", PageSize: 1,
	})
	for _, id := range []string{"a", "b"} {
		f.Query(id).Describe("d").Handle(nothing[deps])
	}
	discovered := answer(t, f, "server/discover")
	for _, part := range []string{`"name":"test"`, `"version":"1.2.3"`, `"title":"A <title>"`, `"websiteUrl":"https://example.com"`, `"instructions":"Ask first."`} {
		assert.Contains(t, discovered, part)
	}
	assert.Contains(t, answer(t, f, "tools/list"), `"nextCursor":`)
}
