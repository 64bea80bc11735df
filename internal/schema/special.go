package schema

import (
	"encoding"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
)

// special compiles a type that does not travel as its Go kind says.
func (c *compiler) special(n *node, path string) bool {
	t := n.typ
	if k, known := knownTypes[t]; known {
		n.kind = k
		return true
	}
	if t.Kind() == reflect.Interface || t.Kind() == reflect.Pointer {
		return false
	}
	reads, writes := methodsOf(t)
	if !c.output && reads == plain && writes != plain {
		c.failf(path, "has the type %s, which writes itself in a form that it does not read; give it UnmarshalJSON or UnmarshalText", t)
	}
	way := reads
	if c.output {
		way = writes
	}
	switch {
	case way == asJSON:
		n.kind = customKind
		n.own = c.ownSchema(t, path)
	case way == asText:
		n.kind = textKind
	case isBytes(t):
		n.kind = bytesKind
	default:
		return false
	}
	return true
}

// knownTypes are types of the standard library with a form of their own.
var knownTypes = map[reflect.Type]kind{
	timeType: timeKind, durationType: durationKind, rawType: rawKind, urlType: urlKind, bigType: bigKind,
}

// way is how a type is read or written.
type way uint8

const (
	plain way = iota // as its Go kind says
	asText
	asJSON
)

// methodsOf says how a type is read and written, by itself or by a pointer to it.
func methodsOf(t reflect.Type) (reads, writes way) {
	if implements[encoding.TextUnmarshaler](t) {
		reads = asText
	}
	if implements[json.Unmarshaler](t) || implements[json.UnmarshalerFrom](t) {
		reads = asJSON
	}
	if implements[encoding.TextMarshaler](t) || implements[encoding.TextAppender](t) {
		writes = asText
	}
	if implements[json.Marshaler](t) || implements[json.MarshalerTo](t) {
		writes = asJSON
	}
	return reads, writes
}

func implements[I any](t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[I]())
}

// isBytes recognises what travels as base64. A list of a byte type with a name, as of an
// enumeration, is one of values.
func isBytes(t reflect.Type) bool {
	return (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) && t.Elem() == reflect.TypeFor[byte]()
}

// hasIsZero reports that the type says itself what omitzero leaves out.
func hasIsZero(t reflect.Type) bool {
	return t.Kind() != reflect.Interface && implements[interface{ IsZero() bool }](t)
}

// ownSchema is a schema that does not follow from the tree.
type ownSchema struct {
	schema   *jsonschema.Schema
	resolved *jsonschema.Resolved
}

// ownSchema asks a type what its JSON looks like; nil when it does not say.
func (c *compiler) ownSchema(t reflect.Type, path string) *ownSchema {
	if t.PkgPath() == "encoding/json" && t.Name() == "Number" {
		return mustOwn(&jsonschema.Schema{Type: "number"})
	}
	provider, is := reflect.TypeAssert[Provider](reflect.New(t))
	if !is {
		return nil
	}
	own, err := resolveOwn(provider.JSONSchema())
	if err != nil {
		c.failf(path, "has the type %s, whose JSONSchema is not usable: %v", t, err)
	}
	return own
}

func mustOwn(s *jsonschema.Schema) *ownSchema {
	own, err := resolveOwn(s)
	if err != nil {
		panic(err)
	}
	return own
}

// resolveOwn checks a schema as a raw one is checked. The copy that is written has no
// part in common with it.
func resolveOwn(s *jsonschema.Schema) (*ownSchema, error) {
	if s == nil {
		return nil, errors.New("it is nil")
	}
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	checked, err := parseSchema(text)
	if err != nil {
		return nil, err
	}
	return &ownSchema{checked.resolved.Schema(), checked.resolved}, nil
}

// allows reports whether the type's own schema allows a value.
func (o *ownSchema) allows(raw jsontext.Value) bool {
	var v any
	return json.Unmarshal(raw, &v, exactNumbers) == nil && o.resolved.Validate(v) == nil
}

func isKnown(t reflect.Type) bool {
	_, known := knownTypes[t]
	return known
}
