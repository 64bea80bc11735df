package fusion_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/fusion/fusiontest"
	"github.com/mcpfusion/go/internal/protocol"
	"github.com/mcpfusion/go/result"
)

func TestWhatAResourcesChainSaysIsWhatClientsAreTold(t *testing.T) {
	priority := 0.5
	f := newApp()
	f.Resource("orders://recent").
		Name("recent").
		Title("Recent").
		Describe("The recent orders").
		MIMEType("text/plain").
		Size(5).
		Annotations(result.Annotations{Audience: []result.Role{result.RoleUser}, Priority: &priority, LastModified: time.Unix(0, 0)}).
		Icon("data:image/png;base64,eA==", "image/png").
		Meta("com.example/team", "orders").
		Handle(hello[deps])
	f.Router("ignored").Resource("orders://{id}").Describe("One").
		Handle(func(_ *fusion.Ctx[deps], in struct{ ID int }) result.Result[string] { return result.OK(jsonOf(t, in)) })
	tester := fusiontest.New(t, f)
	list := func(revision string) string {
		r := tester.Revision(revision).Resources()
		require.Len(t, r, 1)
		return jsonOf(t, r[0])
	}
	assert.Equal(t, `{"uri":"orders://recent","uriTemplate":"","name":"recent","title":"Recent","description":"The recent orders","mimeType":"text/plain","size":5,"annotations":{"audience":["user"],"priority":0.5,"lastModified":"1970-01-01T00:00:00Z"},"icons":[{"src":"data:image/png;base64,eA==","mimeType":"image/png","sizes":[],"theme":""}],"_meta":{"com.example/team":"orders"}}`, list("2025-11-25"))
	assert.Equal(t, `{"uri":"orders://recent","uriTemplate":"","name":"recent","title":"","description":"The recent orders","mimeType":"text/plain","size":5,"annotations":{"audience":["user"],"priority":0.5},"icons":[],"_meta":null}`, list("2025-03-26"))
	templates := tester.Templates()
	require.Len(t, templates, 1)
	assert.Equal(t, `{"uri":"","uriTemplate":"orders://{id}","name":"orders://{id}","title":"","description":"One","mimeType":"","size":0,"annotations":null,"icons":[],"_meta":null}`, jsonOf(t, templates[0]))
	assert.Equal(t, "hello", tester.Resource("orders://recent").Text())
	assert.Equal(t, `{"ID":7}`, tester.Resource("orders://7").Text())
}

func TestAResourceHoldsTextOrBytesByItsGoType(t *testing.T) {
	f := newApp()
	f.Resource("r://text").Describe("d").MIMEType("text/plain").Handle(hello[deps])
	f.Resource("r://bytes").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[[]byte] { return result.OK([]byte(nil)) })
	f.Resource("r://own").Describe("d").MIMEType("text/plain").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[result.ResourceContents] {
		return result.OK(result.ResourceContents{MIMEType: "text/html", Text: "<p>"})
	})
	f.Resource("r://many").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[[]result.ResourceContents] {
		return result.OK([]result.ResourceContents{{URI: "r://a", Text: "a"}, {URI: "r://b", Blob: []byte("b")}})
	})
	tester := fusiontest.New(t, f).Revision("2025-11-25")
	for uri, want := range map[string]string{
		"r://text":  `{"contents":[{"uri":"r://text","mimeType":"text/plain","text":"hello"}]}`,
		"r://bytes": `{"contents":[{"uri":"r://bytes","blob":""}]}`,
		"r://own":   `{"contents":[{"uri":"r://own","mimeType":"text/html","text":"<p>"}]}`,
		"r://many":  `{"contents":[{"uri":"r://a","text":"a"},{"uri":"r://b","blob":"Yg=="}]}`,
	} {
		assert.Equal(t, want, string(tester.Resource(uri).Raw()))
	}
	assert.Contains(t, string(tester.Revision("2026-07-28").Resource("r://text").Raw()), `"text":"hello"}],"ttlMs":0,"cacheScope":"private",`)
}

