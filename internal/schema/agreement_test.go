package schema

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/samber/mo"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The types whose decoder, schema and jsonschema-go are held together. None has a format
// or a rule that JSON Schema cannot say.
type (
	agreeLine struct {
		SKU string `validate:"min=2,max=4"`
		Qty int8   `validate:"min=1"`
	}
	agreeOrder struct {
		Lines  []agreeLine           `validate:"min=1,max=3"`
		Tags   mo.Option[[]string]   `validate:"max=2,unique,dive,min=1"`
		Kind   string                `validate:"oneof=a 'b c' d"`
		Total  float64               `validate:"gt=0,lte=100"`
		Count  uint16                `validate:"lt=500"`
		Flag   *bool                 `json:"flag"`
		Extra  map[string]int        `json:"extra,omitempty" validate:"max=2,dive,max=9"`
		Any    any                   `json:"any"`
		Pair   [2]bool               `json:"pair"`
		Inner  struct{ Note string } `json:"inner"`
		Parent *agreeOrder           `json:"parent"`
	}
)

// referee is the written schema as jsonschema-go understands it.
func referee(tb testing.TB, in *Input) *jsonschema.Resolved {
	tb.Helper()
	var s jsonschema.Schema
	require.NoError(tb, json.Unmarshal(in.JSON(), &s))
	resolved, err := s.Resolve(nil)
	require.NoError(tb, err)
	return resolved
}

func agreeInput(tb testing.TB) *Input {
	tb.Helper()
	in, problems := NewInput(reflect.TypeFor[agreeOrder](), nil, Config{})
	require.Empty(tb, problems)
	return in
}

// within reports that a value lies within what the decoder and JSON Schema agree on:
// numbers within 2^53, no null (which may mean absent), no names twice, bounded depth.
func within(v any, depth int) bool {
	switch x := v.(type) {
	case nil:
		return false
	case float64:
		return math.Abs(x) <= 1<<53
	case map[string]any:
		for _, e := range x {
			if !within(e, depth+1) {
				return false
			}
		}
	case []any:
		for _, e := range x {
			if !within(e, depth+1) {
				return false
			}
		}
	}
	return depth < 40
}

// agree decodes text and compares with what the schema says of it.
func agree(tb testing.TB, in *Input, schema *jsonschema.Resolved, text []byte) {
	tb.Helper()
	var v any
	if json.Unmarshal(text, &v) != nil || !within(v, 0) {
		in.Decode(text, reflect.New(reflect.TypeFor[agreeOrder]()).Elem()) // must not panic
		return
	}
	dst := reflect.New(reflect.TypeFor[agreeOrder]()).Elem()
	problems := in.Decode(text, dst)
	err := schema.Validate(v)
	if (err == nil) != (len(problems) == 0) {
		tb.Fatalf("for %s\nthe schema says: %v\nthe decoder says: %+v", text, err, problems)
	}
	if err == nil {
		sameValue(tb, text, v, dst)
	}
}

// sameValue checks that nothing was lost: the decoded value has what was sent.
func sameValue(tb testing.TB, text []byte, sent any, dst reflect.Value) {
	tb.Helper()
	out, err := NewOutput(dst.Type())
	require.NoError(tb, err)
	b, err := out.Append(nil, dst)
	require.NoError(tb, err)
	var got any
	require.NoError(tb, json.Unmarshal(b, &got))
	if !covers(got, sent) {
		tb.Fatalf("sent %s\ngot  %s", text, b)
	}
}

