package schema

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"maps"
	"slices"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"
)

// bytesOf is a schema as it travels: deterministic, properties in their order, nothing
// escaped that JSON lets stand. The library's own way, which serves foreign schemas, takes
// longer and writes true for what allows any value.
func bytesOf(s *jsonschema.Schema, foreign map[*jsonschema.Schema]bool) (jsontext.Value, error) {
	w := schemaText{dst: make([]byte, 0, 1024), foreign: foreign}
	w.schema(s)
	return w.dst, w.err
}

// schemaText appends schemas.
type schemaText struct {
	dst     []byte
	err     error
	foreign map[*jsonschema.Schema]bool
}

// key begins a member.
func (w *schemaText) key(name string) {
	if w.dst[len(w.dst)-1] != '{' {
		w.dst = append(w.dst, ',')
	}
	w.dst = append(quote(w.dst, name), ':')
}

func (w *schemaText) text(name, value string) {
	if value != "" {
		w.key(name)
		w.dst = quote(w.dst, value)
	}
}

func (w *schemaText) number(name string, value *float64) {
	if value != nil {
		w.key(name)
		w.dst, _ = appendFloat(w.dst, *value, 64)
	}
}

func (w *schemaText) count(name string, value *int) {
	if value != nil {
		w.key(name)
		w.dst = strconv.AppendInt(w.dst, int64(*value), 10)
	}
}

// value writes any other value, in the way of the library.
func (w *schemaText) value(name string, value any) {
	b, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		w.err = err
		return
	}
	w.key(name)
	w.dst = append(w.dst, b...)
}

func (w *schemaText) sub(name string, s *jsonschema.Schema) {
	if s != nil {
		w.key(name)
		w.schema(s)
	}
}

func (w *schemaText) named(name string, all map[string]*jsonschema.Schema, order []string) {
	if all == nil {
		return
	}
	w.key(name)
	w.dst = append(w.dst, '{')
	for _, property := range order {
		w.sub(property, all[property])
	}
	w.dst = append(w.dst, '}')
}

// schema writes one schema with the keywords that trees have.
func (w *schemaText) schema(s *jsonschema.Schema) {
	switch {
	case s == nothingLegal:
		w.dst = append(w.dst, "false"...)
		return
	case w.foreign[s]:
		b, err := json.Marshal(s, json.Deterministic(true))
		w.dst, w.err = append(w.dst, b...), err
		return
	}
	w.dst = append(w.dst, '{')
	w.text("type", s.Type)
	w.named("properties", s.Properties, s.PropertyOrder)
	w.sub("items", s.Items)
	w.text("$ref", s.Ref)
	w.named("$defs", s.Defs, slices.Sorted(maps.Keys(s.Defs)))
	w.text("description", s.Description)
	if s.Examples != nil {
		w.value("examples", s.Examples)
	}
	if s.Deprecated {
		w.value("deprecated", true)
	}
	w.demands(s)
	w.dst = append(w.dst, '}')
}

// demands writes the keywords that limit a value.
func (w *schemaText) demands(s *jsonschema.Schema) {
	if s.Default != nil {
		w.value("default", s.Default)
	}
	if s.Enum != nil {
		w.value("enum", s.Enum)
	}
	w.number("minimum", s.Minimum)
	w.number("maximum", s.Maximum)
	w.number("exclusiveMinimum", s.ExclusiveMinimum)
	w.number("exclusiveMaximum", s.ExclusiveMaximum)
	w.count("minLength", s.MinLength)
	w.count("maxLength", s.MaxLength)
	w.text("pattern", s.Pattern)
	w.count("minItems", s.MinItems)
	w.count("maxItems", s.MaxItems)
	if s.UniqueItems {
		w.value("uniqueItems", true)
	}
	w.count("minProperties", s.MinProperties)
	w.count("maxProperties", s.MaxProperties)
	if len(s.Required) > 0 {
		w.value("required", s.Required)
	}
	if len(s.DependentRequired) > 0 {
		w.value("dependentRequired", s.DependentRequired)
	}
	w.sub("additionalProperties", s.AdditionalProperties)
	w.sub("propertyNames", s.PropertyNames)
	if s.AllOf != nil {
		w.value("allOf", s.AllOf)
	}
	w.sub("not", s.Not)
	w.text("contentEncoding", s.ContentEncoding)
	w.text("format", s.Format)
	if name, mirrored := s.Extra[mirrorKeyword].(string); mirrored {
		w.key(mirrorKeyword)
		w.dst = quote(w.dst, name)
	}
}
