package fusion_test

import (
	"encoding/json/jsontext"
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

// basket has what models get wrong, at several depths.
type basket struct {
	ID    int64
	Lines []struct {
		Qty  int `validate:"default=1"`
		Gift mo.Option[bool]
	} `json:"lines,omitempty"`
	By   map[string]struct{ N float64 } `json:"by,omitempty"`
	Deep mo.Option[struct{ On *bool }]
	Note mo.Option[string]
}

// basketTesters take one declaration in each of the ways that there are.
func basketTesters(t *testing.T) map[string]*fusiontest.Tester {
	t.Helper()
	const raw = `{"type":"object","properties":{"id":{"type":"integer"},"lines":{"type":"array","items":{"type":"object","properties":{"qty":{"type":"integer","default":1},"gift":{"type":"boolean"}},"additionalProperties":false}},"by":{"type":"object","additionalProperties":{"type":"object","properties":{"n":{"type":"number"}},"required":["n"],"additionalProperties":false}},"deep":{"type":"object","properties":{"on":{"type":"boolean"}},"additionalProperties":false},"note":{"type":"string"}},"required":["id"],"additionalProperties":false}`
	echo := func(_ *fusion.Ctx[deps], in basket) result.Result[basket] { return result.OK(in) }
	type lines = []struct {
		Qty  int `validate:"default=1"`
		Gift mo.Option[bool]
	}
	testers := map[string]func(f *fusion.App[deps]){
		"a struct": func(f *fusion.App[deps]) { f.Query("a").Describe("d").Handle(echo) },
		"a pointer": func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").Handle(func(_ *fusion.Ctx[deps], in *basket) result.Result[*basket] { return result.OK(in) })
		},
		"raw": func(f *fusion.App[deps]) { f.Query("a").Describe("d").RawSchema([]byte(raw)).Handle(echo) },
		"With methods": func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").WithInteger("id", "d").With[basket]("whole", "d", "default={\"id\":1}").
				Handle(func(_ *fusion.Ctx[deps], in struct {
					ID    int64
					Whole basket
				}) result.Result[basket] {
					in.Whole.ID = in.ID
					return result.OK(in.Whole)
				})
		},
		"Args": func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").WithInteger("id", "d").WithOptionalArray[struct {
				Qty  int `validate:"default=1"`
				Gift mo.Option[bool]
			}]("lines", "d").WithOptionalObject[map[string]struct{ N float64 }]("by", "d").
				WithOptionalObject[struct{ On *bool }]("deep", "d").WithOptionalString("note", "d").
				Handle(func(_ *fusion.Ctx[deps], in fusion.Args) result.Result[basket] {
					o := basket{ID: in.Int("id"), Lines: in.Get[lines]("lines").OrElse(nil), By: in.Get[map[string]struct{ N float64 }]("by").OrElse(nil)}
					if deep, err := in.Get[struct{ On *bool }]("deep").Get(); err == nil {
						o.Deep = mo.Some(deep)
					}
					if in.Has("note") {
						o.Note = mo.Some(in.String("note"))
					}
					return result.OK(o)
				})
		},
	}
	made := map[string]*fusiontest.Tester{}
	for name, declare := range testers {
		f := newApp()
		declare(f)
		require.NoError(t, f.Err(), name)
		made[name] = fusiontest.New(t, f)
	}
	return made
}

// within puts the arguments where a way of declaring takes them.
func within(name, args string) jsontext.Value {
	if name == "With methods" {
		return jsontext.Value(`{"id":9007199254740993,"whole":` + args + `}`)
	}
	return jsontext.Value(args)
}

