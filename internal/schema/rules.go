package schema

import (
	"encoding/json/jsontext"
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// rules are the demands on the values of one place.
type rules struct {
	checks []check
	listed bool              // the legal values are listed
	schema jsonschema.Schema // what JSON Schema can say of them
}

// check is one demand on a present value.
type check struct {
	holds    func(v reflect.Value) bool
	float    func(f float64) bool // in place of holds, for floats
	problem  string               // what is wrong when it does not hold
	expected string               // what would be right
}

// rule is a check, and how it is written; write is nil for what JSON Schema cannot say.
type rule struct {
	check
	write func(s *jsonschema.Schema)
	takes reflect.Type // of a rule of the app's own
}

// check reports which rules a value breaks; raw is the JSON that it came in.
func (r *rules) check(d *decoder, v reflect.Value, raw []byte) {
	if r == nil {
		return
	}
	for i := range r.checks {
		if c := &r.checks[i]; c.holds != nil && !c.holds(v) {
			d.problem(c.problem, c.expected, raw)
		}
	}
}

func (r *rules) checkFloat(d *decoder, f float64, raw []byte) {
	if r == nil {
		return
	}
	for i := range r.checks {
		if c := &r.checks[i]; c.float != nil && !c.float(f) {
			d.problem(c.problem, c.expected, raw)
		}
	}
}

// ruleMaker makes a rule for values of a node out of the parameter behind the "=".
type ruleMaker func(n *node, parameter string) (rule, error)

// makerOf finds the rules that are checked here, nil for others: those are validator's.
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
	case "datetime":
		return datetime
	case "startswith":
		return startsWith
	case "endswith":
		return endsWith
	case "contains":
		return contains
	case "header":
		return mirrored
	}
	return nil
}

// ruleNames are those that misspelt ones are compared with, besides textRules.
var ruleNames = []string{
	"min", "max", "len", "gt", "gte", "lt", "lte", "eq", "ne", "oneof", "unique", "datetime",
	"startswith", "endswith", "contains", "required", "default", "dive", "example", "deprecated", "header",
}

var errMisfit = errors.New("it does not fit the type; remove it, or use a rule for this type")

// apply reads a tag of rules for a field. Those behind "dive" are for its elements.
func (c *compiler) apply(f *field, tag, path string) {
	words := splitTag(tag)
	for i, word := range words {
		name, parameter, given := strings.Cut(word, "=")
		switch name {
		case "", "-", "omitempty", "omitnil":
			// presence decides, not the value
		case "required":
			f.required = true
			if f.defaultJSON != nil {
				c.failf(path, "is required and has a default; remove one of them")
			}
		case "default":
			if !given {
				c.failf(path, "has a default without a value; write default= and the value")
				continue
			}
			f.required, f.defaultJSON = false, defaultValue(f.node, unescape(parameter))
		case "example":
			f.examples = append(f.examples, defaultValue(f.node, unescape(parameter)))
		case "deprecated":
			f.deprecated = true
		case "dive":
			c.dive(f, words[i+1:], path)
			return
		default:
			if _, looksAcross := acrossRuleOf(name); looksAcross {
				f.across = append(f.across, word)
				continue
			}
			c.addRule(&f.slot, word, path)
		}
	}
}

// dive puts rules on the elements of a list or map, in a copy of its node.
func (c *compiler) dive(f *field, words []string, path string) {
	n := *f.node
	if n.kind != listKind && n.kind != mapKind {
		c.failf(path, "has the rule dive, which is for arrays and maps; remove it")
		return
	}
	if n.elem.node == nil {
		c.failf(path, "has the rule dive inside the type that it is about; put the rules of elements on a type of their own")
		return
	}
	f.node = &n
	words = c.keyRules(&n, words, path)
	elem := &field{slot: n.elem, required: true}
	c.apply(elem, strings.Join(words, ","), path+"[]")
	if elem.across != nil {
		c.failf(path+"[]", "has the rule %q, but elements have no other fields beside them; remove it", elem.across[0])
	}
	if elem.defaultJSON != nil {
		c.failf(path+"[]", "has a default, but elements are never absent; remove it")
	}
	c.finish(elem, path+"[]")
	n.elem = elem.slot
}