func TestAMissingResourceIsAnErrorAndNeverEmpty(t *testing.T) {
	f := newApp()
	f.Resource("r://hidden").Describe("d").Visible(func(context.Context, *fusion.Call) bool { return false }).Handle(hello[deps])
	f.Resource("r://item/{id}").Describe("d").Handle(func(_ *fusion.Ctx[deps], in struct{ ID int }) result.Result[string] {
		if in.ID == 0 {
			return result.Err[string](errors.New("password=hunter2"))
		}
		return result.Fail[string](result.NotFound("No such item"))
	})
	f.Resource("r://none").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[[]result.ResourceContents] {
		return result.OK([]result.ResourceContents{})
	})
	tester := fusiontest.New(t, f)
	for revision, code := range map[string]int{"2025-03-26": -32002, "2025-11-25": -32002, "2026-07-28": -32602} {
		tester := tester.Revision(revision)
		for _, uri := range []string{"r://hidden", "r://missing", "r://item/1", "r://none"} {
			assert.Equal(t, code, tester.Resource(uri).Fault().Code, revision+" "+uri)
		}
		assert.Equal(t, -32602, tester.Resource("r://item/x").Fault().Code, "a variable that does not fit")
		assert.Equal(t, -32602, tester.Resource("no uri").Fault().Code)
		assert.Equal(t, -32603, tester.Resource("r://item/0").Fault().Code)
		assert.Equal(t, "The resource failed with an internal error", tester.Resource("r://item/0").Fault().Message)
		hidden, missing := tester.Resource("r://hidden").Fault(), tester.Resource("r://missing").Fault()
		assert.Equal(t, strings.ReplaceAll(jsonOf(t, hidden), "hidden", "missing"), jsonOf(t, missing))
	}
}

func TestTemplatesMatchLiterallyAndStayInside(t *testing.T) {
	f := newApp()
	f.Resource("files://v1.0+x/{name}/raw").Describe("d").Handle(func(_ *fusion.Ctx[deps], in struct{ Name string }) result.Result[string] {
		return result.OK(in.Name)
	})
	f.Resource("files://by/{firstName}-{last_name}").Describe("d").Handle(func(_ *fusion.Ctx[deps], in fusion.Args) result.Result[string] {
		return result.OK(in.String("firstName") + " " + in.String("last_name"))
	})
	tester := fusiontest.New(t, f)
	for uri, want := range map[string]string{
		"files://v1.0+x/a.txt/raw":     "a.txt",
		"files://v1.0+x/a%20b%2Fc/raw": "a b/c",
		"files://v1.0+x/%C3%A4/raw":    "ä",
		"files://v1.0+x/..a/raw":       "..a",
		"files://by/ann-lee":           "ann lee",
	} {
		assert.Equal(t, want, tester.Resource(uri).Text(), uri)
	}
	for _, uri := range []string{
		"files://v1x0+x/a/raw", "files://v1.0x/a/raw", "files://v1.0+x//raw", "files://v1.0+x/a/b/raw", "files://v1.0+x/a/raw/",
		"files://v1.0+x/../raw", "files://v1.0+x/%2e%2e/raw", "files://v1.0+x/..%2F..%2Fetc/raw", "files://v1.0+x/a%2F../raw",
		"files://v1.0+x/%2Fetc%2Fpasswd/raw", "files://v1.0+x/..%5Cwin/raw", "files://v1.0+x/a%00b/raw", "files://v1.0+x/%FF/raw",
		"files://v1.0+x/a?b/raw",
	} {
		assert.Equal(t, -32602, tester.Resource(uri).Fault().Code, uri)
	}
}

func TestPoliciesHoldForResources(t *testing.T) {
	f := newApp()
	var seen []string
	f.Wrap(func(ctx context.Context, call *fusion.Call, next fusion.Next) *result.Response {
		seen = append(seen, string(call.Kind)+" "+call.Name+" "+call.Tool.ID)
		return next(ctx, call)
	})
	f.Resource("r://{id}").Describe("d").
		Wrap(func(ctx context.Context, call *fusion.Call, next fusion.Next) *result.Response {
			seen = append(seen, string(call.Arguments))
			return next(ctx, call)
		}).
		Use(derive).
		Handle(func(ctx *fusion.Ctx[derived], _ struct{ ID string }) result.Result[string] {
			return result.OK(ctx.App.greeting)
		})
	f.Resource("no://one").Describe("d").Require(func(context.Context, *fusion.Call) *result.Failure { return result.Forbidden("Not you") }).Handle(hello[deps])
	f.Resource("slow://one").Describe("d").Timeout(time.Millisecond).Handle(func(ctx *fusion.Ctx[deps], _ fusion.NoInput) result.Result[string] {
		<-ctx.Done()
		return result.Err[string](ctx.Err())
	})
	tester := fusiontest.New(t, f)
	assert.Equal(t, "hello", tester.Resource("r://7").Text())
	assert.Equal(t, []string{"resource r://7 r://{id}", `{"id":"7"}`}, seen)
	assert.Equal(t, "Not you", tester.Resource("no://one").Fault().Message)
	assert.Contains(t, tester.Resource("slow://one").Fault().Message, "The resource did not finish")
	require.Len(t, tester.Resources(), 1)
	assert.Equal(t, "slow://one", tester.Resources()[0].URI)
}