func TestB1_B5_B7_WhatSpellsAValueIsThatValueInEveryWayOfDeclaring(t *testing.T) {
	for name, tools := range basketTesters(t) {
		for args, want := range map[string]string{
			`{"id":9007199254740993}`:                                                 `{"id":9007199254740993}`,
			`{"id":"9007199254740993"}`:                                               `{"id":9007199254740993}`,
			`{"id":9007199254740993.0,"lines":[{}]}`:                                  `{"id":9007199254740993,"lines":[{"qty":1}]}`,
			`{"id":9007199254740993,"lines":[{"qty":0,"gift":false}]}`:                `{"id":9007199254740993,"lines":[{"qty":0,"gift":false}]}`,
			`{"id":9007199254740993,"lines":"[{\"qty\":\"1e3\",\"gift\":\"True\"}]"}`: `{"id":9007199254740993,"lines":[{"qty":1000,"gift":true}]}`,
			`{"id":9007199254740993,"lines":["{\"qty\":\" 7 \",\"gift\":\"0\"}"]}`:    `{"id":9007199254740993,"lines":[{"qty":7,"gift":false}]}`,
			`{"id":9007199254740993,"by":"{\"k\":{\"n\":\"5.50\"}}"}`:                 `{"id":9007199254740993,"by":{"k":{"n":5.5}}}`,
			`{"id":9007199254740993,"deep":{"on":"1"},"note":"1"}`:                    `{"id":9007199254740993,"deep":{"on":true},"note":"1"}`,
			`{"id":9007199254740993,"deep":"{}","note":"[]"}`:                         `{"id":9007199254740993,"deep":{},"note":"[]"}`,
			`{"id":9007199254740993,"note":"null"}`:                                   `{"id":9007199254740993,"note":"null"}`,
			`{"id":9007199254740993,"note":""}`:                                       `{"id":9007199254740993,"note":""}`,
		} {
			if name == "raw" && strings.Contains(args, `"by":"`) {
				continue // what a schema says of names that it does not list is not looked into
			}
			assert.Equal(t, want, tools.Call("a", within(name, args)).Text(), "%s %s", name, args)
		}
	}
}

func TestB8_B9_B21_WhatIsWrongIsToldWithItsPathInEveryWayOfDeclaring(t *testing.T) {
	for name, tools := range basketTesters(t) {
		for args, path := range map[string]string{
			`{"id":1,"lines":[{"qty":"five"}]}`:       "lines[0].qty",
			`{"id":1,"lines":[{"qty":""}]}`:           "lines[0].qty",
			`{"id":1,"lines":[{"qty":5.5}]}`:          "lines[0].qty",
			`{"id":1,"lines":[{"gift":"yes"}]}`:       "lines[0].gift",
			`{"id":1,"lines":[{"gift":""}]}`:          "lines[0].gift",
			`{"id":1,"lines":[{"gift":1}]}`:           "lines[0].gift",
			`{"id":1,"lines":[{"qyt":1}]}`:            "lines[0].qyt",
			`{"id":1,"lines":"[{\"qyt\":1}]"}`:        "lines[0].qyt",
			`{"id":1,"lines":[null]}`:                 "lines[0]",
			`{"id":1,"lines":"a,b"}`:                  "lines",
			`{"id":1,"lines":["null"]}`:               "lines[0]",
			`{"id":1,"by":{"k":{"n":"x"}}}`:           "by.k.n",
			`{"id":1,"by":{"k":{"m":1}}}`:             "by.k.m",
			`{"id":1,"deep":{"on":"null"}}`:           "deep.on",
			`{"id":1,"deep":{"no":true}}`:             "deep.no",
			`{"id":1,"note":5}`:                       "note",
			`{"id":1,"note":true,"by":{"k":{"n":1}}}`: "note",
			`{"id":1,"nite":"x"}`:                     "nite",
			`{"id":1,"Note":"x"}`:                     "Note",
		} {
			failure := tools.Call("a", within(name, args)).Failure()
			assert.Equal(t, result.CodeInvalidArguments, failure.Code, "%s %s", name, args)
			paths := strings.Join(pathsOf(failure.Fields), " ")
			if name == "raw" { // the library that enforces raw schemas tells no index and no name of a map
				paths, path = strings.ReplaceAll(paths, "[]", "[0]"), strings.SplitN(path, ".", 2)[0]
			}
			assert.Contains(t, paths, path, "%s %s", name, args)
			assert.NotContains(t, tools.Call("a", within(name, args)).Text(), "struct", "no type of Go")
		}
	}
}

