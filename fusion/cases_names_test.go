package fusion_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/fusion/fusiontest"
	"github.com/mcpfusion/go/presenter"
	"github.com/mcpfusion/go/result"
)

// says is a tool that returns a text.
func says(tool *fusion.ToolBuilder[deps], text string) {
	tool.Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[string] { return result.OK(text) })
}

func TestC1_ANameThatClientsRefuseIsABuildError(t *testing.T) {
	for name, want := range map[string]string{
		"New Tool": `clients accept only letters, digits, _ and - in "New Tool"`,
		"":         "the name is empty; name the tool",
		"naïve":    `the name has 'ï'`,
		"a/b":      `the name has '/'`,
	} {
		f := newApp()
		says(f.Query(name), "never")
		assert.ErrorContains(t, f.Err(), want, "%q", name)
		_, err := f.Catalog()
		assert.Error(t, err, "nothing is served")
	}
}

func TestC3_64CharactersAreTheLimitOfTheNameOnTheWire(t *testing.T) {
	prefix := strings.Repeat("p", 31)
	for n, legal := range map[int]bool{64: true, 65: false, 128: false, 129: false} {
		f := newApp()
		says(f.Router(prefix).Query(strings.Repeat("x", n-len(prefix)-1)), "x")
		if legal {
			assert.Len(t, fusiontest.New(t, f).List()[0].Name, n)
			continue
		}
		assert.ErrorContains(t, f.Err(), fmt.Sprintf("has %d characters; clients accept 64", n))
	}
}

func TestC7_NamesThatSayNothingAreErrorsAndManyDotsAreNone(t *testing.T) {
	for name, want := range map[string]string{
		"---":  `the name segment "---" has no letter or digit`,
		"   ":  "empty segment between dots",
		"a..b": "empty segment between dots",
	} {
		f := newApp()
		says(f.Query(name), "never")
		assert.ErrorContains(t, f.Err(), want, "%q", name)
	}
	f := newApp()
	says(f.Query("admin.users.list"), "users")
	assert.Equal(t, "users", fusiontest.New(t, f).Call("admin_users_list", nil).Text())
}

func TestC8_ToolsAreFoundInATableAndNotBySplitting(t *testing.T) {
	f := newApp()
	says(f.Query("user_accounts.list_all"), "one")
	says(f.Query("user.accounts_list"), "two")
	says(f.Query("single"), "three")
	tools := fusiontest.New(t, f)
	assert.Equal(t, "one", tools.Call("user_accounts_list_all", nil).Text())
	assert.Equal(t, "two", tools.Call("user_accounts_list", nil).Text())
	assert.Equal(t, "three", tools.Call("single", nil).Text())
	for _, name := range []string{"user", "user_accounts", "single_default", "user.accounts_list "} {
		assert.Equal(t, -32602, tools.Call(name, nil).Fault().Code, name)
	}
}

func TestC5_ACollisionNamesBothSites(t *testing.T) {
	f := newApp()
	says(f.Query("a.b"), "one")
	says(f.Router("a").Query("b"), "two")
	assert.Regexp(t, `cases_names_test.go:\d+: tool "a.b": the name "a_b" is taken by tool "a.b" declared at cases_names_test.go:\d+`, f.Err().Error())
}

func TestC9_TheSameActionInTwoFilesIsAnError(t *testing.T) {
	f := newApp()
	says(f.Router("issues").Query("list"), "list")
	says(f.Router("issues").Mutation("list"), "other")
	assert.ErrorContains(t, f.Err(), `the name "issues_list" is taken by tool "issues.list"`)
}

func TestC11_SettersAddUpAndTheLastDescriptionHolds(t *testing.T) {
	tool := listed(t, func(f *fusion.App[deps]) {
		f.Mutation("a").Idempotent(true).OpenWorld(true).Describe("first").Describe("last").
			Meta("com.example/a", 1).Meta("com.example/b", 2).
			Icon("https://example.com/1.png", "image/png").Icon("https://example.com/2.png", "image/png").
			Handle(nothing[deps])
	})
	assert.Equal(t, map[string]bool{"readOnlyHint": false, "destructiveHint": true, "idempotentHint": true, "openWorldHint": true}, tool.Annotations)
	assert.Equal(t, "last", tool.Description)
	assert.Equal(t, `{"com.example/a":1,"com.example/b":2}`, string(tool.Meta))
	assert.Len(t, tool.Icons, 2)
}

