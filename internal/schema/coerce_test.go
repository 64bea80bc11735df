package schema

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/samber/mo"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type coerced struct {
	Int    int               `json:"int,omitempty" validate:"max=9000"`
	Tiny   uint8             `json:"tiny,omitempty"`
	Big    big.Int           `json:"big,omitzero"`
	Float  float64           `json:"float,omitempty"`
	Bool   bool              `json:"bool,omitempty"`
	Ints   []int             `json:"ints,omitempty" validate:"max=3"`
	Map    map[string]int    `json:"map,omitempty"`
	In     *inner            `json:"in,omitempty"`
	Deep   [][]inner         `json:"deep,omitempty"`
	Option mo.Option[int]    `json:"option"`
	String string            `json:"string,omitempty"`
	Texts  []string          `json:"texts,omitempty"`
	Time   time.Time         `json:"time,omitzero"`
	Bytes  []byte            `json:"bytes,omitempty"`
	Any    any               `json:"any,omitempty"`
	Raw    jsontext.Value    `json:"raw,omitempty"`
	Quoted int               `json:"quoted,omitempty,string"`
	Names  map[string]string `json:"names,omitempty"`
}

type inner struct {
	N int `json:"n"`
}

// coercing decodes arguments with coercion, and tells the value as JSON or the problems.
func coercing(t *testing.T, args string) (value coerced, problems []string) {
	t.Helper()
	in, wrong := NewInput(reflect.TypeFor[coerced](), nil, Config{Coerce: true})
	require.Empty(t, wrong)
	for _, f := range in.Decode(jsontext.Value(args), reflect.ValueOf(&value).Elem()) {
		problems = append(problems, f.Path+" "+f.Problem+" "+f.Received)
	}
	return value, problems
}

func TestB7_AStringIsTakenForWhatItSpells(t *testing.T) {
	for args, want := range map[string]coerced{
		`{"int":"5812"}`:                     {Int: 5812},
		`{"int":"5.0"}`:                      {Int: 5},
		`{"int":"1e3"}`:                      {Int: 1000},
		`{"int":" 7 "}`:                      {Int: 7},
		`{"int":"-0"}`:                       {},
		`{"tiny":"255"}`:                     {Tiny: 255},
		`{"float":"2.5"}`:                    {Float: 2.5},
		`{"bool":"true"}`:                    {Bool: true},
		`{"bool":"True"}`:                    {Bool: true},
		`{"bool":"1"}`:                       {Bool: true},
		`{"bool":"FALSE"}`:                   {},
		`{"ints":"[1, 2]"}`:                  {Ints: []int{1, 2}},
		`{"ints":["1",2]}`:                   {Ints: []int{1, 2}},
		`{"ints":"[\"1\",2]"}`:               {Ints: []int{1, 2}},
		`{"map":"{\"a\":1}"}`:                {Map: map[string]int{"a": 1}},
		`{"map":{"a":"1"}}`:                  {Map: map[string]int{"a": 1}},
		`{"in":"{\"n\":\"4\"}"}`:             {In: &inner{4}},
		`{"deep":"[[{\"n\":1}],\"[]\"]"}`:    {Deep: [][]inner{{{1}}, {}}},
		`{"option":"0"}`:                     {Option: mo.Some(0)},
		`{"int":"1","string":"1"}`:           {Int: 1, String: "1"},
		`{"int":"1","texts":["[1]","true"]}`: {Int: 1, Texts: []string{"[1]", "true"}},
		`{"int":"1","any":"5"}`:              {Int: 1, Any: "5"},
		`{"int":"1","raw":"5"}`:              {Int: 1, Raw: jsontext.Value(`"5"`)},
		`{"int":"1","names":{"a":"2"}}`:      {Int: 1, Names: map[string]string{"a": "2"}},
		`{"int":"1","bytes":"MQ=="}`:         {Int: 1, Bytes: []byte("1")},
		`{"int":"1","quoted":"2"}`:           {Int: 1, Quoted: 2},
	} {
		got, problems := coercing(t, args)
		assert.Empty(t, problems, args)
		assert.Equal(t, want, got, args)
	}
	exact, _ := coercing(t, `{"big":"123456789012345678901234567890"}`)
	assert.Equal(t, "123456789012345678901234567890", exact.Big.String())
}

