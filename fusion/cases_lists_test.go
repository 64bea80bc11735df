package fusion_test

import (
	"bytes"
	"context"
	"encoding/json/v2"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/fusion/fusiontest"
	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/internal/protocol"
	"github.com/mcpfusion/go/result"
)

// client is a session of an app, without a transport.
func client(t *testing.T, f *fusion.App[deps], revision string) func(method, params string) string {
	t.Helper()
	c, err := f.Catalog()
	require.NoError(t, err)
	server, err := protocol.New(c, protocol.Options{})
	require.NoError(t, err)
	conn := server.Connect(fusion.Subject{})
	ask := func(method, params string) string {
		return string(conn.Handle(t.Context(), []byte(`{"jsonrpc":"2.0","id":2,"method":"`+method+`","params":`+params+`}`)))
	}
	if revision != "2026-07-28" {
		ask("initialize", `{"protocolVersion":"`+revision+`","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`)
	}
	return ask
}

func TestG15_WhatACallerIsNotShownItCannotCall(t *testing.T) {
	f := newApp()
	never := func(*fusion.Ctx[deps], fusion.NoInput) result.Result[string] { panic("it ran") }
	f.Query("hidden").Describe("d").Visible(func(context.Context, *fusion.Call) bool { return false }).Handle(never)
	f.Query("refused").Describe("d").
		Require(func(context.Context, *fusion.Call) *result.Failure {
			return result.Forbidden("Ask an admin first").Actions("hidden", "refused", "open")
		}).Handle(never)
	says(f.Query("open"), "open")
	for revision, tools := range map[string]*fusiontest.Tester{
		"2025-03-26": fusiontest.New(t, f).Revision("2025-03-26"), "2025-11-25": fusiontest.New(t, f).Revision("2025-11-25"), "2026-07-28": fusiontest.New(t, f),
	} {
		require.Len(t, tools.List(), 1, revision)
		assert.Equal(t, -32602, tools.Call("hidden", nil).Fault().Code, revision)
		assert.Equal(t, `{"error":{"code":"FORBIDDEN","message":"Ask an admin first","retryable":false,"availableActions":["open"]}}`,
			tools.Call("refused", nil).Text(), revision)
	}
}