func TestC11_ASecondHandlerIsAnErrorAndTheFirstOneStays(t *testing.T) {
	f := newApp()
	tool := f.Query("a").Describe("d")
	returns(tool, "first")
	tools := fusiontest.New(t, f)
	returns(tool, "second")
	assert.ErrorContains(t, f.Err(), "Handle after Handle at chain_test.go")
	assert.Equal(t, "first", tools.Call("a", nil).Text())
}

func TestTS_TwoBuildersOfOneNamespaceBothExist(t *testing.T) {
	f := newApp()
	f.Mount("issues", func(r *fusion.Router[deps]) { says(r.Query("list"), "list") })
	f.Mount("issues", func(r *fusion.Router[deps]) { says(r.Query("close"), "close") })
	tools := fusiontest.New(t, f)
	names := []string{}
	for _, tool := range tools.List() {
		names = append(names, tool.Name)
	}
	assert.Equal(t, []string{"issues_list", "issues_close"}, names)
	assert.Equal(t, "close", tools.Call("issues.close", nil).Text())
}

func TestTS_APackageThatIsMountedTwiceUnderOnePrefixIsAnError(t *testing.T) {
	f := newApp()
	f.Mount("m", register[deps])
	f.Mount("m", register[deps])
	assert.ErrorContains(t, f.Err(), `the name "m_greet" is taken by tool "m.greet"`)
}

func TestTS_AParameterNeedsAName(t *testing.T) {
	for _, name := range []string{"", "  ", "a b\n"} {
		f := newApp()
		f.Query("a").Describe("d").WithString(name, "d").
			Handle(func(*fusion.Ctx[deps], fusion.Args) result.Result[int] { return result.OK(1) })
		assert.ErrorContains(t, f.Err(), "name", "%q", name)
	}
}

func TestTS_MiddlewareIsToldTheIDAsItWasDeclared(t *testing.T) {
	f := newApp()
	seen := ""
	f.Wrap(func(ctx context.Context, call *fusion.Call, next fusion.Next) *result.Response {
		seen = call.Tool.ID + " as " + call.Name
		return next(ctx, call)
	})
	says(f.Query("user_accounts.list_all"), "x")
	fusiontest.New(t, f).Call("user_accounts_list_all", nil)
	assert.Equal(t, "user_accounts.list_all as user_accounts_list_all", seen)
}

// The fault: what was set later was let through, since only some setters looked.
func TestTS_NoMethodHasAnEffectAfterHandle(t *testing.T) {
	f := newApp()
	tool := f.Query("a").Describe("d")
	tool.Handle(nothing[deps])
	prompt := f.Prompt("p").Describe("d")
	prompt.Handle(hello[deps])
	tester := fusiontest.New(t, f)
	before := tester.List()
	mistakes := 0
	for _, stage := range []reflect.Value{reflect.ValueOf(tool), reflect.ValueOf(prompt)} {
		for i := range stage.NumMethod() {
			method := stage.Method(i)
			args := make([]reflect.Value, 0, method.Type().NumIn())
			for in := range method.Type().Ins() {
				args = append(args, reflect.Zero(in))
			}
			if method.Type().IsVariadic() {
				args = args[:len(args)-1]
			}
			method.Call(args)
			mistakes++
			require.Len(t, strings.Split(f.Err().Error(), "\n"), mistakes, stage.Type().Method(i).Name)
		}
	}
	assert.Greater(t, mistakes, 20)
	tool.WithEnum("e", []string{"a"}, "d")
	tool.WithOptionalEnum("e", []string{"a"}, "d")
	tool.WithArray[int]("l", "d")
	tool.WithOptionalArray[int]("l", "d")
	tool.Use(derive)
	tool.Returns(presenter.For[invoice]("Invoice"))
	assert.Len(t, strings.Split(f.Err().Error(), "\n"), mistakes+6)
	assert.Equal(t, before, tester.List())
}

