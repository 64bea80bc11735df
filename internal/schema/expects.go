package schema

import (
	"reflect"
	"strconv"
	"strings"
)

// expects says in words for a model what a legal value looks like.
func (n *node) expects(r *rules) string {
	if r == nil {
		r = &noRules
	}
	words := n.demands(r)
	if example := n.example(r); example != "" && !r.listed {
		words += ", such as " + example
	}
	return words
}

var noRules rules

// demands is what [node.expects] says, without an example: rules that look at other members
// may refuse one.
func (n *node) demands(r *rules) string {
	if r == nil {
		return n.typeWords()
	}
	words := make([]string, 0, len(r.checks)+1)
	if !r.listed {
		words = append(words, n.typeWords())
	}
	for _, c := range r.checks {
		words = append(words, c.expected)
	}
	return strings.Join(words, ", ")
}

func (n *node) typeWords() string {
	if n.quoted {
		return "a string that holds " + n.numberWords()
	}
	switch n.kind {
	case boolKind:
		return "true or false"
	case intKind, uintKind, floatKind, bigKind:
		return n.numberWords()
	case stringKind:
		return "a string"
	case objectKind, mapKind:
		return "an object"
	case listKind:
		return n.listWords()
	case customKind:
		return n.own.words()
	case anyKind, rawKind:
		return "any JSON value"
	}
	return n.textWords()
}

func (n *node) numberWords() string {
	switch {
	case n.kind == floatKind && n.typ.Bits() == 32:
		return "a number from -3.4e38 to 3.4e38"
	case n.kind == floatKind:
		return "a number"
	}
	words := "an integer"
	if low, high, bounded := n.width(); bounded {
		words += " from " + strconv.FormatInt(low, 10) + " to " + strconv.FormatInt(high, 10)
	} else if n.kind == uintKind {
		words += " from 0 on"
	}
	return words
}

// textWords is about strings of a certain form.
func (n *node) textWords() string {
	switch n.kind {
	case bytesKind:
		if n.typ.Kind() == reflect.Array {
			return "a base64 string of exactly " + counted(n.typ.Len(), "byte", "bytes")
		}
		return "a base64 string"
	case timeKind:
		return `a date-time string such as "2026-01-31T09:30:00Z"`
	case durationKind:
		return "a duration string"
	case urlKind:
		return `a URL string such as "https://example.com"`
	}
	if words, known := textExamples[n.typ]; known {
		return words
	}
	return "a string in the form described"
}

func (n *node) listWords() string {
	words := "an array"
	if n.typ.Kind() == reflect.Array {
		words += " of exactly " + counted(n.typ.Len(), "item", "items")
	}
	if n.elem.node == nil || n.elem.node.kind == listKind && n.elem.node.def != "" {
		return words
	}
	return words + ", each item " + n.elem.node.expects(n.elem.rules)
}

func (o *ownSchema) words() string {
	switch {
	case o == nil:
		return "a value in the form described"
	case o.schema.Type == "integer", o.schema.Type == "array", o.schema.Type == "object":
		return "an " + o.schema.Type + " in the form described"
	case o.schema.Type != "":
		return "a " + o.schema.Type + " in the form described"
	}
	return "a value in the form described"
}

func (k *keyCodec) expects() string {
	switch {
	case k.pattern == unsignedPattern:
		return "names that are whole numbers from 0 on"
	case k.pattern != "":
		return "names that are whole numbers"
	}
	return "names in the form described"
}

// width are the bounds of a fixed-width integer below 64 bits.
func (n *node) width() (low, high int64, bounded bool) {
	if n.kind == bigKind || n.typ.Bits() >= 64 {
		return 0, 0, false
	}
	bits := n.typ.Bits()
	if n.kind == uintKind {
		return 0, 1<<bits - 1, true
	}
	return -1 << (bits - 1), 1<<(bits-1) - 1, true
}