func TestServersIconsAndToolsIcons(t *testing.T) {
	f := fusion.New("test", "1", deps{}, &fusion.Options{Icons: []fusion.Icon{{Src: "https://example.com/s.svg", Sizes: []string{"any"}, Theme: "dark"}}})
	f.Query("a").Describe("d").Icon("https://example.com/a.png", "image/png", "16x16", "32x32").Meta("com.example/k", 1).Handle(nothing[deps])
	tester := fusiontest.New(t, f)
	assert.Contains(t, string(tester.Call("a", nil).Raw()), `"icons":[{"src":"https://example.com/s.svg","sizes":["any"],"theme":"dark"}]`)
	tool := tester.List()[0]
	assert.Equal(t, []fusiontest.Icon{{Src: "https://example.com/a.png", MIMEType: "image/png", Sizes: []string{"16x16", "32x32"}}}, tool.Icons)
	assert.Equal(t, `{"com.example/k":1}`, string(tool.Meta))
	old := tester.Revision("2025-06-18").List()[0]
	assert.Empty(t, old.Icons)
	assert.Equal(t, `{"com.example/k":1}`, string(old.Meta))
	assert.Nil(t, tester.Revision("2025-03-26").List()[0].Meta)
}

func TestCompletionSuggestsToWhoMayKnow(t *testing.T) {
	f := newApp()
	admin := func(_ context.Context, call *fusion.Call) bool { return call.Subject.ID == "ann" }
	names := func(ctx *fusion.Ctx[deps], prefix string) []string {
		all := []string{"ann", "anton", "ben " + ctx.App.greeting, string(ctx.Call.Arguments)}
		return slices.DeleteFunc(all, func(s string) bool { return !strings.HasPrefix(s, prefix) })
	}
	f.Prompt("p").Describe("d").WithString("name", "d").WithEnum("tone", []string{"kind", "strict"}, "d").WithOptionalString("free", "d").
		Complete("name", names).
		Use(derive).
		Handle(func(*fusion.Ctx[derived], struct {
			Name, Tone string
			Free       *string
		}) result.Result[string] {
			return result.OK("x")
		})
	f.Prompt("hidden").Describe("d").WithString("name", "d").Visible(admin).Complete("name", names).
		Handle(func(*fusion.Ctx[deps], struct{ Name string }) result.Result[string] { return result.OK("x") })
	f.Resource("r://{id}").Describe("d").
		Complete("id", func(*fusion.Ctx[deps], string) []string { return make([]string, 250) }).
		Handle(func(*fusion.Ctx[deps], struct{ ID string }) result.Result[string] { return result.OK("x") })
	f.Prompt("panics").Describe("d").WithString("name", "d").Complete("name", func(*fusion.Ctx[deps], string) []string { panic("hunter2") }).
		Handle(func(*fusion.Ctx[deps], struct{ Name string }) result.Result[string] { return result.OK("x") })
	tester := fusiontest.New(t, f)

	assert.Equal(t, []string{"ann", "anton"}, tester.Complete("p", "name", "an", nil).Values())
	assert.Equal(t, []string{"ben hello"}, tester.Complete("p", "name", "b", nil).Values())
	assert.Equal(t, []string{`{"tone":"kind"}`}, tester.Complete("p", "name", "{", map[string]string{"tone": "kind"}).Values())
	assert.Equal(t, []string{"strict"}, tester.Complete("p", "tone", "s", nil).Values())
	assert.Empty(t, tester.Complete("p", "free", "", nil).Values())
	raw := string(tester.Complete("r://{id}", "id", "", nil).Raw())
	assert.Contains(t, raw, `],"total":250,"hasMore":true}`)
	assert.Equal(t, 100, strings.Count(raw, `""`))

	assert.Equal(t, &result.ProtocolError{Code: -32602, Message: `Unknown argument: "x"`}, tester.Complete("p", "x", "", nil).Fault())
	assert.Equal(t, &result.ProtocolError{Code: -32602, Message: `Unknown prompt: "q"`}, tester.Complete("q", "x", "", nil).Fault())
	assert.Equal(t, &result.ProtocolError{Code: -32602, Message: `Unknown prompt: "hidden"`}, tester.Complete("hidden", "name", "", nil).Fault())
	assert.Equal(t, []string{"ann"}, tester.As(fusion.Subject{ID: "ann"}).Complete("hidden", "name", "ann", nil).Values())
	fault := tester.Complete("panics", "name", "", nil).Fault()
	assert.Equal(t, -32603, fault.Code)
	assert.NotContains(t, jsonOf(t, fault), "hunter2")
}