func TestB9_TheNearestNameIsToldForToolsPromptsAndTheirNestedParts(t *testing.T) {
	tools := basketTesters(t)["a struct"]
	for args, want := range map[string]string{
		`{"id":1,"lnes":[]}`:               "lines",
		`{"id":1,"lines":[{"qyt":1}]}`:     "qty",
		`{"id":1,"lines":[{"gfit":true}]}`: "gift",
		`{"id":1,"NOTE":"x"}`:              "note",
	} {
		assert.Contains(t, problem(t, tools.Call("a", jsontext.Value(args))).Problem, `did you mean "`+want+`"?`, args)
	}
	f := newApp()
	f.Prompt("p").Describe("d").WithOptionalString("customer_name", "d").
		Handle(func(*fusion.Ctx[deps], fusion.Args) result.Result[string] { return result.OK("") })
	fault := fusiontest.New(t, f).Prompt("p", map[string]string{"customerName": "x"}).Fault()
	assert.Equal(t, -32602, fault.Code)
}

func TestB13_B15_DefaultsOfEveryTypeAreFreshAtEveryDepth(t *testing.T) {
	type inner struct {
		List []string       `validate:"default=[\"a\"]"`
		Map  map[string]int `validate:"default={\"k\":1}"`
	}
	type in struct {
		List  []string                  `validate:"default=[\"a\"]"`
		Map   map[string]int            `validate:"default={\"k\":1}"`
		Ptr   *[]int                    `validate:"default=[1]"`
		Opt   mo.Option[map[string]int] `validate:"default={\"k\":1}"`
		Wait  time.Duration             `validate:"default=1h30m"`
		At    time.Time                 `validate:"default=2026-01-31T09:30:00Z"`
		Any   any                       `validate:"default=[9007199254740993]"`
		Bytes []byte                    `validate:"default=aGk="`
		Raw   jsontext.Value            `validate:"default={\"a\":1}"`
		Inner inner                     `validate:"default={}"`
		Many  []inner                   `validate:"default=[{}]"`
		Text  string                    `validate:"default="`
	}
	const want = `{"list":["a"],"map":{"k":1},"ptr":[1],"opt":{"k":1},"wait":"1h30m0s","at":"2026-01-31T09:30:00Z","any":[9007199254740993],"bytes":"aGk=","raw":{"a":1},"inner":{"list":["a"],"map":{"k":1}},"many":[{"list":["a"],"map":{"k":1}}],"text":""}`
	f := newApp()
	f.Query("a").Describe("d").Handle(func(_ *fusion.Ctx[deps], in in) result.Result[string] {
		before := in
		text, err := jsontextOf(before)
		in.List[0], in.Map["k"], (*in.Ptr)[0], in.Bytes[0], in.Raw[1] = "changed", 2, 2, 'x', 'x'
		in.Opt.MustGet()["k"], in.Inner.List[0], in.Inner.Map["k"], in.Many[0].List[0] = 2, "changed", 2, "changed"
		in.Any.([]any)[0] = "changed"
		return result.Of(text, err)
	})
	tools := fusiontest.New(t, f)
	for _, args := range []string{`{}`, `null`, `{"list":null,"map":null,"ptr":null,"opt":null,"wait":null,"at":null,"bytes":null,"inner":null,"many":null,"text":null,"any":null,"raw":null}`, `{}`} {
		assert.JSONEq(t, want, tools.Call("a", jsontext.Value(args)).Text(), args)
	}
	assert.NotContains(t, string(tools.List()[0].InputSchema), `"required"`)
	assert.Contains(t, string(tools.List()[0].InputSchema), `"default":[9007199254740993]`)
	f = echoing[struct {
		N int `validate:"default=five"`
	}]()
	assert.ErrorContains(t, f.Err(), "default")
}

// jsontextOf is what a tool would send of a value.
func jsontextOf(v any) (string, error) {
	f := returning(v)
	c, err := f.Catalog()
	if err != nil {
		return "", err
	}
	b, err := c.Tools()[0].Encode(nil, v)
	return strings.TrimSuffix(strings.TrimPrefix(string(b), `{"result":`), "}"), err
}

