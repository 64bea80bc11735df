package fusion_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/samber/mo"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/presenter"
	"github.com/mcpfusion/go/result"
)

type deps struct{ greeting string }

type derived struct{ deps }

func derive(ctx *fusion.Ctx[deps]) result.Result[derived] { return result.OK(derived{ctx.App}) }

func newApp() *fusion.App[deps] { return fusion.New("test", "1.0.0", deps{"hello"}, nil) }

// nothing is a handler for tools whose handler does not matter.
func nothing[C any](*fusion.Ctx[C], fusion.NoInput) result.Result[result.Unit] { return result.Done() }

type invoice struct {
	ID          string `json:"id"`
	AmountCents int64  `json:"amount_cents"`
	TaxID       string `json:"tax_id"`
}

// Each mistake is reported with the file and line of the statement that made it, the
// tool, and what to do.
func TestMistakesAreBuildErrors(t *testing.T) {
	cases := []struct {
		name string
		make func(f *fusion.App[deps])
		want []string // parts of the one error
	}{
		{"a chain that never reaches Handle", func(f *fusion.App[deps]) { f.Query("a").Describe("d") },
			[]string{`tool "a"`, "never reaches Handle"}},
		{"a missing description", func(f *fusion.App[deps]) { f.Query("a").Handle(nothing[deps]) },
			[]string{`tool "a"`, "no description"}},
		{"a blank description", func(f *fusion.App[deps]) { f.Query("a").Describe(" \n").Handle(nothing[deps]) },
			[]string{"no description"}},
		{"a second Handle", func(f *fusion.App[deps]) {
			tool := f.Query("a").Describe("d")
			tool.Handle(nothing[deps])
			tool.Handle(nothing[deps])
		}, []string{`tool "a"`, "Handle after Handle"}},
		{"a method after Handle", func(f *fusion.App[deps]) {
			tool := f.Query("a").Describe("d")
			tool.Handle(nothing[deps])
			tool.WithString("x", "d")
		}, []string{"WithString after Handle"}},
		{"a stage that Use replaced", func(f *fusion.App[deps]) {
			other := f.Query("b").Describe("d")
			used := other.Use(derive)
			other.WithString("id", "d")
			used.Handle(nothing[derived])
		}, []string{`tool "b"`, "stage that a later Use or Returns replaced"}},
		{"a stage that Returns replaced", func(f *fusion.App[deps]) {
			tool := f.Query("a").Describe("d")
			p := tool.Returns(presenter.For[invoice]("Invoice"))
			tool.WithString("id", "d")
			p.Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[invoice] { return result.OK(invoice{}) })
		}, []string{"WithString on a stage"}},
		{"a pointer to Args", func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").Handle(func(*fusion.Ctx[deps], *fusion.Args) result.Result[int] { return result.OK(1) })
		}, []string{`tool "a"`, "take fusion.Args"}},
		{"a raw schema for what holds no object", func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").RawSchema([]byte(`{"type":"object"}`)).
				Handle(func(*fusion.Ctx[deps], []int) result.Result[int] { return result.OK(1) })
		}, []string{`tool "a"`, "takes a []int, but arguments are an object"}},
		{"a nil handler", func(f *fusion.App[deps]) {
			var h func(*fusion.Ctx[deps], fusion.NoInput) result.Result[int]
			f.Query("a").Describe("d").Handle(h)
		}, []string{"nil function"}},
		{"a nil Use", func(f *fusion.App[deps]) {
			var m func(*fusion.Ctx[deps]) result.Result[deps]
			f.Query("a").Describe("d").Use(m).Handle(nothing[deps])
		}, []string{"Use was given a nil function"}},
		{"a nil Wrap", func(f *fusion.App[deps]) { f.Query("a").Describe("d").Wrap(nil).Handle(nothing[deps]) },
			[]string{"Wrap was given a nil function"}},
		{"a nil presenter", func(f *fusion.App[deps]) {
			var p *presenter.Presenter[invoice]
			f.Query("a").Describe("d").Returns(p).
				Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[invoice] { return result.OK(invoice{}) })
		}, []string{"nil presenter"}},
		{"a presenter of a field that does not exist", func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").Returns(presenter.For[invoice]("Invoice").Only("id", "amount_cent")).
				Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[invoice] { return result.OK(invoice{}) })
		}, []string{`tool "a"`, `"Invoice"`, "amount_cent", "amount_cents"}},
		{"a timeout below zero", func(f *fusion.App[deps]) { f.Query("a").Describe("d").Timeout(-1).Handle(nothing[deps]) },
			[]string{"Timeout"}},
		{"C5 a duplicate name, naming both sites", func(f *fusion.App[deps]) {
			f.Query("a.b").Describe("d").Handle(nothing[deps])
			f.Query("a_b").Describe("d").Handle(nothing[deps])
		}, []string{`tool "a_b"`, `tool "a.b"`, "build_errors_test.go:"}},
		{"a query that is not read-only", func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").ReadOnly(false).Handle(nothing[deps])
		}, []string{"contradicts"}},
		{"N1 read-only and destructive", func(f *fusion.App[deps]) {
			f.Mutation("a").Describe("d").ReadOnly(true).Handle(nothing[deps])
		}, []string{"contradict"}},
		{"RawSchema beside With", func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").WithString("x", "d").RawSchema([]byte(`{"type":"object"}`)).
				Handle(func(*fusion.Ctx[deps], fusion.Args) result.Result[int] { return result.OK(1) })
		}, []string{"exclude one another"}},
		{"A26 a raw schema that is none", func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").RawSchema([]byte(`{"type":"object","properties":{"x":{"type":"int"}}}`)).
				Handle(func(*fusion.Ctx[deps], fusion.Args) result.Result[int] { return result.OK(1) })
		}, []string{`tool "a"`, "x"}},
		{"a superseded router that is used", func(f *fusion.App[deps]) {
			r := f.Router("r")
			r.Use(derive).Query("a").Describe("d").Handle(nothing[derived])
			r.Query("b").Describe("d").Handle(nothing[deps])
		}, []string{"declared on a router that Use replaced at"}},
		{"a derived router on which nothing is declared", func(f *fusion.App[deps]) { f.Router("r").Use(derive) },
			[]string{"nothing is declared on the router that Use returned"}},
		{"the app after Use", func(f *fusion.App[deps]) {
			f.Use(derive).Query("a").Describe("d").Handle(nothing[derived])
			f.Query("b").Describe("d").Handle(nothing[deps])
		}, []string{"router that Use replaced"}},
		{"a Wrap after the first declaration", func(f *fusion.App[deps]) {
			r := f.Router("r")
			r.Query("a").Describe("d").Handle(nothing[deps])
			r.Wrap(passes)
		}, []string{"Wrap after the first declaration"}},
		{"an app's Wrap after the first declaration", func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").Handle(nothing[deps])
			f.Wrap(passes)
		}, []string{"Wrap after the first declaration"}},
		{"a Timeout after a mount", func(f *fusion.App[deps]) {
			f.Mount("m", func(r *fusion.Router[deps]) { r.Query("a").Describe("d").Handle(nothing[deps]) })
			f.Timeout(time.Second)
		}, []string{"Timeout after the first declaration"}},
		{"a Use after the first declaration", func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").Handle(nothing[deps])
			f.Use(derive).Query("b").Describe("d").Handle(nothing[derived])
		}, []string{"Use after the first declaration", "Group()"}},
		{"a nil mount", func(f *fusion.App[deps]) { f.Mount("m", nil) }, []string{"Mount", "nil function"}},
		{"a parameter without a field", func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").WithString("id", "d").
				Handle(func(*fusion.Ctx[deps], struct{}) result.Result[int] { return result.OK(1) })
		}, []string{`tool "a"`, "id"}},
		{"a field without a parameter", func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").WithString("id", "d").
				Handle(func(*fusion.Ctx[deps], struct{ ID, Name string }) result.Result[int] { return result.OK(1) })
		}, []string{"name"}},
		{"a type that cannot hold the parameter", func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").WithString("id", "d").
				Handle(func(*fusion.Ctx[deps], struct{ ID int }) result.Result[int] { return result.OK(1) })
		}, []string{"id"}},
		{"an optional parameter on a type that cannot say absent", func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").WithOptionalString("id", "d").
				Handle(func(*fusion.Ctx[deps], struct{ ID string }) result.Result[int] { return result.OK(1) })
		}, []string{"id"}},
		{"two parameters that fold to one field", func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").WithString("user_id", "d").WithString("userid", "d").
				Handle(func(*fusion.Ctx[deps], struct{ UserID string }) result.Result[int] { return result.OK(1) })
		}, []string{"userid"}},
		{"the same parameter twice", func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").WithString("id", "d").WithString("id", "d").
				Handle(func(*fusion.Ctx[deps], struct{ ID string }) result.Result[int] { return result.OK(1) })
		}, []string{"id"}},
		{"a rule in place of the description", func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").WithString("id", "min=3").
				Handle(func(*fusion.Ctx[deps], struct{ ID string }) result.Result[int] { return result.OK(1) })
		}, []string{`"id"`, `"min=3"`, "is a rule"}},
		{"an unknown rule", func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").WithString("id", "d", "minn=1").
				Handle(func(*fusion.Ctx[deps], struct{ ID string }) result.Result[int] { return result.OK(1) })
		}, []string{"minn"}},
		{"A5 an input that is no object", func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").Handle(func(*fusion.Ctx[deps], string) result.Result[int] { return result.OK(1) })
		}, []string{`tool "a"`}},
		{"a result that cannot be sent", func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[chan int] { return result.OK[chan int](nil) })
		}, []string{`tool "a"`, "result"}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			f := newApp()
			tc.make(f)
			err := f.Err()
			require.Error(t, err)
			lines := strings.Split(err.Error(), "\n")
			assert.Len(t, lines, 1, "one mistake, one error:\n%v", err)
			assert.Contains(t, lines[0], "build_errors_test.go:")
			for _, part := range tc.want {
				assert.Contains(t, lines[0], part)
			}
			_, catalogErr := f.Catalog()
			assert.Equal(t, err.Error(), catalogErr.Error(), "no transport starts")
		})
	}
}

