package toolset_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/examples/billing/toolset"
	"github.com/mcpfusion/go/fusion/fusiontest"
	"github.com/mcpfusion/go/internal/metaschema"
)

func TestEachSchemaOfBillingObeysTheMetaSchema(t *testing.T) {
	tools := fusiontest.New(t, toolset.New(toolset.Deps{}, nil)).List()
	require.NotEmpty(t, tools)
	for _, tool := range tools {
		metaschema.Check(t, tool.InputSchema, tool.OutputSchema)
	}
}
