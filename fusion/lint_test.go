package fusion_test

import (
	"bytes"
	"encoding/json/jsontext"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log/slog"
	"math/big"
	"net/netip"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/samber/mo"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/fusion/fusiontest"
	"github.com/mcpfusion/go/internal/lint"
	"github.com/mcpfusion/go/presenter"
	"github.com/mcpfusion/go/result"
)

// linted is an app with options, whose log is kept.
func linted(name string, off ...fusion.LintRule) (*fusion.App[deps], *bytes.Buffer) {
	return lintedWith(name, fusion.Options{LintOff: off})
}

func lintedWith(name string, opts fusion.Options) (*fusion.App[deps], *bytes.Buffer) {
	log := &bytes.Buffer{}
	opts.Logger = slog.New(slog.NewTextHandler(log, nil))
	return fusion.New(name, "1", deps{}, &opts), log
}

// rawTool is a tool with a schema from elsewhere.
func rawTool(f *fusion.App[deps], schema string) {
	f.Query("a").Describe("d").RawSchema([]byte(schema)).Handle(anyArgs)
}

func anyArgs(*fusion.Ctx[deps], fusion.Args) result.Result[result.Unit] { return result.Done() }

type tree struct {
	Name string `json:"name"`
	Kids []tree `json:"kids,omitempty"`
}

// declarations are against one rule each. Those of the whole server are further down.
var declarations = []struct {
	rule fusion.LintRule
	make func(f *fusion.App[deps])
	off  func(f *fusion.App[deps]) // the same, silenced by the tool; nil for rules of the server
	want string
}{
	{fusion.LintRootCombinator, func(f *fusion.App[deps]) { rawTool(f, rootUnion) },
		func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").RawSchema([]byte(rootUnion)).LintOff(fusion.LintRootCombinator).Handle(anyArgs)
		}, "at its root anyOf"},
	{fusion.LintArrayItems, func(f *fusion.App[deps]) { rawTool(f, `{"type":"object","properties":{"l":{"type":"array"}}}`) },
		func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").LintOff(fusion.LintArrayItems).RawSchema([]byte(`{"type":"object","properties":{"l":{"type":"array"}}}`)).Handle(anyArgs)
		}, `array without items at "/properties/l"`},
	{fusion.LintBooleanSchema, func(f *fusion.App[deps]) { rawTool(f, `{"type":"object","properties":{"x":true}}`) },
		func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").LintOff(fusion.LintBooleanSchema).RawSchema([]byte(`{"type":"object","properties":{"x":true}}`)).Handle(anyArgs)
		}, `at "/properties/x"`},
	{fusion.LintParameterName, func(f *fusion.App[deps]) { f.Query("a").Describe("d").WithString("größe", "d").Handle(anyArgs) },
		func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").WithString("größe", "d").LintOff(fusion.LintParameterName).Handle(anyArgs)
		}, `"größe"`},
	{fusion.LintNameStart, func(f *fusion.App[deps]) { f.Query("2fa.send").Describe("d").Handle(nothing[deps]) },
		func(f *fusion.App[deps]) {
			f.Query("2fa.send").Describe("d").LintOff(fusion.LintNameStart).Handle(nothing[deps])
		}, "begins with 2"},
	{fusion.LintNameTogether, func(f *fusion.App[deps]) { f.Query(strings.Repeat("x", 60)).Describe("d").Handle(nothing[deps]) },
		func(f *fusion.App[deps]) {
			f.Query(strings.Repeat("x", 60)).Describe("d").LintOff(fusion.LintNameTogether).Handle(nothing[deps])
		}, "64 characters together"},
	{fusion.LintNameDots, func(f *fusion.App[deps]) { f.Query("a.b").Describe("d").Handle(nothing[deps]) }, nil, `such as "a.b"`},
	{fusion.LintReferences, func(f *fusion.App[deps]) { f.Query("a").Describe("d").With[tree]("t", "d").Handle(anyArgs) },
		func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").With[tree]("t", "d").LintOff(fusion.LintReferences).Handle(anyArgs)
		}, `$ref at "/properties/t"`},
	{fusion.LintMissingType, func(f *fusion.App[deps]) { f.Query("a").Describe("d").With[any]("v", "d").Handle(anyArgs) },
		func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").With[any]("v", "d").LintOff(fusion.LintMissingType).Handle(anyArgs)
		}, `no type at "/properties/v"`},
	{fusion.LintTypeUnion, func(f *fusion.App[deps]) {
		rawTool(f, `{"type":"object","properties":{"s":{"type":["string","null"]}}}`)
	}, func(f *fusion.App[deps]) {
		f.Query("a").Describe("d").LintOff(fusion.LintTypeUnion).RawSchema([]byte(`{"type":"object","properties":{"s":{"type":["string","null"]}}}`)).Handle(anyArgs)
	}, `several types at "/properties/s"`},
	{fusion.LintEnumValues, func(f *fusion.App[deps]) {
		f.Query("a").Describe("d").WithInteger("n", "d", "oneof=1 2").Handle(anyArgs)
	},
		func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").WithInteger("n", "d", "oneof=1 2").LintOff(fusion.LintEnumValues).Handle(anyArgs)
		}, `at "/properties/n"`},
	{fusion.LintMissingProperties, func(f *fusion.App[deps]) { rawTool(f, `{"type":"object"}`) },
		func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").LintOff(fusion.LintMissingProperties).RawSchema([]byte(`{"type":"object"}`)).Handle(anyArgs)
		}, "no properties at its root"},
	{fusion.LintSchemaDepth, func(f *fusion.App[deps]) {
		f.Query("a").Describe("d").With[[][][][][][][][][][]int]("l", "d").Handle(anyArgs)
	},
		func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").With[[][][][][][][][][][]int]("l", "d").LintOff(fusion.LintSchemaDepth).Handle(anyArgs)
		}, "12 levels"},
	{fusion.LintDescriptionLength, func(f *fusion.App[deps]) {
		f.Query("a").Describe("d").Instructions(strings.Repeat("i", 2046)).Handle(nothing[deps])
	}, func(f *fusion.App[deps]) {
		f.Query("a").Describe("d").Instructions(strings.Repeat("i", 2046)).LintOff(fusion.LintDescriptionLength).Handle(nothing[deps])
	}, "2049 characters"},
	{fusion.LintToolCount, func(f *fusion.App[deps]) {
		for i := range 81 {
			f.Query(fmt.Sprint("t", i)).Describe("d").Handle(nothing[deps])
		}
	}, nil, "81 tools"},
	{fusion.LintDefinitionsSize, func(f *fusion.App[deps]) {
		for i := range 60 {
			f.Query(fmt.Sprint("t", i)).Describe(strings.Repeat("d", 2000)).Handle(nothing[deps])
		}
	}, nil, "bytes"},
}

