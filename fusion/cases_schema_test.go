package fusion_test

import (
	"encoding/json" //nolint:depguard // whose types users have
	"encoding/json/jsontext"
	jsonv2 "encoding/json/v2"
	"maps"
	"math/big"
	"net/netip"
	"net/url"
	"reflect"
	"slices"
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

// echoing is an app with one tool that returns its input.
func echoing[In any]() *fusion.App[deps] {
	f := newApp()
	f.Query("a").Describe("d").Handle(func(_ *fusion.Ctx[deps], in In) result.Result[In] { return result.OK(in) })
	return f
}

func TestA5_AnInputIsAnObjectOrRefusedAtBuildTime(t *testing.T) {
	const open = `{"type":"object","properties":{},"additionalProperties":{"description":"Any JSON value"}}`
	for name, tc := range map[string]struct {
		app  *fusion.App[deps]
		want string
	}{
		"a struct without fields":     {echoing[struct{}](), `{"type":"object","properties":{},"additionalProperties":false}`},
		"a pointer to it":             {echoing[*struct{}](), `{"type":"object","properties":{},"additionalProperties":false}`},
		"no input":                    {echoing[fusion.NoInput](), `{"type":"object","properties":{},"additionalProperties":false}`},
		"a map of anything":           {echoing[map[string]any](), open},
		"anything":                    {echoing[any](), open},
		"a map of numbers":            {echoing[map[string]int8](), `{"type":"object","properties":{},"additionalProperties":{"type":"integer","minimum":-128,"maximum":127}}`},
		"a map with numbers as names": {echoing[map[uint8]bool](), `{"type":"object","properties":{},"additionalProperties":{"type":"boolean"},"propertyNames":{"pattern":"^(0|[1-9]\\d*)$"}}`},
		"a pointer to a map":          {echoing[*map[string]any](), open},
	} {
		require.NoError(t, tc.app.Err(), name)
		assert.Equal(t, tc.want, string(fusiontest.New(t, tc.app).List()[0].InputSchema), name)
	}
	for name, app := range map[string]*fusion.App[deps]{
		"a string": echoing[string](), "a list": echoing[[]string](), "a number": echoing[int](), "a boolean": echoing[*bool](),
		"a time": echoing[time.Time](), "raw JSON": echoing[jsontext.Value](), "a struct that a time makes a string": echoing[struct {
			time.Time

			ID string
		}](), "a map with names that are none": echoing[map[float64]int](), "pointers to pointers": echoing[**struct{}](),
	} {
		assert.ErrorContains(t, app.Err(), `tool "a"`, name)
		assert.ErrorContains(t, app.Err(), "cases_schema_test.go:", name)
	}
}

func TestA5_AnOpenInputTakesAnyNames(t *testing.T) {
	for name, app := range map[string]*fusion.App[deps]{"map": echoing[map[string]any](), "any": echoing[any]()} {
		tools := fusiontest.New(t, app)
		reply := string(tools.Call("a", jsontext.Value(`{"b":9007199254740993,"a":[null]}`)).Structured())
		assert.Contains(t, reply, `{"a":[null],"b":9007199254740993}`, name)
		assert.Equal(t, result.CodeInvalidArguments, tools.Call("a", jsontext.Value(`{"a":1e400}`)).Failure().Code, name)
	}
	f := newApp()
	f.Query("a").Describe("d").Handle(func(_ *fusion.Ctx[deps], in map[string]int) result.Result[map[string]int] {
		in["more"] = 1 // a map that nothing was sent for can be written to
		return result.OK(in)
	})
	tools := fusiontest.New(t, f)
	for _, args := range []any{nil, jsontext.Value("null"), jsontext.Value("{}")} {
		assert.Equal(t, `{"more":1}`, tools.Call("a", args).Text())
	}
	assert.Equal(t, `{"a":5,"more":1}`, tools.Call("a", jsontext.Value(`{"a":"5"}`)).Text())
	assert.Equal(t, result.Field{Path: "a", Problem: "has the wrong type", Expected: "an integer, such as 5", Received: "true"}, problem(t, tools.Call("a", jsontext.Value(`{"a":true}`))))

	f = newApp()
	f.Query("a").Describe("d").WithString("x", "d").Handle(func(_ *fusion.Ctx[deps], in map[string]any) result.Result[any] { return result.OK[any](in) })
	assert.ErrorContains(t, f.Err(), "use a struct, fusion.Args or fusion.NoInput")
}

type crate struct {
	Name string
	Tags []string
}

func TestA1_PointersAsInputAndOutputAreTheSameAsTheirStructs(t *testing.T) {
	f := newApp()
	f.Query("a").Describe("d").Handle(func(_ *fusion.Ctx[deps], in crate) result.Result[crate] { return result.OK(in) })
	f.Query("b").Describe("d").Handle(func(_ *fusion.Ctx[deps], in *crate) result.Result[*crate] { return result.OK(in) })
	f.Query("c").Describe("d").WithString("name", "").WithArray[string]("tags", "").
		Handle(func(_ *fusion.Ctx[deps], in *crate) result.Result[mo.Option[crate]] { return result.OK(mo.Some(*in)) })
	tools := fusiontest.New(t, f)
	list := tools.List()
	assert.Equal(t, `{"type":"object","properties":{"name":{"type":"string"},"tags":{"type":"array","items":{"type":"string"}}},"required":["name","tags"],"additionalProperties":false}`, string(list[0].InputSchema))
	for i, name := range []string{"a", "b", "c"} {
		assert.Equal(t, string(list[0].InputSchema), string(list[i].InputSchema))
		assert.Equal(t, string(list[0].OutputSchema), string(list[i].OutputSchema))
		assert.Equal(t, `{"name":"x","tags":[]}`, tools.Call(name, jsontext.Value(`{"name":"x","tags":[]}`)).Text())
		assert.Equal(t, []string{"name", "tags"}, pathsOf(tools.Call(name, nil).Failure().Fields))
	}
}

func pathsOf(fields []result.Field) (paths []string) {
	for _, f := range fields {
		paths = append(paths, f.Path)
	}
	return paths
}

func TestA2_WhatIsOptionalHasAPlainTypeAndTakesNull(t *testing.T) {
	type in struct {
		IDs  []string          `json:"ids,omitempty"`
		TLS  *bool             `json:"tls"`
		Opt  mo.Option[[]int8] `json:"opt"`
		Map  map[string]bool   `json:"map,omitzero"`
		Deep *struct {
			When *time.Time `json:"when"`
		} `json:"deep"`
	}
	app := echoing[in]()
	tools := fusiontest.New(t, app)
	schema := string(tools.List()[0].InputSchema)
	assert.Equal(t, `{"type":"object","properties":{"ids":{"type":"array","items":{"type":"string"}},"tls":{"type":"boolean"},"opt":{"type":"array","items":{"type":"integer","minimum":-128,"maximum":127}},"map":{"type":"object","additionalProperties":{"type":"boolean"}},"deep":{"type":"object","properties":{"when":{"type":"string","format":"date-time"}},"additionalProperties":false}},"additionalProperties":false}`, schema)
	assert.NotContains(t, string(tools.List()[0].OutputSchema), "null")
	for _, args := range []string{`{"ids":null,"tls":null,"opt":null,"map":null,"deep":null}`, `{"deep":{"when":null}}`} {
		assert.NotContains(t, tools.Call("a", jsontext.Value(args)).Text(), "error", args)
	}
	f := newApp()
	f.Query("a").Describe("d").WithOptionalArray[string]("ids", "d").WithOptionalBoolean("tls", "d").
		Handle(func(_ *fusion.Ctx[deps], in fusion.Args) result.Result[bool] {
			return result.OK(in.Has("ids") || in.Has("tls"))
		})
	tools = fusiontest.New(t, f)
	assert.Equal(t, `{"type":"object","properties":{"ids":{"type":"array","items":{"type":"string"},"description":"d"},"tls":{"type":"boolean","description":"d"}},"additionalProperties":false}`, string(tools.List()[0].InputSchema))
	assert.False(t, tools.Call("a", jsontext.Value(`{"ids":null,"tls":null}`)).Data[bool]())
}

// anyKinds has a field of each type that a handler can bind.
type anyKinds struct {
	Bool     bool
	Int      int
	Int8     int8
	Int16    int16
	Int32    int32
	Int64    int64
	Uint     uint
	Uint8    uint8
	Uint16   uint16
	Uint32   uint32
	Uint64   uint64
	Float32  float32
	Float64  float64
	String   string
	Bytes    []byte
	Hash     [4]byte
	Time     time.Time
	Duration time.Duration
	URL      url.URL
	Addr     netip.Addr
	Big      big.Int
	Ratio    big.Rat
	Number   json.Number
	Raw      json.RawMessage
	Value    jsontext.Value
	Any      any
	List     []string
	Rows     [][]float64
	Anys     []any
	Maps     []map[string]any
	Two      [2]int
	Map      map[string]crate
	ByInt    map[int]string
	Inner    crate
	Pointer  *crate
	Option   mo.Option[crate]
	Quoted   int64 `json:"quoted,string"`
	crate          //nolint:embeddedstructfieldcheck // promoted: name, tags
	Tree     *branch
}

type branch struct {
	Kids []branch
	By   map[string]*branch `json:"by,omitempty"`
}

// property is what a test looks at of a subschema.
type property struct {
	Type        string
	Ref         string `json:"$ref"`
	Description string
	Items       *property
	Properties  map[string]property
	Enum        []any
	Minimum     *float64
	Maximum     *float64
	Format      string
	Required    []string
	Defs        map[string]property `json:"$defs"`
	Additional  jsontext.Value      `json:"additionalProperties"`
}

func read(t *testing.T, schema jsontext.Value) (p property) {
	t.Helper()
	require.NoError(t, jsonv2.Unmarshal(schema, &p, jsonv2.MatchCaseInsensitiveNames(true)))
	return p
}

// each calls visit with all subschemas.
func (p property) each(path string, visit func(path string, p property)) {
	visit(path, p)
	if p.Items != nil {
		p.Items.each(path+"[]", visit)
	}
	for name, sub := range p.Properties {
		sub.each(path+"."+name, visit)
	}
	for name, sub := range p.Defs {
		sub.each("#"+name, visit)
	}
}

func TestA21_EachFieldIsAdvertisedWithATypeOrADescription(t *testing.T) {
	tools := fusiontest.New(t, echoing[anyKinds]()).List()
	for name, schema := range map[string]jsontext.Value{"input": tools[0].InputSchema, "output": tools[0].OutputSchema} {
		root := read(t, schema)
		assert.Len(t, root.Properties, reflect.TypeFor[anyKinds]().NumField()+1, "one embedded struct promotes two fields")
		root.each("", func(path string, p property) {
			assert.NotEmpty(t, p.Type+p.Ref+p.Description, "%s %s", name, path)
			if p.Type == "array" {
				assert.NotNil(t, p.Items, "A9: %s %s", name, path)
			}
		})
		assert.Equal(t, []string{"branch"}, slices.Collect(maps.Keys(root.Defs)), "A12: only what contains itself is referred to")
		assert.Equal(t, "#/$defs/branch", root.Properties["tree"].Ref)
		assert.NotContains(t, string(schema), "null", "A8")
	}
}

func TestA10_WhatIsAdvertisedOfAListIsWhatItsDecoderTakes(t *testing.T) {
	type line struct{ SKU string }
	f := newApp()
	f.Query("a").Describe("d").WithArray[line]("lines", "d").WithOptionalArray[[]line]("rows", "d").
		Handle(func(_ *fusion.Ctx[deps], in struct {
			Lines []line
			Rows  [][]line
		}) result.Result[int] {
			return result.OK(len(in.Lines) + len(in.Rows))
		})
	f.Query("b").Describe("d").WithArray[line]("lines", "d").
		Handle(func(_ *fusion.Ctx[deps], in fusion.Args) result.Result[[]line] { return in.Get[[]line]("lines") })
	tools := fusiontest.New(t, f)
	assert.Contains(t, string(tools.List()[0].InputSchema), `"items":{"type":"array","items":{"type":"object","properties":{"sku":{"type":"string"}},"required":["sku"],"additionalProperties":false}}`)
	assert.Equal(t, 2, tools.Call("a", jsontext.Value(`{"lines":[{"sku":"x"}],"rows":[[{"sku":"y"}]]}`)).Data[int]())
	assert.Equal(t, `{"result":[{"sku":"x"}]}`, tools.Call("b", jsontext.Value(`{"lines":[{"sku":"x"}]}`)).Text())
	for _, args := range []string{`{"lines":["x"]}`, `{"lines":[{"sku":"x"},5]}`, `{"lines":[{"SKU":"x"}]}`} {
		assert.Equal(t, result.CodeInvalidArguments, tools.Call("b", jsontext.Value(args)).Failure().Code, args)
	}
	f = newApp()
	f.Query("a").Describe("d").WithArray[string]("lines", "d").
		Handle(func(_ *fusion.Ctx[deps], in struct{ Lines []line }) result.Result[int] { return result.OK(0) })
	assert.ErrorContains(t, f.Err(), "cannot hold")
}

func TestA8_A30_NoListHoldsANullAndAllAreTheSameBytes(t *testing.T) {
	f := newApp()
	for _, name := range []string{"z", "y", "a", "m.b", "m.a"} {
		f.Query(name).Describe("d").WithOptionalString("z", "").WithOptionalEnum("a", []string{"y", "b"}, "").
			Handle(func(_ *fusion.Ctx[deps], in struct {
				Z mo.Option[string]
				A mo.Option[string]
			}) result.Result[map[string][]int] {
				return result.OK[map[string][]int](nil)
			})
	}
	for _, revision := range revisions {
		params := "{}"
		if revision == "2026-07-28" {
			params = `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}`
		}
		first := client(t, f, revision)("tools/list", params)
		assert.NotContains(t, first, "null", revision)
		assert.NotContains(t, first, `"required"`, revision)
		assert.Contains(t, first, `"properties":{"z":{"type":"string"},"a":{"type":"string","enum":["y","b"]}}`, "A29 "+revision)
		for range 50 {
			assert.Equal(t, first, client(t, f, revision)("tools/list", params))
		}
	}
}

func TestA17_ATimeIsSentWithItsOffset(t *testing.T) {
	type out struct {
		At   time.Time
		Opt  mo.Option[time.Time]
		List []*time.Time
		By   map[string]time.Time
		Any  any
	}
	local := time.Date(2026, 1, 31, 9, 30, 0, 5, time.FixedZone("", -(5*3600+1800)))
	_, structured := sent(t, out{At: local, Opt: mo.Some(local.UTC()), List: []*time.Time{&local}, By: map[string]time.Time{"a": local}, Any: local})
	const want = "2026-01-31T09:30:00.000000005-05:30"
	assert.JSONEq(t, `{"at":"`+want+`","opt":"2026-01-31T15:00:00.000000005Z","list":["`+want+`"],"by":{"a":"`+want+`"},"any":"`+want+`"}`, structured)

	f := newApp()
	f.Query("a").Describe("d").Handle(func(_ *fusion.Ctx[deps], _ fusion.NoInput) result.Result[time.Time] {
		return result.OK(time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)) // RFC 3339 has no such year
	})
	assert.Equal(t, result.CodeInternal, fusiontest.New(t, f).Call("a", nil).Failure().Code)
}

