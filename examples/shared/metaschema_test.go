package shared_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/fusion/fusiontest"
	"github.com/mcpfusion/go/internal/metaschema"
)

func TestEachSchemaOfTheTwoAppsObeysTheMetaSchema(t *testing.T) {
	for _, app := range []fusiontest.App{notesApp(), shopApp()} {
		tools := fusiontest.New(t, app).List()
		require.NotEmpty(t, tools)
		for _, tool := range tools {
			metaschema.Check(t, tool.InputSchema, tool.OutputSchema)
		}
	}
}
