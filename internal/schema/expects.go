package schema

import (
	"reflect"
	"strconv"
	"strings"
)

// expects says in words for a model what a value of this type looks like.
func (n *node) expects() string {
	words := []string{n.typeWords()}
	for _, r := range n.rules {
		if n.enum != nil {
			return r.expected
		}
		words = append(words, r.expected)
	}
	return strings.Join(words, ", ")
}

func (n *node) typeWords() string {
	switch n.kind {
	case boolKind:
		return "true or false"
	case intKind, uintKind:
		return "an integer" + n.widthWords()
	case floatKind:
		return "a number"
	case stringKind:
		return "a string"
	case bytesKind:
		return "a base64 string"
	case timeKind:
		return `a date-time string such as "2026-01-31T09:30:00Z"`
	case durationKind:
		return `a duration string such as "1h30m"`
	case urlKind:
		return `a URL string such as "https://example.com"`
	case textKind:
		return "a string in the form described"
	case objectKind, mapKind:
		return "an object"
	case listKind:
		if n.typ.Kind() == reflect.Array {
			return "an array of exactly " + strconv.Itoa(n.typ.Len()) + " items"
		}
		if n.elem.node.def != "" { // words for a type that contains itself never end
			return "an array"
		}
		return "an array, each item " + strings.TrimPrefix(n.elem.node.expects(), "an array, each item ")
	}
	return "any JSON value"
}

func (n *node) widthWords() string {
	low, high, bounded := n.width()
	if !bounded {
		return ""
	}
	return " from " + strconv.FormatInt(low, 10) + " to " + strconv.FormatInt(high, 10)
}

// width are the bounds of a fixed-width integer below 64 bits.
func (n *node) width() (low, high int64, bounded bool) {
	bits := n.typ.Bits()
	switch {
	case bits >= 64:
		return 0, 0, false
	case n.kind == uintKind:
		return 0, 1<<bits - 1, true
	}
	return -1 << (bits - 1), 1<<(bits-1) - 1, true
}
