package fusion_test

import (
	"encoding/json/jsontext"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/samber/mo"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/fusion/fusiontest"
	"github.com/mcpfusion/go/result"
)

// wholeApp has one tool that says all that a chain can say of its parameters.
func wholeApp() *fusion.App[deps] {
	type address struct {
		Street string `jsonschema:"Street, with number"`
		Zip    string `json:"zip,omitempty" validate:"len=5"`
	}
	type in struct {
		Name    string
		Amount  float64
		Count   int64
		Dry     bool
		Color   mo.Option[string]
		Tags    []string
		Home    address
		Work    mo.Option[address]
		Wait    time.Duration
		Level   int8              `json:"level,omitempty" jsonschema:"From a tag" validate:"min=1,max=9"`
		Region  mo.Option[string] `json:"region" validate:"header=Region"`
		Blob    []byte            `json:"blob,omitempty"`
		Related map[string][]int  `json:"related,omitempty" validate:"max=3,dive,min=1,unique"`
	}
	f := newApp()
	f.Mutation("whole").Title("Whole").Describe("All of it").Instructions("With care.").Idempotent(true).
		Icon("https://example.com/i.png", "image/png", "48x48").Meta("com.example/k", map[string]int{"b": 1, "a": 2}).
		WithString("name", "A name, of a person", "min=2,max=50,startswith=A").
		WithNumber("amount", "An amount", "gt=0,lte=1e6", "example=12.5").
		WithInteger("count", "How many", "min=1,default=1").
		WithBoolean("dry", "Only look", "default=false").
		WithOptionalEnum("color", []string{"red", "green & blue"}, "A color").
		WithOptionalArray[string]("tags", "Some tags", "max=5,unique,dive,min=1").
		WithObject[address]("home", "Where").
		WithOptionalObject[address]("work", "Where else").
		With[time.Duration]("wait", "How long", "min=1s,default=1m", "deprecated").
		Handle(func(_ *fusion.Ctx[deps], in in) result.Result[in] { return result.OK(in) })
	return f
}

func TestA20_AToolWithEveryFeatureIsListedWithAllOfThem(t *testing.T) {
	for _, revision := range []string{"2025-03-26", "2025-11-25"} {
		got := client(t, wholeApp(), revision)("tools/list", "{}") + "\n"
		path := "testdata/whole-" + revision + ".json"
		if os.Getenv("FUSION_UPDATE") != "" {
			require.NoError(t, os.WriteFile(path, []byte(got), 0o600))
		}
		want, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, string(want), got, "%s differs; FUSION_UPDATE=1 go test writes it anew", path)
	}
	tools := fusiontest.New(t, wholeApp())
	assert.Len(t, read(t, tools.List()[0].InputSchema).Properties, 13)
	reply := tools.Call("whole", jsontext.Value(`{"name":"Ada","amount":1,"home":{"street":"x"}}`))
	assert.Equal(t, `{"name":"Ada","amount":1,"count":1,"dry":false,"tags":[],"home":{"street":"x"},"wait":"1m0s"`,
		strings.Split(reply.Text(), `,"level"`)[0], "what is optional may be left out, and defaults are set")
}

func TestA6_AToolWithoutParametersHasAnEmptyObjectInEveryRevision(t *testing.T) {
	f := newApp()
	f.Query("a").Describe("d").Handle(nothing[deps])
	f.Query("b").Describe("d").Handle(nothingOf)
	f.Query("c").Describe("d").Handle(func(*fusion.Ctx[deps], struct{}) result.Result[result.Unit] { return result.Done() })
	f.Query("e").Describe("d").Handle(func(*fusion.Ctx[deps], *struct{}) result.Result[result.Unit] { return result.Done() })
	for _, revision := range revisions {
		tools := fusiontest.New(t, f).Revision(revision)
		for _, tool := range tools.List() {
			assert.Equal(t, `{"type":"object","properties":{},"additionalProperties":false}`, string(tool.InputSchema), "%s %s", revision, tool.Name)
			for _, args := range []any{nil, jsontext.Value("null"), jsontext.Value("{}")} {
				assert.Equal(t, "OK", tools.Call(tool.Name, args).Text())
			}
			assert.Equal(t, result.CodeInvalidArguments, tools.Call(tool.Name, map[string]any{"x": 1}).Failure().Code)
		}
	}
}

// sum is either of two things, with all fields of both: Go has no unions.
type sum struct {
	Kind   string            `json:"kind" validate:"oneof=card cash"`
	Number mo.Option[string] `json:"number" validate:"required_if=Kind card,excluded_if=Kind cash"`
	Place  mo.Option[string] `json:"place" validate:"required_if=Kind cash"`
}

func TestA13_A14_AUnionIsAFlatObjectWhoseBranchesAreEnforced(t *testing.T) {
	tools := fusiontest.New(t, echoing[sum]())
	schema := string(tools.List()[0].InputSchema)
	root := read(t, tools.List()[0].InputSchema)
	assert.Equal(t, []string{"kind"}, root.Required, "what all branches need")
	assert.Len(t, root.Properties, 3)
	for _, combinator := range []string{"oneOf", "anyOf", "allOf", "if", "$ref"} {
		assert.NotContains(t, schema, `"`+combinator+`"`)
	}
	assert.Equal(t, `{"kind":"card","number":"1"}`, tools.Call("a", jsontext.Value(`{"kind":"card","number":"1"}`)).Text())
	assert.Equal(t, `{"kind":"cash","place":"x"}`, tools.Call("a", jsontext.Value(`{"kind":"cash","place":"x"}`)).Text())
	for args, path := range map[string]string{
		`{"kind":"card"}`: "number", `{"kind":"cash"}`: "place", `{"kind":"cash","place":"x","number":"1"}`: "number", `{"kind":"other"}`: "kind", `{"number":"1"}`: "kind",
	} {
		field := problem(t, tools.Call("a", jsontext.Value(args)))
		assert.Equal(t, path, field.Path, args)
		assert.NotEmpty(t, field.Expected, args)
	}
}

func TestA12_EachReferenceLeadsInsideItsOwnSchema(t *testing.T) {
	type shared struct{ A int }
	type in struct {
		One, Two shared
		List     []shared
		Tree     branch
		Trees    map[string][]branch
	}
	f := newApp()
	f.Query("a").Describe("d").WithObject[branch]("x", "d").WithArray[branch]("y", "d").WithObject[shared]("z", "d").Handle(nothingOf)
	f.Query("b").Describe("d").Handle(func(_ *fusion.Ctx[deps], in in) result.Result[in] { return result.OK(in) })
	for _, tool := range fusiontest.New(t, f).List() {
		for _, schema := range []jsontext.Value{tool.InputSchema, tool.OutputSchema} {
			if schema == nil {
				continue
			}
			root := read(t, schema)
			root.each("", func(path string, p property) {
				if name, is := strings.CutPrefix(p.Ref, "#/$defs/"); is {
					assert.Contains(t, root.Defs, name, path)
				} else {
					assert.Empty(t, p.Ref, path)
				}
			})
			assert.Len(t, root.Defs, 1, "only what contains itself")
		}
	}
}
