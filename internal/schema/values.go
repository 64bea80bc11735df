package schema

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

// oneOf reads values between blanks; one with a blank in it stands in single quotes.
func oneOf(n *node, parameter string) (rule, error) {
	words := quotedWords(parameter)
	if len(words) == 0 {
		return rule{}, errors.New("it names no value; list them, with blanks between")
	}
	return listed(n, words)
}

func equal(n *node, parameter string) (rule, error) { return listed(n, []string{parameter}) }

// listed makes the rule that a value is one of those that words say.
func listed(n *node, words []string) (rule, error) {
	values, err := n.parseAll(words)
	if err != nil {
		return rule{}, err
	}
	if same := firstTwice(values); same != nil {
		return rule{}, fmt.Errorf("its value %s stands in it twice; name each value once", literal(same))
	}
	shown := make([]string, len(values))
	for i, v := range values {
		shown[i] = literal(v)
	}
	expected := "one of " + strings.Join(shown, ", ")
	if len(values) == 1 {
		expected = "exactly " + shown[0]
	}
	return rule{
		check: equality(values, true, "is not one of the allowed values", expected),
		write: func(s *jsonschema.Schema) { s.Enum = values },
	}, nil
}

func firstTwice(values []any) any {
	for i, v := range values {
		if slices.Contains(values[:i], v) {
			return v
		}
	}
	return nil
}

func unequal(n *node, parameter string) (rule, error) {
	values, err := n.parseAll([]string{parameter})
	if err != nil {
		return rule{}, err
	}
	shown := literal(values[0])
	return rule{
		check: equality(values, false, "must not be "+shown, "anything but "+shown),
		write: func(s *jsonschema.Schema) { s.Not = &jsonschema.Schema{Enum: values} },
	}, nil
}

// equality checks whether a value is among others, or that it is not.
func equality(values []any, among bool, problem, expected string) check {
	c := check{problem: problem, expected: expected}
	switch values[0].(type) {
	case float64:
		c.float = func(f float64) bool { return slices.Contains(values, any(f)) == among }
	case string:
		texts := make([]string, len(values))
		for i, v := range values {
			texts[i] = v.(string)
		}
		c.holds = func(v reflect.Value) bool { return slices.Contains(texts, v.String()) == among }
	default:
		c.holds = func(v reflect.Value) bool { return slices.Contains(values, plainValue(v)) == among }
	}
	return c
}

// plainValue is a whole number or boolean without its type's name.
func plainValue(v reflect.Value) any {
	switch {
	case v.CanInt():
		return v.Int()
	case v.CanUint():
		return v.Uint()
	}
	return v.Bool()
}

// parseAll reads the values that a tag lists, as what plainValue gives.
func (n *node) parseAll(words []string) ([]any, error) {
	values := make([]any, len(words))
	for i, word := range words {
		v, err := n.parse(word)
		if err != nil {
			return nil, err
		}
		values[i] = v
	}
	return values, nil
}

func (n *node) parse(word string) (v any, err error) {
	if n.quoted {
		return nil, errMisfit
	}
	switch n.kind {
	case stringKind:
		if !utf8.ValidString(word) {
			return nil, fmt.Errorf("its value %q is no valid text", word)
		}
		return word, nil
	case intKind:
		v, err = strconv.ParseInt(word, 10, n.typ.Bits())
	case uintKind:
		v, err = strconv.ParseUint(word, 10, n.typ.Bits())
	case floatKind:
		v, err = finite(word)
	case boolKind:
		v, err = strconv.ParseBool(word)
	default:
		return nil, errMisfit
	}
	if err != nil {
		return nil, fmt.Errorf("its value %q is not %s", word, n.typeWords())
	}
	return v, nil
}

func finite(word string) (float64, error) {
	f, err := strconv.ParseFloat(word, 64)
	if err == nil {
		_, err = appendFloat(nil, f, 64)
	}
	return f, err
}

// literal is a value as a model would write it in JSON.
func literal(v any) string {
	if s, is := v.(string); is {
		return string(quote(nil, s))
	}
	return fmt.Sprint(v)
}

func quotedWords(text string) (words []string) {
	for {
		text = strings.TrimLeft(text, " ")
		if text == "" {
			return words
		}
		if rest, quoted := strings.CutPrefix(text, "'"); quoted {
			word, after, _ := strings.Cut(rest, "'")
			words, text = append(words, word), after
			continue
		}
		word, after, _ := strings.Cut(text, " ")
		words, text = append(words, word), after
	}
}

// unique wants items that all differ, or that differ in one field of theirs.
func unique(n *node, parameter string) (rule, error) {
	if n.kind != listKind && n.kind != mapKind || n.elem.node == nil {
		return rule{}, errMisfit
	}
	item := &n.elem
	write := func(s *jsonschema.Schema) { s.UniqueItems = true }
	if n.kind == mapKind || !item.node.oneForm() || item.presence != bare {
		write = nil
	}
	part := func(v reflect.Value) ([]byte, error) { return item.append(nil, v, 0) }
	expected := "items that all differ"
	if parameter != "" {
		f := item.node.named(parameter)
		if f == nil {
			return rule{}, fmt.Errorf("its items have no field %q; name one of their fields", parameter)
		}
		write, expected = nil, "items that differ in "+f.name
		part = func(v reflect.Value) ([]byte, error) { return item.appendMember(nil, v, f) }
	}
	return rule{write: write,
		holds:   func(v reflect.Value) bool { return allDiffer(v, part) },
		problem: "has an item twice", expected: expected}, nil
}

// oneForm reports that two values are equal just when their JSON is, which is all that
// JSON Schema sees.
func (n *node) oneForm() bool {
	return n.kind <= stringKind && !n.quoted && (n.kind != floatKind || n.typ.Bits() == 64)
}

// named finds a field by its name in Go or in JSON.
func (n *node) named(name string) *field {
	for _, f := range n.fields {
		if f.name == name || f.index != nil && n.typ.FieldByIndex(f.index).Name == name {
			return f
		}
	}
	return nil
}

func allDiffer(list reflect.Value, part func(reflect.Value) ([]byte, error)) bool {
	seen := make(map[string]bool, list.Len())
	for _, v := range list.Seq2() {
		b, err := part(v)
		if err != nil || seen[string(b)] {
			return false
		}
		seen[string(b)] = true
	}
	return true
}
