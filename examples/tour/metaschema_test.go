package tour

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/examples/billing/toolset"
	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/fusion/fusiontest"
)

// metaSchema is that of JSON Schema 2020-12, from testdata alone.
func metaSchema(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	const base = "https://json-schema.org/draft/2020-12/"
	load := func(uri *url.URL) (*jsonschema.Schema, error) {
		name := strings.TrimPrefix(uri.String(), base)
		text, err := os.ReadFile(filepath.Join("testdata", "metaschema", name+".json"))
		if err != nil {
			return nil, err
		}
		var s jsonschema.Schema
		return &s, json.Unmarshal(text, &s)
	}
	root, err := load(&url.URL{Scheme: "https", Host: "json-schema.org", Path: "/draft/2020-12/schema"})
	require.NoError(t, err)
	resolved, err := root.Resolve(&jsonschema.ResolveOptions{Loader: load})
	require.NoError(t, err)
	return resolved
}

func obeys(t *testing.T, meta *jsonschema.Resolved, schema jsontext.Value) error {
	t.Helper()
	var v any
	require.NoError(t, json.Unmarshal(schema, &v))
	return meta.Validate(v)
}

func TestEachSchemaOfTheExamplesObeysTheMetaSchema(t *testing.T) {
	meta := metaSchema(t)
	require.Error(t, obeys(t, meta, jsontext.Value(`{"type":"text"}`)), "the meta-schema refuses what is no schema")
	require.Error(t, obeys(t, meta, jsontext.Value(`{"properties":{"a":{"minLength":-1}}}`)), "and at depth")
	asks := fusion.New("tour", "1.0.0", Deps{NewOrders()}, quiet())
	Asks(asks)
	for _, tools := range [][]fusiontest.Tool{
		fusiontest.New(t, toolsApp()).List(), fusiontest.New(t, parametersApp()).List(),
		fusiontest.New(t, asks).List(), fusiontest.New(t, toolset.New(toolset.Deps{}, quiet())).List(),
	} {
		require.NotEmpty(t, tools)
		for _, tool := range tools {
			assert.NoError(t, obeys(t, meta, tool.InputSchema), tool.Name)
			if tool.OutputSchema != nil {
				assert.NoError(t, obeys(t, meta, tool.OutputSchema), tool.Name)
			}
		}
	}
}
