package schema

import (
	"bytes"
	"encoding/json/jsontext"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcpfusion/go/result"
)

// Take checks arguments and returns them with the defaults of properties that are absent.
// With coerce, arguments that are wrong as they are may come as strings that spell them.
// What is not touched stays byte for byte.
func (r *Raw) Take(args jsontext.Value, coerce bool) (jsontext.Value, []result.Field) {
	if trimmed := bytes.TrimSpace(args); len(trimmed) == 0 || string(trimmed) == "null" {
		args = emptyObject
	}
	problems := r.Validate(args)
	mend := mender{root: r.resolved.Schema()}
	if len(problems) > 0 {
		if mend.coerce = coerce && args.IsValid() && !deeper(args); !mend.coerce {
			return nil, problems
		}
		spelled := mend.value(nil, mend.root, args)
		if problems = r.Validate(spelled); len(problems) > 0 {
			return nil, problems
		}
		args = spelled
	}
	if !r.defaults {
		return args, nil
	}
	mend = mender{root: mend.root, defaults: true}
	return mend.value(nil, mend.root, args), nil
}

// mender writes a value again as its schema means it. It follows properties, items and
// references; what combinations of schemas say of a value is left alone.
type mender struct {
	root             *jsonschema.Schema
	coerce, defaults bool
}

// value appends a value.
func (m *mender) value(dst []byte, s *jsonschema.Schema, raw jsontext.Value) []byte {
	if s = m.referred(s); s == nil {
		return append(dst, raw...)
	}
	if m.coerce {
		if meant, spelt := spelled(onlyType(s), raw); spelt && !deeper(meant) {
			raw = meant
		}
	}
	switch {
	case raw.Kind() == '{' && s.Properties != nil:
		return m.object(dst, s, raw)
	case raw.Kind() == '[' && s.Items != nil:
		return m.list(dst, s, raw)
	}
	return append(dst, raw...)
}

// onlyType is the type of all values of a schema but null; "" if there are several.
func onlyType(s *jsonschema.Schema) string {
	types := slices.DeleteFunc(slices.Clone(s.Types), func(t string) bool { return t == "null" })
	if len(types) == 1 {
		return types[0]
	}
	return s.Type
}

func (m *mender) object(dst []byte, s *jsonschema.Schema, raw jsontext.Value) []byte {
	d := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true))
	_, _ = d.ReadToken()
	dst = append(dst, '{')
	here := map[string]bool{}
	for d.PeekKind() == '"' {
		quoted, _ := d.ReadValue()
		name := text(quoted)
		here[name] = true
		value, err := d.ReadValue()
		if err != nil {
			return dst // the text was valid
		}
		dst = append(quote(comma(dst), name), ':')
		dst = m.value(dst, s.Properties[name], value)
	}
	if m.defaults {
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			if p := s.Properties[name]; p.Default != nil && !here[name] && !slices.Contains(s.Required, name) {
				dst = append(append(quote(comma(dst), name), ':'), p.Default...)
			}
		}
	}
	return append(dst, '}')
}

func (m *mender) list(dst []byte, s *jsonschema.Schema, raw jsontext.Value) []byte {
	d := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true))
	_, _ = d.ReadToken()
	dst = append(dst, '[')
	for d.PeekKind() != ']' {
		item, err := d.ReadValue()
		if err != nil {
			return dst
		}
		dst = m.value(comma(dst), s.Items, item)
	}
	return append(dst, ']')
}

// comma separates a member or item from the one before.
func comma(dst []byte) []byte {
	if last := dst[len(dst)-1]; last == '{' || last == '[' {
		return dst
	}
	return append(dst, ',')
}

// referred is the schema that a reference leads to; nil if it leads elsewhere than to the
// root or a definition.
func (m *mender) referred(s *jsonschema.Schema) *jsonschema.Schema {
	for range maxDepth {
		if s == nil || s.Ref == "" {
			return s
		}
		if s.Ref == "#" {
			return m.root
		}
		name, is := strings.CutPrefix(s.Ref, "#/$defs/")
		defs := m.root.Defs
		if !is {
			name, is = strings.CutPrefix(s.Ref, "#/definitions/")
			defs = m.root.Definitions
		}
		if !is {
			return nil
		}
		s = defs[pointerName.Replace(name)]
	}
	return nil
}

// hasDefaults reports that a property has a default, at any depth.
func hasDefaults(places map[string]map[string]any) bool {
	for _, s := range places {
		if _, has := s["default"]; has {
			return true
		}
	}
	return false
}