func passes(ctx context.Context, call *fusion.Call, next fusion.Next) *result.Response {
	return next(ctx, call)
}

func TestAllMistakesAreReportedTogether(t *testing.T) {
	f := newApp()
	f.Query("a b").Handle(nothing[deps])
	f.Query("c").WithString("x", "d").Describe("d").Handle(func(*fusion.Ctx[deps], struct{ Y mo.Option[int] }) result.Result[int] { return result.OK(1) })
	f.Query("d")
	err := f.Err()
	var first *fusion.BuildError
	require.ErrorAs(t, err, &first)
	assert.GreaterOrEqual(t, strings.Count(err.Error(), "\n"), 3, err.Error())
}

func TestC1_C3_C7_BadNamesAreBuildErrors(t *testing.T) {
	long := strings.Repeat("x", 65)
	for _, name := range []string{"New Tool", "", "   ", "naïve", "a/b", "---", "a..b", ".a", "a.", "a.---", long, strings.Repeat("x", 128), "a\n", "日本"} {
		f := newApp()
		f.Query(name).Describe("d").Handle(nothing[deps])
		assert.ErrorContains(t, f.Err(), "name", "%q", name)
	}
	for _, name := range []string{"a", "admin.users.list", "list-all_2", strings.Repeat("x", 64)} {
		f := newApp()
		f.Query(name).Describe("d").Handle(nothing[deps])
		assert.NoError(t, f.Err(), "%q", name)
	}
	prefixed := newApp()
	prefixed.Router("billing").Query("").Describe("d").Handle(nothing[deps])
	assert.ErrorContains(t, prefixed.Err(), "name is empty")
}

func TestALateDeclarationIsAnErrorAndLogged(t *testing.T) {
	var log bytes.Buffer
	f := fusion.New("test", "1", deps{}, &fusion.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	f.Query("a").Describe("d").Handle(nothing[deps])
	frozen, err := f.Catalog()
	require.NoError(t, err)
	f.Query("late").Describe("d").Handle(nothing[deps])
	assert.ErrorContains(t, f.Err(), `tool "late": declared after a transport has started`)
	assert.Contains(t, log.String(), "late declaration")
	assert.Len(t, frozen.Tools(), 1)
}

func TestDeclaringNeverPanics(t *testing.T) {
	assert.NotPanics(t, func() {
		f := newApp()
		var wrongRules = []string{"min=x", "=", ",", "min", "oneof=", "default=", "len=-1", "regexp=(", "|", "dive", "excluded_if=A"}
		f.Query("a").Describe("d").WithString("x", "d", wrongRules...).WithArray[string]("y", "d", wrongRules...).
			WithInteger("z", "d", wrongRules...).RawSchema(nil).
			Handle(func(*fusion.Ctx[deps], struct{}) result.Result[int] { return result.OK(1) })
		assert.Error(t, f.Err())
	})
}
