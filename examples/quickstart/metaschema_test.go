package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/fusion/fusiontest"
	"github.com/mcpfusion/go/internal/metaschema"
)

func TestEachSchemaOfTheQuickstartObeysTheMetaSchema(t *testing.T) {
	tools := fusiontest.New(t, newApp(Deps{})).List()
	require.NotEmpty(t, tools)
	for _, tool := range tools {
		metaschema.Check(t, tool.InputSchema, tool.OutputSchema)
	}
}