const rootUnion = `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`

// all are the mistakes and the warnings of an app.
func all(f *fusion.App[deps]) (all []*fusion.BuildError) {
	found := f.Warnings()
	if joined, is := f.Err().(interface{ Unwrap() []error }); is {
		found = append(found, joined.Unwrap()...)
	}
	for _, err := range found {
		e, _ := errors.AsType[*fusion.BuildError](err)
		all = append(all, e)
	}
	return all
}

func TestWhatClientsRefuseIsFoundWithItsPlaceAndCanBeSilenced(t *testing.T) {
	seen := map[fusion.LintRule]bool{}
	for _, c := range declarations {
		t.Run(string(c.rule), func(t *testing.T) {
			about, known := lint.Find(c.rule)
			require.True(t, known)
			seen[c.rule] = true
			opts := fusion.Options{KeepDots: c.rule == fusion.LintNameDots}
			f, _ := lintedWith("test", opts)
			c.make(f)
			found := all(f)
			require.Len(t, found, 1)
			assert.Equal(t, c.rule, found[0].Rule)
			assert.Regexp(t, `^lint_test\.go:\d+$`, found[0].Site)
			assert.Contains(t, found[0].Problem, c.want)
			assert.True(t, strings.HasSuffix(found[0].Error(), fmt.Sprintf("; %s [%s: %s; %s]", about.Mend, c.rule, about.Clients, about.Sources[0])), found[0].Error())
			_, err := f.Catalog()
			assert.Equal(t, about.Fatal, err != nil)

			opts.LintOff = []fusion.LintRule{c.rule}
			f, log := lintedWith("test", opts)
			c.make(f)
			assert.Empty(t, all(f), "switched off for the app")
			assert.NotEmpty(t, fusiontest.New(t, f).List())
			assert.Empty(t, log)
			if c.off != nil {
				f, _ = linted("test")
				c.off(f)
				assert.Empty(t, all(f), "switched off for the tool")
				assert.NotEmpty(t, fusiontest.New(t, f).List())
			}
		})
	}
	assert.Len(t, seen, len(lint.Rules()))
}

