package schema

import (
	"encoding/json/jsontext"
	"errors"
	"math"
	"reflect"
	"regexp"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"
)

// writer writes the schema of a tree. Types that contain themselves go to $defs.
type writer struct {
	output  bool
	defs    map[string]*jsonschema.Schema
	names   map[*node]string
	parts   int                         // subschemas so far
	foreign map[*jsonschema.Schema]bool // came from the types themselves
}

// maxParts bounds the subschemas of one schema. A type that is used twice is written twice,
// so types that use one another many times make schemas that no client takes.
const maxParts = 5000

var errTooLarge = errors.New("its schema would have more than " + strconv.Itoa(maxParts) + " parts, because its types use one another many times over; flatten them")

// nothingLegal is the only boolean schema: false, for names that are not known.
var nothingLegal = &jsonschema.Schema{Not: &jsonschema.Schema{}}

// rootOf is the schema of an object with its $defs, and its bytes.
func rootOf(n *node, lenient, output bool) (*jsonschema.Schema, jsontext.Value, error) {
	w := &writer{
		output: output, defs: map[string]*jsonschema.Schema{}, names: map[*node]string{}, foreign: map[*jsonschema.Schema]bool{},
	}
	s := w.inline(n)
	if lenient {
		s.AdditionalProperties = nil
	}
	if s.Properties == nil {
		s.Properties = map[string]*jsonschema.Schema{}
	}
	if len(w.defs) > 0 {
		s.Defs = w.defs
	}
	if w.parts > maxParts {
		return nil, nil, errTooLarge
	}
	text, err := bytesOf(s, w.foreign)
	return s, text, err
}

// slot is the schema of what may be put in a place.
func (w *writer) slot(s *slot) *jsonschema.Schema {
	written := w.schema(s.node)
	if s.rules != nil {
		tighten(written, &s.rules.schema)
	}
	return written
}

func (w *writer) schema(n *node) *jsonschema.Schema {
	if n.def == "" {
		return w.inline(n)
	}
	name, known := w.names[n]
	if !known {
		name = n.def
		for i := 2; w.defs[name] != nil; i++ {
			name = n.def + strconv.Itoa(i)
		}
		w.names[n] = name
		w.defs[name] = &jsonschema.Schema{} // takes the name while its parts are written
		w.defs[name] = w.inline(n)
	}
	return &jsonschema.Schema{Ref: "#/$defs/" + name}
}

// inline is the schema of a type with those of its parts.
func (w *writer) inline(n *node) *jsonschema.Schema {
	s := n.typeSchema()
	if w.parts++; w.parts > maxParts {
		return s
	}
	switch n.kind {
	case customKind:
		w.foreign[s] = n.own != nil
	case urlKind:
		if !w.output { // a URL that is sent may be relative
			s.Format = "uri"
		}
	case objectKind:
		w.members(n, s)
	case listKind:
		s.Items = w.slot(&n.elem)
	case mapKind:
		w.entries(n, s)
	}
	return s
}

func (w *writer) entries(n *node, s *jsonschema.Schema) {
	s.AdditionalProperties = w.slot(&n.elem)
	s.PropertyNames = n.key.names()
}

func (w *writer) members(n *node, s *jsonschema.Schema) {
	s.Properties = make(map[string]*jsonschema.Schema, len(n.fields))
	s.AdditionalProperties = nothingLegal
	if n.rest != nil {
		w.entries(n.rest.node, s)
		if len(n.fields) > 0 {
			s.PropertyNames = nil // the members' own names are legal too
		}
	}
	for _, f := range n.fields {
		p := w.slot(&f.slot)
		if f.description != "" {
			p.Description = f.description
		}
		if f.defaultJSON != nil {
			p.Default = []byte(f.defaultJSON)
		}
		for _, example := range f.examples {
			p.Examples = append(p.Examples, example)
		}
		p.Deprecated = f.deprecated
		s.Properties[f.name] = p
		s.PropertyOrder = append(s.PropertyOrder, f.name)
		if f.required {
			s.Required = append(s.Required, f.name)
		}
	}
	s.DependentRequired = n.dependents()
}

// typeSchema is what a type alone says, without its parts and without rules.
func (n *node) typeSchema() *jsonschema.Schema {
	if n.quoted {
		return &jsonschema.Schema{Type: "string", Pattern: n.quotedForm().String()}
	}
	s := &jsonschema.Schema{}
	switch n.kind {
	case boolKind:
		s.Type = "boolean"
	case intKind, uintKind, bigKind:
		s.Type = "integer"
		n.writeWidth(s)
	case floatKind:
		s.Type = "number"
		if n.typ.Bits() == 32 {
			s.Minimum, s.Maximum = new(-math.MaxFloat32), new(math.MaxFloat32)
		}
	case stringKind, urlKind, textKind:
		s.Type = "string"
	case durationKind:
		s.Type, s.Pattern = "string", durationForm
	case bytesKind:
		s.Type, s.ContentEncoding = "string", "base64"
	case timeKind:
		s.Type, s.Format = "string", "date-time"
	case objectKind, mapKind:
		s.Type = "object"
	case listKind:
		s.Type = "array"
		if n.typ.Kind() == reflect.Array {
			s.MinItems, s.MaxItems = new(n.typ.Len()), new(n.typ.Len())
		}
	case customKind, anyKind, rawKind:
		if n.own != nil {
			return n.own.schema.CloneSchemas()
		}
		s.Description = "Any JSON value" // a schema without a word is no help, and some write it as true
	}
	return s
}

func (n *node) writeWidth(s *jsonschema.Schema) {
	if low, high, bounded := n.width(); bounded {
		s.Minimum, s.Maximum = new(float64(low)), new(float64(high))
	} else if n.kind == uintKind {
		s.Minimum = new(0.0)
	}
}

// durationForm is what time.ParseDuration reads.
const durationForm = `^[-+]?(0|(([0-9]+\.?[0-9]*|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$`

var (
	signedForm   = regexp.MustCompile(signedPattern)
	unsignedForm = regexp.MustCompile(unsignedPattern)
	floatForm    = regexp.MustCompile(`^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$`)
)

// quotedForm is how a number inside a string is written.
func (n *node) quotedForm() *regexp.Regexp {
	switch n.kind {
	case intKind:
		return signedForm
	case uintKind:
		return unsignedForm
	}
	return floatForm
}