func TestB7_WhatSpellsNothingIsRefusedAndSoIsWhatBreaksARule(t *testing.T) {
	for args, want := range map[string]string{
		`{"int":"abc"}`:         `int has the wrong type "abc"`,
		`{"int":""}`:            `int has the wrong type ""`,
		`{"int":" "}`:           `int has the wrong type " "`,
		`{"int":"5.5"}`:         `int is not a whole number "5.5"`,
		`{"int":"9001"}`:        `int must be at most 9000 "9001"`,
		`{"int":"0x10"}`:        `int has the wrong type "0x10"`,
		`{"int":"1 2"}`:         `int has the wrong type "1 2"`,
		`{"int":"null"}`:        `int is the text null "null"`,
		`{"int":"\"5\""}`:       `int has the wrong type "\"5\""`,
		`{"int":true}`:          `int has the wrong type true`,
		`{"tiny":"256"}`:        `tiny is out of range "256"`,
		`{"float":"NaN"}`:       `float has the wrong type "NaN"`,
		`{"bool":"yes"}`:        `bool has the wrong type "yes"`,
		`{"bool":""}`:           `bool has the wrong type ""`,
		`{"bool":1}`:            `bool has the wrong type 1`,
		`{"ints":"1,2"}`:        `ints has the wrong type "1,2"`,
		`{"ints":"{}"}`:         `ints has the wrong type "{}"`,
		`{"ints":"[1"}`:         `ints has the wrong type "[1"`,
		`{"ints":"[1,2,3,4]"}`:  `ints must have at most 3 items [1,2,3,4]`,
		`{"ints":"[1,\"x\"]"}`:  `ints[1] has the wrong type "x"`,
		`{"ints":5}`:            `ints has the wrong type 5`,
		`{"in":"{\"m\":1}"}`:    `in.m is not known here 1|in.n is missing `,
		`{"in":"{\"n\":1} {}"}`: `in has the wrong type "{\"n\":1} {}"`,
		`{"string":5}`:          `string has the wrong type 5`,
		`{"time":"5"}`:          `time is not in the right form "5"`,
		`{"quoted":5}`:          `quoted has the wrong type 5`,
		`{"int":"1","x":1}`:     `x is not known here 1`,
	} {
		_, problems := coercing(t, args)
		assert.Equal(t, want, strings.Join(problems, "|"), args)
	}
}

func TestCoercionChangesNothingThatIsRightAlready(t *testing.T) {
	for _, args := range []string{`{"string":"5","texts":["true"],"any":"[1]"}`, `{"raw":"{}"}`, `{"names":{"a":"1"}}`, `{}`} {
		var strict coerced
		in, _ := NewInput(reflect.TypeFor[coerced](), nil, Config{})
		require.Empty(t, in.Decode(jsontext.Value(args), reflect.ValueOf(&strict).Elem()))
		loose, problems := coercing(t, args)
		assert.Empty(t, problems)
		assert.Equal(t, strict, loose)
	}
}

func TestCoercionHasBounds(t *testing.T) {
	nested := `[1]`
	for range 12 { // each level doubles the backslashes
		quoted, err := json.Marshal(nested)
		require.NoError(t, err)
		nested = `[` + string(quoted) + `]`
	}
	_, problems := coercing(t, `{"ints":`+nested+`}`)
	assert.NotEmpty(t, problems)
	_, problems = coercing(t, `{"deep":"`+strings.Repeat("[", 10_000)+strings.Repeat("]", 10_000)+`"}`)
	assert.NotEmpty(t, problems)
	many := strings.TrimSuffix(strings.Repeat(`\"x\",`, 100), ",")
	_, problems = coercing(t, `{"ints":"[`+many+`]"}`)
	assert.Len(t, problems, maxProblems)
}

func TestParametersOfAMapAreCoercedToo(t *testing.T) {
	in, wrong := NewInput(nil, []Param{{Name: "x", Type: reflect.TypeFor[int](), Description: "x"}}, Config{Coerce: true})
	require.Empty(t, wrong)
	values, problems := in.DecodeMap(jsontext.Value(`{"x":"5"}`))
	assert.Empty(t, problems)
	assert.Equal(t, map[string]any{"x": 5}, values)
}
