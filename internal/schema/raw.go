package schema

import (
	"bytes"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcpfusion/go/result"
)

// Raw is a JSON Schema from elsewhere, which jsonschema-go enforces.
type Raw struct {
	json     jsontext.Value
	resolved *jsonschema.Resolved
}

// NewRaw takes a schema verbatim. Its root must be an object; nothing outside is fetched.
func NewRaw(schema []byte) (*Raw, error) {
	var s jsonschema.Schema
	if err := json.Unmarshal(schema, &s); err != nil {
		return nil, fmt.Errorf("it is no JSON Schema: %w", err)
	}
	if s.Type != "object" {
		return nil, errors.New(`its root must have "type": "object"`)
	}
	if err := checkTypes(&s, ""); err != nil {
		return nil, err
	}
	var tree any
	if err := json.Unmarshal(schema, &tree); err != nil {
		return nil, fmt.Errorf("it is no JSON Schema: %w", err)
	}
	if err := checkRefs(tree); err != nil {
		return nil, err
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return nil, err
	}
	return &Raw{bytes.Clone(schema), resolved}, nil
}

var jsonTypes = map[string]bool{
	"": true, "object": true, "array": true, "string": true, "number": true,
	"integer": true, "boolean": true, "null": true,
}

// checkTypes finds types that JSON Schema does not have, which make clients drop every tool.
func checkTypes(s *jsonschema.Schema, path string) error {
	if s == nil {
		return nil
	}
	for _, t := range append(s.Types, s.Type) {
		if !jsonTypes[t] {
			return fmt.Errorf("%q has the type %q, which JSON Schema does not have", path, t)
		}
	}
	for name, p := range s.Properties {
		if err := checkTypes(p, join(path, name)); err != nil {
			return err
		}
	}
	for name, p := range s.Defs {
		if err := checkTypes(p, "$defs."+name); err != nil {
			return err
		}
	}
	return errors.Join(checkTypes(s.Items, path+"[]"), checkTypes(s.AdditionalProperties, path+"[]"))
}

// JSON is the schema as it was given.
func (r *Raw) JSON() jsontext.Value { return r.json }

// Validate checks arguments against the schema.
func (r *Raw) Validate(args jsontext.Value) []result.Field {
	var v any
	if err := json.Unmarshal(args, &v); err != nil {
		return []result.Field{{Problem: "is not valid JSON", Received: excerpt(args)}}
	}
	if err := r.resolved.Validate(v); err != nil {
		return []result.Field{{Problem: "does not match the schema: " + err.Error(), Received: excerpt(args)}}
	}
	return nil
}