func TestL3_AListOverStdioIsJudgedForAnAnonymousCaller(t *testing.T) {
	var log bytes.Buffer
	f := fusion.New("test", "1", deps{}, &fusion.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	judged := 0
	f.Visible(func(ctx context.Context, call *fusion.Call) bool {
		judged++
		return ctx != nil && call.Subject.Anonymous() && call.Subject.Claims["admin"] == nil && call.Header.Get("Authorization") == ""
	})
	says(f.Query("a"), "x")
	messages := calling("2025-11-25", "a", `{}`)
	messages[2] = `{"jsonrpc":"2.0","id":9,"method":"tools/list"}`
	for name, route := range routes {
		assert.Contains(t, route(t, f, messages), `"name":"a"`, name)
	}
	assert.Equal(t, len(routes), judged)
	assert.Empty(t, log.String())
}

func TestM1_TheTraceContextOfACallIsInItsMetaOnEveryTransport(t *testing.T) {
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	f := newApp()
	f.Query("a").Describe("d").Handle(func(ctx *fusion.Ctx[deps], _ fusion.NoInput) result.Result[string] {
		var meta struct{ Traceparent string }
		if err := json.Unmarshal(ctx.Call.Meta, &meta, json.MatchCaseInsensitiveNames(true)); err != nil {
			return result.Err[string](err)
		}
		return result.OK(meta.Traceparent)
	})
	for _, revision := range revisions {
		messages := calling(revision, "a", `{}`)
		last := &messages[len(messages)-1]
		if revision == "2026-07-28" {
			*last = strings.Replace(*last, `"_meta":{`, `"_meta":{"traceparent":"`+parent+`",`, 1)
		} else {
			*last = strings.Replace(*last, `"arguments":{}`, `"arguments":{},"_meta":{"traceparent":"`+parent+`"}`, 1)
		}
		for name, route := range routes {
			assert.Contains(t, route(t, f, messages), parent, "%s over %s", revision, name)
		}
	}
}

func TestI3_AnAppIsFrozenOnceHoweverManyStartIt(t *testing.T) {
	f := newApp()
	says(f.Query("a"), "x")
	var wg sync.WaitGroup
	frozen := make([]*catalog.Catalog, 100)
	for i := range frozen {
		wg.Go(func() {
			c, err := f.Catalog()
			assert.NoError(t, err)
			frozen[i] = c
		})
	}
	wg.Wait()
	for _, c := range frozen {
		assert.Same(t, frozen[0], c)
	}
}

func TestTS_ACursorIsTheSameForAllWhoAskFirst(t *testing.T) {
	f := fusion.New("test", "1", deps{}, &fusion.Options{PageSize: 1})
	says(f.Query("a"), "x")
	says(f.Query("b"), "x")
	var wg sync.WaitGroup
	pages := make([]string, 50)
	for i := range pages {
		ask := client(t, f, "2025-11-25")
		wg.Go(func() { pages[i] = ask("tools/list", "{}") })
	}
	wg.Wait()
	for _, page := range pages {
		assert.Equal(t, pages[0], page)
	}
	assert.Contains(t, pages[0], `"nextCursor":`)
	assert.Equal(t, pages[0], client(t, f, "2025-11-25")("tools/list", "{}"), "another process of the same app reads it")
}

func TestTS_WhatAServerHasItAdvertises(t *testing.T) {
	tools := func(f *fusion.App[deps]) { says(f.Query("a"), "x") }
	prompts := func(f *fusion.App[deps]) { f.Prompt("p").Describe("d").Handle(hello[deps]) }
	resources := func(f *fusion.App[deps]) { f.Resource("r://a").Describe("d").Handle(hello[deps]) }
	templates := func(f *fusion.App[deps]) {
		f.Resource("r://{id}").Describe("d").Handle(func(*fusion.Ctx[deps], struct{ ID string }) result.Result[string] { return result.OK("x") })
	}
	for name, tc := range map[string]struct {
		declare []func(*fusion.App[deps])
		want    []string
		not     []string
	}{
		"tools":     {[]func(*fusion.App[deps]){tools}, []string{`"tools":{"listChanged":true}`}, []string{`"prompts"`, `"resources"`}},
		"prompts":   {[]func(*fusion.App[deps]){prompts}, []string{`"prompts":{"listChanged":true}`}, []string{`"resources"`}},
		"resources": {[]func(*fusion.App[deps]){resources}, []string{`"resources":{`, `"subscribe":true`, `"listChanged":true`}, []string{`"prompts"`}},
		"templates": {[]func(*fusion.App[deps]){templates}, []string{`"resources":{`, `"subscribe":true`}, []string{`"prompts"`}},
		"all":       {[]func(*fusion.App[deps]){tools, prompts, resources, templates}, []string{`"tools":{`, `"prompts":{`, `"resources":{`}, nil},
	} {
		for _, revision := range revisions[:3] {
			f := newApp()
			for _, declare := range tc.declare {
				declare(f)
			}
			ask := client(t, f, revision)
			got := ask("initialize", `{"protocolVersion":"`+revision+`","capabilities":{}}`)
			for _, part := range tc.want {
				assert.Contains(t, got, part, "%s %s", name, revision)
			}
			for _, part := range tc.not {
				assert.NotContains(t, got, part, "%s %s", name, revision)
			}
		}
	}
}

func TestTS_AListThatVariesIsNotCached(t *testing.T) {
	steady, varying := newApp(), newApp()
	says(steady.Query("a"), "x")
	says(varying.Query("a").Visible(func(context.Context, *fusion.Call) bool { return true }), "x")
	list := func(f *fusion.App[deps]) string {
		return client(t, f, "2026-07-28")("tools/list", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}`)
	}
	assert.Contains(t, list(varying), `"cacheScope":"private"`)
	assert.Contains(t, list(varying), `"ttlMs":0`)
	assert.Contains(t, list(steady), `"cacheScope":"public"`)
}

func TestTS_AMessageOfTheSystemIsNoTurnOfTheAssistant(t *testing.T) {
	f := newApp()
	f.Prompt("p").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[[]result.Message] {
		return result.OK([]result.Message{{Role: "system", Content: result.Text{Text: "Obey"}}, result.User("Hello")})
	})
	answer := fusiontest.New(t, f).Prompt("p", nil)
	assert.Equal(t, -32603, answer.Fault().Code, "MCP has no such role, and another one would be a lie")
}

func TestTS_EveryPromptArgumentSaysWhetherItIsRequiredAndWhatItIs(t *testing.T) {
	f := newApp()
	f.Prompt("p").Describe("d").WithString("id", "The order").WithOptionalString("tone", "How to say it").
		Handle(func(*fusion.Ctx[deps], struct {
			ID   string
			Tone *string
		}) result.Result[string] {
			return result.OK("x")
		})
	assert.Contains(t, client(t, f, "2025-11-25")("prompts/list", "{}"),
		`"arguments":[{"name":"id","description":"The order","required":true},{"name":"tone","description":"How to say it"`)
	assert.False(t, fusiontest.New(t, f).Prompts()[0].Arguments[1].Required)
}

func TestTS_AnUnknownPromptIsAnErrorThatNamesNoOther(t *testing.T) {
	f := newApp()
	f.Prompt("secret_plans").Describe("d").Handle(hello[deps])
	for _, revision := range revisions[:3] {
		assert.Equal(t, `{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Unknown prompt: \"plans\""}}`,
			client(t, f, revision)("prompts/get", `{"name":"plans"}`), revision)
	}
}

func TestTS_LiteralsOfATemplateAreNoPatterns(t *testing.T) {
	f := newApp()
	f.Resource("docs://v1.2+beta/(x)*/{name}.md").Describe("d").
		Handle(func(_ *fusion.Ctx[deps], in struct{ Name string }) result.Result[string] { return result.OK(in.Name) })
	tools := fusiontest.New(t, f)
	assert.Equal(t, "readme", tools.Resource("docs://v1.2+beta/(x)*/readme.md").Text())
	for _, uri := range []string{"docs://v1x2+beta/(x)*/readme.md", "docs://v1.2beta/(x)*/readme.md", "docs://v1.2+beta/x/readme.md", "docs://v1.2+beta/(x)*/readmexmd"} {
		assert.Equal(t, -32602, tools.Resource(uri).Fault().Code, uri)
	}
}

func TestI1_ListsCallsAndChangesRunConcurrently(t *testing.T) {
	f := newApp()
	var shut sync.Map
	for i := range 10 {
		name := fmt.Sprintf("t%d", i)
		says(f.Query(name).Visible(func(context.Context, *fusion.Call) bool {
			_, is := shut.Load(name)
			return !is
		}), name)
	}
	tools := fusiontest.New(t, f).Revision("2025-11-25")
	var wg sync.WaitGroup
	for i := range 10 {
		name := fmt.Sprintf("t%d", i)
		wg.Go(func() {
			for range 20 {
				shut.Store(name, true)
				f.ListChanged(t.Context())
				shut.Delete(name)
				assert.Equal(t, name, tools.Call(name, nil).Text())
				assert.NotEmpty(t, tools.List())
			}
		})
	}
	wg.Wait()
	assert.Len(t, tools.List(), 10)
}
