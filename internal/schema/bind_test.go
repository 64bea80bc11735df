package schema

import (
	"encoding/json/jsontext"
	"reflect"
	"testing"

	"github.com/samber/mo"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func param[T any](name string, rules ...string) Param {
	return Param{Name: name, Description: "d", Type: reflect.TypeFor[T](), Rules: rules}
}

func optionalParam[T any](name string, rules ...string) Param {
	p := param[T](name, rules...)
	p.Optional = true
	return p
}

// sameNames gives one name to two fields, which vet would not let stand as a type.
var sameNames = reflect.StructOf([]reflect.StructField{
	{Name: "A", Type: reflect.TypeFor[string](), Tag: `json:"a"`},
	{Name: "B", Type: reflect.TypeFor[string](), Tag: `json:"a"`},
})

type (
	grove  []sprout
	sprout struct {
		Kids grove `validate:"dive"`
	}
)

func TestBindingMistakesNameTheParameterAndTheMend(t *testing.T) {
	cases := map[string]struct {
		in     reflect.Type
		params []Param
		want   string
	}{
		"no field":                      {reflect.TypeFor[struct{}](), []Param{param[string]("user_id")}, `"user_id" has no field in the handler's input struct; add a field UserID`},
		"no parameter":                  {reflect.TypeFor[struct{ ID, Name string }](), []Param{param[string]("id")}, `"name" is a field (Name) without a parameter`},
		"wrong type":                    {reflect.TypeFor[struct{ ID int }](), []Param{param[string]("id")}, `"id" is a string, which the field ID of type int cannot hold`},
		"a float for an integer":        {reflect.TypeFor[struct{ N float64 }](), []Param{param[int64]("n")}, `cannot hold`},
		"an optional that is bare":      {reflect.TypeFor[struct{ ID string }](), []Param{optionalParam[string]("id")}, `use mo.Option`},
		"two on one field":              {reflect.TypeFor[struct{ UserID string }](), []Param{param[string]("user_id"), param[string]("userid")}, `binds to the field of the parameter "user_id"`},
		"twice":                         {reflect.TypeFor[struct{ ID string }](), []Param{param[string]("id"), param[string]("id")}, `declared twice`},
		"no name":                       {reflect.TypeFor[struct{}](), []Param{param[string]("")}, `without a readable name`},
		"A24 a bound on a boolean":      {nil, []Param{param[bool]("b", "min=1")}, `does not fit the type`},
		"an unknown rule":               {nil, []Param{param[string]("s", "minn=1")}, `"minn"`},
		"a bad parameter":               {nil, []Param{param[string]("s", "min=x")}, `no length`},
		"contradicting bounds":          {nil, []Param{param[int64]("n", "min=5,max=4")}, `contradict`},
		"a default out of bounds":       {nil, []Param{param[int64]("n", "min=5,default=4")}, `its own rules refuse`},
		"a default of another type":     {nil, []Param{param[int64]("n", "default=x")}, `its own rules refuse`},
		"a default outside the enum":    {nil, []Param{{Name: "e", Type: reflect.TypeFor[string](), Enum: []string{"a"}, Rules: []string{"default=b"}}}, `its own rules refuse`},
		"an empty enum":                 {nil, []Param{{Name: "e", Type: reflect.TypeFor[string](), Enum: []string{}}}, `without values`},
		"another field's rule":          {nil, []Param{param[string]("s", "eqfield=Other")}, `there is no other field "Other"`},
		"a name that is no text":        {nil, []Param{param[string]("\xff")}, `readable name`},
		"an enum with a value twice":    {nil, []Param{{Name: "e", Type: reflect.TypeFor[string](), Enum: []string{"a", "a"}}}, `stands in it twice`},
		"a rule of strings on a number": {nil, []Param{param[int64]("n", "startswith=a")}, `does not fit the type`},
		"a rule without effect":         {nil, []Param{param[string]("s", "structonly")}, `means nothing here`},
		"rules inside their own type":   {reflect.TypeFor[struct{ F grove }](), nil, `inside the type that it is about`},
		"two fields of one name":        {sameNames, nil, `"a" is the name of two fields`},
		"dive on a string":              {nil, []Param{param[string]("s", "dive,min=1")}, `dive`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, problems := NewInput(tc.in, tc.params, Config{})
			require.Len(t, problems, 1)
			assert.Contains(t, problems[0].String(), tc.want)
		})
	}
}

