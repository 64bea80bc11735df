// Package schema compiles a Go type into one tree that writes its JSON Schema, decodes
// and checks arguments strictly, and encodes results.
package schema

import (
	"encoding"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"time"
)

// Problem is a mistake in a declaration. Name is the parameter or field that it is
// about, "" for the whole; the message says how to mend it.
type Problem struct{ Name, Message string }

// String is one line.
func (p Problem) String() string {
	if p.Name == "" {
		return p.Message
	}
	return fmt.Sprintf("%q %s", p.Name, p.Message)
}

// kind is how a type travels in JSON.
type kind uint8

const (
	boolKind kind = iota
	intKind
	uintKind
	floatKind
	stringKind
	bytesKind    // a base64 string
	timeKind     // an RFC 3339 string
	durationKind // a string like "1h30m"
	urlKind      // a string
	textKind     // a string that the type reads and writes itself
	customKind   // JSON that the type reads and writes itself
	rawKind      // any JSON, kept as bytes
	anyKind      // any JSON, as Go values
	objectKind
	listKind
	mapKind
)

// node is one type in the tree. It does not change once it is compiled.
type node struct {
	typ    reflect.Type
	kind   kind
	fields []*field       // of an object
	byName map[string]int // of an object with many fields
	elem   slot           // of a list or map
	def    string         // the name in $defs of a type that contains itself
	rules  []rule
	enum   []string
}

// presence is how a place for a value says that there is none.
type presence uint8

const (
	bare     presence = iota // it cannot
	nilable                  // a nil slice, map or interface
	pointer                  // a nil pointer
	optional                 // an mo.Option
)

// slot is a place for a value.
type slot struct {
	presence presence
	node     *node
}

// field is a member of an object.
type field struct {
	slot
	name         string
	description  string
	index        []int // the way to the struct field, through embedded structs
	required     bool
	omit         omission
	defaultJSON  jsontext.Value
	defaultValue reflect.Value // of a scalar, ready to be set
	pos          int
}

// omission is when an output leaves a member out.
type omission uint8

const (
	never omission = iota
	omitZero
	omitEmpty
)

// compiler turns Go types into nodes and collects what is wrong with them.
type compiler struct {
	output   bool // no rules: what is sent is not checked
	problems []Problem
	open     map[reflect.Type]*node // the types that are being compiled
}

func (c *compiler) failf(path, format string, args ...any) {
	c.problems = append(c.problems, Problem{path, fmt.Sprintf(format, args...)})
}

var (
	timeType     = reflect.TypeFor[time.Time]()
	durationType = reflect.TypeFor[time.Duration]()
	rawType      = reflect.TypeFor[jsontext.Value]()
	urlType      = reflect.TypeFor[url.URL]()
)

// node compiles t, without rules.
func (c *compiler) node(t reflect.Type, path string) *node {
	if k, special := specialKind(t); special {
		return &node{typ: t, kind: k}
	}
	n, again, done := c.begin(t)
	if again {
		return n
	}
	defer done()
	switch t.Kind() {
	case reflect.Bool:
		n.kind = boolKind
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n.kind = intKind
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n.kind = uintKind
	case reflect.Float32, reflect.Float64:
		n.kind = floatKind
	case reflect.String:
		n.kind = stringKind
	case reflect.Slice, reflect.Array:
		n.kind = listKind // before the element, which may be of this very type
		n.elem = c.slot(t.Elem(), path+"[]")
	case reflect.Struct:
		c.object(n, path)
	default:
		c.dynamic(n, path)
	}
	return n
}

// begin starts a node. A type that contains itself is compiled once and referred to.
func (c *compiler) begin(t reflect.Type) (n *node, again bool, done func()) {
	if open, is := c.open[t]; is {
		open.def = t.Name()
		return open, true, nil
	}
	n = &node{typ: t}
	if t.Name() == "" { // only a named type can contain itself
		return n, false, func() {}
	}
	if c.open == nil {
		c.open = make(map[reflect.Type]*node)
	}
	c.open[t] = n
	return n, false, func() { delete(c.open, t) }
}

// dynamic compiles maps and interfaces, and refuses what cannot travel.
func (c *compiler) dynamic(n *node, path string) {
	t := n.typ
	switch {
	case t.Kind() == reflect.Map && t.Key().Kind() == reflect.String:
		n.kind = mapKind
		n.elem = c.slot(t.Elem(), path+"[]")
		return
	case t.Kind() != reflect.Interface || t.NumMethod() > 0 && !c.output:
		c.failf(path, "has the type %s, which cannot travel as JSON; use a string, number, boolean, struct, slice or map with string keys", t)
	}
	n.kind = anyKind
}

// specialKind finds types that do not travel as their Go kind says.
func specialKind(t reflect.Type) (kind, bool) {
	switch {
	case t == timeType:
		return timeKind, true
	case t == durationType:
		return durationKind, true
	case t == rawType:
		return rawKind, true
	case t == urlType:
		return urlKind, true
	case t.Kind() == reflect.Interface, t.Kind() == reflect.Pointer:
		return 0, false
	case implements[json.Unmarshaler](t), implements[json.UnmarshalerFrom](t), implements[json.Marshaler](t), implements[json.MarshalerTo](t):
		return customKind, true
	case implements[encoding.TextUnmarshaler](t), implements[encoding.TextMarshaler](t):
		return textKind, true
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		return bytesKind, true
	}
	return 0, false
}

func implements[I any](t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[I]())
}

// slot compiles a place for a value.
func (c *compiler) slot(t reflect.Type, path string) slot {
	inner, p := unwrap(t)
	return slot{p, c.node(inner, path)}
}

// unwrap finds the type that travels, and how its absence is said.
func unwrap(t reflect.Type) (reflect.Type, presence) {
	switch {
	case isOption(t):
		return t.Field(1).Type, optional
	case t.Kind() == reflect.Pointer:
		return t.Elem(), pointer
	case t.Kind() == reflect.Slice, t.Kind() == reflect.Map, t.Kind() == reflect.Interface:
		return t, nilable
	}
	return t, bare
}

// isOption recognises an mo.Option by its layout, which the decoder relies on.
func isOption(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.PkgPath() == "github.com/samber/mo" && strings.HasPrefix(t.Name(), "Option[") &&
		t.NumField() == 2 && t.Field(0).Name == "isPresent" && t.Field(0).Offset == 0 && t.Field(1).Name == "value"
}
