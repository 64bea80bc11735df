package schema

import (
	"encoding/json/jsontext"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAListHasNoFewerThanItShows(t *testing.T) {
	item, err := NewOutput(reflect.TypeFor[string]())
	require.NoError(t, err)
	list, err := NewList(item, true)
	require.NoError(t, err)
	items := []reflect.Value{reflect.ValueOf("a"), reflect.ValueOf("<")}
	b, err := list.Append(nil, items, 3, "\xff")
	require.NoError(t, err)
	assert.Equal(t, `{"items":["a","<"],"shown":2,"total":3,"nextCursor":"`+"\uFFFD"+`"}`, string(b))
	_, err = list.Append(nil, items, 1, "")
	assert.ErrorIs(t, err, errCounts)
}

func TestNamesAreThoseOfASchemasPropertiesInTheirOrder(t *testing.T) {
	for schema, want := range map[string][]string{
		`{"properties":{"b":{"properties":{"x":{}}},"a":{}},"type":"object"}`: {"b", "a"},
		`{"type":"object"}`: nil,
		`{"properties":[]}`: nil,
	} {
		assert.Equal(t, want, Names(jsontext.Value(schema)), schema)
	}
}

func TestPartlyIsTheSameCheckWithoutWhatIsMissing(t *testing.T) {
	in := inputOf[struct {
		ID    string `validate:"min=2"`
		Other string
		Inner struct{ X, Y int }
	}](t)
	for args, problems := range map[string]int{
		``: 0, `{"id":"ab"}`: 0, `{"inner":{"x":1}}`: 0, `{"id":"a","inner":{"z":1,"x":"1"}}`: 3, `[]`: 1,
	} {
		assert.Len(t, in.Partly(jsontext.Value(args)), problems, args)
	}
	assert.Len(t, in.Decode(nil, reflect.New(in.root.typ).Elem()), 3, "a decoder that is used again wants all")
}
