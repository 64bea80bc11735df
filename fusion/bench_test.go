package fusion_test

import (
	"context"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/samber/mo"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/internal/protocol"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

// receipt is the result of the benchmarked tool.
type receipt struct {
	ID          string `json:"id"`
	Status      string `json:"status"`
	AmountCents int64  `json:"amount_cents"`
}

func refund(id string, cents int64) receipt { return receipt{id, "refunded", cents} }

func benchApp() *fusion.App[deps] {
	f := newApp()
	f.Mutation("refund").Describe("Refund an invoice").
		Coerce(false). // as the twins, which take no string for a number
		WithString("id", "Invoice ID", "min=1,max=64").
		WithInteger("amount_cents", "Amount in CENTS", "min=1,max=100000000").
		WithOptionalEnum("reason", []string{"duplicate", "customer_request", "fraud"}, "Why").
		Handle(func(_ *fusion.Ctx[deps], in struct {
			ID          string
			AmountCents int64
			Reason      mo.Option[string]
		}) result.Result[receipt] {
			return result.OK(refund(in.ID, in.AmountCents))
		})
	return f
}

// The twins below are what a careful developer writes by hand for this one tool, with
// encoding/json/v2. They are the measure of what the framework costs.

type twinArguments struct {
	ID          *string `json:"id"`
	AmountCents *int64  `json:"amount_cents"`
	Reason      *string `json:"reason"`
}

var errTwinRefuses = errors.New("the arguments are not valid")

// twinCall decodes, validates, handles and encodes.
func twinCall(arguments []byte) ([]byte, error) {
	var in twinArguments
	if err := json.Unmarshal(arguments, &in, json.RejectUnknownMembers(true)); err != nil {
		return nil, err
	}
	if in.ID == nil || in.AmountCents == nil || *in.AmountCents < 1 || *in.AmountCents > 100_000_000 {
		return nil, errTwinRefuses
	}
	if n := utf8.RuneCountInString(*in.ID); n < 1 || n > 64 {
		return nil, errTwinRefuses
	}
	if in.Reason != nil && !slices.Contains([]string{"duplicate", "customer_request", "fraud"}, *in.Reason) {
		return nil, errTwinRefuses
	}
	return json.Marshal(refund(*in.ID, *in.AmountCents))
}

type twinRequest struct {
	JSONRPC string         `json:"jsonrpc"`
	ID      jsontext.Value `json:"id"`
	Method  string         `json:"method"`
	Params  struct {
		Name      string         `json:"name"`
		Arguments jsontext.Value `json:"arguments"`
		Meta      struct {
			Version      string         `json:"io.modelcontextprotocol/protocolVersion"`
			Capabilities jsontext.Value `json:"io.modelcontextprotocol/clientCapabilities"`
		} `json:"_meta"`
	} `json:"params"`
}

type twinResponse struct {
	JSONRPC string         `json:"jsonrpc"`
	ID      jsontext.Value `json:"id"`
	Result  twinResult     `json:"result"`
}

type twinResult struct {
	Type       string         `json:"resultType,omitempty"`
	Content    [1]twinText    `json:"content"`
	Structured jsontext.Value `json:"structuredContent,omitempty"`
	IsError    bool           `json:"isError,omitzero"`
	Meta       *twinMeta      `json:"_meta,omitempty"`
}

type twinText struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type twinMeta struct {
	Server struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"io.modelcontextprotocol/serverInfo"`
}

// twinDispatch goes from request bytes to response bytes, in either lifecycle.
func twinDispatch(message []byte) ([]byte, error) {
	var request twinRequest
	if err := json.Unmarshal(message, &request); err != nil {
		return nil, err
	}
	if request.JSONRPC != "2.0" || request.Method != "tools/call" || request.Params.Name != "refund" {
		return nil, errTwinRefuses
	}
	response := twinResponse{JSONRPC: "2.0", ID: request.ID}
	if request.Params.Meta.Version != "" {
		if request.Params.Meta.Version != "2026-07-28" || request.Params.Meta.Capabilities.Kind() != '{' {
			return nil, errTwinRefuses
		}
		response.Result.Type = "complete"
		response.Result.Meta = &twinMeta{}
		response.Result.Meta.Server.Name, response.Result.Meta.Server.Version = "test", "1.0.0"
	}
	data, err := twinCall(request.Params.Arguments)
	if err != nil {
		response.Result.Content[0] = twinText{"text", err.Error()}
		response.Result.IsError = true
	} else {
		response.Result.Content[0] = twinText{"text", string(data)}
		response.Result.Structured = data
	}
	return json.Marshal(response)
}

const benchArguments = `{"id":"inv_12345","amount_cents":2500,"reason":"duplicate"}`

// benchRequest is the call in one of the lifecycles.
func benchRequest(lifecycle, arguments string) []byte {
	meta := ""
	if lifecycle == "stateless" {
		meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	}
	return []byte(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"refund","arguments":` + arguments + meta + `}}`)
}

// benchCatalog is the benchmarked app.
func benchCatalog(tb testing.TB) *catalog.Catalog {
	tb.Helper()
	c, err := benchApp().Catalog()
	require.NoError(tb, err)
	return c
}