func TestCompletionIsLimitedInItsRate(t *testing.T) {
	f := newApp()
	f.Prompt("p").Describe("d").WithEnum("tone", []string{"kind"}, "d").
		Handle(func(*fusion.Ctx[deps], struct{ Tone string }) result.Result[string] { return result.OK("x") })
	tester := fusiontest.New(t, f).As(fusion.Subject{ID: "ann"})
	refused := 0
	for range 1000 {
		if tester.Complete("p", "tone", "", nil).Raw() == nil {
			refused++
		}
	}
	assert.Positive(t, refused)
	assert.NotNil(t, tester.As(fusion.Subject{ID: "ben"}).Complete("p", "tone", "", nil).Raw(), "one caller's limit is not another's")
}

func TestEachListHasCursorsOfItsOwn(t *testing.T) {
	f := fusion.New("test", "1", deps{}, &fusion.Options{PageSize: 1})
	for _, name := range []string{"a", "b", "c"} {
		f.Prompt(name).Describe("d").Handle(hello[deps])
		f.Resource("r://" + name).Describe("d").Handle(hello[deps])
		f.Resource("r://" + name + "/{id}").Describe("d").Handle(func(*fusion.Ctx[deps], struct{ ID string }) result.Result[string] { return result.OK("x") })
	}
	tester := fusiontest.New(t, f)
	assert.Len(t, tester.Prompts(), 3)
	assert.Len(t, tester.Resources(), 3)
	assert.Len(t, tester.Templates(), 3)
}

func TestH17_ACursorIsOfOneListAlone(t *testing.T) {
	f := fusion.New("test", "1", deps{}, &fusion.Options{PageSize: 1})
	gone := map[string]bool{}
	for _, name := range []string{"a", "b", "c"} {
		here := func(context.Context, *fusion.Call) bool { return !gone[name] }
		f.Query(name).Describe("d").Handle(nothing[deps])
		f.Prompt(name).Describe("d").Visible(here).Handle(hello[deps])
		f.Resource("r://" + name).Describe("d").Visible(here).Handle(hello[deps])
	}
	c, err := f.Catalog()
	require.NoError(t, err)
	server, err := protocol.New(c, protocol.Options{})
	require.NoError(t, err)
	conn := server.Connect(fusion.Subject{})
	conn.Handle(t.Context(), []byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`))
	list := func(method, cursor string) string {
		return string(conn.Handle(t.Context(), []byte(`{"jsonrpc":"2.0","id":2,"method":"`+method+`","params":{"cursor":"`+cursor+`"}}`)))
	}
	cursorOf := func(reply string) string {
		_, after, found := strings.Cut(reply, `"nextCursor":"`)
		require.True(t, found, reply)
		cursor, _, _ := strings.Cut(after, `"`)
		return cursor
	}
	prompts, resources := cursorOf(list("prompts/list", "")), cursorOf(list("resources/list", ""))
	assert.Contains(t, list("prompts/list", resources), "-32602")
	assert.Contains(t, list("resources/list", prompts), "-32602")
	assert.Contains(t, list("tools/list", prompts), "-32602")
	gone["b"] = true // the one that is next
	assert.Contains(t, list("prompts/list", prompts), `"prompts":[{"name":"c"`)
	last := list("resources/list", resources)
	assert.Contains(t, last, `"resources":[{"uri":"r://c"`)
	assert.NotContains(t, last, "nextCursor")
}