// keyRules takes the rules between "keys" and "endkeys", which are for a map's names.
func (c *compiler) keyRules(n *node, words []string, path string) (rest []string) {
	if len(words) == 0 || words[0] != "keys" {
		return words
	}
	end := slices.Index(words, "endkeys")
	if end < 0 || n.kind != mapKind || n.key.text || n.key.pattern != "" {
		c.failf(path, "has the rule keys, which is for maps with string keys, and ends with endkeys; mend it")
		return nil
	}
	key := *n.key
	names := &field{typ: key.typ, node: &node{typ: key.typ, kind: stringKind}, required: true}
	c.apply(names, strings.Join(words[1:end], ","), path)
	if names.across != nil {
		c.failf(path, "has the rule %q for the names of a map, which have no fields beside them; remove it", names.across[0])
	}
	key.rules, n.key = names.rules, &key
	return words[end+1:]
}

// addRule adds one rule to a place.
func (c *compiler) addRule(s *slot, word, path string) {
	name, parameter, _ := strings.Cut(word, "=")
	if r, own, err := c.custom(name, parameter, s.node); own {
		c.addMade(s, name, r, err, path)
		return
	}
	maker := makerOf(name)
	if maker == nil || strings.Contains(parameter, "|") {
		maker = validators(word)
	}
	r, err := maker(s.node, unescape(parameter))
	c.addMade(s, name, r, err, path)
}

func (c *compiler) addMade(s *slot, name string, r rule, err error, path string) {
	if err != nil {
		c.failf(path, "has the rule %q: %v", name, err)
		return
	}
	c.put(s, r, path)
}

// put adds a rule to a place of its own.
func (c *compiler) put(s *slot, r rule, path string) {
	if s.rules == nil {
		s.rules = &rules{}
	}
	said := &c.said // one for all: it is large
	*said = jsonschema.Schema{}
	if r.write != nil {
		r.write(said)
	}
	if said.Enum != nil && s.rules.listed {
		c.failf(path, "has two lists of legal values; merge them")
		return
	}
	if said.Extra != nil && s.rules.schema.Extra != nil {
		c.failf(path, "has two headers; remove one of them")
		return
	}
	s.rules.listed = s.rules.listed || said.Enum != nil
	if r.holds != nil || r.float != nil {
		s.rules.checks = append(s.rules.checks, r.check)
	}
	tighten(&s.rules.schema, said)
}

// finish checks that the rules and the default of a field agree with one another.
func (c *compiler) finish(f *field, path string) {
	if f.rules != nil {
		c.contradictions(f, path)
	}
	for _, example := range f.examples {
		if problem := f.refuses(example); problem != "" {
			c.failf(path, "has the example %s, which its own rules refuse: it %s", example, problem)
		}
	}
	if f.defaultJSON == nil {
		return
	}
	v := reflect.New(f.typ).Elem()
	d := decoderOf(f.defaultJSON)
	d.slot(&f.slot, v)
	if problems := d.finish(); len(problems) > 0 {
		c.failf(path, "has the default %s, which its own rules refuse: it %s", f.defaultJSON, problems[0].Problem)
		return
	}
	if f.node.kind <= stringKind && f.presence == bare {
		f.defaultValue = v
	}
}

// refuses says what is wrong with a value; "" if nothing is.
func (f *field) refuses(value jsontext.Value) string {
	d := decoderOf(value)
	d.slot(&f.slot, reflect.New(f.typ).Elem())
	if problems := d.finish(); len(problems) > 0 {
		return problems[0].Problem
	}
	return ""
}

// defaultValue is the JSON of a default, which a tag has as plain text.
func defaultValue(n *node, text string) jsontext.Value {
	if n.quoted || n.kind >= stringKind && n.kind <= textKind {
		quoted, _ := jsontext.AppendQuote(nil, text)
		return quoted
	}
	return jsontext.Value(text)
}

// splitTag splits at commas. A comma in a parameter is written 0x2C; in a default that is
// an array or object it may stand for itself.
func splitTag(tag string) (words []string) {
	parts := strings.Split(tag, ",")
	for len(parts) > 0 {
		count := wordParts(parts)
		words = append(words, strings.TrimSpace(strings.Join(parts[:count], ",")))
		parts = parts[count:]
	}
	return words
}

// wordParts is how many of the parts between commas make the first word.
func wordParts(parts []string) int {
	name, value, is := strings.Cut(strings.TrimSpace(parts[0]), "=")
	if !is || name != "default" && name != "example" || !strings.HasPrefix(value, "[") && !strings.HasPrefix(value, "{") {
		return 1
	}
	for count := range parts {
		if count > 0 {
			value += "," + parts[count]
		}
		if jsontext.Value(value).IsValid() {
			return count + 1
		}
	}
	return 1
}

// escapes stand for what splits a tag.
var escapes = strings.NewReplacer("0x2C", ",", "0x7C", "|")

func unescape(parameter string) string { return escapes.Replace(parameter) }
