package schema

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

// size is a rule on a number's value, or on the length of a string, list or map.
type size struct {
	words  string               // such as "at least"
	holds  func(order int) bool // of the comparison of the value with the parameter
	number func(s *jsonschema.Schema, limit float64)
	length func(limit int) (low, high *int)
}

var (
	atLeast = size{
		words: "at least", holds: func(order int) bool { return order >= 0 },
		number: func(s *jsonschema.Schema, limit float64) { s.Minimum = &limit },
		length: func(limit int) (low, high *int) { return &limit, nil },
	}.rule
	above = size{
		words: "more than", holds: func(order int) bool { return order > 0 },
		number: func(s *jsonschema.Schema, limit float64) { s.ExclusiveMinimum = &limit },
		length: func(limit int) (low, high *int) { return new(limit + 1), nil },
	}.rule
	atMost = size{
		words: "at most", holds: func(order int) bool { return order <= 0 },
		number: func(s *jsonschema.Schema, limit float64) { s.Maximum = &limit },
		length: func(limit int) (low, high *int) { return nil, &limit },
	}.rule
	below = size{
		words: "less than", holds: func(order int) bool { return order < 0 },
		number: func(s *jsonschema.Schema, limit float64) { s.ExclusiveMaximum = &limit },
		length: func(limit int) (low, high *int) { return nil, new(limit - 1) },
	}.rule
	exactly = size{
		words: "exactly", holds: func(order int) bool { return order == 0 },
		number: func(s *jsonschema.Schema, limit float64) { s.Minimum, s.Maximum = &limit, &limit },
		length: func(limit int) (low, high *int) { return &limit, &limit },
	}.rule
)

func (z size) rule(n *node, parameter string) (rule, error) {
	switch n.kind {
	case intKind, uintKind, floatKind:
		return z.numberRule(n, parameter)
	case durationKind:
		return z.durationRule(parameter)
	case stringKind, listKind, mapKind, bytesKind:
		return z.lengthRule(n, parameter)
	}
	return rule{}, errMisfit
}

func (z size) lengthRule(n *node, parameter string) (rule, error) {
	limit, err := strconv.Atoi(parameter)
	if err != nil || limit < 0 || limit > math.MaxInt32 {
		return rule{}, fmt.Errorf("its parameter %q is no length; give a whole number", parameter)
	}
	if low, high := z.length(limit); high != nil && *high < 0 && low == nil {
		return rule{}, fmt.Errorf("no length is %s %d; give a larger number", z.words, limit)
	}
	one, many := n.units()
	expected := z.words + " " + counted(limit, one, many)
	r := rule{
		holds:   func(v reflect.Value) bool { return z.holds(length(v) - limit) },
		problem: "must have " + expected, expected: expected}
	if n.kind != bytesKind { // of base64 JSON Schema can only count the characters
		r.write = func(s *jsonschema.Schema) { n.setLength(s, z.length, limit) }
	}
	return r, nil
}

func (n *node) setLength(s *jsonschema.Schema, bounds func(int) (low, high *int), limit int) {
	low, high := bounds(limit)
	switch n.kind {
	case stringKind:
		s.MinLength, s.MaxLength = low, high
	case listKind:
		s.MinItems, s.MaxItems = low, high
	default:
		s.MinProperties, s.MaxProperties = low, high
	}
}

// units is what a length counts, for one and for many.
func (n *node) units() (one, many string) {
	switch n.kind {
	case stringKind:
		return "character", "characters"
	case bytesKind:
		return "byte", "bytes"
	case mapKind:
		return "entry", "entries"
	}
	return "item", "items"
}

func counted(count int, one, many string) string {
	if count == 1 {
		return "1 " + one
	}
	return strconv.Itoa(count) + " " + many
}

func length(v reflect.Value) int {
	if v.Kind() == reflect.String {
		return utf8.RuneCountInString(v.String())
	}
	return v.Len()
}

func (z size) numberRule(n *node, parameter string) (rule, error) {
	limit, err := strconv.ParseFloat(parameter, 64)
	if err != nil || math.IsNaN(limit) || math.IsInf(limit, 0) {
		return rule{}, fmt.Errorf("its parameter %q is no number", parameter)
	}
	r := rule{
		problem: "must be " + z.words + " " + parameter, expected: z.words + " " + parameter,
		write: func(s *jsonschema.Schema) { z.number(s, limit) },
	}
	if n.quoted { // JSON Schema sees a string
		r.write = nil
	}
	switch n.kind {
	case intKind:
		limit, err := strconv.ParseInt(parameter, 10, 64)
		r.holds = func(v reflect.Value) bool { return z.holds(cmp.Compare(v.Int(), limit)) }
		return r, badLimit(err, "whole number", parameter)
	case uintKind:
		limit, err := strconv.ParseUint(parameter, 10, 64)
		r.holds = func(v reflect.Value) bool { return z.holds(cmp.Compare(v.Uint(), limit)) }
		return r, badLimit(err, "whole number from zero on", parameter)
	}
	r.float = func(f float64) bool { return z.holds(cmp.Compare(f, limit)) }
	return r, nil
}

func (z size) durationRule(parameter string) (rule, error) {
	limit, err := time.ParseDuration(parameter)
	return rule{
		holds:   func(v reflect.Value) bool { return z.holds(cmp.Compare(v.Int(), int64(limit))) },
		problem: "must be " + z.words + " " + parameter, expected: z.words + " " + parameter}, badLimit(err, "duration such as 1h30m", parameter)
}

func badLimit(err error, what, parameter string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("its parameter %q is no %s", parameter, what)
}