func TestE4_APanicInAPromptAResourceOrAPolicyOfTheirsIsContained(t *testing.T) {
	boom := func(context.Context, *fusion.Call) bool { panic("hunter2") }
	f := newApp()
	f.Prompt("handler").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[string] { panic("hunter2") })
	f.Prompt("policy").Describe("d").Visible(boom).Handle(hello[deps])
	f.Prompt("factory").Describe("d").Use(func(*fusion.Ctx[deps]) result.Result[derived] { panic("hunter2") }).Handle(hello[derived])
	f.Resource("r://handler").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[string] { panic("hunter2") })
	f.Resource("r://policy").Describe("d").Visible(boom).Handle(hello[deps])
	f.Resource("r://factory").Describe("d").Use(func(*fusion.Ctx[deps]) result.Result[derived] { panic("hunter2") }).Handle(hello[derived])
	f.Resource("r://fine").Describe("d").Handle(hello[deps])
	tester := fusiontest.New(t, f)
	for _, name := range []string{"handler", "policy", "factory"} {
		for _, fault := range []*result.ProtocolError{tester.Prompt(name, nil).Fault(), tester.Resource("r://" + name).Fault()} {
			assert.Equal(t, map[bool]int{true: -32602, false: -32603}[name == "policy"], fault.Code, "what a policy that panics is for is hidden: "+name)
			assert.NotContains(t, jsonOf(t, fault), "hunter2", name)
		}
	}
	assert.Len(t, tester.Prompts(), 2)
	assert.Len(t, tester.Resources(), 3)
	assert.Equal(t, "hello", tester.Resource("r://fine").Text())
}