func TestA18_DescriptionsAreKeptByteForByteWhereverTheyStand(t *testing.T) {
	const text = "Commas, equals=signs, \"quotes\", 'single', `back`, <tags> & \\ slashes, \t tabs,\nlines, 日本 \u2028 end "
	type inner struct {
		A int `json:"a" jsonschema:"min=1, enum=x, 'quoted', <b> & 日本, required"`
	}
	f := newApp()
	f.Query("a").Describe(text).Instructions(text).WithString("s", text).WithOptionalEnum("e", []string{text}, text).With[inner]("o", text).WithArray[inner]("l", text).
		Handle(func(_ *fusion.Ctx[deps], _ fusion.Args) result.Result[[]inner] { return result.OK([]inner{}) })
	f.Prompt("p").Describe(text).WithString("s", text).Handle(func(_ *fusion.Ctx[deps], _ struct{ S string }) result.Result[string] { return result.OK("") })
	for _, revision := range revisions {
		tools := fusiontest.New(t, f).Revision(revision)
		tool := tools.List()[0]
		assert.Equal(t, text+"\n\n"+text, tool.Description)
		root := read(t, tool.InputSchema)
		for _, name := range []string{"s", "e", "o", "l"} {
			assert.Equal(t, text, root.Properties[name].Description, name)
		}
		assert.Equal(t, []any{text}, root.Properties["e"].Enum)
		const tag = "min=1, enum=x, 'quoted', <b> & 日本, required"
		assert.Equal(t, tag, root.Properties["o"].Properties["a"].Description)
		assert.Equal(t, tag, root.Properties["l"].Items.Properties["a"].Description)
		if revision >= "2025-06-18" {
			assert.Equal(t, tag, read(t, tool.OutputSchema).Properties["result"].Items.Properties["a"].Description)
		}
		assert.Equal(t, text, tools.Prompts()[0].Arguments[0].Description)
	}
}

