package fusion_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/fusion/fusiontest"
	"github.com/mcpfusion/go/result"
	"github.com/mcpfusion/go/transport"
)

// tracer is an app whose every layer writes down that it ran.
type tracer struct {
	mu    sync.Mutex
	trace []string
}

func (tr *tracer) note(what string) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.trace = append(tr.trace, what)
}

// take returns what was noted and forgets it.
func (tr *tracer) take() []string {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	trace := tr.trace
	tr.trace = nil
	return trace
}

func (tr *tracer) wrap(name string) func(context.Context, *fusion.Call, fusion.Next) *result.Response {
	return func(ctx context.Context, call *fusion.Call, next fusion.Next) *result.Response {
		tr.note(name + " in")
		defer tr.note(name + " out")
		return next(ctx, call)
	}
}

func (tr *tracer) app() *fusion.App[deps] {
	f := newApp()
	f.Wrap(tr.wrap("server"))
	r := f.Router("r").Wrap(tr.wrap("router")).Use(func(ctx *fusion.Ctx[deps]) result.Result[derived] {
		tr.note("use")
		ctx.Defer(func() { tr.note("defer") })
		return derive(ctx)
	})
	r.Query("a").Describe("d").Wrap(tr.wrap("tool")).WithString("id", "d").
		Handle(func(ctx *fusion.Ctx[derived], in struct{ ID string }) result.Result[invoice] {
			tr.note("handler " + in.ID)
			ctx.Notice("noticed")
			return result.OK(invoice{ID: in.ID})
		})
	return f
}

// route sends one message and returns the response.
type route func(t *testing.T, f *fusion.App[deps], messages []string) string

func overPipe(t *testing.T, f *fusion.App[deps], messages []string) string {
	t.Helper()
	conn, err := transport.Pipe(t.Context(), f, nil)
	require.NoError(t, err)
	defer func() { assert.NoError(t, conn.Close()) }()
	replies := bufio.NewReader(conn)
	last := ""
	for _, m := range messages {
		_, err := io.WriteString(conn, m+"\n")
		require.NoError(t, err)
		if !strings.Contains(m, `"id"`) {
			continue
		}
		last, err = replies.ReadString('\n')
		require.NoError(t, err)
	}
	return strings.TrimSpace(last)
}

func overStdio(t *testing.T, f *fusion.App[deps], messages []string) string {
	t.Helper()
	var out bytes.Buffer
	in := strings.NewReader(strings.Join(messages, "\n") + "\n")
	require.NoError(t, transport.Stdio(t.Context(), f, &transport.StdioOptions{Reader: in, Writer: &out}))
	for line := range strings.Lines(out.String()) {
		if line = strings.TrimSpace(line); strings.Contains(line, `"id":9`) {
			return line
		}
	}
	t.Fatalf("no reply in %s", out.String())
	return ""
}

func overHTTP(t *testing.T, f *fusion.App[deps], messages []string) string {
	t.Helper()
	handler, err := transport.HTTP(f, nil)
	require.NoError(t, err)
	server := httptest.NewServer(handler)
	defer server.Close()
	session, last := "", ""
	for _, m := range messages {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader(m))
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			r.Header.Set("Mcp-Session-Id", session)
		}
		if strings.Contains(m, "2026-07-28") {
			r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
			r.Header.Set("Mcp-Method", "tools/call")
			r.Header.Set("Mcp-Name", "r_a")
		}
		resp, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
			session = id
		}
		last = string(body)
	}
	return last
}

var resultOf = regexp.MustCompile(`"result":.*`)

func TestF3_EveryRouteRunsTheSameLayersAndGivesTheSameBytes(t *testing.T) {
	call := func(meta string) string {
		return `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"r_a","arguments":{"id":"x"}` + meta + `}}`
	}
	initialize := func(revision string) []string {
		return []string{
			fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`, revision),
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`, call(""),
		}
	}
	want := []string{"server in", "router in", "tool in", "use", "handler x", "defer", "tool out", "router out", "server out"}
	for revision, messages := range map[string][]string{
		"2025-03-26": initialize("2025-03-26"), "2025-06-18": initialize("2025-06-18"), "2025-11-25": initialize("2025-11-25"),
		"2026-07-28": {call(`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`)},
	} {
		tr := &tracer{}
		f := tr.app()
		inTest := fusiontest.New(t, f).Revision(revision).Call("r.a", map[string]any{"id": "x"})
		assert.Equal(t, want, tr.take(), "fusiontest")
		for name, route := range map[string]route{"pipe": overPipe, "stdio": overStdio, "http": overHTTP} {
			reply := route(t, f, messages)
			assert.Equal(t, want, tr.take(), "%s %s", revision, name)
			assert.Equal(t, `"result":`+string(inTest.Raw())+"}", strings.TrimSpace(resultOf.FindString(reply)), "%s %s", revision, name)
		}
	}
}

func TestF2_F7_WhatIsAddedAfterTheStartIsRefusedAndWhatCameBeforeCountsOnce(t *testing.T) {
	tr := &tracer{}
	f := tr.app()
	tools := fusiontest.New(t, f)
	for range 12 {
		tools.Call("r.a", map[string]any{"id": "x"})
		assert.Len(t, tr.take(), 9)
	}
	f.Wrap(tr.wrap("late"))
	assert.Error(t, f.Err())
	tools.Call("r.a", map[string]any{"id": "x"})
	assert.Len(t, tr.take(), 9)
}

func TestF6_ContextsOfParallelCallsDoNotMix(t *testing.T) {
	type user struct{ id string }
	f := newApp()
	users := f.Use(func(ctx *fusion.Ctx[deps]) result.Result[user] { return result.OK(user{ctx.Call.Subject.ID}) })
	users.Query("whoami").Describe("d").Handle(func(ctx *fusion.Ctx[user], _ fusion.NoInput) result.Result[string] {
		return result.OK(ctx.App.id)
	})
	tools := fusiontest.New(t, f)
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			id := fmt.Sprintf("user-%d", i)
			assert.Equal(t, id, tools.As(fusion.Subject{ID: id}).Call("whoami", nil).Text())
		})
	}
	wg.Wait()
}

func TestTS_AWrapThatForgetsToAnswerIsAnInternalError(t *testing.T) {
	f := newApp()
	f.Wrap(func(ctx context.Context, call *fusion.Call, next fusion.Next) *result.Response {
		next(ctx, call)
		return nil
	})
	says(f.Query("a"), "x")
	reply := fusiontest.New(t, f).Call("a", nil)
	assert.Equal(t, result.CodeInternal, reply.Failure().Code)
	assert.NotContains(t, string(reply.Raw()), "undefined")
}

func TestAMiddlewareMayKeepTheArguments(t *testing.T) {
	var kept []*fusion.Call
	f := newApp()
	f.Wrap(func(ctx context.Context, call *fusion.Call, next fusion.Next) *result.Response {
		kept = append(kept, call)
		return next(ctx, call)
	})
	f.Query("a").Describe("d").WithString("id", "d").
		Handle(func(_ *fusion.Ctx[deps], in struct{ ID string }) result.Result[string] { return result.OK(in.ID) })
	tools := fusiontest.New(t, f)
	for i := range 20 {
		tools.Call("a", map[string]any{"id": strconv.Itoa(i)})
	}
	for i, call := range kept {
		assert.Equal(t, fmt.Sprintf(`{"id":"%d"}`, i), string(call.Arguments))
	}
}
