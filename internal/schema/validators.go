package schema

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/go-playground/validator/v10"
	"github.com/google/jsonschema-go/jsonschema"
)

// tags are the rules of go-playground/validator. It is safe for concurrent use.
var tags = validator.New(validator.WithRequiredStructEnabled())

// validators makes a rule out of a tag that has no check here.
func validators(tag string) ruleMaker {
	return func(n *node, _ string) (rule, error) {
		if err := tryTag(n.typ, tag); err != nil {
			return rule{}, err
		}
		return rule{
			holds:   func(v reflect.Value) bool { return tags.Var(v.Interface(), tag) == nil },
			problem: fmt.Sprintf("breaks the rule %q", tag), expected: fmt.Sprintf("a value for which the rule %q holds", tag),
		}, nil
	}
}

// tryTag runs a tag once: validator panics at use if it does not know it or cannot apply it.
func tryTag(t reflect.Type, tag string) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = errors.New("go-playground/validator does not know it for this type; check its spelling and parameter")
		}
	}()
	_ = tags.Var(reflect.Zero(t).Interface(), tag)
	return nil
}

// format makes rules that validator checks and that JSON Schema has a name for.
func format(tag, name, expected string) ruleMaker {
	return func(n *node, _ string) (rule, error) {
		if n.kind != stringKind {
			return rule{}, errMisfit
		}
		return rule{
			holds:   func(v reflect.Value) bool { return tags.Var(v.String(), tag) == nil },
			problem: "is not " + expected, expected: expected,
			write: func(s *jsonschema.Schema) { s.Format = name },
		}, nil
	}
}
