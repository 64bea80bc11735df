package schema

import (
	"encoding/json/v2"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/samber/mo"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// place is a type used for arguments whose Zone is mirrored.
type place struct {
	Zone string `validate:"header=Zone,max=9"`
	Note string
}

// nested contains itself.
type nested struct {
	Zone string `validate:"header=Zone"`
	Next *nested
}

// code is a type with marshalling of its own, whose schema may say what is mirrored.
type code struct{ text string }

func (c *code) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &c.text) }

func (c code) MarshalJSON() ([]byte, error) { return json.Marshal(c.text) }

func (code) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", MaxLength: new(3), Extra: map[string]any{"x-own": 1}}
}

func TestAMirroredArgumentIsMarkedInItsSchema(t *testing.T) {
	type input struct {
		place
		At    mo.Option[place2]
		Code  code      `validate:"header=Code"`
		Count int       `json:",string" validate:"header=Count"`
		On    *bool     `validate:"header=on"`
		Since time.Time `validate:"header=x.since"`
		Link  *url.URL  `validate:"header=Link"`
		Kind  string    `validate:"oneof=a b,header=Kind,default=a"`
		Other map[string]int
	}
	in := inputOf[input](t)
	assert.JSONEq(t, `{"type":"object","additionalProperties":false,"required":["zone","note","code","count","since","other"],"properties":{
		"zone":{"type":"string","maxLength":9,"x-mcp-header":"Zone"},
		"note":{"type":"string"},
		"at":{"type":"object","additionalProperties":false,"required":["inner"],"properties":{
			"inner":{"type":"object","additionalProperties":false,"required":["size"],"properties":{"size":{"type":"integer","minimum":0,"maximum":255,"x-mcp-header":"Inner-Size"}}}}},
		"code":{"type":"string","maxLength":3,"x-own":1,"x-mcp-header":"Code"},
		"count":{"type":"string","pattern":"^(0|-?[1-9]\\d*)$","x-mcp-header":"Count"},
		"on":{"type":"boolean","x-mcp-header":"on"},
		"since":{"type":"string","format":"date-time","x-mcp-header":"x.since"},
		"link":{"type":"string","format":"uri","x-mcp-header":"Link"},
		"kind":{"type":"string","enum":["a","b"],"default":"a","x-mcp-header":"Kind"},
		"other":{"type":"object","additionalProperties":{"type":"integer"}}}}`, string(in.JSON()))
	assert.Equal(t, []Mirror{
		{"Mcp-Param-Inner-Size", []string{"at", "inner", "size"}},
		{"Mcp-Param-Code", []string{"code"}},
		{"Mcp-Param-Count", []string{"count"}},
		{"Mcp-Param-Kind", []string{"kind"}},
		{"Mcp-Param-Link", []string{"link"}},
		{"Mcp-Param-On", []string{"on"}},
		{"Mcp-Param-X.since", []string{"since"}},
		{"Mcp-Param-Zone", []string{"zone"}},
	}, in.Mirrors())
	raw, err := NewRaw(in.JSON())
	require.NoError(t, err)
	assert.Equal(t, in.Mirrors(), raw.Mirrors(), "a raw schema is read in the same way")
	assert.NotContains(t, string(inputOf[struct{ Code code }](t).JSON()), mirrorKeyword, "the type's own schema is not touched")
}

// place2 has its mirrored value deeper.
type place2 struct {
	Inner struct {
		Size uint8 `validate:"header=Inner-Size"`
	}
}

func TestAHeaderDemandsNothingOfTheValue(t *testing.T) {
	_, problems := decodeOne(t, param[string]("x", "header=Region,min=2"), `"a"`)
	require.Len(t, problems, 1)
	assert.Equal(t, "at least 2 characters", problems[0].Expected)
	assert.Nil(t, inputOf[struct{ Region string }](t).Mirrors())
}