// covers reports that got has everything of sent; it may have more members, with the
// zero values of what was absent.
func covers(got, sent any) bool {
	switch s := sent.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		for k, v := range s {
			if left := isEmpty(v) && g[k] == nil; !ok || !left && !covers(g[k], v) {
				return false
			}
		}
		return ok
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(s) {
			return false
		}
		for i := range s {
			if !covers(g[i], s[i]) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(got, sent)
}

// isEmpty is what omitempty leaves out.
func isEmpty(v any) bool {
	m, ok := v.(map[string]any)
	return ok && len(m) == 0
}

func FuzzDecoderAndSchemaAgree(f *testing.F) {
	for _, seed := range []string{
		`{"lines":[{"sku":"ab","qty":1}],"kind":"a","total":1.5,"count":3,"pair":[true,false],"inner":{"note":""},"any":1}`,
		`{"lines":[{"sku":"äöü","qty":127}],"kind":"b c","total":100,"count":499,"pair":[true,false],"inner":{"note":"x"},"tags":["a","b"],"flag":false,"extra":{"x":9},"any":{"y":[1]},"parent":{"lines":[]}}`,
		`{"lines":[{"sku":"a","qty":128,"x":1}],"kind":"e","total":0,"count":-1,"pair":[true],"tags":["","",""]}`,
		`{"lines":5.0,"total":1e2,"count":5e0,"count":1}`, `[]`, `{}`, `null`, `{"any":null}`, "{\"\\u0061ny\":1}", `{"count":1e400}`, `{"count":-0}`,
	} {
		f.Add([]byte(seed))
	}
	in := agreeInput(f)
	schema := referee(f, in)
	f.Fuzz(func(t *testing.T, text []byte) { agree(t, in, schema, text) })
}

func TestDecoderAndSchemaAgree(t *testing.T) {
	in := agreeInput(t)
	schema := referee(t, in)
	accepted, refused := 0, 0
	draw := func(rt *rapid.T) {
		text, err := json.Marshal(drawOrder(rt, 2), json.Deterministic(true))
		if err != nil {
			rt.Fatal(err)
		}
		if schema.Validate(mustAny(text)) == nil {
			accepted++
		} else {
			refused++
		}
		agree(t, in, schema, text)
	}
	for range 5 { // enough of both in a short run too
		rapid.Check(t, draw)
	}
	require.Greater(t, accepted, 10, "some values are legal")
	require.Greater(t, refused, 10, "and some are not")
}

func mustAny(text []byte) (v any) {
	_ = json.Unmarshal(text, &v)
	return v
}

// pick draws one of the legal values, or one of the others where something is to be broken.
func pick(rt *rapid.T, name string, broken bool, legal, others []any) any {
	if broken {
		legal = append(legal, others...)
	}
	return rapid.SampledFrom(legal).Draw(rt, name)
}

// drawOrder draws an order that is legal, or one in which something may be broken.
func drawOrder(rt *rapid.T, depth int) map[string]any {
	broken := rapid.Bool().Draw(rt, "broken")
	more := 0
	if broken {
		more = 1
	}
	line := rapid.Custom(func(rt *rapid.T) any {
		return map[string]any{"sku": rapid.StringN(2-more, 4+more, -1).Draw(rt, "sku"), "qty": rapid.IntRange(1-more, 127+more).Draw(rt, "qty")}
	})
	order := map[string]any{
		"lines": rapid.SliceOfN(line, 1-more, 3+more).Draw(rt, "lines"),
		"kind":  pick(rt, "kind", broken, []any{"a", "b c", "d"}, []any{"e", 1, "A"}),
		"total": pick(rt, "total", broken, []any{0.5, 100.0, 1e-9}, []any{0.0, 100.5, "1", -1}),
		"count": pick(rt, "count", broken, []any{0, 499, jsontext.Value("1e2"), jsontext.Value("5.0")}, []any{500, -1, 1.5, jsontext.Value("1e-1")}),
		"any":   pick(rt, "any", broken, []any{1, "x", []int{1}, map[string]int{"y": 1}}, nil),
		"pair":  rapid.SliceOfN(rapid.Bool(), 2-more, 2+more).Draw(rt, "pair"),
		"inner": map[string]any{"note": rapid.String().Draw(rt, "note")},
	}
	if rapid.Bool().Draw(rt, "optional") {
		order["tags"] = rapid.SliceOfNDistinct(rapid.StringN(1-more, 3, -1), 0, 2+more, rapid.ID).Draw(rt, "tags")
		order["extra"] = rapid.MapOfN(rapid.SampledFrom([]string{"x", "y", "z"}), rapid.IntRange(0, 9+more), 0, 2+more).Draw(rt, "extra")
		order["flag"] = rapid.Bool().Draw(rt, "flag")
	}
	if depth > 0 && rapid.Bool().Draw(rt, "nested") {
		order["parent"] = drawOrder(rt, depth-1)
	}
	if broken && rapid.Bool().Draw(rt, "members") {
		delete(order, rapid.SampledFrom([]string{"lines", "kind", "inner", "any"}).Draw(rt, "drop"))
		order[rapid.SampledFrom([]string{"more", "Kind", "kin"}).Draw(rt, "unknown")] = 1
	}
	return order
}

func FuzzTagsNeverPanic(f *testing.F) {
	for _, seed := range []string{"min=1", "oneof=a 'b c'", "dive,dive,min=x", "default=,required", "len=-1", "regexp=(", "|", "=", "hexcolor|rgb", "eqfield=A", "datetime=", "unique=x", "required_if=A 1"} {
		f.Add(seed)
	}
	types := []reflect.Type{
		reflect.TypeFor[string](), reflect.TypeFor[int8](), reflect.TypeFor[uint](), reflect.TypeFor[float32](), reflect.TypeFor[bool](),
		reflect.TypeFor[[]string](), reflect.TypeFor[map[string]int](), reflect.TypeFor[any](), reflect.TypeFor[struct{ A int }](),
	}
	f.Fuzz(func(t *testing.T, tag string) {
		for _, typ := range types {
			in, problems := NewInput(nil, []Param{{Name: "x", Type: typ, Rules: []string{tag}}}, Config{})
			if len(problems) > 0 {
				continue
			}
			for _, text := range []string{`{}`, `{"x":null}`, `{"x":"a"}`, `{"x":1}`, `{"x":true}`, `{"x":["a","a"]}`, `{"x":{"a":1}}`} {
				in.DecodeMap(jsontext.Value(text))
			}
		}
	})
}

func FuzzRawSchemasNeverPanic(f *testing.F) {
	f.Add([]byte(`{"type":"object"}`), []byte(`{}`))
	f.Add([]byte(`{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":["string","null"]}}}`), []byte(`{"a":1}`))
	f.Add([]byte(`{"type":"object","$ref":"http://example.com/x"}`), []byte(`{"a":1}`))
	f.Fuzz(func(_ *testing.T, schema, args []byte) {
		if raw, err := NewRaw(schema); err == nil {
			raw.Validate(args)
		}
	})
}

func TestRecursiveTypesAreReferredTo(t *testing.T) {
	s := string(agreeInput(t).JSON())
	require.Contains(t, s, `"$ref":"#/$defs/agreeOrder"`)
	require.Equal(t, 1, strings.Count(s, `"$defs":`))
}