func TestA24_BoundsOfNumbersOnOtherTypesAreBuildErrors(t *testing.T) {
	for name, declare := range map[string]func(f *fusion.App[deps]){
		"a time": func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").With[time.Time]("x", "d", "min=1").Handle(nothingOf)
		},
		"a boolean": func(f *fusion.App[deps]) { f.Query("a").Describe("d").WithBoolean("x", "d", "max=1").Handle(nothingOf) },
		"a URL": func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").With[url.URL]("x", "d", "min=1").Handle(nothingOf)
		},
		"an object": func(f *fusion.App[deps]) { f.Query("a").Describe("d").With[crate]("x", "d", "min=1").Handle(nothingOf) },
		"anything":  func(f *fusion.App[deps]) { f.Query("a").Describe("d").With[any]("x", "d", "gt=1").Handle(nothingOf) },
		"an address": func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").With[netip.Addr]("x", "d", "lt=1").Handle(nothingOf)
		},
		"a duration": func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").With[time.Duration]("x", "d", "min=5").Handle(nothingOf)
		},
		"a length": func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").WithString("x", "d", "min=1.5").Handle(nothingOf)
		},
		"of a length": func(f *fusion.App[deps]) { f.Query("a").Describe("d").WithString("x", "d", "max=-1").Handle(nothingOf) },
		"no element": func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").WithArray[time.Time]("x", "d", "dive,min=1").Handle(nothingOf)
		},
		"an enum of ints": func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").WithInteger("x", "d", "oneof=1 two").Handle(nothingOf)
		},
		"A25 a list": func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").WithArray[string]("x", "d", "oneof=a b").Handle(nothingOf)
		},
		"a prompt's": func(f *fusion.App[deps]) {
			f.Prompt("a").Describe("d").WithBoolean("x", "d", "min=1").Handle(func(*fusion.Ctx[deps], fusion.Args) result.Result[string] { return result.OK("") })
		},
		"a tag": func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").Handle(func(*fusion.Ctx[deps], struct {
				L []struct {
					T time.Time `validate:"min=1"`
				}
			}) result.Result[result.Unit] {
				return result.Done()
			})
		},
	} {
		f := newApp()
		declare(f)
		assert.ErrorContains(t, f.Err(), `"a"`, name)
		assert.ErrorContains(t, f.Err(), "cases_schema_test.go:", name)
	}
}

