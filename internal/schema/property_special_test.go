package schema

import (
	"net/netip"
	"reflect"
	"slices"
	"time"
)

// fieldPair is a rule between two fields, with members that keep it and members that break it.
type fieldPair struct {
	rule         string
	a, b         reflect.Type
	right, wrong []string
	written      bool // JSON Schema says it
}

var (
	intType, boolType = reflect.TypeFor[int](), reflect.TypeFor[bool]()
	stringPointer     = reflect.TypeFor[*string]()
	fieldPairs        = []fieldPair{
		{"required_with=PA", intType, stringPointer, []string{``, `"pb":"x"`, `"pa":1,"pb":"x"`}, []string{`"pa":1`, `"pa":0`}, true},
		{"required_with_all=PA", intType, stringPointer, []string{``, `"pb":"x"`, `"pa":1,"pb":"x"`}, []string{`"pa":1`, `"pa":0`}, true},
		{"required_without=PA", intType, stringPointer, []string{`"pa":0`, `"pb":"x"`, `"pa":1,"pb":"x"`}, []string{``}, false},
		{"required_without_all=PA", intType, stringPointer, []string{`"pa":0`, `"pb":"x"`, `"pa":1,"pb":"x"`}, []string{``}, false},
		{"required_if=PA 1", intType, stringPointer, []string{``, `"pa":2`, `"pb":"x"`, `"pa":1,"pb":"x"`}, []string{`"pa":1`, `"pa":1.0`}, false},
		{"required_unless=PA true", boolType, stringPointer, []string{`"pa":true`, `"pb":"x"`, `"pa":false,"pb":""`}, []string{``, `"pa":false`}, false},
		{"excluded_with=PA", intType, stringPointer, []string{``, `"pa":1`, `"pb":"x"`}, []string{`"pa":0,"pb":"x"`}, false},
		{"excluded_with_all=PA", intType, stringPointer, []string{``, `"pa":1`, `"pb":"x"`}, []string{`"pa":0,"pb":""`}, false},
		{"excluded_without=PA", intType, stringPointer, []string{``, `"pa":1`, `"pa":1,"pb":"x"`}, []string{`"pb":"x"`}, false},
		{"excluded_without_all=PA", intType, stringPointer, []string{``, `"pa":1`, `"pa":1,"pb":"x"`}, []string{`"pb":"x"`}, false},
		{"excluded_if=PA 1", intType, stringPointer, []string{``, `"pa":1`, `"pa":2,"pb":"x"`}, []string{`"pa":1,"pb":"x"`}, false},
		{"excluded_unless=PA 1", intType, stringPointer, []string{``, `"pa":1`, `"pa":1,"pb":"x"`}, []string{`"pa":2,"pb":"x"`}, false},
		{"eqfield=PA", intType, intType, []string{`"pa":1,"pb":1.0`}, []string{`"pa":1,"pb":2`, `"pa":1,"pb":0`}, false},
		{"nefield=PA", intType, intType, []string{`"pa":1,"pb":2`}, []string{`"pa":1,"pb":1`}, false},
		{"gtfield=PA", intType, intType, []string{`"pa":1,"pb":2`}, []string{`"pa":1,"pb":1`, `"pa":1,"pb":0`}, false},
		{"gtefield=PA", intType, intType, []string{`"pa":1,"pb":1`, `"pa":1,"pb":2`}, []string{`"pa":1,"pb":0`}, false},
		{"ltfield=PA", intType, intType, []string{`"pa":1,"pb":0`}, []string{`"pa":1,"pb":1`, `"pa":1,"pb":2`}, false},
		{"ltefield=PA", intType, intType, []string{`"pa":1,"pb":1`, `"pa":1,"pb":-2`}, []string{`"pa":1,"pb":2`}, false},
	}
)

func fieldPairOf(f reflect.StructField) *fieldPair {
	for i := range fieldPairs {
		if fieldPairs[i].rule == f.Tag.Get("validate") && fieldPairs[i].b == f.Type {
			return &fieldPairs[i]
		}
	}
	panic("no such rule between fields")
}

