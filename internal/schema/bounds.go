package schema

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

func runeCount(s string) int { return utf8.RuneCountInString(s) }

func atLeast(n *node, parameter string) (rule, error) {
	return size{
		number: func(s *jsonschema.Schema, v float64) { s.Minimum = &v },
		length: minLength,
		holds:  func(order int) bool { return order >= 0 }, words: "at least",
	}.rule(n, parameter)
}

func atMost(n *node, parameter string) (rule, error) {
	return size{
		number: func(s *jsonschema.Schema, v float64) { s.Maximum = &v },
		length: maxLength,
		holds:  func(order int) bool { return order <= 0 }, words: "at most",
	}.rule(n, parameter)
}

func above(n *node, parameter string) (rule, error) {
	return size{
		number: func(s *jsonschema.Schema, v float64) { s.ExclusiveMinimum = &v },
		length: func(n *node, s *jsonschema.Schema, v int) { minLength(n, s, v+1) },
		holds:  func(order int) bool { return order > 0 }, words: "more than",
	}.rule(n, parameter)
}

func below(n *node, parameter string) (rule, error) {
	return size{
		number: func(s *jsonschema.Schema, v float64) { s.ExclusiveMaximum = &v },
		length: func(n *node, s *jsonschema.Schema, v int) { maxLength(n, s, v-1) },
		holds:  func(order int) bool { return order < 0 }, words: "less than",
	}.rule(n, parameter)
}

func exactly(n *node, parameter string) (rule, error) {
	return size{
		number: func(s *jsonschema.Schema, v float64) { s.Minimum, s.Maximum = &v, &v },
		length: func(n *node, s *jsonschema.Schema, v int) { minLength(n, s, v); maxLength(n, s, v) },
		holds:  func(order int) bool { return order == 0 }, words: "exactly",
	}.rule(n, parameter)
}

func minLength(n *node, s *jsonschema.Schema, v int) {
	switch n.kind {
	case stringKind:
		s.MinLength = &v
	case listKind:
		s.MinItems = &v
	default:
		s.MinProperties = &v
	}
}

func maxLength(n *node, s *jsonschema.Schema, v int) {
	switch n.kind {
	case stringKind:
		s.MaxLength = &v
	case listKind:
		s.MaxItems = &v
	default:
		s.MaxProperties = &v
	}
}

func equal(n *node, parameter string) (rule, error) {
	if n.kind != stringKind {
		return exactly(n, parameter)
	}
	return oneOf(n, "'"+parameter+"'")
}

func unequal(n *node, parameter string) (rule, error) {
	if n.kind != stringKind && n.kind != intKind && n.kind != uintKind && n.kind != floatKind {
		return rule{}, errMisfit
	}
	return rule{
		holds:   func(v reflect.Value) bool { return fmt.Sprint(v.Interface()) != parameter },
		problem: "must not be " + parameter, expected: "anything but " + parameter,
	}, nil
}

// oneOf reads values between blanks; one with a blank in it stands in single quotes.
func oneOf(n *node, parameter string) (rule, error) {
	values := quotedWords(parameter)
	if len(values) == 0 {
		return rule{}, errors.New("it names no value; list them, with blanks between")
	}
	switch n.kind {
	case stringKind:
		n.enum = values
		return enumRule(values), nil
	case intKind, uintKind:
		enum := make([]any, len(values))
		for i, text := range values {
			v := reflect.New(n.typ).Elem()
			d := decoderOf([]byte(text))
			d.value(&node{typ: n.typ, kind: n.kind}, v, nil, 0)
			if len(d.finish()) > 0 {
				return rule{}, fmt.Errorf("its value %q is no whole number of this type", text)
			}
			enum[i] = v.Interface()
		}
		r := enumRule(values)
		r.expected = "one of " + strings.Join(values, ", ")
		r.holds = func(v reflect.Value) bool { return slices.Contains(enum, v.Interface()) }
		r.write = func(s *jsonschema.Schema) { s.Enum = enum }
		return r, nil
	}
	return rule{}, errMisfit
}

func enumRule(values []string) rule {
	quoted := make([]string, len(values))
	enum := make([]any, len(values))
	for i, v := range values {
		quoted[i], enum[i] = fmt.Sprintf("%q", v), v
	}
	return rule{
		holds:   func(v reflect.Value) bool { return slices.Contains(values, v.String()) },
		problem: "is not one of the allowed values", expected: "one of " + strings.Join(quoted, ", "),
		write: func(s *jsonschema.Schema) { s.Enum = enum },
	}
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

func unique(n *node, parameter string) (rule, error) {
	if n.kind != listKind || parameter != "" {
		return rule{}, errMisfit
	}
	return rule{
		holds: func(v reflect.Value) bool {
			seen := make(map[string]bool, v.Len())
			for i := range v.Len() {
				b, err := n.elem.append(nil, v.Index(i), 0)
				if err != nil || seen[string(b)] {
					return false
				}
				seen[string(b)] = true
			}
			return true
		},
		problem: "has an item twice", expected: "items that all differ",
		write: func(s *jsonschema.Schema) { s.UniqueItems = true },
	}, nil
}

// datetime takes a Go layout. The two that JSON Schema has a name for are written.
func datetime(n *node, layout string) (rule, error) {
	if n.kind != stringKind {
		return rule{}, errMisfit
	}
	if layout == "" {
		return rule{}, errors.New("it needs a layout such as 2006-01-02")
	}
	r := rule{
		holds:    func(v reflect.Value) bool { _, err := time.Parse(layout, v.String()); return err == nil },
		problem:  "is not a date or time in the right form",
		expected: "a text such as " + time.Date(2026, 1, 31, 9, 30, 0, 0, time.UTC).Format(layout),
	}
	switch layout {
	case time.RFC3339:
		r.write = func(s *jsonschema.Schema) { s.Format = "date-time" }
	case time.DateOnly:
		r.write = func(s *jsonschema.Schema) { s.Format = "date" }
	}
	return r, nil
}
