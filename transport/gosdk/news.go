package gosdk

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpfusion/go/internal/catalog"
)

// news passes on what an app tells everyone. It implements [catalog.Listener].
type news struct{ server *mcp.Server }

// Heard implements [catalog.Listener].
func (n news) Heard(_ catalog.Change, uri string) {
	if uri == "" {
		return
	}
	go func() { // the SDK waits for its clients, within a bound
		_ = n.server.ResourceUpdated(context.Background(), &mcp.ResourceUpdatedNotificationParams{URI: uri})
	}()
}
