package schema

import (
	"encoding/json/jsontext"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/samber/mo"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/result"
)

func TestOfTwoBoundsTheNarrowerOneIsWritten(t *testing.T) {
	for tag, want := range map[string]string{
		"max=200":           `"minimum":-128,"maximum":127`,
		"min=1,min=5":       `"minimum":5,"maximum":127`,
		"min=5,min=1,max=9": `"minimum":5,"maximum":9`,
		"gt=3,lt=100":       `"minimum":-128,"maximum":127,"exclusiveMinimum":3,"exclusiveMaximum":100`,
	} {
		in, problems := NewInput(nil, []Param{{Name: "x", Type: reflect.TypeFor[int8](), Rules: []string{tag}}}, Config{})
		require.Empty(t, problems, tag)
		assert.Contains(t, string(in.JSON()), want, tag)
	}
}

func TestDeclarationsThatContradictThemselvesAreRefused(t *testing.T) {
	cases := map[string]struct {
		param Param
		want  string
	}{
		"beyond the type":            {param[int8]("x", "min=200"), "no number is from 200 to 127"},
		"nothing between":            {param[int]("x", "gt=4,lt=5"), "no number is from 4 to 5"},
		"an open end":                {param[float64]("x", "gte=4,lt=4"), "no number is from 4 to 4"},
		"negative for unsigned":      {param[uint]("x", "min=-1"), "no whole number from zero on"},
		"below no length":            {param[string]("x", "lt=0"), "no length is less than 0"},
		"lengths":                    {param[[]int]("x", "min=3", "max=2"), "at least 3 and at most 2"},
		"an array that is too short": {param[[2]int]("x", "min=3"), "at least 3 and at most 2"},
		"two enums":                  {param[string]("x", "oneof=a b,oneof=b c"), "two lists"},
		"an enum value out of rules": {param[string]("x", "oneof=a bb,min=2"), `lists "a", which another of its rules refuses`},
		"an enum value twice":        {param[string]("x", "oneof=a b a"), "stands in it twice"},
		"not finite":                 {param[float64]("x", "min=nan"), "is no number"},
		"a bound on a time":          {param[time.Time]("x", "min=1"), "does not fit the type"},
		"a bound on any":             {param[any]("x", "max=1"), "does not fit the type"},
		"text rules for numbers":     {param[int]("x", "email"), "does not fit the type"},
		"text rules for lists":       {param[[]string]("x", "email"), "does not fit the type"},
		"unique for strings":         {param[string]("x", "unique"), "does not fit the type"},
		"unique by no field":         {param[[]struct{ A int }]("x", "unique=B"), `no field "B"`},
		"a misspelt rule":            {param[string]("x", "emial"), "did you mean email?"},
		"required and a default":     {param[string]("x", "default=a,required"), "required and has a default"},
		"a default of nothing":       {param[int]("x", "default"), "default without a value"},
		"a default of an element":    {param[[]int]("x", "dive,default=5"), "elements are never absent"},
		"a default beyond the type":  {param[int8]("x", "default=300"), "its own rules refuse"},
		"a default list":             {param[[]string]("x", `default=["a","b"],max=1`), "its own rules refuse"},
		"keys of a list":             {param[[]string]("x", "dive,keys,min=1,endkeys"), "maps with string keys"},
		"keys without an end":        {param[map[string]int]("x", "dive,keys,min=1"), "ends with endkeys"},
		"zero value rules":           {param[string]("x", "isdefault"), "means nothing here"},
		"no value":                   {param[string]("x", "oneof="), "names no value"},
		"no duration":                {param[time.Duration]("x", "min=5"), "no duration"},
		"no text":                    {param[string]("x", "contains="), "names no text"},
		"not a text":                 {param[int]("x", "startswith=a"), "does not fit the type"},
		"not a value of the type":    {param[int8]("x", "oneof=1 300"), `"300" is not an integer from -128 to 127`},
		"an enum of numbers":         {Param{Name: "x", Type: reflect.TypeFor[int](), Enum: []string{"1"}}, "enums are of strings"},
		"a type that is missing":     {Param{Name: "x"}, "has no type"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, problems := NewInput(nil, []Param{tc.param}, Config{})
			require.Len(t, problems, 1)
			assert.Contains(t, problems[0].Message, tc.want)
			assert.Equal(t, "x", problems[0].Name[:1])
		})
	}
}