func TestHeadersThatClientsWouldDropTheToolForAreRefused(t *testing.T) {
	type level struct {
		Level float64 `validate:"header=Level"`
	}
	tests := []struct {
		name    string
		problem string
		want    string
	}{
		{"no name", problemOf[struct {
			A string `validate:"header="`
		}](t), `"a" has the header "", which is no name of a header; use letters, digits and hyphens, such as "Region"`},
		{"no name and no equals sign", problemOf[struct {
			A string `validate:"header"`
		}](t), `"a" has the header "", which is no name of a header; use letters, digits and hyphens, such as "Region"`},
		{"a name with a blank", problemOf[struct {
			A string `validate:"header=My Region"`
		}](t), `"a" has the header "My Region", which is no name of a header; use letters, digits and hyphens, such as "Region"`},
		{"a name with a colon", problemOf[struct {
			A string `validate:"header=X:Y"`
		}](t), `"a" has the header "X:Y", which is no name`},
		{"a name with a line break", problemOf[struct {
			A string `validate:"header=X\r\nY"`
		}](t), `"a" has the header "X\r\nY", which is no name`},
		{"a name that is no ASCII", problemOf[struct {
			A string `validate:"header=Größe"`
		}](t), `"a" has the header "Größe", which is no name`},
		{"a number", problemOf[level](t),
			`"level" has the header "Level" but the type "number"; headers are for one of string, integer and boolean, so change the type or remove the header`},
		{"a number inside", problemOf[struct{ In level }](t), `"in.level" has the header "Level" but the type "number"`},
		{"a list", problemOf[struct {
			A []string `validate:"header=A"`
		}](t), `"a" has the header "A" but the type "array"`},
		{"an object", problemOf[struct {
			A struct{ B int } `validate:"header=A"`
		}](t), `"a" has the header "A" but the type "object"`},
		{"a map", problemOf[struct {
			A map[string]int `validate:"header=A"`
		}](t), `"a" has the header "A" but the type "object"`},
		{"any value", problemOf[struct {
			A any `validate:"header=A"`
		}](t), `"a" has the header "A" but no type; give it the type string, integer or boolean`},
		{"items of a list", problemOf[struct {
			A []string `validate:"dive,header=A"`
		}](t), `"a[]" has the header "A", but clients find only properties, not what is in arrays, maps, combinations, or types that contain themselves; remove the header`},
		{"in an object in a list", problemOf[struct{ A []place }](t), `"a[].zone" has the header "Zone", but clients find only properties`},
		{"in an object in a map", problemOf[struct{ A map[string]place }](t), `"a[].zone" has the header "Zone", but clients find only properties`},
		{"names of a map", problemOf[struct {
			A map[string]int `validate:"dive,keys,header=A,endkeys"`
		}](t), `"a[]" has the header "A", but clients find only properties`},
		{"all other names", problemOf[struct {
			A map[string]int `json:",embed" validate:"dive,header=A"`
		}](t), `"[]" has the header "A", but clients find only properties`},
		{"in a type that contains itself", problemOf[struct{ A nested }](t), `"nested.zone" has the header "Zone", but clients find only properties`},
		{"in arguments that contain themselves", problemOf[nested](t), `"nested.zone" has the header "Zone", but clients find only properties`},
		{"the same type twice", problemOf[struct{ A, B place }](t), `"b.zone" has the header "Zone", as "a.zone" has; case makes no difference, so rename one of them`},
		{"names that differ in case", problemOf[struct {
			A string `validate:"header=my-zone"`
			B int    `validate:"header=My-Zone"`
		}](t), `"b" has the header "My-Zone", as "a" has; case makes no difference`},
		{"two for one argument", problemOf[struct {
			A string `validate:"header=A,header=B"`
		}](t), `"a" has two headers; remove one of them`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { assert.Contains(t, test.problem, test.want) })
	}
}

func TestEachWrongHeaderIsReported(t *testing.T) {
	_, problems := NewInput(nil, []Param{param[string]("a", "header= "), param[float64]("b", "header=B"), param[string]("c", "header=C")}, Config{})
	require.Len(t, problems, 2)
	assert.Equal(t, "a", problems[0].Name)
	assert.Equal(t, "b", problems[1].Name)
}

