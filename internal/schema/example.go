package schema

import (
	"math"
	"math/big"
	"reflect"
	"slices"
	"time"
)

// example is a value that a place with those rules takes, as a model would write it; "" if
// none that comes to mind is legal there. It is for numbers and durations: what else has an
// example has the same one everywhere.
func (n *node) example(r *rules) string {
	switch {
	case n.kind == durationKind:
		for _, text := range []string{"1h30m", "1s", "10s", "1m", "10m", "100ms", "1ms", "24h", "720h"} {
			if d, _ := time.ParseDuration(text); n.keeps(r, reflect.ValueOf(d)) {
				return literal(text)
			}
		}
	case n.isNumber():
		for _, f := range n.numbers(r) {
			if v, is := n.valueOf(f); is && n.keeps(r, v) {
				b, _ := appendFloat(nil, f, 64)
				if n.quoted {
					return literal(string(b))
				}
				return string(b)
			}
		}
	}
	return ""
}

// numbers are those that come to mind, and those at the bounds.
func (n *node) numbers(r *rules) []float64 {
	numbers := []float64{5, 1, 10, 0, 100, 1000, -1}
	if n.kind == floatKind {
		numbers = append([]float64{1.5, 0.5}, numbers...)
	}
	s := &r.schema
	for _, bound := range []*float64{s.Minimum, s.Maximum, s.ExclusiveMinimum, s.ExclusiveMaximum} {
		if bound != nil {
			numbers = append(numbers, *bound, *bound+1, *bound-1)
		}
	}
	if low, high := s.ExclusiveMinimum, s.ExclusiveMaximum; low != nil && high != nil {
		numbers = append(numbers, (*low+*high)/2)
	}
	return numbers
}

// valueOf is a number as the node's type has it, if it can.
func (n *node) valueOf(f float64) (reflect.Value, bool) {
	v := reflect.New(n.typ).Elem()
	switch n.kind {
	case floatKind:
		v.SetFloat(f)
		return v, true
	case bigKind:
		v.Set(reflect.ValueOf(big.NewInt(int64(f))).Elem())
		return v, true
	case intKind:
		v.SetInt(int64(f))
		return v, f == math.Trunc(f) && math.Abs(f) < 1<<53 && !v.OverflowInt(int64(f))
	}
	v.SetUint(uint64(max(f, 0)))
	return v, f == math.Trunc(f) && f >= 0 && f < 1<<53 && !v.OverflowUint(uint64(f))
}

// keeps reports that a value keeps the rules.
func (n *node) keeps(r *rules, v reflect.Value) bool {
	return !slices.ContainsFunc(r.checks, func(c check) bool {
		if n.kind == floatKind {
			return c.float != nil && !c.float(v.Float())
		}
		return c.holds != nil && !c.holds(v)
	})
}