func TestMoreRulesAreWrittenAndEnforced(t *testing.T) {
	cases := []struct {
		param  Param
		schema string
		good   []string
		bad    []string
	}{
		{param[string]("x", "eq=a b"), `{"type":"string","description":"d","enum":["a b"]}`, []string{`"a b"`}, []string{`"a"`}},
		{param[string]("x", "ne=a,ne=b"), `{"type":"string","description":"d","not":{"enum":["a","b"]}}`, []string{`"c"`, `""`}, []string{`"a"`, `"b"`}},
		{param[int]("x", "ne=5"), `{"type":"integer","description":"d","not":{"enum":[5]}}`, []string{`4`}, []string{`5`, `5.0`}},
		{param[bool]("x", "eq=true"), `{"type":"boolean","description":"d","enum":[true]}`, []string{`true`}, []string{`false`}},
		{param[float64]("x", "oneof=0.5 1"), `{"type":"number","description":"d","enum":[0.5,1]}`, []string{`0.5`, `1.0`}, []string{`0.6`}},
		{param[float32]("x", "max=0.1"), `{"type":"number","description":"d","minimum":-3.4028234663852886e+38,"maximum":0.1}`, []string{`0.1`}, []string{`0.1000000001`}},
		{param[string]("x", "alphanum,startswith=a"), `{"type":"string","description":"d","pattern":"^[a-zA-Z0-9]+$","allOf":[{"pattern":"^a"}]}`, []string{`"ab"`}, []string{`"b"`, `"a-"`}},
		{param[string]("x", "endswith=.md"), `{"type":"string","description":"d","pattern":"\\.md$"}`, []string{`"a.md"`}, []string{`"amd"`}},
		{param[string]("x", "contains=0x2C"), `{"type":"string","description":"d","pattern":","}`, []string{`"a,b"`}, []string{`"ab"`}},
		{param[string]("x", "ip"), `{"type":"string","description":"d"}`, []string{`"192.0.2.1"`, `"::1"`}, []string{`"x"`}},
		{param[string]("x", "datetime="+time.RFC3339), `{"type":"string","description":"d","format":"date-time"}`, []string{`"2026-01-31T09:30:00+01:00"`}, []string{`"2026-01-31"`}},
		{param[time.Duration]("x", "min=1s,lt=1h"), `{"type":"string","description":"d","pattern":"^[-+]?(0|(([0-9]+\\.?[0-9]*|\\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$"}`, []string{`"1s"`, `"59m"`}, []string{`"999ms"`, `"60m"`}},
		{param[[]byte]("x", "max=2"), `{"type":"string","description":"d","contentEncoding":"base64"}`, []string{`"aGk="`}, []string{`"aGk5"`}},
		{param[[]struct{ A int }]("x", "unique=A"), `{"type":"array","description":"d","items":{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"additionalProperties":false}}`, []string{`[{"a":1},{"a":2}]`}, []string{`[{"a":1},{"a":1.0}]`}},
		{param[[]float64]("x", "unique"), `{"type":"array","description":"d","items":{"type":"number"},"uniqueItems":true}`, []string{`[0,1]`}, []string{`[0,-0.0]`, `[1,1.0]`}},
		{param[[]time.Time]("x", "unique"), `{"type":"array","description":"d","items":{"type":"string","format":"date-time"}}`, []string{`[]`}, []string{`["2026-01-31T09:30:00Z","2026-01-31T09:30:00Z"]`}},
		{param[map[string]int]("x", "min=1,dive,keys,min=2,endkeys,max=5"), `{"type":"object","description":"d","additionalProperties":{"type":"integer","maximum":5},"propertyNames":{"minLength":2},"minProperties":1}`, []string{`{"ab":5}`}, []string{`{}`, `{"a":1}`, `{"ab":6}`}},
		{param[map[int]string]("x"), `{"type":"object","description":"d","additionalProperties":{"type":"string"},"propertyNames":{"pattern":"^(0|-?[1-9]\\d*)$"}}`, []string{`{"-1":"a","0":""}`}, []string{`{"01":"a"}`, `{"x":"a"}`, `{"-0":""}`}},
		{param[[][]string]("x", "dive,min=1,dive,max=2"), `{"type":"array","description":"d","items":{"type":"array","items":{"type":"string","maxLength":2},"minItems":1}}`, []string{`[["ab"]]`}, []string{`[[]]`, `[["abc"]]`}},
		{Param{Name: "x", Description: "d", Type: reflect.TypeFor[[]status](), Enum: []string{"a", "b"}}, `{"type":"array","description":"d","items":{"type":"string","enum":["a","b"]}}`, []string{`["a"]`}, []string{`["c"]`}},
	}
	for _, tc := range cases {
		in, problems := NewInput(nil, []Param{tc.param}, Config{})
		require.Empty(t, problems, "%v", tc.param.Rules)
		assert.JSONEq(t, `{"type":"object","properties":{"x":`+tc.schema+`},"required":["x"],"additionalProperties":false}`, string(in.JSON()), "%v", tc.param.Rules)
		for _, value := range tc.good {
			_, fields := in.DecodeMap(jsontext.Value(`{"x":` + value + `}`))
			assert.Empty(t, fields, "%v %s", tc.param.Rules, value)
		}
		for _, value := range tc.bad {
			_, fields := in.DecodeMap(jsontext.Value(`{"x":` + value + `}`))
			assert.NotEmpty(t, fields, "%v %s", tc.param.Rules, value)
		}
	}
}