func nothingOf(*fusion.Ctx[deps], fusion.Args) result.Result[result.Unit] { return result.Done() }

func TestA25_AnEnumStandsOnWhatItIsAbout(t *testing.T) {
	type in struct {
		List mo.Option[[]string] `validate:"dive,oneof=a b"`
		Null *string             `validate:"oneof=a b"`
		Nums []int               `json:"nums,omitempty" validate:"dive,oneof=1 2"`
		By   map[string]string   `json:"by,omitempty" validate:"dive,oneof=a b"`
		Flag *bool               `validate:"eq=true"`
	}
	tools := fusiontest.New(t, echoing[in]())
	assert.Equal(t, `{"type":"object","properties":{"list":{"type":"array","items":{"type":"string","enum":["a","b"]}},"null":{"type":"string","enum":["a","b"]},"nums":{"type":"array","items":{"type":"integer","enum":[1,2]}},"by":{"type":"object","additionalProperties":{"type":"string","enum":["a","b"]}},"flag":{"type":"boolean","enum":[true]}},"additionalProperties":false}`, string(tools.List()[0].InputSchema))
	assert.Equal(t, []string{"list[1]", "null", "nums[0]", "by.k", "flag"}, pathsOf(tools.Call("a", jsontext.Value(`{"list":["a","c"],"null":"c","nums":[3],"by":{"k":"c"},"flag":false}`)).Failure().Fields))
	assert.Equal(t, `{"list":[]}`, tools.Call("a", jsontext.Value(`{"list":[],"null":null,"nums":null,"by":null}`)).Text())
}

