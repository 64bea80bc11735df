package schema

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"math/big"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/samber/mo"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// level reads and writes itself as text, though it is a number in Go.
type level int

func (l level) MarshalText() ([]byte, error) { return []byte(strings.Repeat("*", int(l))), nil }

func (l *level) UnmarshalText(b []byte) error {
	if strings.Trim(string(b), "*") != "" {
		return errors.New("only stars")
	}
	*l = level(len(b))
	return nil
}

// money reads and writes itself as JSON and says what that looks like.
type money struct{ cents int64 }

func (m money) MarshalJSON() ([]byte, error)  { return json.Marshal(m.cents) }
func (m *money) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &m.cents) }
func (money) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", Minimum: new(0.0)}
}

// writeOnly has only one half of its marshalling.
type writeOnly struct{ A string }

func (writeOnly) MarshalJSON() ([]byte, error) { return []byte(`"x"`), nil }

// uuid is an array of bytes that is text in JSON.
type uuid [16]byte

func (u uuid) MarshalText() ([]byte, error) { return []byte("u-" + string(u[:1])), nil }
func (u *uuid) UnmarshalText(b []byte) error {
	if len(b) != 3 || string(b[:2]) != "u-" {
		return errors.New("no")
	}
	u[0] = b[2]
	return nil
}

func TestA16_TypesWithMarshallingOfTheirOwnAreDescribedAsTheyMarshal(t *testing.T) {
	type all struct {
		At    time.Time
		For   time.Duration
		Bytes []byte
		Four  [4]byte
		URL   url.URL
		IP    netip.Addr
		Big   big.Int
		Level level
		Money money
		UUID  uuid
		Ratio big.Rat
	}
	in := inputOf[all](t)
	assert.Equal(t, `{"type":"object","properties":{`+
		`"at":{"type":"string","format":"date-time"},`+
		`"for":{"type":"string","pattern":"^[-+]?(0|(([0-9]+\\.?[0-9]*|\\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$"},`+
		`"bytes":{"type":"string","contentEncoding":"base64"},`+
		`"four":{"type":"string","contentEncoding":"base64"},`+
		`"url":{"type":"string","format":"uri"},`+
		`"ip":{"type":"string"},`+
		`"big":{"type":"integer"},`+
		`"level":{"type":"string"},`+
		`"money":{"type":"integer","minimum":0},`+
		`"uuid":{"type":"string"},`+
		`"ratio":{"type":"string"}},`+
		`"required":["at","for","bytes","four","url","ip","big","level","money","uuid","ratio"],"additionalProperties":false}`, string(in.JSON()))
	args := `{"at":"2026-01-31T09:30:00Z","for":"1h30m0s","bytes":"aGk=","four":"AQIDBA==","url":"https://example.com/x?q=1","ip":"192.0.2.1","big":123456789012345678901234567890,"level":"***","money":125,"uuid":"u-x","ratio":"3/4"}`
	v, problems := decodeInto[all](t, args)
	require.Empty(t, problems)
	assert.Equal(t, level(3), v.Level)
	assert.Equal(t, int64(125), v.Money.cents)
	assert.Equal(t, byte('x'), v.UUID[0])
	assert.Equal(t, args, encoded(t, v), "what was read is written in the same form")
}

func TestWhatIsNotInTheFormOfItsTypeIsRefusedWithALegalExample(t *testing.T) {
	cases := map[string]struct {
		typ      reflect.Type
		bad      []string
		expected string
	}{
		"time":     {reflect.TypeFor[time.Time](), []string{`"2026-01-31"`, `"2026-01-31T09:30:00"`, `"2026-01-31T9:30:00Z"`, `"2026-01-31T09:30:00,5Z"`, `5`}, `2026-01-31T09:30:00Z`},
		"duration": {reflect.TypeFor[time.Duration](), []string{`"1 hour"`, `""`, `90`, `"99999999h"`}, `1h30m`},
		"bytes":    {reflect.TypeFor[[]byte](), []string{`"?"`, `"aGk"`, `[1]`}, `base64`},
		"array":    {reflect.TypeFor[[2]byte](), []string{`"aGk5"`, `"aA=="`}, `exactly 2 bytes`},
		"url":      {reflect.TypeFor[url.URL](), []string{`"/relative"`, `"::"`, `""`}, `https://example.com`},
		"ip":       {reflect.TypeFor[netip.Addr](), []string{`"x"`, `1`}, `192.0.2.1`},
		"big":      {reflect.TypeFor[big.Int](), []string{`1.5`, `"1"`, `1e2000`}, `an integer`},
		"text":     {reflect.TypeFor[level](), []string{`"a"`, `3`}, `a string`},
		"own":      {reflect.TypeFor[money](), []string{`-1`, `"1"`, `null`}, `an integer`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for _, bad := range tc.bad {
				_, problems := decodeOne(t, Param{Name: "x", Type: tc.typ}, bad)
				require.Len(t, problems, 1, bad)
				assert.Contains(t, problems[0].Expected, tc.expected)
				assert.Equal(t, bad, problems[0].Received)
			}
		})
	}
}

// lax takes null for nothing, as most types do.
type lax struct{ set bool }

func (l *lax) UnmarshalJSON(b []byte) error { l.set = string(b) != "null"; return nil }
func (l lax) MarshalJSON() ([]byte, error)  { return json.Marshal(l.set) }

