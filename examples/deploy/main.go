// Command deploy serves tools beside other routes, behind a proxy and in several processes.
// It is the code of docs/deploy.md.
//
//	STATE_KEYS=$(openssl rand -base64 32) deploy -http 127.0.0.1:8080
package main

import (
	"context"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/mcpfusion/go/examples/shared"
	"github.com/mcpfusion/go/transport"
)

func main() {
	addr := flag.String("http", "127.0.0.1:8080", "the address to serve on")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *addr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "deploy:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, addr string) error {
	keys, err := stateKeys(os.Getenv("STATE_KEYS"))
	if err != nil {
		return err
	}
	tokens := shared.NewTokens(map[string]shared.User{os.Getenv("TOKEN"): {ID: "ann", Name: "Ann"}})
	mcp, err := transport.HTTP(newApp(), options(tokens, stores{keys: keys}))
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	return serve(ctx, newServer(mcp), mcp, listener)
}

// stores are what the processes behind one address share. Nil ones are this process's own.
type stores struct {
	sessions transport.SessionStore
	nonces   transport.NonceStore
	keys     [][]byte
}

func options(tokens *shared.Tokens, common stores) *transport.HTTPOptions {
	// region: options
	o := &transport.HTTPOptions{
		Authenticate:   tokens.Authenticate,
		AllowedHosts:   []string{"mcp.example.com"},         // the name that the proxy passes on
		AllowedOrigins: []string{"https://app.example.com"}, // pages that may call
		CORS:           true,                                // and read the answers
		ReconnectAfter: 50 * time.Second,                    // the proxy cuts connections after 60
		Sessions:       common.sessions,
		Nonces:         common.nonces,
		StateKeys:      common.keys,
	}
	// endregion
	return o
}

// region: keys

// stateKeys reads 32 random bytes for each key, the newest first, as base64 with commas between.
func stateKeys(text string) (keys [][]byte, err error) {
	for part := range strings.SplitSeq(text, ",") {
		key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(part))
		if err != nil {
			return nil, fmt.Errorf("read a state key: %w", err)
		}
		if len(key) > 0 {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

// endregion

// region: server
func newServer(mcp *transport.Server) *http.Server {
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcp)
	mux.Handle("GET /ready", mcp.Ready())
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintln(w, "Point an MCP client at /mcp") })
	return &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: 10 * time.Second, // a slow head
		ReadTimeout:       time.Minute,      // a slow body; streams are not read
		IdleTimeout:       2 * time.Minute,  // between requests
		// No WriteTimeout: it would cut long calls of clients that take no stream.
	}
}

// endregion

// region: serve

// serve serves until ctx ends, then lets running calls end within a bound.
func serve(ctx context.Context, server *http.Server, mcp *transport.Server, listener net.Listener) error {
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	bound, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
	defer cancel()
	return errors.Join(mcp.Shutdown(bound), server.Shutdown(bound)) // in this order
}

// endregion
