package protocol

import (
	"context"
	"encoding/json/jsontext"
	"net/http"
	"testing"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

// cheap is a tool that takes no time, so that a benchmark shows what is around it.
func cheap() *catalog.Tool {
	t := tool("billing_refund", nil)
	reply := &result.Response{Data: jsontext.Value(`{"id":"inv_1","amount_cents":500,"status":"refunded"}`)}
	t.Decode = func(jsontext.Value) (any, []result.Field) { return nil, nil }
	t.Invoke = func(_, _ any) (any, error) { return nil, nil }
	t.Present = func(context.Context, any) (*result.Response, error) { return reply, nil }
	return t
}

const benchArguments = `{"id":"inv_1","amount_cents":500,"reason":"duplicate"}`

// BenchmarkDispatch shows what the protocol adds to a call, from request bytes to response
// bytes: compare with the catalog alone.
func BenchmarkDispatch(b *testing.B) {
	s := serverOf(b, cheap())
	b.Run("catalog", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.catalog.Call(b.Context(), &middleware.Call{Kind: middleware.KindTool, Name: "billing_refund", Arguments: jsontext.Value(benchArguments)})
		}
	})
	b.Run("session", func(b *testing.B) {
		c := opened(b, s, "2025-11-25")
		request := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"billing_refund","arguments":` + benchArguments + `}}`)
		b.ReportAllocs()
		for b.Loop() {
			c.Handle(b.Context(), request)
		}
	})
	stateless := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + modernMeta + `,"name":"billing_refund","arguments":` + benchArguments + `}}`)
	b.Run("stateless", func(b *testing.B) {
		c := s.Connect(middleware.Subject{})
		b.ReportAllocs()
		for b.Loop() {
			c.Handle(b.Context(), stateless)
		}
	})
	b.Run("stateless over HTTP", func(b *testing.B) {
		e := s.Endpoint()
		h := http.Header{headerVersion: {"2026-07-28"}, headerMethod: {"tools/call"}, headerName: {"billing_refund"}}
		b.ReportAllocs()
		for b.Loop() {
			e.Post(b.Context(), Incoming{Body: stateless, Header: h}, inJSON(func(Outgoing) {}))
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	request := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + modernMeta + `,"name":"billing_refund","arguments":` + benchArguments + `}}`)
	b.SetBytes(int64(len(request)))
	b.ReportAllocs()
	for b.Loop() {
		var m message
		if f := m.decode(request, 256); f != nil {
			b.Fatal(f)
		}
	}
}

// What the protocol adds to a call must stay small.
func TestADispatchAllocatesLittle(t *testing.T) {
	const most = 6
	s := serverOf(t, cheap())
	alone := testing.AllocsPerRun(100, func() {
		s.catalog.Call(t.Context(), &middleware.Call{Kind: middleware.KindTool, Name: "billing_refund", Arguments: jsontext.Value(benchArguments)})
	})
	session := opened(t, s, "2025-11-25")
	for name, run := range map[string]func(){
		"session": func() {
			session.Handle(t.Context(), []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"billing_refund","arguments":`+benchArguments+`}}`))
		},
		"stateless": func() {
			session.Handle(t.Context(), []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`+modernMeta+`,"name":"billing_refund","arguments":`+benchArguments+`}}`))
		},
	} {
		if added := testing.AllocsPerRun(100, run) - alone; added > most {
			t.Errorf("%s: the protocol adds %v allocations, more than %d", name, added, most)
		}
	}
}