func TestRulesAreWrittenAndEnforced(t *testing.T) {
	cases := []struct {
		param  Param
		schema string
		good   []string
		bad    []string
	}{
		{param[string]("x", "min=2,max=3"), `{"type":"string","description":"d","minLength":2,"maxLength":3}`, []string{`"äö"`, `"abc"`}, []string{`"a"`, `"abcd"`, `5`}},
		{param[string]("x", "len=2"), `{"type":"string","description":"d","minLength":2,"maxLength":2}`, []string{`"ab"`}, []string{`"a"`, `"abc"`}},
		{param[int64]("x", "gt=1,lt=5"), `{"type":"integer","description":"d","exclusiveMinimum":1,"exclusiveMaximum":5}`, []string{`2`, `4.0`}, []string{`1`, `5`}},
		{param[float64]("x", "gte=0.5,lte=1.5"), `{"type":"number","description":"d","minimum":0.5,"maximum":1.5}`, []string{`0.5`, `1`}, []string{`0.4`, `1.6`, `"1"`}},
		{param[uint8]("x"), `{"type":"integer","description":"d","minimum":0,"maximum":255}`, []string{`0`, `255`}, []string{`-1`, `256`}},
		{param[string]("x", "oneof=a 'b c'"), `{"type":"string","description":"d","enum":["a","b c"]}`, []string{`"a"`, `"b c"`}, []string{`"b"`, `"A"`}},
		{param[int64]("x", "oneof=1 3"), `{"type":"integer","description":"d","enum":[1,3]}`, []string{`1`, `3`}, []string{`2`}},
		{param[string]("x", "email"), `{"type":"string","description":"d","format":"email"}`, []string{`"a@example.com"`}, []string{`"a"`, `""`}},
		{param[string]("x", "url"), `{"type":"string","description":"d","format":"uri"}`, []string{`"https://example.com"`}, []string{`"example"`}},
		{param[string]("x", "uuid"), `{"type":"string","description":"d","format":"uuid"}`, []string{`"9b2d7c1e-4f6a-4b7e-9a51-0c3f5d8e7a10"`}, []string{`"9b2d"`}},
		{param[string]("x", "datetime=2006-01-02"), `{"type":"string","description":"d","format":"date"}`, []string{`"2026-01-31"`}, []string{`"2026-02-31"`, `"x"`}},
		{param[string]("x", "alpha"), `{"type":"string","description":"d","pattern":"^[a-zA-Z]+$"}`, []string{`"abc"`}, []string{`"a1"`, `""`}},
		{param[string]("x", "hexcolor|rgb"), `{"type":"string","description":"d"}`, []string{`"#ffffff"`, `"rgb(0,0,0)"`}, []string{`"red"`}},
		{param[[]string]("x", "min=1,max=2,unique,dive,min=2"), `{"type":"array","description":"d","items":{"type":"string","minLength":2},"minItems":1,"maxItems":2,"uniqueItems":true}`, []string{`["ab"]`}, []string{`[]`, `["a"]`, `["ab","ab"]`, `["ab","cd","ef"]`}},
		{param[[]string]("x", "dive,oneof=a b"), `{"type":"array","description":"d","items":{"type":"string","enum":["a","b"]}}`, []string{`[]`, `["a"]`}, []string{`["c"]`}},
		{param[[][]float64]("x"), `{"type":"array","description":"d","items":{"type":"array","items":{"type":"number"}}}`, []string{`[[1.5]]`}, []string{`[1]`, `[null]`, `[[null]]`}},
		{param[any]("x"), `{"description":"d"}`, []string{`1`, `"a"`, `[]`}, nil},
		{param[map[string]int]("x", "max=1"), `{"type":"object","description":"d","additionalProperties":{"type":"integer"},"maxProperties":1}`, []string{`{"a":1}`}, []string{`{"a":1,"b":2}`, `{"a":"x"}`, `{"a":1,"a":1}`}},
	}
	for _, tc := range cases {
		in, problems := NewInput(nil, []Param{tc.param}, Config{})
		require.Empty(t, problems, "%v", tc.param.Rules)
		assert.JSONEq(t, `{"type":"object","properties":{"x":`+tc.schema+`},"required":["x"],"additionalProperties":false}`, string(in.JSON()), "%v", tc.param.Rules)
		for _, value := range tc.good {
			_, fields := in.DecodeMap(jsontext.Value(`{"x":` + value + `}`))
			assert.Empty(t, fields, "%v %s", tc.param.Rules, value)
		}
		for _, value := range append(tc.bad, "") {
			args := `{"x":` + value + `}`
			if value == "" {
				args = `{}`
			}
			_, fields := in.DecodeMap(jsontext.Value(args))
			assert.NotEmpty(t, fields, "%v %s", tc.param.Rules, value)
		}
	}
}