// benchConn is a client of the app that has opened a session too.
func benchConn(tb testing.TB) *protocol.Conn {
	tb.Helper()
	server, err := protocol.New(benchCatalog(tb), protocol.Options{})
	require.NoError(tb, err)
	conn := server.Connect(middleware.Subject{})
	conn.Handle(context.Background(), []byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`))
	conn.Handle(context.Background(), []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	return conn
}

// fusionCall and fusionDispatch are what the twins are twins of. A request's bytes are
// its own, as they are in a server.
func fusionCall(c *catalog.Catalog, arguments []byte) *catalog.Reply {
	return c.Call(context.Background(), &middleware.Call{Kind: middleware.KindTool, Name: "refund", Arguments: arguments})
}

func BenchmarkCall(b *testing.B) {
	c, arguments := benchCatalog(b), []byte(benchArguments)
	b.Run("fusion", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			fusionCall(c, arguments)
		}
	})
	b.Run("twin", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = twinCall(arguments)
		}
	})
}

func BenchmarkDispatch(b *testing.B) {
	for _, lifecycle := range []string{"session", "stateless"} {
		conn, message := benchConn(b), benchRequest(lifecycle, benchArguments)
		b.Run(lifecycle+"/fusion", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				conn.Handle(context.Background(), message)
			}
		})
		b.Run(lifecycle+"/twin", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = twinDispatch(message)
			}
		})
	}
}

func TestTheTwinsReplyTheSameBytes(t *testing.T) {
	data, err := twinCall([]byte(benchArguments))
	require.NoError(t, err)
	assert.Equal(t, string(data), string(fusionCall(benchCatalog(t), []byte(benchArguments)).Structured))

	conn := benchConn(t)
	for _, lifecycle := range []string{"session", "stateless"} {
		message := benchRequest(lifecycle, benchArguments)
		twin, err := twinDispatch(message)
		require.NoError(t, err)
		assert.Equal(t, string(twin), string(conn.Handle(t.Context(), message)))
	}
}

func TestTheTwinsRefuseTheSameInputs(t *testing.T) {
	c, conn := benchCatalog(t), benchConn(t)
	for _, arguments := range []string{
		`{}`, `{"id":"x"}`, `{"id":"","amount_cents":1}`, `{"id":"x","amount_cents":0}`,
		`{"id":"x","amount_cents":100000001}`, `{"id":"x","amount_cents":1.5}`, `{"id":"x","amount_cents":"1"}`,
		`{"id":5,"amount_cents":1}`, `{"id":null,"amount_cents":1}`, `{"id":"x","amount_cents":1,"reason":"other"}`,
		`{"id":"x","amount_cents":1,"reason":5}`, `{"id":"x","amount_cents":1,"more":1}`, `{"ID":"x","amount_cents":1}`,
		`{"id":"` + strings.Repeat("x", 65) + `","amount_cents":1}`,
	} {
		_, err := twinCall([]byte(arguments))
		assert.Error(t, err, arguments)
		assert.True(t, fusionCall(c, []byte(arguments)).IsError, arguments)
		for _, lifecycle := range []string{"session", "stateless"} {
			message := benchRequest(lifecycle, arguments)
			twin, err := twinDispatch(message)
			require.NoError(t, err)
			assert.Contains(t, string(twin), `"isError":true`)
			assert.Contains(t, string(conn.Handle(t.Context(), message)), `"isError":true`)
		}
	}
}

func TestAllocationCeilings(t *testing.T) {
	c, conn, arguments := benchCatalog(t), benchConn(t), []byte(benchArguments)
	assert.LessOrEqual(t, testing.AllocsPerRun(100, func() { fusionCall(c, arguments) }), 15.0, "a call")
	for _, lifecycle := range []string{"session", "stateless"} {
		message := benchRequest(lifecycle, benchArguments)
		allocs := testing.AllocsPerRun(100, func() { conn.Handle(context.Background(), message) })
		assert.LessOrEqual(t, allocs, 25.0, "dispatch, "+lifecycle)
	}
}

// TestACallCostsAtMostTwiceItsTwin compares both in interleaved rounds of one run, by
// their fastest.
func TestACallCostsAtMostTwiceItsTwin(t *testing.T) {
	if raceEnabled || testing.Short() {
		t.Skip("the race detector distorts what is compared here")
	}
	c, conn, arguments := benchCatalog(t), benchConn(t), []byte(benchArguments)
	session, stateless := benchRequest("session", benchArguments), benchRequest("stateless", benchArguments)
	for name, pair := range map[string][2]func(){
		"call":               {func() { fusionCall(c, arguments) }, func() { _, _ = twinCall(arguments) }},
		"dispatch/session":   {func() { conn.Handle(context.Background(), session) }, func() { _, _ = twinDispatch(session) }},
		"dispatch/stateless": {func() { conn.Handle(context.Background(), stateless) }, func() { _, _ = twinDispatch(stateless) }},
	} {
		t.Run(name, func(t *testing.T) {
			fastest := [2]time.Duration{time.Hour, time.Hour}
			for range 500 { // short rounds: some of them run undisturbed on a busy machine
				for i, run := range pair {
					start := time.Now()
					for range 50 {
						run()
					}
					fastest[i] = min(fastest[i], time.Since(start))
				}
			}
			ratio := float64(fastest[0]) / float64(fastest[1])
			t.Logf("%.2f times the twin", ratio)
			assert.LessOrEqual(t, ratio, 2.0)
		})
	}
}
