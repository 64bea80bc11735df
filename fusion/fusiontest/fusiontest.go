// Package fusiontest calls an app's tools in a test, through the same pipeline as in
// production, JSON in and JSON out, without a transport.
//
//	func TestRefund(t *testing.T) {
//		tools := fusiontest.New(t, newApp(deps))
//
//		reply := tools.Call("billing.refund", map[string]any{"id": "inv_1", "amount_cents": 500})
//		assert.Equal(t, 500, reply.Data[Invoice]().RefundedCents)
//
//		failure := tools.Call("billing.refund", map[string]any{"id": "inv_9", "amount_cents": 1}).Failure()
//		assert.ErrorIs(t, failure, result.NotFound(""))
//	}
//
// It starts no goroutine and needs no cleanup.
package fusiontest

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/internal/protocol"
	"github.com/mcpfusion/go/middleware"
)

// App is what can be tested: a *fusion.App of any dependencies.
type App interface {
	Catalog() (*catalog.Catalog, error)
}

// newest is the revision in which each request stands alone.
const newest = "2026-07-28"

// Tester calls the tools of one app as one caller. It is safe for concurrent use. A
// failed expectation ends the test that the tester belongs to: take one with [Tester.In]
// for each subtest.
type Tester struct {
	tb       testing.TB
	catalog  *catalog.Catalog
	server   *protocol.Server
	conn     *protocol.Conn
	subject  middleware.Subject
	revision string
	answers  Answers
	id       *atomic.Int64 // shared by those with one conn
}

// New freezes the app and calls its tools as an anonymous caller, by the newest protocol
// revision. Mistakes in the app's declarations end the test.
func New(tb testing.TB, app App) *Tester {
	tb.Helper()
	c, err := app.Catalog()
	if err != nil {
		tb.Fatalf("the app cannot be served:\n%v", err)
	}
	server, err := protocol.New(c, protocol.Options{})
	if err != nil {
		tb.Fatalf("the app cannot be served: %v", err)
	}
	return &Tester{
		tb: tb, catalog: c, server: server, conn: server.Connect(middleware.Subject{}),
		revision: newest, id: new(atomic.Int64),
	}
}

// In is the same tester for a subtest, whose failures end only that:
//
//	tools := fusiontest.New(t, app)
//	t.Run("refund", func(t *testing.T) {
//		t.Parallel()
//		reply := tools.In(t).Call("billing.refund", args)
//	})
func (t *Tester) In(tb testing.TB) *Tester {
	tb.Helper()
	n := *t
	n.tb = tb
	return &n
}

// As is another tester of the same app, for an authenticated caller.
func (t *Tester) As(subject middleware.Subject) *Tester {
	t.tb.Helper()
	return t.with(subject, t.revision, t.answers)
}

// Revision is another tester of the same app and caller, for a client of that protocol
// revision, such as "2025-11-25". In a revision with sessions it is a session of its own.
func (t *Tester) Revision(revision string) *Tester {
	t.tb.Helper()
	return t.with(t.subject, revision, t.answers)
}

func (t *Tester) with(subject middleware.Subject, revision string, answers Answers) *Tester {
	t.tb.Helper()
	n := &Tester{
		tb: t.tb, catalog: t.catalog, server: t.server,
		conn: t.server.Connect(subject), subject: subject, revision: revision, answers: answers, id: new(atomic.Int64),
	}
	if revision == newest {
		return n
	}
	_, fault, _ := n.request("initialize", map[string]any{
		"protocolVersion": revision, "capabilities": n.capabilities(),
		"clientInfo": map[string]any{"name": "fusiontest", "version": "1"},
	})
	if fault == nil {
		_, fault, _ = n.request("logging/setLevel", map[string]any{"level": "debug"})
	}
	if fault != nil {
		t.tb.Fatalf("revision %q: %v", revision, fault)
	}
	n.conn.Handle(n.tb.Context(), []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	return n
}

// Call calls a tool, by its id or its name on the wire. The arguments are any value that
// encodes as JSON, such as the handler's input struct or a map; a jsontext.Value is sent as
// it is, and nil sends none.
func (t *Tester) Call(tool string, arguments any) *Reply {
	t.tb.Helper()
	name := tool
	for _, known := range t.catalog.Tools() {
		if known.ID == tool {
			name = known.Name
		}
	}
	params := map[string]any{"name": name}
	t.arguments(tool, params, arguments)
	raw, fault, h := t.request("tools/call", params)
	reply := &Reply{heard: h, tb: t.tb, tool: tool, result: raw, fault: fault}
	if fault == nil {
		if err := json.Unmarshal(raw, &reply.parsed); err != nil {
			t.tb.Fatalf("%s: %v in %s", tool, err, raw)
		}
	}
	return reply
}

// arguments puts the arguments of a call into its params.
func (t *Tester) arguments(what string, params map[string]any, arguments any) {
	t.tb.Helper()
	if arguments == nil {
		return
	}
	encoded, err := encode(arguments)
	if err != nil {
		t.tb.Fatalf("%s: the arguments cannot be encoded: %v", what, err)
	}
	params["arguments"] = encoded
}

// Tool is a tool as clients are told of it.
type Tool struct {
	Name         string          `json:"name"`
	Title        string          `json:"title"`
	Description  string          `json:"description"`
	InputSchema  jsontext.Value  `json:"inputSchema"`
	OutputSchema jsontext.Value  `json:"outputSchema"`
	Annotations  map[string]bool `json:"annotations"`
	Icons        []Icon          `json:"icons"`
	Meta         jsontext.Value  `json:"_meta"`
}

// List is what the caller is shown, on all pages.
func (t *Tester) List() []Tool {
	t.tb.Helper()
	return listed[Tool](t, "tools/list", "tools")
}

// listed reads all pages of a list.
func listed[T any](t *Tester, method, key string) (all []T) {
	t.tb.Helper()
	cursor := ""
	for {
		params := map[string]any{}
		if cursor != "" {
			params["cursor"] = cursor
		}
		raw, fault, _ := t.request(method, params)
		if fault != nil {
			t.tb.Fatalf("%s: %v", method, fault)
		}
		var page map[string]jsontext.Value
		var items []T
		if err := errors.Join(json.Unmarshal(raw, &page), json.Unmarshal(page[key], &items)); err != nil {
			t.tb.Fatalf("%s: %v in %s", method, err, raw)
		}
		all = append(all, items...)
		if page["nextCursor"] == nil {
			return all
		}
		if err := json.Unmarshal(page["nextCursor"], &cursor); err != nil || cursor == "" {
			t.tb.Fatalf("%s: a bad cursor in %s", method, raw)
		}
	}
}
