package metaschema

import (
	"encoding/json/jsontext"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTheMetaSchemaTellsSchemasFromWhatIsNone(t *testing.T) {
	for schema, valid := range map[string]bool{
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/b"}},"$defs":{"b":{"enum":[1]}}}`: true,
		`{"type":"string","x-mcp-header":"Region"}`:                                            true,
		`{"type":"text"}`:                             false,
		`{"properties":{"a":{"minLength":-1}}}`:       false,
		`{"allOf":[]}`:                                false,
		`{"prefixItems":[{"items":[]}]}`:              false,
		`{"$defs":{"a":{"required":["b","b"]}}}`:      false,
		`{"$defs":{"a":{"dependentRequired":["b"]}}}`: false,
		`5`: false,
	} {
		assert.Equal(t, valid, obeys(jsontext.Value(schema)) == nil, schema)
	}
}
