package schema

import (
	"bytes"
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

	"github.com/samber/mo"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func appendError(t *testing.T, v any) error {
	t.Helper()
	out, err := NewOutput(reflect.TypeOf(v))
	require.NoError(t, err)
	_, err = out.Append(nil, reflect.ValueOf(v))
	return err
}

type (
	broken   struct{}
	nonsense struct{ A int }
	latin    struct{ A int }
)

func (broken) MarshalJSON() ([]byte, error)      { return nil, errors.New("out of order") }
func (*nonsense) MarshalJSON() ([]byte, error)   { return []byte(`{"a":`), nil }
func (latin) MarshalJSON() ([]byte, error)       { return []byte("\"caf\xe9 <b>\""), nil }
func (broken) AppendText([]byte) ([]byte, error) { return nil, errors.New("out of order") }

func TestMarshalersThatFailAreErrorsAndNeverHalfAReply(t *testing.T) {
	assert.ErrorContains(t, appendError(t, struct{ B broken }{}), "out of order")
	assert.Error(t, appendError(t, struct{ N nonsense }{}))
	assert.Error(t, appendError(t, struct{ R jsontext.Value }{jsontext.Value(`{"a"`)}))
	assert.Error(t, appendError(t, map[string]any{"c": make(chan int)}))
	assert.Error(t, appendError(t, []float32{1, float32(nan())}))
}

func nan() float64 {
	zero := 0.0
	return zero / zero
}

func TestD10_BytesThatAreNoTextAreReplacedEverywhere(t *testing.T) {
	type out struct {
		L latin
		K map[string]int
		E error
		R jsontext.Value
	}
	got := encoded(t, out{K: map[string]int{"\xff": 1, "\xfe": 2, "\uFFFD": 3}, R: jsontext.Value("[ 1,\n \"<\" ]")})
	assert.True(t, jsontext.Value(got).IsValid(), "valid UTF-8, and each name once: %s", got)
	assert.Contains(t, got, "\"caf\uFFFD <b>\"")
	assert.Contains(t, got, `"r":[1,"<"]`, "raw JSON is compact, so that it stays on one line")
	assert.Contains(t, got, `"e":null`)
}

func TestOmitemptyLeavesOutWhatIsEmptyInJSON(t *testing.T) {
	type inner struct {
		A mo.Option[int]
	}
	type out struct {
		S string         `json:"s,omitempty"`
		L []int          `json:"l,omitempty"`
		M map[string]int `json:"m,omitempty"`
		A any            `json:"a,omitempty"`
		I inner          `json:"i,omitempty"` //nolint:modernize // as json/v2 means it
		N int            `json:"n,omitempty"`
		B bool           `json:"b,omitempty"`
		T time.Time      `json:"t,omitzero"`
		Z [2]int         `json:"z,omitzero"`
		O mo.Option[int] `json:"o,omitzero"`
		P *int           `json:"p,omitzero"`
	}
	assert.Equal(t, `{"n":0,"b":false}`, encoded(t, out{}))
	assert.Equal(t, `{"n":0,"b":false}`, encoded(t, out{T: time.Time{}.Local(), L: []int{}}), "a zero time has IsZero")
	assert.Equal(t, `{"i":{"a":0},"n":0,"b":false,"z":[0,1],"o":0,"p":0}`,
		encoded(t, out{I: inner{mo.Some(0)}, Z: [2]int{0, 1}, O: mo.Some(0), P: new(0)}))
	o, err := NewOutput(reflect.TypeFor[out]())
	require.NoError(t, err)
	assert.NotContains(t, string(o.JSON()), "required")
}

func TestNamesThatNoFieldHasGoToTheMapThatCatchesAll(t *testing.T) {
	type in struct {
		ID   string
		Rest map[string]int `json:",embed"`
	}
	compiled := inputOf[in](t)
	assert.Equal(t, `{"type":"object","properties":{"id":{"type":"string"}},"required":["id"],"additionalProperties":{"type":"integer"}}`, string(compiled.JSON()))
	v, problems := decodeInto[in](t, `{"b":2,"id":"x","a":1}`)
	require.Empty(t, problems)
	assert.Equal(t, in{"x", map[string]int{"a": 1, "b": 2}}, v)
	assert.Equal(t, `{"id":"x","a":1,"b":2}`, encoded(t, v))
	assert.Equal(t, `{"id":"x","a":1}`, encoded(t, in{"x", map[string]int{"a": 1, "id": 5}}), "a field's name is the field's")
	_, problems = decodeInto[in](t, `{"id":"x","a":"1","a":2}`)
	assert.Equal(t, []string{"a", "a"}, paths(problems))
	type embedded struct {
		Inner struct{ A int } `json:",embed"`
		B     int
	}
	assert.Equal(t, `{"a":1,"b":2}`, encoded(t, embedded{struct{ A int }{1}, 2}))
	assert.Contains(t, problemOf[struct {
		R jsontext.Value `json:",embed"`
	}](t), "one map with string keys")
}

type shade int

func (s shade) MarshalText() ([]byte, error)  { return []byte(strings.Repeat("#", int(s))), nil }
func (s *shade) UnmarshalText(b []byte) error { *s = shade(len(b)); return nil }

func TestMapsWithOtherKeysAreReadAndWrittenByNames(t *testing.T) {
	type in struct {
		I map[int8]string
		U map[uint]bool
		T map[shade]int
		S map[status]int
		A map[netip.Addr]int
	}
	args := `{"i":{"-1":"a","12":"b"},"u":{"7":true},"t":{"#":1,"##":2},"s":{"open":1},"a":{"192.0.2.1":1}}`
	v, problems := decodeInto[in](t, args)
	require.Empty(t, problems)
	assert.Equal(t, map[int8]string{-1: "a", 12: "b"}, v.I)
	assert.Equal(t, args, encoded(t, v))
	_, problems = decodeInto[in](t, `{"i":{"128":""},"u":{"-1":true},"t":{},"s":{},"a":{"x":1}}`)
	assert.Equal(t, []string{"i.128", "u.-1", "a.x"}, paths(problems))
}

func TestInterfacesWithMethodsAreWrittenAsWhatTheyHold(t *testing.T) {
	type out struct {
		Who  interface{ String() string }
		Link *url.URL
		N    *big.Int
	}
	link, _ := url.Parse("/relative?a=b&c")
	assert.Equal(t, `{"who":"192.0.2.1","link":"/relative?a=b&c","n":-5}`, encoded(t, out{netip.MustParseAddr("192.0.2.1"), link, big.NewInt(-5)}))
}

func TestNumbersAreWrittenAsJSONv2WritesThem(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := rapid.Float64().Draw(rt, "f")
		if f == 0 {
			return
		}
		want, err := json.Marshal(f)
		if err != nil {
			return
		}
		got, err := appendFloat(nil, f, 64)
		if err != nil || !bytes.Equal(got, want) {
			rt.Fatalf("%v is written %s, not %s (%v)", f, got, want, err)
		}
		g := float32(f)
		want, err = json.Marshal(g)
		if err != nil || g == 0 {
			return
		}
		if got, _ = appendFloat(nil, float64(g), 32); !bytes.Equal(got, want) {
			rt.Fatalf("%v is written %s, not %s", g, got, want)
		}
	})
}

