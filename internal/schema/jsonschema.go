package schema

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
)

// writer writes the schema of a tree. Types that contain themselves go to $defs.
type writer struct {
	defs  map[string]*jsonschema.Schema
	names map[*node]string
}

// rootOf is the schema of an object or a map, with its $defs.
func rootOf(n *node, lenient bool) *jsonschema.Schema {
	w := &writer{defs: map[string]*jsonschema.Schema{}, names: map[*node]string{}}
	s := w.inline(n)
	if lenient {
		s.AdditionalProperties = nil
	}
	if len(w.defs) > 0 {
		s.Defs = w.defs
	}
	return s
}

// bytesOf is the schema as it travels: deterministic, properties in their order, nothing
// escaped that JSON lets stand.
func bytesOf(s *jsonschema.Schema) (jsontext.Value, error) {
	return json.Marshal(s, json.Deterministic(true))
}

func (w *writer) schema(n *node) *jsonschema.Schema {
	if n.def == "" {
		return w.inline(n)
	}
	name, known := w.names[n]
	if !known {
		name = n.def
		for w.defs[name] != nil {
			name += "_"
		}
		w.names[n] = name
		w.defs[name] = &jsonschema.Schema{}
		w.defs[name] = w.inline(n)
	}
	return &jsonschema.Schema{Ref: "#/$defs/" + name}
}

func (w *writer) inline(n *node) *jsonschema.Schema {
	s := &jsonschema.Schema{}
	switch n.kind {
	case boolKind:
		s.Type = "boolean"
	case intKind, uintKind:
		s.Type = "integer"
		w.width(n, s)
	case floatKind:
		s.Type = "number"
	case stringKind, urlKind, textKind, durationKind:
		s.Type = "string"
	case bytesKind:
		s.Type, s.ContentEncoding = "string", "base64"
	case timeKind:
		s.Type, s.Format = "string", "date-time"
	case objectKind:
		s = w.object(n)
	case listKind:
		s.Type, s.Items = "array", w.schema(n.elem.node)
		if !n.isSlice() {
			size := n.typ.Len()
			s.MinItems, s.MaxItems = &size, &size
		}
	case mapKind:
		s.Type, s.AdditionalProperties = "object", w.schema(n.elem.node)
	}
	if n.kind == anyKind || n.kind == rawKind || n.kind == customKind {
		s.Description = "Any JSON value" // without a word it would be written as true
	}
	for _, r := range n.rules {
		if r.write != nil {
			r.write(s)
		}
	}
	return s
}

func (w *writer) width(n *node, s *jsonschema.Schema) {
	if low, high, bounded := n.width(); bounded {
		l, h := float64(low), float64(high)
		s.Minimum, s.Maximum = &l, &h
	} else if n.kind == uintKind {
		zero := 0.0
		s.Minimum = &zero
	}
}

func (w *writer) object(n *node) *jsonschema.Schema {
	s := &jsonschema.Schema{
		Type: "object", Properties: make(map[string]*jsonschema.Schema, len(n.fields)),
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
	for _, f := range n.fields {
		p := w.schema(f.node)
		if f.description != "" {
			p.Description = f.description
		}
		if f.defaultJSON != nil {
			p.Default = []byte(f.defaultJSON)
		}
		s.Properties[f.name] = p
		s.PropertyOrder = append(s.PropertyOrder, f.name)
		if f.required {
			s.Required = append(s.Required, f.name)
		}
	}
	return s
}

func (n *node) isSlice() bool { return n.typ.Kind() == reflect.Slice }
