package schema

import (
	"cmp"
	"maps"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
)

// tighten adds the demands of more to s: of two bounds the narrower one counts. More says
// only what rules write.
func tighten(s, more *jsonschema.Schema) {
	raise(&s.Minimum, more.Minimum)
	raise(&s.ExclusiveMinimum, more.ExclusiveMinimum)
	lower(&s.Maximum, more.Maximum)
	lower(&s.ExclusiveMaximum, more.ExclusiveMaximum)
	raise(&s.MinLength, more.MinLength)
	lower(&s.MaxLength, more.MaxLength)
	raise(&s.MinItems, more.MinItems)
	lower(&s.MaxItems, more.MaxItems)
	raise(&s.MinProperties, more.MinProperties)
	lower(&s.MaxProperties, more.MaxProperties)
	s.UniqueItems = s.UniqueItems || more.UniqueItems
	s.Format = cmp.Or(s.Format, more.Format)
	if more.Enum != nil {
		s.Enum = more.Enum
	}
	if more.Extra != nil {
		s.Extra = maps.Clone(s.Extra) // a type's own schema is shared
		if s.Extra == nil {
			s.Extra = make(map[string]any, len(more.Extra))
		}
		maps.Copy(s.Extra, more.Extra)
	}
	tightenText(s, more)
}

// tightenText adds what may be said several times.
func tightenText(s, more *jsonschema.Schema) {
	switch {
	case more.Pattern == "" || more.Pattern == s.Pattern:
	case s.Pattern == "":
		s.Pattern = more.Pattern
	default:
		s.AllOf = append(s.AllOf, &jsonschema.Schema{Pattern: more.Pattern})
	}
	for _, also := range more.AllOf {
		s.AllOf = append(s.AllOf, also.CloneSchemas())
	}
	if more.Not != nil {
		not := &jsonschema.Schema{}
		if s.Not != nil {
			not.Enum = append(not.Enum, s.Not.Enum...)
		}
		not.Enum = append(not.Enum, more.Not.Enum...)
		s.Not = not
	}
}

func raise[T cmp.Ordered](bound **T, to *T) {
	if to != nil && (*bound == nil || **bound < *to) {
		*bound = to
	}
}

func lower[T cmp.Ordered](bound **T, to *T) {
	if to != nil && (*bound == nil || **bound > *to) {
		*bound = to
	}
}

// contradictions finds bounds between which nothing lies, and listed values that another
// rule refuses.
func (c *compiler) contradictions(f *field, path string) {
	s := f.node.typeSchema()
	tighten(s, &f.rules.schema)
	for _, pair := range [][2]*int{{s.MinLength, s.MaxLength}, {s.MinItems, s.MaxItems}, {s.MinProperties, s.MaxProperties}} {
		if pair[0] != nil && pair[1] != nil && *pair[0] > *pair[1] {
			c.failf(path, "has bounds that contradict: at least %d and at most %d; mend one of them", *pair[0], *pair[1])
		}
	}
	if low, high, nothing := numberBounds(s, f.node.kind != floatKind); nothing {
		c.failf(path, "has bounds that contradict: no number is from %v to %v; mend one of them", low, high)
	}
	c.refusedValues(f, s.Enum, path)
}

// numberBounds reports whether no number lies within the bounds.
func numberBounds(s *jsonschema.Schema, whole bool) (low, high float64, nothing bool) {
	var lowest, highest *float64
	open := false
	raise(&lowest, s.Minimum)
	lower(&highest, s.Maximum)
	if e := s.ExclusiveMinimum; e != nil && (lowest == nil || *e >= *lowest) {
		lowest, open = e, true
	}
	if e := s.ExclusiveMaximum; e != nil && (highest == nil || *e <= *highest) {
		highest, open = e, true
	}
	if lowest == nil || highest == nil {
		return 0, 0, false
	}
	nothing = *lowest > *highest || *lowest == *highest && open
	if whole && s.ExclusiveMinimum == lowest && s.ExclusiveMaximum == highest {
		nothing = nothing || *highest-*lowest <= 1
	}
	return *lowest, *highest, nothing
}

// refusedValues finds listed values that the other rules never let through.
func (c *compiler) refusedValues(f *field, values []any, path string) {
	for _, v := range values {
		shown := literal(v)
		d := decoderOf([]byte(shown))
		d.slot(&f.slot, reflect.New(f.typ).Elem())
		if problems := d.finish(); len(problems) > 0 {
			c.failf(path, "lists %s, which another of its rules refuses: it %s; remove it", shown, problems[0].Problem)
		}
	}
}