func TestA22_PropertiesAreTheNamesThatTheWireHas(t *testing.T) {
	type base struct {
		ID   string
		Note string `json:"note,omitempty"`
	}
	type Behind struct{ Extra int }
	type in struct {
		base
		*Behind
		Note     int `json:"note"` // the shallower one counts
		Dash     int `json:"-"`
		Named    int `json:"-,"` //nolint:staticcheck // what users write
		Zero     int `json:"zero,omitzero"`
		Text     int `json:"text,string"`
		private  int
		HTTPPort int
	}
	_ = in{private: 1}
	tools := fusiontest.New(t, echoing[in]())
	for _, schema := range []jsontext.Value{tools.List()[0].InputSchema, tools.List()[0].OutputSchema} {
		root := read(t, schema)
		assert.ElementsMatch(t, []string{"id", "extra", "note", "-", "zero", "text", "http_port"}, slices.Collect(maps.Keys(root.Properties)))
		assert.ElementsMatch(t, []string{"id", "note", "-", "text", "http_port"}, root.Required)
		assert.Equal(t, "integer", root.Properties["note"].Type)
		assert.Equal(t, "string", root.Properties["text"].Type)
	}
	const args = `{"id":"x","note":1,"-":2,"text":"9007199254740993","http_port":3}`
	assert.Equal(t, args, tools.Call("a", jsontext.Value(args)).Text(), "a nil embedded pointer has no fields")
	assert.Contains(t, tools.Call("a", jsontext.Value(strings.Replace(args, `"id"`, `"extra":0,"id"`, 1))).Text(), `"extra":0`)
}
