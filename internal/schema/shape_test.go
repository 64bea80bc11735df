package schema

import (
	"reflect"
	"strings"
	"testing"

	"github.com/samber/mo"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type card struct {
	Number string `json:"number"`
	Kind   string `json:"kind"`
}

type buyer struct {
	Name  string            `json:"name"`
	TaxID mo.Option[string] `json:"tax_id"`
	Cards []card            `json:"cards"`
	Notes map[string]string `json:"notes"`
}

type purchase struct {
	ID       string           `json:"id"`
	Margin   int              `json:"margin"`
	Buyer    *buyer           `json:"buyer"`
	Previous []buyer          `json:"previous"`
	ByName   map[string]buyer `json:"by_name"`
	Gift     mo.Option[buyer] `json:"gift"`
	Emails   []string         `json:"emails"`
	Any      any              `json:"any"`
	Pair     [2]card          `json:"pair"`
	private  string
	Loop     *loopy `json:"loop,omitempty"`
}

type loopy struct {
	Next *loopy `json:"next,omitempty"`
	X    string `json:"x"`
}

func aBuyer() buyer {
	return buyer{Name: "Ann", TaxID: mo.Some("SECRET"), Cards: []card{{"SECRET", "visa"}}, Notes: map[string]string{"a": "SECRET"}}
}

func aPurchase() purchase {
	b := aBuyer()
	return purchase{
		ID: "p1", Margin: 40, Buyer: &b, Previous: []buyer{b}, ByName: map[string]buyer{"ann": b}, Gift: mo.Some(b),
		Emails: []string{"SECRET"}, Any: map[string]any{"k": "SECRET"}, Pair: [2]card{{"SECRET", "a"}, {"SECRET", "b"}}, private: "SECRET",
	}
}

// shown is what a shape lets through, in JSON and as a Go value.
func shown(t *testing.T, s Shape) (string, purchase) {
	t.Helper()
	o, err := NewOutput(reflect.TypeFor[purchase]())
	require.NoError(t, err)
	shaped, problems := o.Shape(s)
	require.Empty(t, problems)
	before := aPurchase()
	seen := shaped.Seen(reflect.ValueOf(before)).Interface().(purchase)
	direct, err := shaped.Append(nil, reflect.ValueOf(before))
	require.NoError(t, err)
	again, err := shaped.Append(nil, reflect.ValueOf(seen))
	require.NoError(t, err)
	assert.Equal(t, string(direct), string(again), "what a callback sees is what is sent")
	assert.Equal(t, aPurchase(), before, "the value itself is not touched")
	return string(direct), seen
}

func TestAShapeShowsNothingButWhatItSays(t *testing.T) {
	json, seen := shown(t, Shape{Only: []string{"id", "buyer.name", "buyer.cards[].kind", "previous[].name", "by_name[].name", "gift.name", "pair[].kind"}})
	assert.Equal(t, `{"id":"p1","buyer":{"name":"Ann","cards":[{"kind":"visa"}]},"previous":[{"name":"Ann"}],"by_name":{"ann":{"name":"Ann"}},"gift":{"name":"Ann"},"pair":[{"kind":"a"},{"kind":"b"}]}`, json)
	assert.Equal(t, purchase{
		ID: "p1", Buyer: &buyer{Name: "Ann", Cards: []card{{"", "visa"}}}, Previous: []buyer{{Name: "Ann"}},
		ByName: map[string]buyer{"ann": {Name: "Ann"}}, Gift: mo.Some(buyer{Name: "Ann"}), Pair: [2]card{{"", "a"}, {"", "b"}},
	}, seen)

	json, seen = shown(t, Shape{
		Hide:   []string{"margin", "any", "loop", "previous", "by_name", "gift.cards", "gift.tax_id", "gift.notes"},
		Redact: []string{"buyer.tax_id", "buyer.cards[].number", "buyer.notes", "emails", "pair[].number"},
	})
	assert.Equal(t, `{"id":"p1","buyer":{"name":"Ann","tax_id":"[REDACTED]","cards":[{"number":"[REDACTED]","kind":"visa"}],"notes":{"a":"[REDACTED]"}},"gift":{"name":"Ann"},"emails":["[REDACTED]"],"pair":[{"number":"[REDACTED]","kind":"a"},{"number":"[REDACTED]","kind":"b"}]}`, json)
	assert.NotContains(t, json, "SECRET")
	assert.Equal(t, mo.Some(Redacted), seen.Buyer.TaxID)
	assert.Empty(t, seen.private)
}

func TestWhatIsAbsentStaysSo(t *testing.T) {
	o, err := NewOutput(reflect.TypeFor[[]purchase]())
	require.NoError(t, err)
	shaped, problems := o.Shape(Shape{Only: []string{"[].buyer.name", "gift.name", "emails"}, Redact: []string{"emails"}})
	require.Empty(t, problems)
	seen := shaped.Seen(reflect.ValueOf([]purchase{{}, {Emails: []string{}}})).Interface().([]purchase)
	assert.Nil(t, seen[0].Buyer)
	assert.False(t, seen[0].Gift.IsPresent())
	assert.Nil(t, seen[0].Emails)
	assert.Nil(t, shaped.Seen(reflect.ValueOf([]purchase(nil))).Interface())
}

func TestShapesThatCannotBe(t *testing.T) {
	o, err := NewOutput(reflect.TypeFor[purchase]())
	require.NoError(t, err)
	for want, s := range map[string]Shape{
		`"buyer.nam" is no field of the type; did you mean "buyer.name"?`: {Hide: []string{"buyer.nam"}},
		`"nothing" is no field of the type`:                               {Redact: []string{"nothing"}},
		`"margin" is an integer, but only texts can be redacted`:          {Redact: []string{"margin"}},
		`"buyer" is an object, but only texts can be redacted`:            {Redact: []string{"buyer"}},
		`"any" is any JSON value, but only texts can be redacted`:         {Redact: []string{"any"}},
		`"buyer" is no list; name it without []`:                          {Hide: []string{"buyer[].name"}},
		`"loop" contains itself`:                                          {Redact: []string{"loop.x"}},
		`"id" is no field of the type`:                                    {Only: []string{"margin"}, Hide: []string{"id"}},
	} {
		_, problems := o.Shape(s)
		require.NotEmpty(t, problems, want)
		assert.True(t, strings.HasPrefix(problems[0].String(), want), problems[0].String())
	}
	assert.Contains(t, o.Fields(), "buyer.cards[].kind")
	assert.Contains(t, o.Fields(), "loop.next")
}