// here is the line that calls it.
func here() int {
	pc := make([]uintptr, 1)
	runtime.Callers(2, pc)
	frame, _ := runtime.CallersFrames(pc).Next()
	return frame.Line
}

func TestAFindingIsAtTheCallThatItIsAbout(t *testing.T) {
	f, _ := linted(strings.Repeat("s", 59))
	line := here()
	f.Query("2fa").
		Describe("d").
		WithString("key", "d").
		With[any]("value", "d").
		Handle(anyArgs)
	f.Query("a").
		Describe("d").
		RawSchema([]byte(`{"type":"object"}`)).
		Handle(anyArgs)
	f.Query("b").
		Describe("d").
		Handle(func(*fusion.Ctx[deps], struct{ Value any }) result.Result[int] { return result.OK(1) })
	sites := map[string]string{}
	for _, e := range all(f) {
		sites[e.Tool+" "+string(e.Rule)] = e.Site
	}
	want := map[string]string{}
	for found, after := range map[string]int{
		"2fa name-start": 1, "2fa missing-type": 4, "2fa name-together": 1,
		"a missing-properties": 8, "a name-together": 6, "b missing-type": 12, "b name-together": 10,
	} {
		want[found] = fmt.Sprintf("lint_test.go:%d", line+after)
	}
	assert.Equal(t, want, sites)
}

func TestWarningsAreLoggedOnceWhenTheAppFreezes(t *testing.T) {
	f, log := linted("test")
	f.Query("a").Describe("d").With[any]("v", "d").Handle(anyArgs)
	assert.Len(t, f.Warnings(), 1)
	assert.Empty(t, log)
	fusiontest.New(t, f)
	fusiontest.New(t, f)
	assert.Equal(t, 1, strings.Count(log.String(), "\n"))
	assert.Contains(t, log.String(), `level=WARN msg="the input schema says no type at \"/properties/v\"; say its type" rule=missing-type site=lint_test.go:`)
	assert.Contains(t, log.String(), "tool=a")
	assert.Len(t, f.Warnings(), 1)
}

func TestARuleOfOneToolIsOffForThatToolAlone(t *testing.T) {
	f, _ := linted("test")
	// region: off
	f.Query("cache.get").
		Describe("Read a value of any kind").
		WithString("key", "Key").
		Handle(cached)
	f.Mutation("cache.put").
		Describe("Store a value of any kind").
		WithString("key", "Key").
		With[any]("value", "What to store").
		LintOff(fusion.LintMissingType). // any JSON value is meant
		Handle(anyArgs)
	// endregion
	f.Mutation("cache.fill").Describe("d").With[any]("value", "d").Handle(anyArgs)
	found := all(f)
	require.Len(t, found, 1)
	assert.Equal(t, "cache.fill", found[0].Tool)
}

func cached(*fusion.Ctx[deps], fusion.Args) result.Result[any] { return result.OK[any](nil) }

func TestOnlyRulesThatAreKnownCanBeSwitchedOff(t *testing.T) {
	f, _ := linted("test", "missing-types")
	assert.Regexp(t, `^lint_test\.go:\d+: LintOff has "missing-types", which is no rule`, f.Err().Error())
	f = newApp()
	f.Query("a").Describe("d").LintOff("x").Handle(nothing[deps])
	assert.Regexp(t, `^lint_test\.go:\d+: tool "a": LintOff has "x", which is no rule`, f.Err().Error())
	f = newApp()
	f.Query("a").Describe("d").LintOff(fusion.LintToolCount).Handle(nothing[deps])
	assert.ErrorContains(t, f.Err(), "about the whole server; switch it off in Options.LintOff")
}

func TestAnAppThatNobodyMadeHasNoWarnings(t *testing.T) {
	assert.Empty(t, (&fusion.App[deps]{}).Warnings())
}