func TestHeadersOfRawSchemasAreFoundAndChecked(t *testing.T) {
	r := raw(t, `{"type":"object","x-mcp":1,"properties":{
		"properties":{"type":"object","properties":{"a/b~c":{"type":"integer","x-mcp-header":"One"}}},
		"free":{"const":{"x-mcp-header":5},"default":{"x-mcp-header":5}},
		"x-mcp-header":{"type":"string"}}}`)
	assert.Equal(t, []Mirror{{"Mcp-Param-One", []string{"properties", "a/b~c"}}}, r.Mirrors())
	assert.Nil(t, raw(t, `{"type":"object"}`).Mirrors())
	for part, want := range map[string]string{
		`"properties":{"a":{"type":"string","x-mcp-header":5}}`:            `"/properties/a" has the header 5, which is no name of a header`,
		`"properties":{"a":{"type":"string","x-mcp-header":null}}`:         `"/properties/a" has the header null, which is no name`,
		`"properties":{"a":{"type":"string","x-mcp-header":""}}`:           `"/properties/a" has the header "", which is no name`,
		`"properties":{"a":{"type":["string","null"],"x-mcp-header":"A"}}`: `"/properties/a" has the header "A" but the type ["string","null"]`,
		`"properties":{"a":{"enum":["x"],"x-mcp-header":"A"}}`:             `"/properties/a" has the header "A" but no type`,
		`"x-mcp-header":"A"`: `its root has the header "A", but clients find only properties`,
		`"properties":{"a":{"anyOf":[{"type":"string","x-mcp-header":"A"}]}}`:                              `"/properties/a/anyOf/0" has the header "A", but clients find only properties`,
		`"allOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]`:                              `"/allOf/0/properties/a" has the header`,
		`"if":{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}`:                                   `"/if/properties/a" has the header`,
		`"patternProperties":{"a":{"type":"string","x-mcp-header":"A"}}`:                                   `"/patternProperties/a" has the header`,
		`"properties":{"a":{"$ref":"#/$defs/b"}},"$defs":{"b":{"type":"string","x-mcp-header":"A"}}`:       `"/$defs/b" has the header`,
		`"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}`: `"/properties/b" has the header "a", as "a" has; case makes no difference`,
	} {
		_, err := NewRaw([]byte(`{"type":"object",` + part + `}`))
		require.Error(t, err, part)
		assert.Contains(t, err.Error(), want)
	}
}

func TestSafeIntegersAreThoseThatEveryReaderTakesForTheSame(t *testing.T) {
	for number, want := range map[string][2]bool{
		"42": {true, true}, "42.0": {true, true}, "4.2e1": {true, true}, "-7": {true, true}, "-0.0": {true, true},
		"9007199254740991": {true, true}, "-9007199254740991.0": {true, true},
		"9007199254740992": {true, false}, "-9007199254740992": {true, false}, "1e30": {true, false}, "123456789012345678901234567890": {true, false},
		"1.5": {false, false}, "1e-1": {false, false},
	} {
		whole, safe := SafeInteger([]byte(number))
		assert.Equal(t, want, [2]bool{whole, safe}, number)
	}
}

func TestNumbersAreTheSameHoweverTheyAreWritten(t *testing.T) {
	for _, same := range [][]string{
		{"42", "42.0", "4.2e1", "420E-1", "0.42e+2"}, {"0", "-0", "0.00", "-0e5"}, {"-1.5", "-15e-1"}, {"1e30", "1000000000000000000000000000000"},
		{"9007199254740993"}, {"9007199254740992"}, {"1.5"}, {"-42"}, {"4.2"},
	} {
		for _, other := range []string{"42", "0", "-1.5", "1e30", "9007199254740993", "9007199254740992", "1.5", "-42", "4.2"} {
			for _, number := range same {
				assert.Equal(t, slices.Contains(same, other), SameNumber([]byte(number), []byte(other)), "%s and %s", number, other)
			}
		}
	}
}