func TestB11_B12_WhatAnInspectorSendsForUntouchedFields(t *testing.T) {
	type in struct {
		Price mo.Option[float64]
		Count *int
		Flag  mo.Option[bool]
		When  *time.Time
		Tags  mo.Option[[]string]
		Enum  mo.Option[string] `validate:"oneof=a b"`
		Text  mo.Option[string]
		Any   mo.Option[any]
	}
	tools := fusiontest.New(t, echoing[in]())
	assert.Equal(t, `{}`, tools.Call("a", jsontext.Value(`{"price":null,"count":null,"flag":null,"when":null,"tags":null,"enum":null,"text":null,"any":null}`)).Text())
	assert.Equal(t, `{"tags":[],"text":"","any":""}`, tools.Call("a", jsontext.Value(`{"tags":[],"text":"","any":""}`)).Text())
	assert.Equal(t, []string{"price", "count", "flag", "when", "tags", "enum"}, pathsOf(tools.Call("a", jsontext.Value(`{"price":"","count":"","flag":"","when":"","tags":"","enum":"","text":""}`)).Failure().Fields))
	failure := tools.Call("a", jsontext.Value(`{"price":"null","count":"null","flag":"null","tags":"null","text":"null","any":"null"}`)).Failure()
	assert.Equal(t, []string{"price", "count", "flag", "tags"}, pathsOf(failure.Fields))
	for _, field := range failure.Fields {
		assert.Contains(t, field.Expected, "leave the name out", field.Path)
	}
	assert.Equal(t, `{"tags":["null"]}`, tools.Call("a", jsontext.Value(`{"tags":["null"]}`)).Text())
}

func TestB21_TheTruthTableInEveryWayOfDeclaring(t *testing.T) {
	spelt := map[string]bool{"true": true, "TRUE": true, "True": true, "tRuE": true, "1": true, "false": false, "FALSE": false, "False": false, "0": false}
	f := newApp()
	f.Query("struct").Describe("d").Handle(func(_ *fusion.Ctx[deps], in struct{ Yes bool }) result.Result[bool] { return result.OK(in.Yes) })
	f.Query("option").Describe("d").Handle(func(_ *fusion.Ctx[deps], in struct{ Yes mo.Option[bool] }) result.Result[bool] {
		return result.OK(in.Yes.MustGet())
	})
	f.Query("args").Describe("d").WithBoolean("yes", "d").Handle(func(_ *fusion.Ctx[deps], in fusion.Args) result.Result[bool] { return result.OK(in.Bool("yes")) })
	f.Query("raw").Describe("d").RawSchema([]byte(`{"type":"object","properties":{"yes":{"type":"boolean"}}}`)).
		Handle(func(_ *fusion.Ctx[deps], in fusion.Args) result.Result[bool] { return result.OK(in.Bool("yes")) })
	tools := fusiontest.New(t, f)
	for _, name := range []string{"struct", "option", "args", "raw"} {
		for text, want := range spelt {
			assert.Equal(t, want, tools.Call(name, map[string]any{"yes": text}).Data[bool](), "%s %s", name, text)
		}
		for _, wrong := range []any{"yes", "no", "on", "", " ", "2", "t", "y", " true", "truе", 1, 0, 1.0, []bool{true}} {
			assert.Equal(t, "yes", problem(t, tools.Call(name, map[string]any{"yes": wrong})).Path, "%s %v", name, wrong)
		}
	}
}

func TestB23_DepthIsBoundedInStringsToo(t *testing.T) {
	f := newApp()
	f.Query("a").Describe("d").WithOptionalArray[any]("x", "d").WithOptionalObject[map[string]any]("m", "d").Handle(nothingOf)
	f.Query("raw").Describe("d").RawSchema([]byte(`{"type":"object","properties":{"x":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"array","items":{"$ref":"#/$defs/x"}}}}`)).Handle(nothingOf)
	tools := fusiontest.New(t, f)
	for _, depth := range []int{100, 10_000} {
		deep := strings.Repeat("[", depth) + strings.Repeat("]", depth)
		for _, name := range []string{"a", "raw"} {
			failure := tools.Call(name, map[string]any{"x": deep}).Failure()
			assert.Equal(t, result.CodeInvalidArguments, failure.Code, name)
			assert.Less(t, len(tools.Call(name, map[string]any{"x": deep}).Text()), 1000)
		}
		assert.Equal(t, result.CodeInvalidArguments, tools.Call("a", map[string]any{"m": strings.Repeat(`{"a":`, depth) + "1" + strings.Repeat("}", depth)}).Failure().Code)
	}
}

