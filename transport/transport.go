// Package transport serves a Fusion app to MCP clients: over standard input and output,
// over Streamable HTTP, and over an in-memory pipe.
//
//	err := transport.Stdio(ctx, app, nil) // until the client ends
//
//	server, err := transport.HTTP(app, nil) // an http.Handler
//	http.Handle("/mcp", server)
//
//	client, err := transport.Pipe(ctx, app, nil) // an io.ReadWriteCloser
//
// All of them speak every protocol revision that Fusion knows, and the same call gives the
// same result on each. Starting one freezes the app: tools that are declared later are an
// error.
package transport

import (
	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/internal/protocol"
)

// App is what is served, such as a fusion.App.
type App interface {
	// Catalog freezes the declared tools. It fails while the app has build errors.
	Catalog() (*catalog.Catalog, error)
}

// serverOf freezes an app and prepares it for serving.
func serverOf(app App, options protocol.Options) (*protocol.Server, error) {
	c, err := app.Catalog()
	if err != nil {
		return nil, err
	}
	return protocol.New(c, options)
}
