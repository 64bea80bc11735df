package transport

import (
	"context"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"log/slog"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/internal/scope"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

func TestMain(m *testing.M) {
	if os.Getenv("TRANSPORT_TEST_SERVER") != "" {
		serveStdio()
		return
	}
	goleak.VerifyTestMain(m)
}

// app is a minimal App of tools that a test makes.
type app struct {
	tools []*catalog.Tool
	log   *slog.Logger
	err   error
}

func (a app) Catalog() (*catalog.Catalog, error) {
	if a.err != nil {
		return nil, a.err
	}
	log := a.log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return catalog.New(catalog.Info{Name: "test", Version: "1.0.0"}, log, nil, a.tools), nil
}

var errBuild = errors.New("billing.go:7: the tool has no description")

// handler is a tool's code in a test.
type handler func(ctx context.Context, call *middleware.Call, args map[string]any) (any, error)

// tool makes a catalog's tool of a handler. Its arguments are any object.
func tool(name string, h handler) *catalog.Tool {
	type input struct {
		ctx  context.Context
		call *middleware.Call
	}
	return &catalog.Tool{
		ID: name, Name: name, Verb: middleware.Query, Hints: middleware.Hints{ReadOnly: true},
		Description: "ツール " + name,
		InputSchema: jsontext.Value(`{"type":"object","properties":{}}`),
		Derive: func(ctx context.Context, call *middleware.Call, _ *scope.Scope) (any, error) {
			return input{ctx, call}, nil
		},
		Decode: func(raw jsontext.Value) (any, []result.Field) {
			args := map[string]any{}
			if raw != nil {
				if err := json.Unmarshal(raw, &args); err != nil {
					return nil, []result.Field{{Problem: err.Error()}}
				}
			}
			return args, nil
		},
		Invoke: func(app, in any) (any, error) {
			i := app.(input)
			return h(i.ctx, i.call, in.(map[string]any))
		},
		Present: func(_ context.Context, value any) (*result.Response, error) {
			return &result.Response{Data: value}, nil
		},
	}
}

func echo(_ context.Context, _ *middleware.Call, args map[string]any) (any, error) { return args, nil }

// who replies with the caller's id.
func who(_ context.Context, call *middleware.Call, _ map[string]any) (any, error) {
	return "caller:" + call.Subject.ID, nil
}

// blocking is a tool that runs until release is closed or its context ends, and a channel
// that gets the context of each call that began.
func blocking(release chan struct{}) (*catalog.Tool, chan context.Context) {
	began := make(chan context.Context, 100)
	return tool("block", func(ctx context.Context, _ *middleware.Call, _ map[string]any) (any, error) {
		began <- ctx
		select {
		case <-release:
			return "done", nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}), began
}

const (
	opening = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	pinging = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	listing = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

	modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
)

// calling is a tools/call request of a session.
func calling(id, name, arguments string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + name + `","arguments":` + arguments + `}}`
}

// modern is a stateless tools/call request.
func modern(id, name, arguments string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{` + modernMeta + `,"name":"` + name + `","arguments":` + arguments + `}}`
}

// want fails unless got has each of the parts.
func want(t *testing.T, got string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(got, part) {
			t.Errorf("%q is not in %s", part, got)
		}
	}
}
