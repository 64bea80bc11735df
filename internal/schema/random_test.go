package schema

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/samber/mo"
	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// The struct types that a random declaration may contain.
type (
	randomPoint struct {
		X int8    `validate:"min=-2,max=9"`
		Y float32 `validate:"lt=5.5"`
	}
	randomNest struct {
		Name  string              `validate:"min=1,max=3,alpha"`
		Point *randomPoint        `json:"point"`
		Opt   mo.Option[[]uint16] `validate:"max=2,unique,dive,ne=3"`
		By    map[string]bool     `json:"by,omitempty" validate:"max=1"`
		Some  int                 `validate:"default=3,oneof=1 2 3"`
		Any   any                 `json:"any,omitempty"`
	}
)

// shapes are the Go kinds and the rules that JSON Schema can say of them.
var shapes = []struct {
	typ   reflect.Type
	rules []string
}{
	{reflect.TypeFor[bool](), []string{"eq=true", "ne=false"}},
	{reflect.TypeFor[int](), numberRules},
	{reflect.TypeFor[int8](), numberRules},
	{reflect.TypeFor[int64](), numberRules},
	{reflect.TypeFor[uint16](), []string{"min=1", "max=3", "gt=2", "lt=4", "oneof=1 2 3", "ne=2"}},
	{reflect.TypeFor[uint64](), []string{"gte=1", "lte=3"}},
	{reflect.TypeFor[float32](), []string{"min=-0.5", "max=2.5", "gt=0.1", "lt=3.25", "oneof=0.5 1", "ne=1"}},
	{reflect.TypeFor[float64](), []string{"min=-0.5", "max=2.5", "gt=0.1", "lt=3.3", "oneof=0.5 1", "ne=1"}},
	{reflect.TypeFor[string](), textSamples},
	{reflect.TypeFor[status](), textSamples},
	{reflect.TypeFor[any](), nil},
	{reflect.TypeFor[jsontext.Value](), nil},
	{reflect.TypeFor[randomPoint](), nil},
	{reflect.TypeFor[randomNest](), nil},
}

var (
	numberRules = []string{"min=-1", "max=3", "gt=-2", "lt=4", "gte=0", "lte=2", "eq=2", "ne=2", "len=2", "oneof=1 2 3"}
	textSamples = []string{"min=1", "max=2", "len=2", "gt=1", "lt=3", "eq=ab", "ne=ab", "oneof=a ab 'b c'", "alpha", "alphanum", "number", "startswith=a", "endswith=b", "contains=b"}
	listRules   = []string{"min=1", "max=2", "len=2", "gt=0", "lt=3"}
)

// declaration draws a type and its rules.
func declaration(rt *rapid.T, depth int, seen map[string]int) (reflect.Type, []string) {
	wrap := "none"
	if depth > 0 {
		wrap = rapid.SampledFrom([]string{"none", "slice", "array", "map"}).Draw(rt, "wrap")
	}
	seen[wrap]++
	if wrap == "none" {
		shape := rapid.SampledFrom(shapes).Draw(rt, "shape")
		seen[shape.typ.String()]++
		return shape.typ, someOfRules(rt, shape.rules, seen)
	}
	elem, inner := declaration(rt, depth-1, seen)
	outer := listRules
	t := reflect.MapOf(reflect.TypeFor[string](), elem)
	switch wrap {
	case "slice":
		t = reflect.SliceOf(elem)
		if elem.Kind() <= reflect.Uint64 || elem.Kind() == reflect.Float64 || elem == reflect.TypeFor[string]() {
			outer = append([]string{"unique"}, listRules...)
		}
	case "array":
		t, outer = reflect.ArrayOf(2, elem), nil
	}
	rules := someOfRules(rt, outer, seen)
	if len(inner) > 0 {
		rules = append(append(rules, "dive"), inner...)
	}
	return t, rules
}

func someOfRules(rt *rapid.T, legal []string, seen map[string]int) (rules []string) {
	if len(legal) == 0 {
		return nil
	}
	for range rapid.IntRange(0, 2).Draw(rt, "rules") {
		rule := rapid.SampledFrom(legal).Draw(rt, "rule")
		name, _, _ := strings.Cut(rule, "=")
		seen["rule "+name]++
		rules = append(rules, rule)
	}
	return rules
}

// valueFor draws a value that is legal for t by and large, or a little off.
func valueFor(rt *rapid.T, t reflect.Type, depth int) any {
	if rapid.IntRange(0, 15).Draw(rt, "off") == 0 {
		return rapid.SampledFrom([]any{"x", 1, 1.5, true, []int{}, map[string]int{"a": 1}, jsontext.Value(`1e2`)}).Draw(rt, "other")
	}
	switch t.Kind() {
	case reflect.Bool:
		return rapid.Bool().Draw(rt, "bool")
	case reflect.String:
		return rapid.SampledFrom([]string{"", "a", "ab", "abc", "äö", "a1", "12", "b c", "A", "ab\n"}).Draw(rt, "string")
	case reflect.Float32, reflect.Float64:
		return rapid.SampledFrom([]any{0, 0.5, 1, 2.5, 2.50001, -0.5, 3.25, 3.3, 0.1, 0.10000000149, 1e10, -1e300, jsontext.Value("-0.0")}).Draw(rt, "number")
	case reflect.Slice, reflect.Array:
		if t == rawType {
			return rapid.SampledFrom([]any{1, "a", []any{}, map[string]any{}}).Draw(rt, "raw")
		}
		items := []any{}
		for range rapid.IntRange(0, 3).Draw(rt, "len") {
			items = append(items, valueFor(rt, t.Elem(), depth+1))
		}
		return items
	case reflect.Map:
		members := map[string]any{}
		for _, name := range rapid.SliceOfDistinct(rapid.SampledFrom([]string{"a", "b", "<", "é"}), rapid.ID[string]).Draw(rt, "names") {
			members[name] = valueFor(rt, t.Elem(), depth+1)
		}
		return members
	case reflect.Struct:
		return structFor(rt, t, depth)
	case reflect.Interface:
		return rapid.SampledFrom([]any{1, "a", []any{1}, map[string]any{"a": false}}).Draw(rt, "any")
	}
	return rapid.SampledFrom([]any{0, 1, 2, 3, 4, -1, -2, 127, 128, -129, 65536, 1 << 40, jsontext.Value("2.0"), jsontext.Value("1e1"), 2.5, -(1 << 53)}).Draw(rt, "integer")
}

