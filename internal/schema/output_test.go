package schema

import (
	"encoding/json/jsontext"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/samber/mo"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func encoded(t *testing.T, v any) string {
	t.Helper()
	out, err := NewOutput(reflect.TypeOf(v))
	require.NoError(t, err)
	b, err := out.Append(nil, reflect.ValueOf(v))
	require.NoError(t, err)
	return string(b)
}

// shout marshals by a method on its pointer.
type shout struct{ S string }

func (s *shout) MarshalJSON() ([]byte, error) { return []byte(`"` + s.S + `!"`), nil }

func TestD1_NilSlicesAndMapsAreEmptyAtEveryPosition(t *testing.T) {
	type inner struct {
		L []int
		M map[string]int
	}
	type out struct {
		inner
		Nested inner
		List   []inner
		Map    map[string]inner
		Behind *inner
		Opt    mo.Option[[]int]
	}
	got := encoded(t, out{List: []inner{{}}, Map: map[string]inner{"k": {}}, Behind: &inner{}, Opt: mo.Some[[]int](nil)})
	empty := `{"l":[],"m":{}}`
	assert.Equal(t, `{"l":[],"m":{},"nested":`+empty+`,"list":[`+empty+`],"map":{"k":`+empty+`},"behind":`+empty+`,"opt":[]}`, got)
	assert.Equal(t, `{"result":[]}`, encoded(t, []int(nil)))
	assert.Equal(t, `{}`, encoded(t, map[string]int(nil)))
}

func TestD6_ANilPointerIsTheZeroValueAndNeverNull(t *testing.T) {
	type out struct{ N int }
	assert.Equal(t, `{"n":0}`, encoded(t, (*out)(nil)))
	assert.Equal(t, `{"result":[{"n":0},{"n":1}]}`, encoded(t, []*out{nil, {1}}))
}

func TestAnAbsentMemberIsLeftOutAndNotRequired(t *testing.T) {
	type out struct {
		P *int
		O mo.Option[int]
		E string `json:"e,omitempty"`
		Z int    `json:"z,omitzero"`
		R int
	}
	assert.Equal(t, `{"r":0}`, encoded(t, out{}))
	zero := 0
	assert.Equal(t, `{"p":0,"o":0,"e":"x","z":1,"r":0}`, encoded(t, out{&zero, mo.Some(0), "x", 1, 0}))
	o, err := NewOutput(reflect.TypeFor[out]())
	require.NoError(t, err)
	assert.Equal(t, `{"type":"object","properties":{"p":{"type":"integer"},"o":{"type":"integer"},"e":{"type":"string"},"z":{"type":"integer"},"r":{"type":"integer"}},"required":["r"],"additionalProperties":false}`, string(o.JSON()))
}

func TestD9_D10_TextIsLiteralAndAlwaysUTF8(t *testing.T) {
	type out struct {
		S string
		M map[string]string
	}
	assert.Equal(t, `{"s":"a<b && c>d","m":{}}`, encoded(t, out{S: "a<b && c>d"}))
	assert.Equal(t, "{\"s\":\"\uFFFD\uFFFD\",\"m\":{\"\uFFFDk\":\"é\"}}", encoded(t, out{"\xff\xfe", map[string]string{"\xffk": "é"}}))
}

func TestMapsAreWrittenInTheOrderOfTheirKeys(t *testing.T) {
	for range 20 {
		assert.Equal(t, `{"a":1,"b":2,"c":3}`, encoded(t, map[string]int{"c": 3, "a": 1, "b": 2}))
	}
}

func TestLeavesAreWrittenAsTheyAreDescribed(t *testing.T) {
	type out struct {
		At  time.Time
		For time.Duration
		B   []byte
		J   jsontext.Value
		A   any
		S   shout
		F   float32
	}
	at := time.Date(2026, 1, 31, 9, 30, 0, 5, time.FixedZone("", 3600))
	assert.Equal(t, `{"at":"2026-01-31T09:30:00.000000005+01:00","for":"1h30m0s","b":"aGk=","j":null,"a":[1],"s":"x!","f":0.1}`,
		encoded(t, out{At: at, For: 90 * time.Minute, B: []byte("hi"), A: []int{1}, S: shout{"x"}, F: 0.1}))
	assert.Equal(t, `{"result":null}`, encoded(t, out{}.J))
}

func TestWhatJSONCannotSayIsAnError(t *testing.T) {
	for _, v := range []any{math.NaN(), math.Inf(1), []any{func() {}}, time.Date(12345, 1, 1, 0, 0, 0, 0, time.UTC)} {
		out, err := NewOutput(reflect.TypeOf(v))
		require.NoError(t, err)
		_, err = out.Append(nil, reflect.ValueOf(v))
		assert.Error(t, err, "%v", v)
	}
	_, err := NewOutput(reflect.TypeFor[struct{ C chan int }]())
	assert.ErrorContains(t, err, `"c"`)
}

type customer struct {
	Name  string
	TaxID string
}

type sale struct {
	ID       string
	Customer customer
	Lines    []struct{ SKU, Cost string }
	Secret   string
}

