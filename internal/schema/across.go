package schema

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// across is a rule about one member of an object that looks at others. It runs when all
// members are read, and on presence: a default does not make a member present.
type across struct {
	name   string // of the rule
	of     *field
	others []*field
	values []any // of the conditions that compare, the value of each other
	rule   acrossRule
	words  string // the condition, for a model
}

// acrossRule is what a name of a rule means.
type acrossRule struct {
	kind    acrossKind
	compare func(order int) bool // of kind compares
	word    string               // of the comparison
	holds   func(a *across, m *members) bool
}

type acrossKind uint8

const (
	requires acrossKind = iota // the member must be there if the condition holds
	excludes                   // it must not be there
	compares                   // it is compared with the other
)

// comparisons are validator's rules that compare a field with another of its struct.
var comparisons = map[string]acrossRule{
	"eqfield":  {kind: compares, word: "equal to", compare: func(o int) bool { return o == 0 }},
	"nefield":  {kind: compares, word: "different from", compare: func(o int) bool { return o != 0 }},
	"gtfield":  {kind: compares, word: "greater than", compare: func(o int) bool { return o > 0 }},
	"gtefield": {kind: compares, word: "at least", compare: func(o int) bool { return o >= 0 }},
	"ltfield":  {kind: compares, word: "less than", compare: func(o int) bool { return o < 0 }},
	"ltefield": {kind: compares, word: "at most", compare: func(o int) bool { return o <= 0 }},
}

// conditions are the ends of required_ and excluded_, with how they are told.
var conditions = map[string]struct {
	holds func(a *across, m *members) bool
	words string // %s are the other members
}{
	"if":          {func(a *across, m *members) bool { return a.count(m.equals) == len(a.others) }, "when %s"},
	"unless":      {func(a *across, m *members) bool { return a.count(m.equals) < len(a.others) }, "unless %s"},
	"with":        {func(a *across, m *members) bool { return a.count(m.present) > 0 }, "together with %s"},
	"with_all":    {func(a *across, m *members) bool { return a.count(m.present) == len(a.others) }, "together with all of %s"},
	"without":     {func(a *across, m *members) bool { return a.count(m.present) < len(a.others) }, "without %s"},
	"without_all": {func(a *across, m *members) bool { return a.count(m.present) == 0 }, "without any of %s"},
}

// acrossRuleOf is the rule of a name, if that is one between members.
func acrossRuleOf(name string) (rule acrossRule, is bool) {
	if rule, is = comparisons[name]; is {
		return rule, true
	}
	verb, end, _ := strings.Cut(name, "_")
	condition, is := conditions[end]
	switch {
	case is && verb == "required":
		return acrossRule{kind: requires, holds: condition.holds}, true
	case is && verb == "excluded":
		return acrossRule{kind: excludes, holds: condition.holds}, true
	}
	return acrossRule{}, false
}

// members are those of one object that was read.
type members struct {
	seen seen
	to   target
}

func (a *across) count(is func(a *across, i int) bool) (n int) {
	for i := range a.others {
		if is(a, i) {
			n++
		}
	}
	return n
}

func (m *members) present(a *across, i int) bool { return m.seen.given(a.others[i].pos) }

// equals reports that another member has the value of the condition, be it as its default.
func (m *members) equals(a *across, i int) bool {
	v, there := m.value(a.others[i])
	return there && plainOf(v) == a.values[i]
}

// value is what was read for a member, without pointers and options.
func (m *members) value(f *field) (v reflect.Value, there bool) {
	if m.to.values != nil {
		v, there = m.to.values[f.name]
	} else {
		v, there = memberThere(m.to.dst, f.index)
	}
	if !there || !m.seen.given(f.pos) && f.defaultJSON == nil {
		return v, false
	}
	switch f.presence {
	case pointer:
		return v.Elem(), !v.IsNil()
	case optional:
		return f.option.get(v), v.Field(0).Bool()
	}
	return v, true
}

// memberThere finds a struct's field without allocating embedded pointers.
func memberThere(v reflect.Value, index []int) (member reflect.Value, there bool) {
	for i, x := range index {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return v, false
			}
			v = v.Elem()
		}
		v = v.Field(x)
	}
	return v, true
}

// plainOf is a scalar without its type's name.
func plainOf(v reflect.Value) any {
	switch {
	case v.Kind() == reflect.String:
		return v.String()
	case v.CanFloat():
		return v.Float()
	}
	return plainValue(v)
}

// across checks the rules between the members of an object.
func (d *decoder) across(n *node, s *seen, to target) {
	m := &members{*s, to}
	for _, a := range n.across {
		if d.broken != nil {
			return
		}
		problem, expected := a.problem(m)
		if problem == "" {
			continue
		}
		d.enterName(a.of.name)
		d.problem(problem, expected, nil)
		d.leave()
	}
}