// specialSpec is the spec of a type that does not travel as its Go kind says; nil for others.
func specialSpec(t reflect.Type, words []string) *spec {
	right, ways := specialTexts(t, words)
	if right == nil {
		return nil
	}
	s := &spec{null: &nullWay, ways: ways, right: func(p *pen) string { return oneOfThem(p.T, right) }}
	switch t {
	case rawType, reflect.TypeFor[any]():
		s.null, s.any = nil, true
	case reflect.TypeFor[poolSelf]():
		s.null, s.any = &mistake{"null", typesThatReadThemselves, nullWay.write}, true
	}
	return s
}

func specialTexts(t reflect.Type, words []string) (right []string, ways []mistake) {
	text := func(leniency string, wrong ...string) []mistake {
		return []mistake{wrongTypes("string"), fixed("not in the form", leniency, wrong...)}
	}
	switch {
	case t == timeType:
		return []string{`"2026-01-31T09:30:00Z"`, `"2024-02-29T23:59:59.123456789+14:00"`}, text(formats, `"yesterday"`, `"2026-01-31"`, `"2026-01-31T9:30:00Z"`, `""`)
	case t == durationType:
		return durationTexts(words)
	case isBytes(t) && t != rawType:
		return bytesTexts(t, words)
	case t == urlType:
		return []string{`"https://example.com/a?b=c#d"`, `"mailto:ann@example.com"`}, text(formats, `"example.com/x"`, `""`, `":"`)
	case t == reflect.TypeFor[netip.Addr]():
		return []string{`"192.0.2.1"`, `"2001:db8::1"`}, text(formats, `"x"`, `"1.2.3"`)
	case t == reflect.TypeFor[level]():
		return []string{`""`, `"**"`}, text(formats, `"x"`)
	case t == bigType:
		return []string{"0", "-5", "9007199254740991", "1e3", "7.0"}, []mistake{wrongTypes("number"), fixed("a fraction", "", "1.5")}
	case t == reflect.TypeFor[money]():
		return []string{"0", "5", "1250"}, []mistake{wrongTypes("number"), fixed("below its own schema", "", "-1", "1.5")}
	case t == reflect.TypeFor[span]():
		return []string{"[1,2]", "[0,0]"}, []mistake{wrongTypes("array"), fixed("against its own schema", "", `["a","b"]`), fixed("refused by itself", typesThatReadThemselves, "[1]", "[]")}
	case t == reflect.TypeFor[poolSelf]():
		return []string{`"ok"`, `"ok then"`}, []mistake{fixed("refused by itself", typesThatReadThemselves, `"no"`, `5`, `{}`)}
	case t == rawType, t == reflect.TypeFor[any]():
		return []string{"1", "-2.5", `"x"`, "true", "[]", `[1,{"a":[null]}]`, `{"a":{"b":1}}`, "{}", `""`, "null"},
			[]mistake{fixed("a name twice", "", `{"a":1,"a":2}`, `[{"x":{"a":1,"a":1}}]`)}
	}
	return nil, nil
}

func durationTexts(words []string) (right []string, ways []mistake) {
	ways = []mistake{wrongTypes("string"), fixed("not in the form", "", `"1 h"`, `""`, `"1x"`, `"1d"`, `"h"`), fixed("beyond the width", limitsOfDurations, `"9999999999h"`)}
	for _, text := range []string{"0", "90s", "1h30m", "119m", "-1.5h", "2h", "59.999s", "1µs"} {
		d, _ := time.ParseDuration(text)
		least, most := slices.Contains(words, "min=1m"), slices.Contains(words, "lt=2h")
		if least && d < time.Minute || most && d >= 2*time.Hour {
			ways = append(ways, fixed("beyond a bound", limitsOfDurations, literal(text)))
			continue
		}
		right = append(right, literal(text))
	}
	return right, ways
}

func bytesTexts(t reflect.Type, words []string) (right []string, ways []mistake) {
	low, high := countRange(words)
	if t.Kind() == reflect.Array {
		low, high = t.Len(), t.Len()
	}
	ways = []mistake{wrongTypes("string"), fixed("not in the form", formats, `"%%"`, `"YQ"`, `"YQ=A"`)}
	for count, text := range []string{`""`, `"YQ=="`, `"YWI="`, `"YWJj"`, `"YWJjZA=="`} {
		if count < low || count > high {
			ways = append(ways, fixed("a wrong number of bytes", lengthsOfBytes, text))
			continue
		}
		right = append(right, text)
	}
	return right, ways
}
