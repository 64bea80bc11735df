package schema

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-playground/validator/v10"
	"github.com/google/jsonschema-go/jsonschema"
)

// tags are the rules of go-playground/validator. It is safe for concurrent use.
var tags = validator.New(validator.WithRequiredStructEnabled())

// validators makes a rule out of a tag that has no check here.
func validators(tag string) ruleMaker {
	return func(n *node, _ string) (rule, error) {
		if !validatable(n.kind, tag) {
			return rule{}, errMisfit
		}
		if err := tryTag(n.typ, tag); err != nil {
			return rule{}, err
		}
		return rule{
			holds:   func(v reflect.Value) bool { return holdsTag(v.Interface(), tag) },
			problem: fmt.Sprintf("breaks the rule %q", tag), expected: fmt.Sprintf("a value for which the rule %q holds", tag),
		}, nil
	}
}

// validatable reports that validator has something to say of values of that kind: almost
// all of its tags are for strings, and refuse everything else or let it pass.
func validatable(k kind, tag string) bool {
	name, _, _ := strings.Cut(tag, "=")
	switch name {
	case "-", "structonly", "nostructlevel", "isdefault", "keys", "endkeys":
		return false
	case "latitude", "longitude", "port":
		return k == stringKind || k == intKind || k == uintKind || k == floatKind
	}
	return k == stringKind
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
func acrossFields(tag string) bool {
	name, _, _ := strings.Cut(tag, "=")
	return strings.HasSuffix(name, "field") || strings.HasPrefix(name, "required_") || strings.HasPrefix(name, "excluded_") || strings.HasPrefix(name, "skip_")
}

// tryTag runs a tag once: validator panics at use if it does not know it or cannot apply it.
func tryTag(t reflect.Type, tag string) (err error) {
	if acrossFields(tag) {
		return errors.New("rules that look at other fields are not supported; check it in the handler")
	}
	defer func() {
		if v := recover(); v != nil {
			err = errors.New("it is not known for this type; check its spelling and parameter")
		}
	}()
	_ = tags.Var(reflect.Zero(t).Interface(), tag)
	return nil
}

// format makes rules that validator checks and that JSON Schema has a name for.
func format(tag, name, what, example string) ruleMaker {
	return func(n *node, _ string) (rule, error) {
		if n.kind != stringKind {
			return rule{}, errMisfit
		}
		return rule{
			holds:   func(v reflect.Value) bool { return holdsTag(v.String(), tag) },
			problem: "is not " + what, expected: what + " such as " + example,
			write: func(s *jsonschema.Schema) { s.Format = name },
		}, nil
	}
}
