package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/fusion/fusiontest"
	"github.com/mcpfusion/go/internal/metaschema"
)

func TestEachSchemaOfTheFixturesObeysTheMetaSchema(t *testing.T) {
	tools := fusiontest.New(t, newApp()).List()
	require.NotEmpty(t, tools)
	for _, tool := range tools {
		metaschema.Check(t, tool.InputSchema, tool.OutputSchema)
	}
}

func TestEachFormOfTheFixturesObeysTheMetaSchema(t *testing.T) {
	tools := fusiontest.New(t, newApp()).Answering(fusiontest.Answers{"form": fusiontest.Decline, "choices": fusiontest.Decline})
	for _, name := range []string{"test_elicitation_sep1034_defaults", "test_streaming_elicitation", "test_elicitation_sep1330_enums"} {
		questions := tools.Call(name, nil).Questions()
		require.NotEmpty(t, questions, name)
		for _, q := range questions {
			metaschema.CheckForm(t, q.Params)
		}
	}
}