func TestMistakesInPromptsAndResourcesAreBuildErrors(t *testing.T) {
	type id struct{ ID string }
	byID := func(*fusion.Ctx[deps], id) result.Result[string] { return result.OK("x") }
	suggest := func(*fusion.Ctx[deps], string) []string { return nil }
	cases := []struct {
		name string
		make func(f *fusion.App[deps])
		want []string
	}{
		{"a prompt without Handle", func(f *fusion.App[deps]) { f.Prompt("p").Describe("d") }, []string{`prompt "p"`, "never reaches Handle"}},
		{"a prompt without a description", func(f *fusion.App[deps]) { f.Prompt("p").Handle(hello[deps]) }, []string{`prompt "p"`, "what the prompt does"}},
		{"a bad prompt name", func(f *fusion.App[deps]) { f.Prompt("p q").Describe("d").Handle(hello[deps]) }, []string{`prompt "p q"`, "clients accept only"}},
		{"two prompts of one name", func(f *fusion.App[deps]) {
			f.Prompt("p").Describe("d").Handle(hello[deps])
			f.Prompt("p").Describe("d").Handle(hello[deps])
		}, []string{`taken by prompt "p"`}},
		{"an argument without a field", func(f *fusion.App[deps]) {
			f.Prompt("p").Describe("d").WithString("id", "d").WithString("x", "d").Handle(byID)
		}, []string{`prompt "p"`, `"x"`, "no field"}},
		{"an argument that is no text", func(f *fusion.App[deps]) {
			f.Prompt("p").Describe("d").Handle(func(*fusion.Ctx[deps], struct{ Items []string }) result.Result[string] { return result.OK("x") })
		}, []string{`prompt "p"`, `"items"`, "given as text"}},
		{"a result that is no message", func(f *fusion.App[deps]) { f.Prompt("p").Describe("d").Handle(nothing[deps]) }, []string{"returns a result.Unit", "result.Message"}},
		{"a completion for nothing", func(f *fusion.App[deps]) { f.Prompt("p").Describe("d").Complete("x", suggest).Handle(hello[deps]) }, []string{`Complete("x")`, "no argument of the prompt"}},
		{"a completion twice", func(f *fusion.App[deps]) {
			f.Prompt("p").Describe("d").Complete("id", suggest).Complete("id", suggest).Handle(byID)
		}, []string{`Complete("id") is declared twice`}},
		{"a nil completion", func(f *fusion.App[deps]) { f.Prompt("p").Describe("d").Complete("id", nil).Handle(byID) }, []string{"Complete was given a nil function"}},
		{"an icon that is no https", func(f *fusion.App[deps]) { f.Prompt("p").Describe("d").Icon("http://x/i.png", "").Handle(hello[deps]) }, []string{`the icon "http://x/i.png"`, "https or data"}},
		{"an icon of no size", func(f *fusion.App[deps]) {
			f.Query("q").Describe("d").Icon("https://x/i.png", "", "big").Handle(nothing[deps])
		}, []string{`the icon size "big"`}},
		{"a reserved key of _meta", func(f *fusion.App[deps]) {
			f.Prompt("p").Describe("d").Meta("io.modelcontextprotocol/x", 1).Handle(hello[deps])
		}, []string{"reserves"}},
		{"a bad key of _meta", func(f *fusion.App[deps]) { f.Prompt("p").Describe("d").Meta("a b", 1).Handle(hello[deps]) }, []string{"is no key of _meta"}},
		{"a value of _meta that is no JSON", func(f *fusion.App[deps]) { f.Prompt("p").Describe("d").Meta("k", suggest).Handle(hello[deps]) }, []string{"is no JSON"}},
		{"a relative URI", func(f *fusion.App[deps]) { f.Resource("orders").Describe("d").Handle(hello[deps]) }, []string{`resource "orders"`, "no absolute URI"}},
		{"a URI with a blank", func(f *fusion.App[deps]) { f.Resource("o://a b").Describe("d").Handle(hello[deps]) }, []string{"a blank"}},
		{"an operator in a template", func(f *fusion.App[deps]) { f.Resource("o://{+path}").Describe("d").Handle(hello[deps]) }, []string{"{+path}", "only simple ones"}},
		{"an open brace", func(f *fusion.App[deps]) { f.Resource("o://{id").Describe("d").Handle(hello[deps]) }, []string{"a { without a }"}},
		{"a stray brace", func(f *fusion.App[deps]) { f.Resource("o://id}").Describe("d").Handle(hello[deps]) }, []string{"a } without a {"}},
		{"variables side by side", func(f *fusion.App[deps]) { f.Resource("o://{a}{b}").Describe("d").Handle(hello[deps]) }, []string{"side by side"}},
		{"a variable twice", func(f *fusion.App[deps]) { f.Resource("o://{a}/{a}").Describe("d").Handle(hello[deps]) }, []string{"{a} twice"}},
		{"a variable without a field", func(f *fusion.App[deps]) { f.Resource("o://{id}").Describe("d").Handle(hello[deps]) }, []string{"{id} has no field"}},
		{"a field without a variable", func(f *fusion.App[deps]) { f.Resource("o://id").Describe("d").Handle(byID) }, []string{`takes "id"`, "no variable {id}"}},
		{"a resource of nothing", func(f *fusion.App[deps]) { f.Resource("o://id").Describe("d").Handle(nothing[deps]) }, []string{"returns a result.Unit", "[]byte"}},
		{"two templates of one shape", func(f *fusion.App[deps]) {
			f.Resource("o://{id}").Describe("d").Handle(byID)
			f.Resource("o://{ID}").Describe("d").Handle(byID)
		}, []string{`taken by resource "o://{id}"`}},
		{"a size of a template", func(f *fusion.App[deps]) { f.Resource("o://{id}").Describe("d").Size(1).Handle(byID) }, []string{"Size(1)"}},
		{"a priority over 1", func(f *fusion.App[deps]) {
			p := 2.0
			f.Resource("o://id").Describe("d").Annotations(result.Annotations{Priority: &p}).Handle(hello[deps])
		}, []string{"the priority 2"}},
		{"a completion for no variable", func(f *fusion.App[deps]) { f.Resource("o://{id}").Describe("d").Complete("x", suggest).Handle(byID) }, []string{"no variable of the resource"}},
		{"a method after Handle", func(f *fusion.App[deps]) {
			r := f.Resource("o://id").Describe("d")
			r.Handle(hello[deps])
			r.Name("x")
		}, []string{"Name after Handle"}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			f := newApp()
			tc.make(f)
			err := f.Err()
			require.Error(t, err)
			var mistake *fusion.BuildError
			require.ErrorAs(t, err, &mistake)
			assert.NotContains(t, err.Error(), "\n", "one mistake is one error")
			assert.Contains(t, mistake.Site, "resource_test.go:")
			for _, part := range tc.want {
				assert.Contains(t, err.Error(), part)
			}
		})
	}
	f := fusion.New("test", "1", deps{}, &fusion.Options{Icons: []fusion.Icon{{Src: "x"}}})
	assert.ErrorContains(t, f.Err(), `the icon "x"`)
}