// everything has a field of each kind that has a type of its own in JSON.
type everything struct {
	String   string
	Int      int8
	Uint     uint64
	Float    float32
	Bool     bool
	Bytes    []byte
	Time     time.Time
	Duration time.Duration
	URL      url.URL
	Addr     netip.Addr
	Big      *big.Int
	List     [][]float64
	Array    [2]string
	Map      map[string]int
	Objects  []struct{ A, B mo.Option[string] }
	Pointer  *bool `json:",omitempty"`
	Option   mo.Option[[]string]
	Email    string   `validate:"email"`
	Enum     string   `validate:"oneof=a b"`
	Enums    []string `validate:"dive,oneof=a b"`
	Optional string   `json:",omitempty" validate:"omitempty,uuid"`
	Quoted   int      `json:",string"`
}

func TestWhatFusionWritesIsRefusedByNobody(t *testing.T) {
	f, _ := linted("test")
	f.Query("a").Describe("d").Handle(func(_ *fusion.Ctx[deps], in everything) result.Result[everything] { return result.OK(in) })
	f.Query("b").Describe("d").Lenient().WithArray[everything]("list", "d").WithOptionalEnum("e", []string{"x"}, "d").Handle(anyArgs)
	f.Query("c").Describe("d").Handle(nothing[deps])
	f.Query("d").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[any] { return result.OK[any](1) })
	assert.Empty(t, all(f))
}

// What has no other description, or would lose what it means by one.
func TestWhatFusionCannotWriteOtherwiseIsAWarningAtMost(t *testing.T) {
	type given struct {
		Any  any
		List []any
		Map  map[string]any
		Raw  jsontext.Value
		Tree tree
		Enum int `validate:"oneof=1 2"`
	}
	f, _ := linted("test")
	f.Query("a").Describe("d").Handle(func(_ *fusion.Ctx[deps], in given) result.Result[given] { return result.OK(in) })
	assert.NoError(t, f.Err())
	var rules []fusion.LintRule
	for _, e := range all(f) {
		rules = append(rules, e.Rule)
	}
	assert.Equal(t, []fusion.LintRule{fusion.LintReferences, fusion.LintMissingType, fusion.LintEnumValues}, rules)
}

func TestA5_RootsAreObjectsOnBothSides(t *testing.T) {
	f := newApp()
	f.Query("list").Describe("d").Handle(func(*fusion.Ctx[deps], []string) result.Result[int] { return result.OK(1) })
	f.Query("text").Describe("d").Handle(func(*fusion.Ctx[deps], string) result.Result[int] { return result.OK(1) })
	assert.ErrorContains(t, f.Err(), "takes a []string, but arguments are an object")
	assert.ErrorContains(t, f.Err(), "takes a string, but arguments are an object")

	f = newApp()
	f.Query("a").Describe("d").Handle(func(*fusion.Ctx[deps], struct{}) result.Result[any] { return result.OK[any](1) })
	f.Query("b").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.Args) result.Result[[]string] { return result.OK([]string{}) })
	f.Query("c").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[map[string]int] {
		return result.OK(map[string]int{})
	})
	f.Query("d").Describe("d").Returns(presenter.For[[]invoice]("Invoices")).
		Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[[]invoice] { return result.OK[[]invoice](nil) })
	for _, tool := range fusiontest.New(t, f).List() {
		assert.True(t, strings.HasPrefix(string(tool.InputSchema), `{"type":"object","properties":`), string(tool.InputSchema))
		assert.True(t, strings.HasPrefix(string(tool.OutputSchema), `{"type":"object"`), string(tool.OutputSchema))
	}
}

func TestA6_NoParametersAreAnObjectWithoutProperties(t *testing.T) {
	f := newApp()
	f.Query("a").Describe("d").Handle(nothing[deps])
	f.Query("b").Describe("d").Lenient().Handle(nothing[deps])
	tools := fusiontest.New(t, f).List()
	assert.Equal(t, `{"type":"object","properties":{},"additionalProperties":false}`, string(tools[0].InputSchema))
	assert.Equal(t, `{"type":"object","properties":{}}`, string(tools[1].InputSchema))
}

func TestA9_ArraysHaveItems(t *testing.T) {
	f, _ := linted("test", fusion.LintMissingType)
	f.Query("a").Describe("d").
		WithArray[string]("s", "d").WithArray[[]float64]("f", "d").WithArray[any]("a", "d").WithArray[map[string]any]("m", "d").Handle(anyArgs)
	assert.Empty(t, all(f))
	input := string(fusiontest.New(t, f).List()[0].InputSchema)
	assert.Equal(t, strings.Count(input, `"array"`), strings.Count(input, `"items":{`), input)
}

