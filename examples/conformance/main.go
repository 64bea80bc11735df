// Command conformance serves what the public MCP conformance suite asks of a server,
// written with Fusion's public packages alone.
//
//	conformance -http 127.0.0.1:3000
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/transport"
)

// App is the context of the fixtures: they need nothing.
type App struct{}

func main() {
	addr := flag.String("http", "127.0.0.1:3000", "the address to serve on")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := serve(ctx, *addr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

// newApp declares all fixtures.
func newApp() *fusion.App[App] {
	f := fusion.New("conformance", "1.0.0", App{}, nil)
	tools(f)
	headers(f)
	live(f)
	changes(f)
	asks(f)
	rounds(f)
	prompts(f)
	resources(f)
	return f
}

// reconnectAfter is how long a connection carries a stream, for the fixture that is to
// outlive one.
const reconnectAfter = time.Second

func serve(ctx context.Context, addr string) error {
	handler, err := transport.HTTP(newApp(), &transport.HTTPOptions{ReconnectAfter: reconnectAfter})
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", handler)
	server := &http.Server{Addr: addr, Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.ListenAndServe() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	bound, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return errors.Join(handler.Shutdown(bound), server.Shutdown(bound))
}