func structFor(rt *rapid.T, t reflect.Type, depth int) any {
	members := map[string]any{}
	visible, _ := visibleFields(t)
	for _, f := range visible {
		if rapid.IntRange(0, 5).Draw(rt, "absent") > 0 {
			inner := f.Type
			switch {
			case isOption(inner):
				inner = inner.Field(1).Type
			case inner.Kind() == reflect.Pointer:
				inner = inner.Elem()
			}
			members[f.name] = valueFor(rt, inner, depth+1)
		}
	}
	if rapid.IntRange(0, 9).Draw(rt, "unknown") == 0 {
		members[rapid.SampledFrom([]string{"nam", "X", ""}).Draw(rt, "name")] = 1
	}
	return members
}

// TestRandomDeclarationsDecodeWhatTheirSchemaAllows draws declarations and arguments. The
// decoder, the schema and jsonschema-go agree, and what was sent arrives.
func TestRandomDeclarationsDecodeWhatTheirSchemaAllows(t *testing.T) {
	seen := map[string]int{}
	draw := func(rt *rapid.T) {
		typ, rules := declaration(rt, 2, seen)
		in, problems := NewInput(nil, []Param{{Name: "x", Type: typ, Rules: []string{strings.Join(rules, ",")}}}, Config{})
		if len(problems) > 0 {
			seen["contradictory"]++
			return
		}
		schema := referee(t, in)
		for range 5 {
			args, err := json.Marshal(map[string]any{"x": valueFor(rt, typ, 0)}, json.Deterministic(true))
			if err != nil {
				rt.Fatal(err)
			}
			seen[compareRandom(rt, in, schema.Validate, typ, args)]++
		}
	}
	for range 8 {
		rapid.Check(t, draw)
	}
	for _, name := range []string{"accepted", "refused", "none", "slice", "array", "map"} {
		assert.GreaterOrEqual(t, seen[name], 50, "%s was drawn", name)
	}
}

// TestEachRuleAgreesWithItsSchemaForEachKind leaves nothing to chance.
func TestEachRuleAgreesWithItsSchemaForEachKind(t *testing.T) {
	values := []string{
		`""`, `"a"`, `"ab"`, `"abc"`, `"äö"`, `"a1"`, `"12"`, `"b c"`, `"A"`, `"ab\n"`, `0`, `1`, `2`, `3`, `4`, `-1`, `-2`, `-0.0`, `2.0`, `1e1`, `0.1`, `0.5`,
		`2.5`, `3.25`, `3.3`, `128`, `65536`, `1e15`, `true`, `false`, `[]`, `["a"]`, `["a","a"]`, `["a","b"]`, `[1,2,3]`, `{}`, `{"a":1}`, `{"x":-2,"y":5.4}`, `{"x":10,"y":1}`,
	}
	for _, shape := range shapes {
		for _, rule := range append([]string{""}, shape.rules...) {
			in, problems := NewInput(nil, []Param{{Name: "x", Type: shape.typ, Rules: []string{rule}}}, Config{})
			if !assert.Empty(t, problems) {
				continue
			}
			schema := referee(t, in)
			accepted := 0
			for _, value := range values {
				args := []byte(`{"x":` + value + `}`)
				_, fields := in.DecodeMap(args)
				err := schema.Validate(mustAny(args))
				assert.Equal(t, err == nil, len(fields) == 0, "%s %s %s: %v %v", shape.typ, rule, value, err, fields)
				if err == nil {
					accepted++
				}
			}
			assert.True(t, accepted > 0 || shape.typ.Kind() == reflect.Struct, "%s %s takes something", shape.typ, rule)
		}
	}
}

func compareRandom(rt *rapid.T, in *Input, validate func(any) error, typ reflect.Type, args []byte) string {
	values, fields := in.DecodeMap(args)
	err := validate(mustAny(args))
	if (err == nil) != (len(fields) == 0) {
		rt.Fatalf("for %s\nof type %s, %s\nthe schema says: %v\nthe decoder says: %+v", args, typ, in.JSON(), err, fields)
	}
	if err != nil {
		return "refused"
	}
	out, err := NewOutput(typ)
	if err != nil {
		rt.Fatal(err)
	}
	b, err := out.Append(nil, reflect.ValueOf(values["x"]))
	if err != nil {
		rt.Fatal(err)
	}
	if !out.Wrapped() {
		b = fmt.Appendf(nil, `{"result":%s}`, b)
	}
	sent, got := mustAny(args).(map[string]any)["x"], mustAny(b).(map[string]any)["result"]
	if typ.Kind() != reflect.Float32 && !narrow(typ) && !covers(got, sent) {
		rt.Fatalf("sent %s\ngot  %s", args, b)
	}
	return "accepted"
}

// narrow reports that a type holds float32s, which round what is sent.
func narrow(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		return narrow(t.Elem())
	case reflect.Struct:
		return true
	}
	return t.Kind() == reflect.Float32
}