func (a *across) problem(m *members) (problem, expected string) {
	present := m.seen.given(a.of.pos)
	switch a.rule.kind {
	case requires:
		if !present && a.rule.holds(a, m) {
			return "is missing", a.of.node.demands(a.of.rules) + ", required " + a.words
		}
	case excludes:
		if present && a.rule.holds(a, m) {
			return "must be left out " + a.words, "no value"
		}
	case compares:
		own, there := m.value(a.of)
		other, otherThere := m.value(a.others[0])
		if there && otherThere && !a.rule.compare(compareValues(own, other)) {
			return "must be " + a.rule.word + " " + a.others[0].name, a.of.node.demands(a.of.rules) + ", " + a.rule.word + " " + a.others[0].name
		}
	}
	return "", ""
}

// compareValues compares two values of kinds that canCompare lets through.
func compareValues(a, b reflect.Value) int {
	switch {
	case a.CanInt():
		return cmp.Compare(a.Int(), b.Int())
	case a.CanUint():
		return cmp.Compare(a.Uint(), b.Uint())
	case a.CanFloat():
		return cmp.Compare(a.Float(), b.Float())
	case a.Kind() == reflect.Bool:
		if a.Bool() == b.Bool() {
			return 0
		}
		return 1
	case a.Kind() == reflect.String:
		return strings.Compare(a.String(), b.String())
	}
	return a.Interface().(time.Time).Compare(b.Interface().(time.Time))
}

// resolve finds the members that the rules of others name, once all are compiled.
func (c *compiler) resolve(n *node, path string) {
	for _, f := range n.fields {
		for _, word := range f.across {
			if a := c.acrossOf(n, f, word, join(path, f.name)); a != nil {
				n.across = append(n.across, a)
			}
		}
	}
}

func (c *compiler) acrossOf(n *node, f *field, word, path string) *across {
	name, parameter, _ := strings.Cut(word, "=")
	rule, _ := acrossRuleOf(name)
	a := &across{name: name, of: f, rule: rule}
	fail := func(format string, args ...any) *across {
		c.failf(path, "has the rule %q: %s", name, fmt.Sprintf(format, args...))
		return nil
	}
	if a.rule.kind == requires && f.required {
		return fail("the field is required anyway; make it one that can be absent, with mo.Option, a pointer or omitempty")
	}
	names := quotedWords(unescape(parameter))
	pairs := strings.HasSuffix(name, "_if") || strings.HasSuffix(name, "_unless")
	if len(names) == 0 || pairs && len(names)%2 != 0 || a.rule.kind == compares && len(names) != 1 {
		return fail("it names no fields, or not all of their values; write it like %q", acrossExample(name))
	}
	for len(names) > 0 {
		other := n.named(names[0])
		if other == nil || other == f {
			return fail("there is no other field %q", names[0])
		}
		a.others, names = append(a.others, other), names[1:]
		if pairs {
			v, err := other.node.parse(names[0])
			if err != nil {
				return fail("of the field %q %v", other.name, err)
			}
			a.values, names = append(a.values, v), names[1:]
		}
	}
	if a.rule.kind == compares {
		if !canCompare(f.node, a.others[0].node, name) {
			return fail("the fields are not of one type that can be compared so; compare them in the handler")
		}
		return a
	}
	a.words = a.condition()
	return a
}

func acrossExample(name string) string {
	switch {
	case strings.HasSuffix(name, "_if"), strings.HasSuffix(name, "_unless"):
		return name + "=Kind card"
	case strings.HasSuffix(name, "field"):
		return name + "=From"
	}
	return name + "=Street City"
}

// condition tells when a rule holds.
func (a *across) condition() string {
	parts := make([]string, len(a.others))
	for i, other := range a.others {
		if parts[i] = other.name; a.values != nil {
			parts[i] += " is " + literal(a.values[i])
		}
	}
	_, end, _ := strings.Cut(a.name, "_")
	and := " or "
	if a.values != nil || strings.HasSuffix(end, "_all") {
		and = " and "
	}
	return fmt.Sprintf(conditions[end].words, strings.Join(parts, and))
}

// canCompare reports that two members can be compared by a rule.
func canCompare(a, b *node, rule string) bool {
	if a.quoted || b.quoted || a.kind != b.kind {
		return false
	}
	switch a.kind {
	case intKind, uintKind, floatKind, timeKind, durationKind:
		return true
	case stringKind, boolKind:
		return rule == "eqfield" || rule == "nefield"
	}
	return false
}

// dependents are the members that JSON Schema can say to be required together with others.
func (n *node) dependents() map[string][]string {
	var all map[string][]string
	for _, a := range n.across {
		if a.name != "required_with" && (a.name != "required_with_all" || len(a.others) > 1) {
			continue
		}
		if all == nil {
			all = make(map[string][]string)
		}
		for _, other := range a.others {
			if !slices.Contains(all[other.name], a.of.name) {
				all[other.name] = append(all[other.name], a.of.name)
			}
		}
	}
	return all
}