func TestTheRootOfAnOutputIsAlwaysAnObject(t *testing.T) {
	for typ, want := range map[reflect.Type]string{
		reflect.TypeFor[string]():              `{"type":"object","properties":{"result":{"type":"string"}},"required":["result"],"additionalProperties":false}`,
		reflect.TypeFor[[]int]():               `{"type":"object","properties":{"result":{"type":"array","items":{"type":"integer"}}},"required":["result"],"additionalProperties":false}`,
		reflect.TypeFor[map[string]int]():      `{"type":"object","properties":{},"additionalProperties":{"type":"integer"}}`,
		reflect.TypeFor[struct{}]():            `{"type":"object","properties":{},"additionalProperties":false}`,
		reflect.TypeFor[any]():                 `{"type":"object","properties":{"result":{"description":"Any JSON value"}},"required":["result"],"additionalProperties":false}`,
		reflect.TypeFor[*struct{ A int }]():    `{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"additionalProperties":false}`,
		reflect.TypeFor[mo.Option[int]]():      `{"type":"object","properties":{"result":{"type":"integer"}},"required":["result"],"additionalProperties":false}`,
		reflect.TypeFor[struct{ U url.URL }](): `{"type":"object","properties":{"u":{"type":"string"}},"required":["u"],"additionalProperties":false}`,
	} {
		o, err := NewOutput(typ)
		require.NoError(t, err)
		assert.Equal(t, want, string(o.JSON()), "A5 %s", typ)
		b, err := o.Append(nil, reflect.Zero(typ))
		require.NoError(t, err)
		assert.Equal(t, jsontext.KindBeginObject, jsontext.Value(b).Kind(), "D6 %s", b)
	}
}

func TestEncodingWhatWasDecodedGivesTheSameAgain(t *testing.T) {
	type in struct {
		S string
		I int64
		F float64
		L []map[string]*int
		O mo.Option[[]bool]
		A any
	}
	rapid.Check(t, func(rt *rapid.T) {
		v := in{
			S: rapid.String().Draw(rt, "s"), I: rapid.Int64().Draw(rt, "i"), F: rapid.Float64().Draw(rt, "f"),
			L: []map[string]*int{{rapid.String().Draw(rt, "k"): new(rapid.Int().Draw(rt, "n"))}},
			O: mo.Some(rapid.SliceOf(rapid.Bool()).Draw(rt, "o")), A: rapid.String().Draw(rt, "a"),
		}
		if v.F == 0 {
			v.F = 0
		}
		out, _ := NewOutput(reflect.TypeFor[in]())
		b, err := out.Append(nil, reflect.ValueOf(v))
		if err != nil {
			rt.Fatal(err)
		}
		got, problems := decodeInto[in](t, string(b))
		if len(problems) > 0 || !reflect.DeepEqual(got, v) {
			rt.Fatalf("%s came back as %+v, %v", b, got, problems)
		}
	})
}
