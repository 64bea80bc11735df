package schema

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The tests in the cases files are named after faults that users of other frameworks
// reported.

// grade is a byte that travels as text, as enumerations often do.
type grade uint8

func (g grade) MarshalText() ([]byte, error) { return []byte("g" + strconv.Itoa(int(g))), nil }

func (g *grade) UnmarshalText(b []byte) error {
	i, err := strconv.ParseUint(strings.TrimPrefix(string(b), "g"), 10, 8)
	*g = grade(i)
	return err
}

// octet is a byte with a name of its own and nothing else.
type octet uint8

func TestA16_AListOfBytesThatHaveANameIsAList(t *testing.T) {
	type all struct {
		Grades []grade
		Four   [2]grade
		Octets []octet
		By     map[grade]grade
		Plain  []byte
		Array  [2]byte
	}
	in := inputOf[all](t)
	for name, want := range map[string]string{
		"grades": `{"type":"array","items":{"type":"string"}}`,
		"four":   `{"type":"array","items":{"type":"string"},"minItems":2,"maxItems":2}`,
		"octets": `{"type":"array","items":{"type":"integer","minimum":0,"maximum":255}}`,
		"plain":  `{"type":"string","contentEncoding":"base64"}`,
		"array":  `{"type":"string","contentEncoding":"base64"}`,
	} {
		assert.Contains(t, string(in.JSON()), strconv.Quote(name)+":"+want)
	}
	args := `{"grades":["g1","g2"],"four":["g3","g4"],"octets":[5,255],"by":{"g1":"g2"},"plain":"aGk=","array":"AQI="}`
	v, problems := decodeInto[all](t, args)
	require.Empty(t, problems)
	assert.Equal(t, []grade{1, 2}, v.Grades)
	assert.Equal(t, args, encoded(t, v))
	_, problems = decodeInto[all](t, `{"grades":"AQI=","four":["g1"],"octets":[256],"by":{},"plain":[1],"array":"AQ=="}`)
	assert.Equal(t, []string{"grades", "four", "octets[0]", "plain", "array"}, paths(problems))
}

// positive says that it is never negative, and may lie.
type positive struct{ n int }

func (p positive) MarshalJSON() ([]byte, error)  { return json.Marshal(p.n) }
func (p *positive) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &p.n) }
func (positive) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", Minimum: new(0.0), Description: "a<b & c"}
}

func TestE13_WhatATypeWritesAgainstItsOwnSchemaIsNeverSent(t *testing.T) {
	assert.Equal(t, `{"n":5}`, encoded(t, struct{ N positive }{positive{5}}))
	assert.ErrorContains(t, appendError(t, struct{ N positive }{positive{-1}}), "does not allow")
	assert.ErrorContains(t, appendError(t, []map[string]positive{{"a": {-1}}}), "does not allow")
	assert.ErrorContains(t, appendError(t, map[string]any{"a": &positive{-1}}), "does not allow")
}

// switched is a boolean that reads and writes itself.
type switched struct{ on bool }

func (s switched) MarshalJSON() ([]byte, error)  { return json.Marshal(s.on) }
func (s *switched) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &s.on) }
func (switched) JSONSchema() *jsonschema.Schema  { return &jsonschema.Schema{Type: "boolean"} }

// span is a list of two that reads and writes itself.
type span struct{ from, to int }

func (s span) MarshalJSON() ([]byte, error) { return json.Marshal([]int{s.from, s.to}) }
func (s *span) UnmarshalJSON(b []byte) error {
	var both []int
	if err := json.Unmarshal(b, &both); err != nil || len(both) != 2 {
		return errors.New("two numbers are wanted")
	}
	s.from, s.to = both[0], both[1]
	return nil
}
func (span) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "integer"}}
}

// word is text that reads and writes itself.
type word struct{ s string }

func (w word) MarshalJSON() ([]byte, error)  { return json.Marshal(w.s) }
func (w *word) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &w.s) }
func (word) JSONSchema() *jsonschema.Schema  { return &jsonschema.Schema{Type: "string"} }

