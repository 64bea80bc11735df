package schema

import (
	"encoding/json/jsontext"
	"reflect"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/samber/mo"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type (
	leaf struct {
		Kids []*leaf          `json:"kids,omitempty" validate:"max=2"`
		Next *leaf            `validate:"required"`
		By   map[string]*leaf `json:"by,omitempty" validate:"dive,keys,min=2,endkeys"`
	}
	tree  []tree
	woods map[string]woods
	pair  struct {
		Left  mo.Option[[]pair]
		Right *twin
	}
	twin       struct{ Back []pair }
	box[T any] struct {
		Value T
		More  []box[T] `json:"more,omitempty"`
	}
)

func TestTypesThatContainThemselvesAreReferredToAndKeepTheirRules(t *testing.T) {
	in := inputOf[leaf](t)
	_, err := in.Schema().Resolve(nil)
	require.NoError(t, err)
	assert.Equal(t, `{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/leaf"},"maxItems":2},"next":{"$ref":"#/$defs/leaf"},"by":{"type":"object","additionalProperties":{"$ref":"#/$defs/leaf"},"propertyNames":{"minLength":2}}},"$defs":{"leaf":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/leaf"},"maxItems":2},"next":{"$ref":"#/$defs/leaf"},"by":{"type":"object","additionalProperties":{"$ref":"#/$defs/leaf"},"propertyNames":{"minLength":2}}},"required":["next"],"additionalProperties":false}},"required":["next"],"additionalProperties":false}`, string(in.JSON()))
	var v leaf
	problems := in.Decode(jsontext.Value(`{"next":{"next":{},"x":1},"by":{"a":{"next":null}}}`), reflect.ValueOf(&v).Elem())
	assert.Equal(t, []string{"next.next.next", "next.x", "by.a", "by.a.next"}, paths(problems))
}

func TestNamedListsAndMapsMayContainThemselves(t *testing.T) {
	type in struct {
		T tree
		F woods
	}
	v, problems := decodeInto[in](t, `{"t":[[],[[]]],"f":{"a":{"b":{}}}}`)
	require.Empty(t, problems)
	assert.Equal(t, in{tree{{}, {{}}}, woods{"a": {"b": {}}}}, v)
	assert.Equal(t, `{"t":[[],[[]]],"f":{"a":{"b":{}}}}`, encoded(t, v))
	_, problems = decodeInto[in](t, `{"t":[[],[5]],"f":{"a":{"b":1}}}`)
	assert.Equal(t, []string{"t[1][0]", "f.a.b"}, paths(problems))
}

func TestEveryReferenceResolvesInItsOwnSchema(t *testing.T) {
	for _, typ := range []reflect.Type{
		reflect.TypeFor[pair](), reflect.TypeFor[twin](), reflect.TypeFor[box[int]](), reflect.TypeFor[struct{ A, B box[map[string]any] }](),
		reflect.TypeFor[struct {
			A tree
			B *pair
			C twin
		}](),
	} {
		in, problems := NewInput(typ, nil, Config{})
		require.Empty(t, problems)
		_, err := in.Schema().Resolve(nil)
		assert.NoError(t, err, "%s", in.JSON())
		out, err := NewOutput(typ)
		require.NoError(t, err)
		var s jsonschema.Schema
		require.NoError(t, s.UnmarshalJSON(out.JSON()))
		_, err = s.Resolve(nil)
		assert.NoError(t, err, "%s", out.JSON())
	}
}

func TestNamesOfGenericTypesMayStandInAReference(t *testing.T) {
	assert.Contains(t, string(inputOf[box[int]](t).JSON()), `"$ref":"#/$defs/box_int_"`)
}

func TestA12_ATypeThatIsUsedTwiceIsWrittenTwice(t *testing.T) {
	type line struct{ SKU string }
	in := inputOf[struct {
		A, B line
		List []line
	}](t)
	assert.NotContains(t, string(in.JSON()), "$")
}

func TestTypesThatCannotTravelAreRefusedWithTheirPlace(t *testing.T) {
	type hidden struct{ secret string }
	_ = hidden{secret: ""}
	assert.Contains(t, problemOf[struct{ A struct{ C chan int } }](t), `"a.c" has the type chan int`)
	assert.Contains(t, problemOf[struct{ F []func() }](t), `"f[]" has the type func()`)
	assert.Contains(t, problemOf[struct{ C map[string]complex128 }](t), `"c[]" has the type complex128`)
	assert.Contains(t, problemOf[struct{ M map[float64]int }](t), `"m" is a map with keys of type float64`)
	assert.Contains(t, problemOf[struct{ E error }](t), `"e" has the interface type error`)
	assert.Contains(t, problemOf[struct{ P **int }](t), `absent in two ways`)
	assert.Contains(t, problemOf[struct{ P mo.Option[*int] }](t), `absent in two ways`)
	assert.Contains(t, problemOf[struct{ H hidden }](t), `fields are all unexported`)
	assert.Contains(t, problemOf[struct {
		A int
		B int `json:"a"`
	}](t), `"a" is the name of two fields`)
	assert.Contains(t, problemOf[struct {
		S string `json:"s,string"`
	}](t), `option string`)
	for _, typ := range []reflect.Type{reflect.TypeFor[string](), reflect.TypeFor[[]int](), reflect.TypeFor[map[float64]int](), reflect.TypeFor[jsontext.Value]()} {
		_, problems := NewInput(typ, nil, Config{})
		require.Len(t, problems, 1, "A5 %s", typ)
		assert.Contains(t, problems[0].Message, "arguments are an object")
	}
}

func TestAllProblemsAreReportedAtOnce(t *testing.T) {
	_, problems := NewInput(reflect.TypeFor[struct {
		A chan int
		B string `validate:"nosuch"`
		C bool   `validate:"min=1"`
	}](), nil, Config{})
	assert.Len(t, problems, 3)
}

func TestA33_ATypeIsCompiledOnceAlsoWhenManyAsk(t *testing.T) {
	type once struct{ A, B string }
	var wait sync.WaitGroup
	inputs, outputs := make([]*Input, 20), make([]*Output, 20)
	for i := range inputs {
		wait.Go(func() {
			inputs[i], _ = NewInput(reflect.TypeFor[once](), nil, Config{})
			outputs[i], _ = NewOutput(reflect.TypeFor[once]())
		})
	}
	wait.Wait()
	for i := range inputs {
		assert.Same(t, inputs[0], inputs[i])
		assert.Same(t, outputs[0], outputs[i])
	}
	lenient, _ := NewInput(reflect.TypeFor[once](), nil, Config{Lenient: true})
	assert.NotSame(t, inputs[0], lenient)
}

func TestTheSchemaThatIsHandedOutIsACopy(t *testing.T) {
	in := inputOf[struct{ A string }](t)
	in.Schema().Properties["a"].Type = "integer"
	assert.Equal(t, "string", in.Schema().Properties["a"].Type)
}
