// Package metaschema holds schemas in tests to the meta-schema of JSON Schema 2020-12.
package metaschema

import (
	"embed"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
)

//go:embed draft2020
var files embed.FS

// load has the meta-schema from the files alone.
func load(uri *url.URL) (*jsonschema.Schema, error) {
	name := strings.TrimPrefix(uri.String(), "https://json-schema.org/draft/2020-12/")
	text, err := files.ReadFile("draft2020/" + name + ".json")
	if err != nil {
		return nil, err
	}
	var s jsonschema.Schema
	return &s, json.Unmarshal(text, &s)
}

var resolved = sync.OnceValues(func() (*jsonschema.Resolved, error) {
	root, err := load(&url.URL{Scheme: "https", Host: "json-schema.org", Path: "/draft/2020-12/schema"})
	if err != nil {
		return nil, err
	}
	return root.Resolve(&jsonschema.ResolveOptions{Loader: load})
})

func obeys(schema jsontext.Value) error {
	meta, err := resolved()
	if err != nil {
		return err
	}
	var v any
	if err := json.Unmarshal(schema, &v); err != nil {
		return err
	}
	return meta.Validate(v)
}

// Check fails the test for each of the schemas that is none. One that is nil is left out:
// a tool may have no schema of its results.
func Check(tb testing.TB, schemas ...jsontext.Value) {
	tb.Helper()
	for _, schema := range schemas {
		if schema != nil {
			assert.NoError(tb, obeys(schema), string(schema))
		}
	}
}

// CheckForm fails the test unless the parameters of a question have a form that is a schema.
func CheckForm(tb testing.TB, params jsontext.Value) {
	tb.Helper()
	var form struct {
		RequestedSchema jsontext.Value `json:"requestedSchema"`
	}
	if assert.NoError(tb, json.Unmarshal(params, &form)) && assert.NotEmpty(tb, form.RequestedSchema, string(params)) {
		Check(tb, form.RequestedSchema)
	}
}