func TestNullIsNoValueOfARequiredTypeThatReadsItself(t *testing.T) {
	type in struct {
		L  lax
		O  mo.Option[lax]
		Ls []lax `json:"ls,omitempty"`
	}
	v, problems := decodeInto[in](t, `{"l":{},"o":null}`)
	require.Empty(t, problems)
	assert.True(t, v.L.set)
	assert.False(t, v.O.IsPresent())
	_, problems = decodeInto[in](t, `{"l":null,"ls":[1,null]}`)
	assert.Equal(t, []string{"l", "ls[1]"}, paths(problems))
}

func TestATypeThatOnlyWritesItselfIsRefusedAsInput(t *testing.T) {
	assert.Contains(t, problemOf[struct{ W writeOnly }](t), "give it UnmarshalJSON")
	assert.Equal(t, `{"w":"x"}`, encoded(t, struct{ W writeOnly }{}))
}

// badProvider says nothing usable of itself.
type badProvider struct{ money }

func (badProvider) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{Type: "int"} }

func TestASchemaThatATypeProvidesIsChecked(t *testing.T) {
	assert.Contains(t, problemOf[struct{ B badProvider }](t), `JSONSchema is not usable`)
}

func TestA4_AnyIsAnObjectSchemaThatKeepsItsDescription(t *testing.T) {
	in := inputOf[struct {
		Data any              `jsonschema:"Whatever there is"`
		Raw  jsontext.Value   `json:"raw"`
		List []any            `json:"list"`
		Map  map[string]any   `json:"map"`
		Rows []map[string]any `json:"rows"`
	}](t)
	anything := `{"description":"Any JSON value"}`
	assert.Equal(t, `{"type":"object","properties":{"data":{"description":"Whatever there is"},"raw":`+anything+`,"list":{"type":"array","items":`+anything+`},"map":{"type":"object","additionalProperties":`+anything+`},"rows":{"type":"array","items":{"type":"object","additionalProperties":`+anything+`}}},"required":["data","raw","list","map","rows"],"additionalProperties":false}`, string(in.JSON()))
	_, problems := decodeInto[struct{ A, B any }](t, `{"a":{"x":[{"y":1,"y":2}]},"b":1e400}`)
	assert.Equal(t, []string{"a", "b"}, paths(problems))
	assert.Equal(t, "has a name twice", problems[0].Problem)
}

func TestB1_NumbersInAnyAreExactToo(t *testing.T) {
	v, problems := decodeInto[struct{ A any }](t, `{"a":[9007199254740993,18446744073709551615,-9223372036854775808,5,1.5,1e3,9007199254740993.0]}`)
	require.Empty(t, problems)
	assert.Equal(t, []any{int64(9007199254740993), uint64(18446744073709551615), int64(-9223372036854775808), 5.0, 1.5, 1000.0, int64(9007199254740993)}, v.A)
}

type status string

func TestOptionsOfAnyTypeAreReadAndWritten(t *testing.T) {
	type inner struct{ N int }
	type in struct {
		S  mo.Option[status]
		I  mo.Option[inner]
		L  mo.Option[[]inner]
		T  mo.Option[time.Time]
		Lv mo.Option[level]
		M  mo.Option[map[string]int]
		A  mo.Option[any]
		U8 mo.Option[uint8]
		D  mo.Option[time.Duration]
	}
	args := `{"s":"open","i":{"n":0},"l":[{"n":1}],"t":"2026-01-31T09:30:00Z","lv":"**","m":{},"a":1,"u8":0,"d":"1s"}`
	v, problems := decodeInto[in](t, args)
	require.Empty(t, problems)
	assert.Equal(t, mo.Some(status("open")), v.S)
	assert.Equal(t, mo.Some(inner{}), v.I)
	assert.Equal(t, mo.Some(uint8(0)), v.U8)
	assert.Equal(t, args, encoded(t, v), "Some(0) and empty values survive")
	v, problems = decodeInto[in](t, `{}`)
	require.Empty(t, problems)
	assert.Equal(t, `{}`, encoded(t, v))
	_, problems = decodeInto[in](t, `{"i":{"n":0,"N":1},"l":[{}],"u8":256}`)
	assert.Equal(t, []string{"i.N", "l[0].n", "u8"}, paths(problems), "options are strict inside")
}

func TestA22_NumbersInStringsTravelAsStrings(t *testing.T) {
	type in struct {
		I int64   `json:"i,string" validate:"min=5"`
		U uint8   `json:"u,string"`
		F float64 `json:"f,string"`
		P *int    `json:"p,string"`
	}
	compiled := inputOf[in](t)
	assert.Contains(t, string(compiled.JSON()), `"i":{"type":"string","pattern":"^(0|-?[1-9]\\d*)$"}`)
	args := `{"i":"9007199254740993","u":"255","f":"1.5","p":"-7"}`
	v, problems := decodeInto[in](t, args)
	require.Empty(t, problems)
	assert.Equal(t, int64(9007199254740993), v.I)
	assert.Equal(t, args, encoded(t, v))
	_, problems = decodeInto[in](t, `{"i":"4","u":"256","f":"x","p":5}`)
	assert.Equal(t, []string{"i", "u", "f", "p"}, paths(problems))
	for _, bad := range []string{`" 5"`, `"5 "`, `"05"`, `""`, `"5.0"`, `"+5"`, `"-0"`} {
		_, problems = decodeInto[in](t, `{"i":`+bad+`,"u":"1","f":"1"}`)
		assert.Equal(t, []string{"i"}, paths(problems), bad)
	}
}
