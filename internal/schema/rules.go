package schema

import (
	"encoding/json/jsontext"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// rule is one demand on a present value.
type rule struct {
	holds    func(v reflect.Value) bool
	problem  string                     // what is wrong when it does not hold
	expected string                     // what would be right
	write    func(s *jsonschema.Schema) // nil for what JSON Schema cannot say
}

// ruleMaker makes a rule for a node out of the parameter behind the "=".
type ruleMaker func(n *node, parameter string) (rule, error)

// makerOf finds the maker of a rule that is checked here. All others are validator's.
func makerOf(name string) ruleMaker {
	switch name {
	case "min", "gte":
		return atLeast
	case "gt":
		return above
	case "max", "lte":
		return atMost
	case "lt":
		return below
	case "len":
		return exactly
	case "eq":
		return equal
	case "ne":
		return unequal
	case "oneof":
		return oneOf
	case "unique":
		return unique
	case "email":
		return format("email", "email", "an email address", "ann@example.com")
	case "url":
		return format("url", "uri", "a URL", "https://example.com")
	case "uri":
		return format("uri", "uri", "a URI", "https://example.com")
	case "uuid":
		return format("uuid", "uuid", "a UUID", "9b2d7c1e-4f6a-4b7e-9a51-0c3f5d8e7a10")
	case "uuid3":
		return format("uuid3", "uuid", "a version 3 UUID", "9b2d7c1e-4f6a-3b7e-9a51-0c3f5d8e7a10")
	case "uuid4":
		return format("uuid4", "uuid", "a version 4 UUID", "9b2d7c1e-4f6a-4b7e-9a51-0c3f5d8e7a10")
	case "uuid5":
		return format("uuid5", "uuid", "a version 5 UUID", "9b2d7c1e-4f6a-5b7e-9a51-0c3f5d8e7a10")
	case "ipv4":
		return format("ipv4", "ipv4", "an IPv4 address", "192.0.2.1")
	case "ipv6":
		return format("ipv6", "ipv6", "an IPv6 address", "2001:db8::1")
	case "datetime":
		return datetime
	}
	return nil
}

// apply reads a tag of rules for a field. Those behind "dive" are for its elements.
func (c *compiler) apply(f *field, tag, path string) {
	words := splitTag(tag)
	for i, word := range words {
		name, parameter, _ := strings.Cut(word, "=")
		switch name {
		case "", "omitempty", "omitnil":
			// presence decides, not the value
		case "required":
			f.required = true
		case "default":
			f.required = false
			f.defaultJSON = defaultValue(f.node, unescape(parameter))
		case "dive":
			c.applyToElements(f, words[i+1:], path)
			c.finishRules(f, path)
			return
		default:
			c.addRule(c.own(f, path), name, parameter, path)
		}
	}
	c.finishRules(f, path)
}

// applyToElements puts rules on a copy of the elements' node.
func (c *compiler) applyToElements(f *field, words []string, path string) {
	if f.node.kind != listKind && f.node.kind != mapKind {
		c.failf(path, "has the rule dive, which is for arrays and maps; remove it")
		return
	}
	elem := &field{slot: f.node.elem, required: true}
	c.apply(elem, strings.Join(words, ","), path+"[]")
	c.own(f, path).elem = elem.slot
}

// own is the field's node as a copy, since the rules on it are this field's alone. A type
// that is still being compiled, because it contains the field, cannot be copied yet.
func (c *compiler) own(f *field, path string) *node {
	if c.open[f.node.typ] == f.node {
		c.failf(path, "has rules, but its type contains the field itself; put them on a struct in between")
	}
	n := *f.node
	f.node = &n
	return f.node
}

// finishRules checks that the rules of a field agree with one another.
func (c *compiler) finishRules(f *field, path string) {
	if f.node.enum != nil && len(f.node.enum) == 0 {
		c.failf(path, "is an enum without values; give at least one")
	}
	if f.defaultJSON == nil {
		return
	}
	v := reflect.New(f.node.typ).Elem()
	d := decoderOf(f.defaultJSON)
	d.value(f.node, v, nil, 0)
	if problems := d.finish(); len(problems) > 0 {
		c.failf(path, "has the default %s, which its own rules refuse: it %s", f.defaultJSON, problems[0].Problem)
		return
	}
	if f.node.kind <= stringKind {
		f.defaultValue = v
	}
}

// defaultValue is the JSON of a default, which a tag has as plain text.
func defaultValue(n *node, text string) jsontext.Value {
	switch n.kind {
	case stringKind, bytesKind, timeKind, durationKind, urlKind, textKind:
		quoted, _ := jsontext.AppendQuote(nil, text)
		return quoted
	}
	return jsontext.Value(text)
}

// splitTag splits at commas. A comma in a parameter is written 0x2C.
func splitTag(tag string) []string {
	words := strings.Split(tag, ",")
	for i, w := range words {
		words[i] = strings.TrimSpace(w)
	}
	return words
}

func unescape(parameter string) string {
	return strings.NewReplacer("0x2C", ",", "0x7C", "|").Replace(parameter)
}

func (c *compiler) addRule(n *node, name, parameter, path string) {
	maker := makerOf(name)
	if maker == nil || strings.Contains(parameter, "|") {
		word := name
		if parameter != "" {
			word += "=" + parameter
		}
		maker = validators(word)
	}
	r, err := maker(n, unescape(parameter))
	if err != nil {
		c.failf(path, "has the rule %q: %v", name, err)
		return
	}
	n.rules = append(slices.Clip(n.rules), r)
	c.contradictions(n, path)
}

// contradictions finds bounds between which nothing lies.
func (c *compiler) contradictions(n *node, path string) {
	s := &jsonschema.Schema{}
	for _, r := range n.rules {
		if r.write != nil {
			r.write(s)
		}
	}
	for _, pair := range [][2]*int{{s.MinLength, s.MaxLength}, {s.MinItems, s.MaxItems}, {s.MinProperties, s.MaxProperties}} {
		if pair[0] != nil && pair[1] != nil && *pair[0] > *pair[1] {
			c.failf(path, "has bounds that contradict: at least %d and at most %d", *pair[0], *pair[1])
		}
	}
	low, lowOpen := bound(s.Minimum, s.ExclusiveMinimum)
	high, highOpen := bound(s.Maximum, s.ExclusiveMaximum)
	if low != nil && high != nil && (*low > *high || *low == *high && (lowOpen || highOpen)) {
		c.failf(path, "has bounds that contradict: no number is from %v to %v", *low, *high)
	}
}

func bound(closed, open *float64) (value *float64, isOpen bool) {
	if closed != nil {
		return closed, false
	}
	return open, open != nil
}

var errMisfit = errors.New("it does not fit the type; remove it, or use a rule for this type")

// size is a rule on a number's value, or on the length of a string, list or map.
type size struct {
	number func(s *jsonschema.Schema, v float64)
	length func(n *node, s *jsonschema.Schema, v int)
	holds  func(order int) bool // of the comparison of the value with the parameter
	words  string               // such as "at least"
}

func (z size) rule(n *node, parameter string) (rule, error) {
	switch n.kind {
	case intKind, uintKind, floatKind:
		return z.numberRule(n, parameter)
	case stringKind, listKind, mapKind:
		limit, err := strconv.Atoi(parameter)
		if err != nil || limit < 0 {
			return rule{}, fmt.Errorf("its parameter %q is no length; give a whole number", parameter)
		}
		expected := fmt.Sprintf("%s %d %s", z.words, limit, unit(n.kind, limit))
		return rule{
			holds:   func(v reflect.Value) bool { return z.holds(length(v) - limit) },
			problem: "must have " + expected, expected: expected,
			write: func(s *jsonschema.Schema) { z.length(n, s, limit) },
		}, nil
	}
	return rule{}, errMisfit
}

// unit is what the length of a kind counts.
func unit(k kind, count int) string {
	one, many := "item", "items"
	switch k {
	case stringKind:
		one, many = "character", "characters"
	case mapKind:
		one, many = "entry", "entries"
	}
	if count == 1 {
		return one
	}
	return many
}

func (z size) numberRule(n *node, parameter string) (rule, error) {
	f, err := strconv.ParseFloat(parameter, 64)
	if err != nil {
		return rule{}, fmt.Errorf("its parameter %q is no number", parameter)
	}
	r := rule{
		problem: fmt.Sprintf("must be %s %s", z.words, parameter), expected: z.words + " " + parameter,
		write: func(s *jsonschema.Schema) { z.number(s, f) },
	}
	switch n.kind {
	case intKind:
		limit, err := strconv.ParseInt(parameter, 10, 64)
		if err != nil {
			return rule{}, fmt.Errorf("its parameter %q is no whole number", parameter)
		}
		r.holds = func(v reflect.Value) bool { return z.holds(order(v.Int(), limit)) }
	case uintKind:
		limit, err := strconv.ParseUint(parameter, 10, 64)
		if err != nil {
			return rule{}, fmt.Errorf("its parameter %q is no whole number above zero", parameter)
		}
		r.holds = func(v reflect.Value) bool { return z.holds(order(v.Uint(), limit)) }
	default:
		r.holds = func(v reflect.Value) bool { return z.holds(order(v.Float(), f)) }
	}
	return r, nil
}

func order[T int64 | uint64 | float64](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func length(v reflect.Value) int {
	if v.Kind() == reflect.String {
		return runeCount(v.String())
	}
	return v.Len()
}
