// Command billing is an MCP server for invoices, written with Fusion.
//
//	billing demo              prints an agent's session with it
//	billing                   serves stdio, for a client that starts it
//	billing -http :8080       serves Streamable HTTP
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/mcpfusion/go/examples/billing/invoices"
	"github.com/mcpfusion/go/examples/billing/toolset"
	"github.com/mcpfusion/go/transport"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "billing:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("billing", flag.ContinueOnError)
	addr := flags.String("http", "", "serve Streamable HTTP on this address instead of stdio")
	data := flags.String("data", defaultData(), "the file that keeps the invoices; created with examples if missing")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.Arg(0) == "demo" {
		return demo(ctx, out)
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unknown argument %q; say demo, or -http ADDRESS, or nothing for stdio", flags.Arg(0))
	}
	store, err := invoices.OpenStore(*data)
	if err != nil {
		return err
	}
	app := toolset.New(toolset.Deps{Invoices: store}, nil)
	if *addr == "" {
		return transport.Stdio(ctx, app, nil)
	}
	handler, err := transport.HTTP(app, nil)
	if err != nil {
		return err
	}
	return serve(ctx, *addr, handler, out)
}

// defaultData is a file that survives restarts, wherever a client starts the server.
func defaultData() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	return filepath.Join(dir, "fusion-billing", "invoices.json")
}

// region: serve
func serve(ctx context.Context, addr string, handler *transport.Server, out io.Writer) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", handler)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute}
	port := listener.Addr().(*net.TCPAddr).Port
	fmt.Fprintf(out, "Paste this into your client's configuration:\n\n"+
		`{"mcpServers": {"billing": {"type": "http", "url": "http://localhost:%d/mcp"}}}`+"\n\n", port)
	go func() {
		<-ctx.Done()
		bound, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		_ = handler.Shutdown(bound)
		_ = server.Shutdown(bound)
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// endregion
