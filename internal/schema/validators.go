package schema

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/go-playground/validator/v10"
)

// tags are the rules of go-playground/validator. It is safe for concurrent use.
var tags = validator.New(validator.WithRequiredStructEnabled())

// numberTags are validator's rules that look at numbers; all others look at strings.
var numberTags = map[string]bool{
	"latitude": true, "longitude": true, "port": true, "noneof": true, "luhn_checksum": true,
	"iso3166_1_alpha_numeric": true, "iso3166_1_alpha_numeric_eu": true, "iso4217_numeric": true,
}

// meaningless are rules about Go's zero values and validator's own walk through structs.
var meaningless = map[string]bool{
	"isdefault": true, "structonly": true, "nostructlevel": true, "keys": true, "endkeys": true, "validateFn": true,
}

// validators makes a rule out of a word that has no check of its own here.
func validators(word string) ruleMaker {
	return func(n *node, _ string) (rule, error) {
		if err := tryWord(n, word); err != nil {
			return rule{}, err
		}
		if text, known := textRules[word]; known {
			return text.rule(word), nil
		}
		return rule{
			holds:    func(v reflect.Value) bool { return holdsTag(v.Interface(), word) },
			float:    func(f float64) bool { return holdsTag(f, word) },
			problem:  fmt.Sprintf("breaks the rule %q", word),
			expected: fmt.Sprintf("a value for which the rule %q holds", word)}, nil
	}
}

// tryWord finds out whether validator can apply a word, which may name several rules with
// | between them.
func tryWord(n *node, word string) error {
	for one := range strings.SplitSeq(word, "|") {
		name, _, _ := strings.Cut(one, "=")
		switch isNumber := n.isNumber() && n.kind != bigKind; {
		case acrossFields(name):
			return errors.New("rules that look into other structs are not supported; check it in the handler")
		case meaningless[name]:
			return errors.New("it means nothing here; remove it")
		case n.quoted, n.kind != stringKind && !isNumber, isNumber && !numberTags[name] && makerOf(name) == nil:
			if known(name) {
				return errMisfit
			}
		}
	}
	return tryTag(n.typ, word)
}

// holdsTag asks validator. It panics at some values of a tag that others pass; such a
// value is refused.
func holdsTag(v any, tag string) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return tags.Var(v, tag) == nil
}

// acrossFields are the beginnings and ends of tags that look at other fields.
func acrossFields(name string) bool {
	return strings.HasSuffix(name, "field") || strings.HasPrefix(name, "required_") || strings.HasPrefix(name, "excluded_") || strings.HasPrefix(name, "skip_") ||
		name == "fieldcontains" || name == "fieldexcludes"
}

// tryTag runs a tag once: validator panics at use if it does not know it or cannot apply it.
func tryTag(t reflect.Type, tag string) (err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("it is not known for this type; check its spelling and parameter" + suggestion(tag))
		}
	}()
	_ = tags.Var(reflect.Zero(t).Interface(), tag)
	return nil
}

// known reports whether validator has a rule of that name.
func known(name string) (yes bool) {
	if makerOf(name) != nil {
		return true
	}
	defer func() {
		if v := recover(); v != nil {
			yes = !strings.HasPrefix(fmt.Sprint(v), "Undefined validation function")
		}
	}()
	_ = tags.Var("", name)
	return true
}

// suggestion names the rule that is most like a misspelt one.
func suggestion(tag string) string {
	name, _, _ := strings.Cut(tag, "=")
	legal := slices.Concat(ruleNames, slices.Sorted(maps.Keys(textRules)))
	if like := nearest(name, legal); like != "" && like != name {
		return "; did you mean " + like + "?"
	}
	return ""
}
