package protocol

import (
	"context"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/internal/scope"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// handler is a tool's code in a test: it sees the context, the call and the arguments.
type handler func(ctx context.Context, call *middleware.Call, args map[string]any) (any, error)

// tool makes a catalog's tool of a handler. Its arguments are any object.
func tool(name string, h handler) *catalog.Tool {
	type input struct {
		ctx  context.Context
		call *middleware.Call
	}
	return &catalog.Tool{
		ID: strings.ReplaceAll(name, "_", "."), Name: name, Verb: middleware.Query,
		Hints:       middleware.Hints{ReadOnly: true, Idempotent: true},
		Description: "Does " + name,
		InputSchema: jsontext.Value(`{"type":"object","properties":{},"additionalProperties":true}`),
		Derive: func(ctx context.Context, call *middleware.Call, _ *scope.Scope) (any, error) {
			return input{ctx, call}, nil
		},
		Decode: func(raw jsontext.Value) (any, []result.Field) {
			args := map[string]any{}
			if raw == nil {
				return args, nil
			}
			if err := json.Unmarshal(raw, &args); err != nil {
				return nil, []result.Field{{Problem: "not an object"}}
			}
			return args, nil
		},
		Invoke: func(app, in any) (any, error) {
			i := app.(input)
			return h(i.ctx, i.call, in.(map[string]any))
		},
		Present: func(_ context.Context, value any) (*result.Response, error) {
			switch v := value.(type) {
			case *result.Response:
				return v, nil
			case []result.Content:
				return &result.Response{Content: v}, nil
			}
			return &result.Response{Data: value}, nil
		},
	}
}

// echo replies with the arguments.
func echo(_ context.Context, _ *middleware.Call, args map[string]any) (any, error) { return args, nil }

// catalogOf makes a catalog that logs into the test.
func catalogOf(t testing.TB, tools ...*catalog.Tool) *catalog.Catalog {
	t.Helper()
	log := slog.New(slog.NewTextHandler(testWriter{t}, &slog.HandlerOptions{Level: slog.LevelDebug}))
	return catalog.New(catalog.Info{Name: "test", Version: "1.0.0"}, log, nil, tools)
}

type testWriter struct{ testing.TB }

func (w testWriter) Write(b []byte) (int, error) {
	w.Log(strings.TrimRight(string(b), "\n"))
	return len(b), nil
}

// serverOf makes a server with default options.
func serverOf(t testing.TB, tools ...*catalog.Tool) *Server {
	t.Helper()
	return mustServer(t, catalogOf(t, tools...), Options{})
}

func mustServer(t testing.TB, c *catalog.Catalog, o Options) *Server {
	t.Helper()
	s, err := New(c, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// modernMeta is what each stateless request has in its params.
const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// opened is a Conn on which initialize was answered.
func opened(t testing.TB, s *Server, version string) *Conn {
	t.Helper()
	c := s.Connect(middleware.Subject{})
	reply := c.Handle(t.Context(), []byte(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+version+`","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`))
	if !strings.Contains(string(reply), `"protocolVersion":"`+version+`"`) {
		t.Fatalf("initialize answered %s", reply)
	}
	return c
}

// send gives a message to a Conn and returns the answer.
func send(t testing.TB, c *Conn, message string) string {
	t.Helper()
	return string(c.Handle(t.Context(), []byte(message)))
}

var errBoom = errors.New("secret: the database is at 10.0.0.1")

// inJSON is a Responder of a client that takes no streams.
type inJSON func(Outgoing)

func (f inJSON) Answer(out Outgoing) { f(out) }
func (inJSON) Streams() bool         { return false }
func (inJSON) Event(Event) error     { panic("no stream was asked for") }
