package fusion_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/fusion/fusiontest"
	"github.com/mcpfusion/go/result"
)

// says is a tool that returns a text.
func says(tool *fusion.ToolBuilder[deps], text string) {
	tool.Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[string] { return result.OK(text) })
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

func TestC9_TwoFilesMayDeclareToolsOfOneNamespace(t *testing.T) {
	f := newApp()
	says(f.Router("issues").Query("list"), "list")
	says(f.Router("issues").Query("close"), "close")
	tools := fusiontest.New(t, f)
	assert.Len(t, tools.List(), 2)
	assert.Equal(t, "close", tools.Call("issues.close", nil).Text())
}

func TestC11_SettersAddUpAndASecondHandlerIsAnError(t *testing.T) {
	f := newApp()
	tool := f.Mutation("a").Idempotent(true).OpenWorld(true).Describe("first").Describe("last")
	tool.Handle(nothing[deps])
	tools := fusiontest.New(t, f)
	assert.True(t, tools.List()[0].Annotations["idempotentHint"])
	assert.True(t, tools.List()[0].Annotations["openWorldHint"])
	assert.Equal(t, "last", tools.List()[0].Description)
	tool.Handle(nothing[deps])
	assert.ErrorContains(t, f.Err(), "Handle after Handle")
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