func TestEachTextRuleTakesItsOwnExample(t *testing.T) {
	for tag, text := range textRules {
		in, problems := NewInput(nil, []Param{param[string]("x", tag)}, Config{})
		require.Empty(t, problems, tag)
		example, _ := jsontext.AppendQuote(nil, text.example)
		args := `{"x":` + string(example) + `}`
		_, fields := in.DecodeMap(jsontext.Value(args))
		assert.Empty(t, fields, "%s %s", tag, args)
		assert.NoError(t, referee(t, in).Validate(mustAny([]byte(args))), "%s %s", tag, args)
		refused := 0
		for _, value := range []string{`"\u0001 ü%%"`, `"A"`, `"a"`} {
			if _, fields = in.DecodeMap(jsontext.Value(`{"x":` + value + `}`)); len(fields) > 0 {
				refused++
			}
		}
		assert.Positive(t, refused, "%s refuses something", tag)
	}
}

func TestB16_E1_ProblemsTellWhatIsLegal(t *testing.T) {
	cases := []struct {
		param Param
		value string
		want  result.Field
	}{
		{param[int8]("x", "min=1"), `0`, result.Field{Path: "x", Problem: "must be at least 1", Expected: "at least 1", Received: "0"}},
		{param[int8]("x", "min=1,max=9"), `"a"`, result.Field{Path: "x", Problem: "has the wrong type", Expected: "an integer from -128 to 127, at least 1, at most 9, such as 5", Received: `"a"`}},
		{param[string]("x", "oneof=a 'b c'"), `"d"`, result.Field{Path: "x", Problem: "is not one of the allowed values", Expected: `one of "a", "b c"`, Received: `"d"`}},
		{param[string]("x", "oneof=a b"), `5`, result.Field{Path: "x", Problem: "has the wrong type", Expected: `one of "a", "b"`, Received: "5"}},
		{param[[]string]("x", "min=1"), `[]`, result.Field{Path: "x", Problem: "must have at least 1 item", Expected: "at least 1 item", Received: "[]"}},
		{param[[2]bool]("x"), `[ true ]`, result.Field{Path: "x", Problem: "has 1 item", Expected: "an array of exactly 2 items, each item true or false"}},
		{param[map[string]int]("x", "max=1"), ` {"a":1, "b":2}`, result.Field{Path: "x", Problem: "must have at most 1 entry", Expected: "at most 1 entry", Received: `{"a":1, "b":2}`}},
		{param[time.Time]("x"), `"soon"`, result.Field{Path: "x", Problem: "is not in the right form", Expected: `a date-time string such as "2026-01-31T09:30:00Z"`, Received: `"soon"`}},
		{param[string]("x", "uuid"), `"1"`, result.Field{Path: "x", Problem: "is not a UUID", Expected: "a UUID such as 9b2d7c1e-4f6a-4b7e-9a51-0c3f5d8e7a10", Received: `"1"`}},
		{param[int]("x"), `null`, result.Field{Path: "x", Problem: "must not be null", Expected: "an integer, such as 5", Received: "null"}},
		{param[[]int]("x"), `{}`, result.Field{Path: "x", Problem: "has the wrong type", Expected: "an array, each item an integer, such as 5", Received: "{}"}},
	}
	for _, tc := range cases {
		_, fields := decodeOne(t, tc.param, tc.value)
		assert.Equal(t, []result.Field{tc.want}, fields)
	}
}