func TestOnlyKeepsWhatItNamesInDataAndSchema(t *testing.T) {
	whole, err := NewOutput(reflect.TypeFor[sale]())
	require.NoError(t, err)
	view, problems := whole.Only("id", "customer.name", "lines[].sku")
	require.Empty(t, problems)
	v := sale{"o1", customer{"Ann", "T"}, []struct{ SKU, Cost string }{{"s", "c"}}, "x"}
	b, err := view.Append(nil, reflect.ValueOf(v))
	require.NoError(t, err)
	assert.Equal(t, `{"id":"o1","customer":{"name":"Ann"},"lines":[{"sku":"s"}]}`, string(b))
	for _, hidden := range []string{"tax_id", "cost", "secret"} {
		assert.NotContains(t, string(view.JSON()), hidden)
		assert.Contains(t, string(whole.JSON()), hidden, "the type's own tree is as it was")
	}
	whole2, problems := whole.Only("customer", "customer.name")
	require.Empty(t, problems)
	assert.Contains(t, string(whole2.JSON()), "tax_id", "named as a whole it is whole")
}

func TestOnlyRefusesFieldsThatDoNotExist(t *testing.T) {
	whole, err := NewOutput(reflect.TypeFor[sale]())
	require.NoError(t, err)
	for path, want := range map[string]string{
		"idd": `"id"`, "customer.nam": `"customer.name"`, "id.x": "is no field", "nothing.like.it": "is no field", "": "is no field",
	} {
		_, problems := whole.Only(path)
		require.Len(t, problems, 1, path)
		assert.Contains(t, problems[0].String(), want)
	}
}

func TestRecursiveOutputIsWrittenAndReferredTo(t *testing.T) {
	type tree struct {
		Name string
		Kids []*tree
	}
	assert.Equal(t, `{"name":"a","kids":[{"name":"b","kids":[]}]}`, encoded(t, tree{"a", []*tree{{Name: "b"}}}))
}

func TestDataThatContainsItselfIsAnError(t *testing.T) {
	type node struct {
		Name string
		Next *node
		Any  any
	}
	out, err := NewOutput(reflect.TypeFor[*node]())
	require.NoError(t, err)
	for name, link := range map[string]func(n *node){"by a pointer": func(n *node) { n.Next = n }, "by an interface": func(n *node) { n.Any = n }} {
		n := &node{Name: "a"}
		link(n)
		_, err := out.Append(nil, reflect.ValueOf(n))
		assert.ErrorIs(t, err, errTooDeep, name)
	}
}

type (
	listOfItself []listOfItself
	mapOfItself  map[string]mapOfItself
	pointsToSelf *pointsToSelf
	forest       []treeOf
	treeOf       struct {
		Name string
		Kids forest
	}
)

func TestTypesThatContainThemselvesWithoutAStruct(t *testing.T) {
	assert.Equal(t, `{"result":[[],[[]]]}`, encoded(t, listOfItself{{}, {{}}}))
	assert.Equal(t, `{"a":{}}`, encoded(t, mapOfItself{"a": nil}))
	assert.Equal(t, `{"result":[{"name":"x","kids":[]}]}`, encoded(t, forest{{Name: "x"}}))
	_, err := NewOutput(reflect.TypeFor[pointsToSelf]())
	assert.Error(t, err)

	in, problems := NewInput(reflect.TypeFor[struct {
		L listOfItself
		F forest
		M mapOfItself
	}](), nil, Config{})
	require.Empty(t, problems)
	var v struct {
		L listOfItself
		F forest
		M mapOfItself
	}
	assert.Empty(t, in.Decode(jsontext.Value(`{"l":[[],[[]]],"f":[{"name":"a","kids":[{"name":"b","kids":[]}]}],"m":{"a":{"b":{}}}}`), reflect.ValueOf(&v).Elem()))
	assert.Equal(t, "b", v.F[0].Kids[0].Name)
	assert.NotEmpty(t, in.Decode(jsontext.Value(`{"l":[5],"f":[{"name":"a","kids":[{"name":5}]}],"m":{}}`), reflect.ValueOf(&v).Elem()))
}

func TestInterfacesAreWrittenByTheRulesOfWhatTheyHold(t *testing.T) {
	type inner struct{ FirstName string }
	type out struct{ A, B, C any }
	assert.Equal(t, `{"a":{"first_name":"x"},"b":"1s","c":[]}`, encoded(t, out{inner{"x"}, time.Second, []int(nil)}))
}

func TestNoSubschemaIsABoolean(t *testing.T) {
	o, err := NewOutput(reflect.TypeFor[struct {
		A any
		R jsontext.Value
		L []any
		M map[string]any
	}]())
	require.NoError(t, err)
	assert.NotContains(t, string(o.JSON()), ":true")
}

func TestAppendingAStructDoesNotAllocate(t *testing.T) {
	v := struct {
		ID     string
		Status string
		N      int64
	}{"x", "y", 5}
	out, err := NewOutput(reflect.TypeOf(v))
	require.NoError(t, err)
	dst, value := make([]byte, 0, 256), reflect.ValueOf(v)
	assert.Zero(t, testing.AllocsPerRun(100, func() { _, _ = out.Append(dst, value) }))
}