func TestTS_ArraysHaveCountsOfItemsAndTextsOfCharacters(t *testing.T) {
	type in struct {
		List []string       `validate:"min=1,max=2,dive,max=3"`
		Text string         `validate:"min=1,max=2"`
		Map  map[string]int `validate:"min=1"`
		Num  int            `validate:"min=1,max=2"`
	}
	schema := string(fusiontest.New(t, echoing[in]()).List()[0].InputSchema)
	for _, want := range []string{
		`"list":{"type":"array","items":{"type":"string","maxLength":3},"minItems":1,"maxItems":2}`, `"text":{"type":"string","minLength":1,"maxLength":2}`,
		`"minProperties":1,`, `"num":{"type":"integer","minimum":1,"maximum":2}`,
	} {
		assert.Contains(t, schema, want)
	}
}

func TestTS_NestedObjectsRefuseWhatTheirSchemaForbids(t *testing.T) {
	type in struct {
		Item  struct{ A int }
		List  []struct{ A int }
		By    map[string]struct{ A int }
		Opt   mo.Option[struct{ A int }]
		Ptr   *struct{ A int }
		Loose map[string]any
	}
	tools := fusiontest.New(t, echoing[in]())
	assert.Equal(t, 6, strings.Count(string(tools.List()[0].InputSchema), `"additionalProperties":false`), "all but the free map")
	const x = `{"a":1,"x":2}`
	failure := tools.Call("a", jsontext.Value(`{"item":`+x+`,"list":[`+x+`],"by":{"k":`+x+`},"opt":`+x+`,"ptr":`+x+`,"loose":`+x+`}`)).Failure()
	assert.Equal(t, []string{"item.x", "list[0].x", "by.k.x", "opt.x", "ptr.x"}, pathsOf(failure.Fields))
	f := newApp()
	f.Query("a").Describe("d").Lenient().Handle(func(_ *fusion.Ctx[deps], in in) result.Result[in] { return result.OK(in) })
	lenient := fusiontest.New(t, f).Call("a", jsontext.Value(`{"item":`+x+`,"list":[],"by":{},"loose":{},"more":1}`)).Failure()
	assert.Equal(t, []string{"item.x"}, pathsOf(lenient.Fields), "lenient is for the arguments' own names")
}

func TestTS_PromptArgumentsAreTakenForWhatTheySpell(t *testing.T) {
	type in struct {
		N    mo.Option[int64]
		F    float64 `validate:"default=1.5"`
		Flag *bool
		Text mo.Option[string]
	}
	f := newApp()
	f.Prompt("p").Describe("d").Handle(func(_ *fusion.Ctx[deps], in in) result.Result[string] { return result.Of(jsontextOf(in)) })
	for _, revision := range revisions {
		tools := fusiontest.New(t, f).Revision(revision)
		for args, want := range map[string]string{
			`{"n":"9007199254740993","flag":"TRUE","text":"1"}`: `{"n":9007199254740993,"f":1.5,"flag":true,"text":"1"}`,
			`{"n":"","f":"","flag":"","text":""}`:               `{"f":1.5,"text":""}`,
			`{"n":"0","f":"0","flag":"0"}`:                      `{"n":0,"f":0,"flag":false}`,
			`{}`:                                                `{"f":1.5}`,
		} {
			assert.Equal(t, want, tools.Prompt("p", jsontext.Value(args)).Text(), "%s %s", revision, args)
		}
		for _, wrong := range []string{`{"n":"x"}`, `{"n":"1.5"}`, `{"flag":"yes"}`, `{"nn":"1"}`, `{"n":"null"}`, `{"n":"99999999999999999999"}`} {
			assert.Equal(t, -32602, tools.Prompt("p", jsontext.Value(wrong)).Fault().Code, wrong)
		}
	}
}
