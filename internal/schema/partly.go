package schema

import (
	"bytes"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"reflect"
	"strings"

	"github.com/mcpfusion/go/result"
)

// Partly checks arguments of which some may still be missing: those that are there must be
// legal, as the schema says it, without any conversion.
func (i *Input) Partly(args jsontext.Value) []result.Field {
	d := begin(args)
	d.partly = true
	d.object(i.root, target{values: make(map[string]reflect.Value)}, i.config.Lenient)
	return d.finish()
}

// demands are the keywords that want members to be there.
var demands = []string{"required", "dependentRequired", "dependentSchemas", "minProperties"}

// Partly is the schema without its demands for members to be there, for arguments of which
// some may still be missing. Choices between sets of members are left out with them.
func (r *Raw) Partly() (*Raw, error) {
	var document any
	if err := json.Unmarshal(r.json, &document); err != nil {
		return nil, err
	}
	places, err := checkSchema(document)
	if err != nil {
		return nil, err
	}
	for pointer, s := range places {
		for _, keyword := range demands {
			if _, demanding := s[keyword]; demanding {
				delete(s, keyword)
				dropChoice(places, pointer)
			}
		}
	}
	text, err := json.Marshal(document)
	if err != nil {
		return nil, err
	}
	return parseSchema(text)
}

// dropChoice drops the keyword of which the subschema at pointer was a branch.
func dropChoice(places map[string]map[string]any, pointer string) {
	steps := strings.Split(pointer, "/")
	for at := len(steps) - 1; at > 0; at-- {
		switch steps[at] {
		case "oneOf", "not", "if":
			parent := places[strings.Join(steps[:at], "/")]
			delete(parent, steps[at])
		case "properties", "items", "$defs":
			return
		}
	}
}

// Names are the properties of an object's schema, in their order.
func Names(schema jsontext.Value) (names []string) {
	var s struct {
		Properties jsontext.Value `json:"properties"`
	}
	if json.Unmarshal(schema, &s) != nil || s.Properties.Kind() != jsontext.KindBeginObject {
		return nil
	}
	d := jsontext.NewDecoder(bytes.NewReader(s.Properties))
	for _, err := d.ReadToken(); err == nil && d.PeekKind() == jsontext.KindString; err = d.SkipValue() {
		name, _ := d.ReadToken() // both were read before
		names = append(names, name.String())
	}
	return names
}