func TestA18_A29_DescriptionsAndOrderAreKept(t *testing.T) {
	description := "Commas, equals=signs, \"quotes\", <tags> & \n newlines, 日本"
	z, a := param[string]("z"), param[string]("a")
	z.Description = description
	in, problems := NewInput(nil, []Param{z, a}, Config{})
	require.Empty(t, problems)
	assert.Equal(t, `{"type":"object","properties":{"z":{"type":"string","description":"Commas, equals=signs, \"quotes\", <tags> & \n newlines, 日本"},"a":{"type":"string","description":"d"}},"required":["z","a"],"additionalProperties":false}`, string(in.JSON()))
	for range 20 {
		again, _ := NewInput(nil, []Param{z, a}, Config{})
		assert.Equal(t, string(in.JSON()), string(again.JSON()), "A30")
	}
}

func TestRulesHoldInsideOptionsAndPointers(t *testing.T) {
	type in struct {
		O mo.Option[string] `validate:"min=2"`
		P *int              `validate:"max=5,required"`
	}
	compiled, problems := NewInput(reflect.TypeFor[in](), nil, Config{})
	require.Empty(t, problems)
	assert.Contains(t, string(compiled.JSON()), `"required":["p"]`)
	var v in
	assert.Equal(t, []string{"o", "p"}, paths(compiled.Decode(jsontext.Value(`{"o":"a","p":6}`), reflect.ValueOf(&v).Elem())))
}

func TestTheRulesOfOneFieldDoNotReachAnother(t *testing.T) {
	type line struct{ SKU string }
	type in struct {
		A []line `validate:"max=1"`
		B []line
	}
	compiled, problems := NewInput(reflect.TypeFor[in](), nil, Config{})
	require.Empty(t, problems)
	var v in
	assert.Empty(t, compiled.Decode(jsontext.Value(`{"a":[],"b":[{"sku":"1"},{"sku":"2"}]}`), reflect.ValueOf(&v).Elem()))
}

func TestRawSchemasThatAreNoneAreRefused(t *testing.T) {
	for schema, want := range map[string]string{
		`{`:                 "no JSON Schema",
		`{"type":"string"}`: "root",
		`{}`:                "root",
		`{"type":"object","properties":{"a":{"type":"int"}}}`:                                                                               "int",
		`{"type":"object","properties":{"a":{"type":"array","items":{"type":"str"}}}}`:                                                      "str",
		`{"type":"object","properties":{"a":{"$ref":"https://example.com/schema.json"}}}`:                                                   "",
		`{"type":"object","$ref":"#"}`:                                                                                                      "back to itself",
		`{"type":"object","allOf":[{"$ref":"#"}]}`:                                                                                          "back to itself",
		`{"type":"object","properties":{"x":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"anyOf":[{"$ref":"#/$defs/a"}]}}}`: "back to itself",
		`{"type":"object","properties":{"x":{"$ref":"#/$defs/none"}}}`:                                                                      "",
		`{"type":"object","properties":{"a":{"type":"string","pattern":"("}}}`:                                                              "",
	} {
		_, err := NewRaw([]byte(schema))
		require.Error(t, err, schema)
		assert.Contains(t, err.Error(), want)
	}
}