// The fault: a mode of listing dropped what the chain had said.
func TestTS_AListedToolHasAllThatItsChainSaid(t *testing.T) {
	f := newApp()
	f.Router("a").Router("b").Mutation("c").Title("T").Describe("D").Instructions("I").
		Icon("https://example.com/i.png", "image/png", "48x48").Meta("com.example/m", true).OpenWorld(true).
		WithString("id", "The id", "min=2").
		Returns(presenter.For[invoice]("Invoice").Only("id")).
		Handle(func(*fusion.Ctx[deps], struct{ ID string }) result.Result[invoice] { return result.OK(invoice{}) })
	assert.Contains(t, answer(t, f, "tools/list"), `"tools":[{"name":"a_b_c","title":"T","description":"D\n\nI",`+
		`"inputSchema":{"type":"object","properties":{"id":{"type":"string","description":"The id","minLength":2}},"required":["id"],"additionalProperties":false},`+
		`"outputSchema":{"type":"object","properties":{"id":{"type":"string"}},"required":["id"],"additionalProperties":false},`+
		`"annotations":{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":true},`+
		`"icons":[{"src":"https://example.com/i.png","mimeType":"image/png","sizes":["48x48"]}],"_meta":{"com.example/m":true}}]`)
}

// The fault: of two builders of one namespace only the first one's policies counted.
func TestTS_APolicyHoldsForItsOwnToolsWhateverIsDeclaredFirst(t *testing.T) {
	refuse := func(*fusion.Ctx[deps]) result.Result[deps] { return result.Fail[deps](result.Unauthorized("Sign in")) }
	for _, openFirst := range []bool{true, false} {
		f := newApp()
		declareOpen := func() { says(f.Router("users").Query("list"), "open") }
		declareGuarded := func() { says(f.Router("users").Use(refuse).Query("delete"), "never") }
		if openFirst {
			declareOpen()
			declareGuarded()
		} else {
			declareGuarded()
			declareOpen()
		}
		tools := fusiontest.New(t, f)
		assert.Equal(t, "open", tools.Call("users.list", nil).Text())
		assert.Equal(t, result.CodeUnauthorized, tools.Call("users.delete", nil).Failure().Code)
	}
}

func TestRoutersNestAndNeverShareOrDropAPolicy(t *testing.T) {
	var trace []string
	note := func(name string) func(*fusion.Ctx[deps]) result.Result[deps] {
		return func(ctx *fusion.Ctx[deps]) result.Result[deps] {
			trace = append(trace, name)
			return result.OK(ctx.App)
		}
	}
	f := newApp()
	root := f.Use(note("root"))
	a := root.Router("a").Use(note("a"))
	one := a.Group().Use(note("one"))
	two := a.Router("two").Use(note("two"))
	says(one.Query("x"), "x")
	says(two.Query("y").Use(note("tool")), "y")
	says(a.Query("z"), "z")
	tools := fusiontest.New(t, f)
	for id, want := range map[string][]string{"a.x": {"root", "a", "one"}, "a.two.y": {"root", "a", "two", "tool"}, "a.z": {"root", "a"}} {
		trace = nil
		require.NotEmpty(t, tools.Call(id, nil).Text(), id)
		assert.Equal(t, want, trace, id)
	}
}

func TestAMountedPackageIsDeclaredUnderItsPrefixAndMayBeMountedTwice(t *testing.T) {
	f := newApp()
	f.Mount("first", register[deps])
	f.Mount("second.inner", register[deps])
	tools := fusiontest.New(t, f)
	assert.Equal(t, "hello", tools.Call("first_greet", nil).Text())
	assert.Equal(t, "hello", tools.Call("second_inner_greet", nil).Text())
}

// greeter is what the package behind register needs of a context.
type greeter interface{ Greeting() string }

func (d deps) Greeting() string { return d.greeting }

func register[C greeter](r *fusion.Router[C]) {
	r.Query("greet").Describe("d").Handle(func(ctx *fusion.Ctx[C], _ fusion.NoInput) result.Result[string] {
		return result.OK(ctx.App.Greeting())
	})
}

func TestTS_TheListIsTheSameBytesEachTime(t *testing.T) {
	f := newApp()
	for _, id := range []string{"z", "m.b", "m.a", "a"} {
		says(f.Query(id), id)
	}
	first := answer(t, f, "tools/list")
	for range 50 {
		assert.Equal(t, first, answer(t, f, "tools/list"))
	}
}