func TestB7_AStringIsTakenForWhatATypesOwnSchemaSaysAndNeverForText(t *testing.T) {
	type in struct {
		N positive
		S switched
		L span
		W word
	}
	compiled, problems := NewInput(reflect.TypeFor[in](), nil, Config{Coerce: true})
	require.Empty(t, problems)
	var v in
	require.Empty(t, compiled.Decode(jsontext.Value(`{"n":" 9007199254740993 ","s":"TRUE","l":"[1,2]","w":"5"}`), reflect.ValueOf(&v).Elem()))
	assert.Equal(t, in{positive{9007199254740993}, switched{true}, span{1, 2}, word{"5"}}, v)
	fields := compiled.Decode(jsontext.Value(`{"n":"-1","s":"yes","l":"[1]","w":5}`), reflect.ValueOf(&v).Elem())
	assert.Equal(t, []string{"n", "s", "l", "w"}, paths(fields))
	assert.Equal(t, `"-1"`, fields[0].Received, "what was sent is told, not what it spells")
	v, fields = decodeInto[in](t, `{"n":"1","s":"true","l":"[1,2]","w":"x"}`)
	assert.Equal(t, []string{"n", "s", "l"}, paths(fields), "without coercion no string is taken: %v", v)
}

type chained[T any] struct {
	Value T
	Next  *chained[T]
}

func TestE13_NoReferenceNamesAPackage(t *testing.T) {
	text := string(inputOf[chained[map[string]*chained[grade]]](t).JSON())
	assert.NotContains(t, text, "github")
	assert.NotContains(t, text, "schema_")
	assert.Contains(t, text, `"$ref":"#/$defs/chained_`)
}

func TestE1_ANumberOrADurationIsShownByALegalExample(t *testing.T) {
	for _, tc := range []struct {
		param Param
		wrong string
		want  string
	}{
		{param[int]("x"), `"a"`, "an integer, such as 5"},
		{param[float64]("x"), `"a"`, "a number, such as 1.5"},
		{param[float64]("x", "min=7,max=7.5"), `true`, "a number, at least 7, at most 7.5, such as 7"},
		{param[float64]("x", "gt=7.1,lt=7.5"), `true`, "a number, more than 7.1, less than 7.5, such as 7.3"},
		{param[int]("x", "min=7,max=9"), `true`, "an integer, at least 7, at most 9, such as 7"},
		{param[int]("x", "gt=41,lt=43"), `41`, ""},
		{param[int8]("x", "max=-100"), `true`, "an integer from -128 to 127, at most -100, such as -100"},
		{param[uint16]("x", "ne=5"), `-1`, "an integer from 0 to 65535, anything but 5, such as 1"},
		{param[int]("x", "oneof=3 4"), `true`, "one of 3, 4"},
		{param[int64]("x", "min=9007199254740993"), `true`, "an integer, at least 9007199254740993"},
		{param[float32]("x"), `1e39`, "a number from -3.4e38 to 3.4e38, such as 1.5"},
		{param[big.Int]("x"), `"a"`, "an integer, such as 5"},
		{param[time.Duration]("x"), `5`, `a duration string, such as "1h30m"`},
		{param[time.Duration]("x", "max=1m"), `5`, `a duration string, at most 1m, such as "1s"`},
		{param[[]uint8Plus]("x", "dive,min=200"), `[1.5]`, "an integer from 0 to 255, at least 200, such as 200"},
	} {
		in, problems := NewInput(nil, []Param{tc.param}, Config{})
		require.Empty(t, problems)
		_, fields := in.DecodeMap(jsontext.Value(`{"x":` + tc.wrong + `}`))
		require.Len(t, fields, 1, "%v", tc.param.Rules)
		if tc.want != "" {
			assert.Equal(t, tc.want, fields[0].Expected)
		}
		if _, example, shown := strings.Cut(fields[0].Expected, "such as "); shown {
			_, fields = in.DecodeMap(jsontext.Value(`{"x":` + example + `}`))
			_, inList := in.DecodeMap(jsontext.Value(`{"x":[` + example + `]}`))
			assert.True(t, len(fields) == 0 || len(inList) == 0, "%v", tc.param.Rules)
		}
	}
}

type uint8Plus uint8

func TestE1_ANumberInAStringIsShownAsOne(t *testing.T) {
	type in struct {
		N int64 `json:"n,string" validate:"min=10"`
	}
	_, fields := decodeInto[in](t, `{"n":10}`)
	assert.Equal(t, `a string that holds an integer, at least 10, such as "10"`, fields[0].Expected)
	_, fields = decodeInto[in](t, `{"n":"10"}`)
	assert.Empty(t, fields)
}
