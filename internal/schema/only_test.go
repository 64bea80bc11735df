package schema

import (
	"reflect"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/samber/mo"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type (
	part struct {
		SKU  string
		Cost int
	}
	order struct {
		ID      string
		Buyer   mo.Option[part]
		Seller  *part
		Parts   []*part
		By      map[string]part
		Grid    [][]part
		Secret  string
		Self    *order
		Details map[string]int `json:",embed"`
	}
)

// referenceOf is the schema of an output as jsonschema-go understands it.
func referenceOf(t *testing.T, o *Output) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	require.NoError(t, s.UnmarshalJSON(o.JSON()))
	resolved, err := s.Resolve(nil)
	require.NoError(t, err)
	return resolved
}

func only(t *testing.T, typ reflect.Type, paths ...string) (*Output, []Problem) {
	t.Helper()
	whole, err := NewOutput(typ)
	require.NoError(t, err)
	return whole.Only(paths...)
}

func TestOnlyReachesThroughPointersOptionsListsAndMaps(t *testing.T) {
	type shop struct {
		Order orderView
		Rest  string
	}
	view, problems := only(t, reflect.TypeFor[shop](), "order.buyer.sku", "order.seller.sku", "order.parts[].sku", "order.by[].sku", "order.grid[].sku")
	require.Empty(t, problems)
	p := part{"s", 5}
	b, err := view.Append(nil, reflect.ValueOf(shop{orderView{"id", mo.Some(p), &p, []*part{&p, nil}, map[string]part{"k": p}, [][]part{{p}}, "x", map[string]int{"more": 1}}, "r"}))
	require.NoError(t, err)
	assert.Equal(t, `{"order":{"buyer":{"sku":"s"},"seller":{"sku":"s"},"parts":[{"sku":"s"},{"sku":""}],"by":{"k":{"sku":"s"}},"grid":[[{"sku":"s"}]]}}`, string(b))
	assert.NotContains(t, string(view.JSON()), "cost")
	assert.NoError(t, referenceOf(t, view).Validate(mustAny(b)), "what is written is what the schema says")
}

// orderView is an order that does not contain itself.
type orderView struct {
	ID      string
	Buyer   mo.Option[part]
	Seller  *part
	Parts   []*part
	By      map[string]part
	Grid    [][]part
	Secret  string
	Details map[string]int `json:",embed"`
}

func TestOnlyOfAListNamesTheFieldsOfItsItems(t *testing.T) {
	view, problems := only(t, reflect.TypeFor[[]part](), "[].sku")
	require.Empty(t, problems)
	b, err := view.Append(nil, reflect.ValueOf([]part{{"s", 5}}))
	require.NoError(t, err)
	assert.Equal(t, `{"result":[{"sku":"s"}]}`, string(b))
}

func TestOnlyRefusesPathsThatLeadNowhereInTheirOrder(t *testing.T) {
	for range 10 {
		_, problems := only(t, reflect.TypeFor[orderView](), "zzz", "secrt", "id[]", "id.x", "parts[].skuu", "details")
		require.Len(t, problems, 6)
		var all []string
		for _, p := range problems {
			all = append(all, p.Name)
		}
		assert.Equal(t, []string{"zzz", "secrt", "id", "id.x", "parts.skuu", "details"}, all)
		assert.Contains(t, problems[2].Message, "without []")
		assert.Contains(t, problems[4].Message, `did you mean "parts.sku"?`)
		assert.Contains(t, problems[1].Message, `did you mean "secret"?`)
		assert.Contains(t, problems[0].Message, "it has one of id, buyer")
	}
	_, problems := only(t, reflect.TypeFor[order](), "self.id")
	require.Len(t, problems, 1)
	assert.Contains(t, problems[0].Message, "contains itself")
}
