package schema

import (
	"encoding/json/v2"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Rules are the rules that an app adds to the tag language. All are added before the first
// type is compiled with them; from then on they are safe for concurrent use.
type Rules struct{ byName map[string]rule }

// CustomRule is a rule of an app's own.
type CustomRule struct {
	Name string
	// Type is that of the values which Holds takes.
	Type  reflect.Type
	Holds func(v reflect.Value) bool
	// Problem says what is wrong when it does not hold, Expected what would be right.
	Problem, Expected string
	// Schema is what JSON Schema can say of it, with the keywords that rules write; "" is
	// nothing.
	Schema string
}

// customKeywords are what the schema of a rule may say.
var customKeywords = []string{
	"pattern", "format", "enum", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
	"minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
}

// Add adds a rule, or says what is wrong with it.
func (r *Rules) Add(c CustomRule) error {
	_, across := acrossRuleOf(c.Name)
	switch {
	case !isRuleName(c.Name):
		return fmt.Errorf("the rule %q has no legal name; use lower-case letters, digits and underscores", c.Name)
	case across || isWord(c.Name) || known(c.Name):
		return fmt.Errorf("the rule %q is there already; give yours another name", c.Name)
	case c.Problem == "" || c.Expected == "":
		return fmt.Errorf("the rule %q needs texts: what is wrong when it does not hold, and what is expected", c.Name)
	}
	if _, twice := r.byName[c.Name]; twice {
		return fmt.Errorf("the rule %q is declared twice; remove one of them", c.Name)
	}
	said, err := customSchema(c.Schema)
	if err != nil {
		return fmt.Errorf("the schema of the rule %q: %w", c.Name, err)
	}
	made := rule{holds: contained(c.Type, c.Holds), problem: c.Problem, expected: c.Expected, takes: c.Type}
	made.float = func(f float64) bool { return made.holds(reflect.ValueOf(f)) }
	if said != nil {
		made.write = func(s *jsonschema.Schema) { tighten(s, said) }
	}
	if r.byName == nil {
		r.byName = make(map[string]rule)
	}
	r.byName[c.Name] = made
	return nil
}

func isRuleName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_'
	})
}

// isWord reports that a name means something in a tag that is no rule of a value.
func isWord(name string) bool {
	return slices.Contains([]string{"required", "default", "dive", "keys", "endkeys", "omitempty", "omitnil", "header", "example", "deprecated"}, name)
}

// customSchema reads what a rule says in JSON Schema.
func customSchema(text string) (*jsonschema.Schema, error) {
	if text == "" {
		return nil, nil
	}
	var keywords map[string]any
	if err := json.Unmarshal([]byte(text), &keywords); err != nil {
		return nil, err
	}
	for keyword := range keywords {
		if !slices.Contains(customKeywords, keyword) {
			return nil, fmt.Errorf("the keyword %q is none that a rule may say; use %s", keyword, strings.Join(customKeywords, ", "))
		}
	}
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return nil, err
	}
	if _, err := s.Resolve(nil); err != nil {
		return nil, err
	}
	return &s, nil
}

// contained converts a value to the rule's type. A value at which the rule panics is refused.
func contained(t reflect.Type, holds func(reflect.Value) bool) func(reflect.Value) bool {
	return func(v reflect.Value) (ok bool) {
		defer func() {
			if recover() != nil {
				ok = false
			}
		}()
		return holds(v.Convert(t))
	}
}

// custom makes a rule of the app's for a node.
func (c *compiler) custom(name, parameter string, n *node) (r rule, is bool, err error) {
	if c.rules == nil {
		return rule{}, false, nil
	}
	r, is = c.rules.byName[name]
	switch {
	case !is:
		return rule{}, false, nil
	case parameter != "":
		return rule{}, true, fmt.Errorf("it takes no parameter; remove %q", parameter)
	case n.quoted || n.typ != r.takes && !widens(n.typ, r.takes):
		return rule{}, true, errMisfit
	}
	return r, true, nil
}

// widens reports that every scalar of a type is the same value as one of another type.
func widens(from, to reflect.Type) bool {
	numeric := func(t reflect.Type) (class reflect.Kind, is bool) {
		switch k := t.Kind(); {
		case k >= reflect.Int && k <= reflect.Int64:
			return reflect.Int, true
		case k >= reflect.Uint && k <= reflect.Uint64:
			return reflect.Uint, true
		case k == reflect.Float32, k == reflect.Float64:
			return reflect.Float64, true
		}
		return 0, false
	}
	class, is := numeric(from)
	if !is {
		return from.Kind() == to.Kind() && isScalar(from.Kind())
	}
	other, alike := numeric(to)
	return alike && class == other && from.Bits() <= to.Bits()
}