func TestA12_WhatTwoFieldsShareIsWrittenTwice(t *testing.T) {
	type address struct{ City string }
	f, _ := linted("test")
	f.Query("a").Describe("d").Handle(func(*fusion.Ctx[deps], struct {
		From, To address
		Via      []address
	}) result.Result[int] {
		return result.OK(1)
	})
	assert.Empty(t, all(f))
	assert.Equal(t, 3, strings.Count(string(fusiontest.New(t, f).List()[0].InputSchema), `"city":{"type":"string"}`))
}

func TestA13_AlternativesAtTheRootAreABuildErrorOrMeant(t *testing.T) {
	f := newApp()
	rawTool(f, rootUnion)
	assert.Regexp(t, `^lint_test\.go:\d+: tool "a": the input schema has at its root anyOf; .* \[root-combinator: .*https://.*\]$`, f.Err().Error())
	_, err := f.Catalog()
	assert.Error(t, err, "nothing is served")
}

func TestA25_AnEnumStandsOnTheItems(t *testing.T) {
	f, _ := linted("test")
	f.Query("a").Describe("d").Handle(func(*fusion.Ctx[deps], struct {
		Colours mo.Option[[]string] `validate:"dive,oneof=red blue"`
		Colour  *string             `validate:"oneof=red blue"`
	}) result.Result[int] {
		return result.OK(1)
	})
	assert.Empty(t, all(f))
	input := string(fusiontest.New(t, f).List()[0].InputSchema)
	assert.Contains(t, input, `"colours":{"type":"array","items":{"type":"string","enum":["red","blue"]}}`)
	assert.Contains(t, input, `"colour":{"type":"string","enum":["red","blue"]}`)

	f, _ = linted("test")
	rawTool(f, `{"type":"object","properties":{"c":{"type":"array","items":{"type":"string"},"enum":["red"]}}}`)
	assert.Equal(t, fusion.LintEnumValues, all(f)[0].Rule)
}

func TestA26_NothingIsServedWithASchemaThatIsNone(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"object","properties":{"n":{"type":"int"}}}`: `"/properties/n/type" is "int", which is no type of JSON Schema; use integer`,
		`{"type":"string"}`: `its root must have "type": "object"`,
	} {
		f := newApp()
		says(f.Query("fine"), "x")
		rawTool(f, schema)
		require.Error(t, f.Err())
		assert.Contains(t, f.Err().Error(), `tool "a": `)
		assert.Contains(t, f.Err().Error(), want)
		_, err := f.Catalog()
		assert.Error(t, err)
	}
}

func TestC4_ANameThatIsTooLongTogetherWithTheServersIsAWarning(t *testing.T) {
	for characters, warned := range map[int]bool{42: false, 43: true, 50: true} {
		f, log := linted("inventory-service")
		says(f.Query(strings.Repeat("x", characters)), "x")
		assert.Len(t, fusiontest.New(t, f).List(), 1, "it is served")
		assert.Equal(t, warned, len(f.Warnings()) == 1)
		assert.Equal(t, warned, strings.Contains(log.String(), fmt.Sprintf("have %d characters together", characters+17)), log.String())
	}
}

// Each rule has a constant that says what it is about and where that is reported.
func TestEachRuleHasAConstantWithItsSource(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "lint.go", nil, parser.ParseComments)
	require.NoError(t, err)
	documented := map[string]string{}
	for _, spec := range file.Decls[0].(*ast.GenDecl).Specs {
		constant := spec.(*ast.ValueSpec)
		documented[strings.Trim(constant.Values[0].(*ast.BasicLit).Value, `"`)] = constant.Doc.Text()
	}
	assert.Len(t, documented, len(lint.Rules()))
	for _, about := range lint.Rules() {
		text := strings.Join(strings.Fields(documented[string(about.Rule)]), " ")
		assert.Contains(t, text, strings.ReplaceAll(about.What[1:], "`", ""))
		assert.Contains(t, text, about.Clients[1:])
		assert.Contains(t, text, "Source: "+about.Sources[0])
	}
}