func TestB12_TheTextNullIsNotReinterpretedAndToldToBeLeftOut(t *testing.T) {
	type in struct {
		Parent mo.Option[string]
		Count  mo.Option[int]
		Tags   []int `json:"tags,omitempty"`
	}
	v, problems := decodeInto[in](t, `{"parent":"null"}`)
	require.Empty(t, problems)
	assert.Equal(t, mo.Some("null"), v.Parent)
	_, problems = decodeInto[in](t, `{"count":"null","tags":["null"]}`)
	require.Len(t, problems, 2)
	for _, p := range problems {
		assert.Contains(t, p.Expected, "leave the name out")
	}
}

func TestB8_B21_WrongTypesNeverBecomeTheDefaultOrZero(t *testing.T) {
	type in struct {
		TopK int  `validate:"default=10"`
		Flag bool `validate:"default=true"`
	}
	for _, args := range []string{`{"top_k":"five"}`, `{"top_k":""}`, `{"top_k":true}`, `{"flag":"True"}`, `{"flag":1}`, `{"flag":""}`, `{"top_k":[]}`} {
		_, problems := decodeInto[in](t, args)
		assert.Len(t, problems, 1, args)
	}
}

func TestB13_DefaultsOfEveryKindAreAppliedAndWritten(t *testing.T) {
	type inner struct{ N int }
	type in struct {
		L []string          `validate:"default=[\"a\",\"b\"]"`
		M map[string]int    `validate:"default={\"k\":1,\"l\":2}"`
		I inner             `validate:"default={\"n\":5}"`
		O mo.Option[string] `validate:"default=x0x2Cy"`
		P *int              `validate:"default=7,min=5"`
		T time.Duration     `validate:"default=30s"`
		E string            `validate:"default="`
	}
	v, problems := decodeInto[in](t, `{"p":null}`)
	require.Empty(t, problems)
	assert.Equal(t, in{L: []string{"a", "b"}, M: map[string]int{"k": 1, "l": 2}, I: inner{5}, O: mo.Some("x,y"), P: new(7), T: 30 * time.Second}, v)
	written := string(inputOf[in](t).JSON())
	assert.Contains(t, written, `"default":["a","b"]`)
	assert.Contains(t, written, `"default":"x,y"`)
	assert.True(t, strings.HasSuffix(written, `"default":""}},"additionalProperties":false}`), "nothing is required")
}

func TestRequiredMeansPresent(t *testing.T) {
	type in struct {
		N int             `validate:"required,omitempty"`
		B bool            `validate:"required"`
		O mo.Option[bool] `validate:"required"`
	}
	_, problems := decodeInto[in](t, `{"n":0,"b":false,"o":false}`)
	assert.Empty(t, problems)
	_, problems = decodeInto[in](t, `{}`)
	assert.Equal(t, []string{"n", "b", "o"}, paths(problems))
}
