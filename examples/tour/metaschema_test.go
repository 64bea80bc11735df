package tour

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/examples/shared"
	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/fusion/fusiontest"
	"github.com/mcpfusion/go/internal/metaschema"
)

func middlewareApp(tokens *shared.Tokens) *fusion.App[Shop] {
	f := fusion.New("tour", "1.0.0", Shop{NewOrders(), tokens}, quiet())
	Middleware(f)
	return f
}

func TestEachSchemaOfTheTourObeysTheMetaSchema(t *testing.T) {
	owner := fusion.Subject{ID: "u_owner"} // who may see all tools
	for name, app := range map[string]fusiontest.App{
		"tools": toolsApp(), "parameters": parametersApp(), "asks": asksApp(), "middleware": middlewareApp(nil),
	} {
		tools := fusiontest.New(t, app).As(owner).List()
		require.NotEmpty(t, tools, name)
		for _, tool := range tools {
			metaschema.Check(t, tool.InputSchema, tool.OutputSchema)
		}
	}
}

func TestEachFormOfTheTourObeysTheMetaSchema(t *testing.T) {
	tools := fusiontest.New(t, asksApp()).Answering(fusiontest.Answers{
		"delivery": fusiontest.Decline, "confirm": fusiontest.Decline, "pay": fusiontest.Decline,
	})
	for name, arguments := range map[string]any{"orders.deliver": map[string]any{"id": "ord_1"}, "orders.archive": nil} {
		questions := tools.Call(name, arguments).Questions()
		require.NotEmpty(t, questions, name)
		for _, q := range questions {
			metaschema.CheckForm(t, q.Params)
		}
	}
}
