package tour

import (
	"encoding/json/jsontext"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/fusion/fusiontest"
)

func parametersApp() *fusion.App[Deps] {
	f := fusion.New("tour", "1.0.0", Deps{NewOrders()}, quiet())
	Parameters(f)
	return f
}

func TestTheParametersInTheDocsAreTakenAndRefused(t *testing.T) {
	tools := fusiontest.New(t, parametersApp())
	assert.Equal(t, 5, tools.Call("stock.level", map[string]any{"item": "AB-12"}).Data[int]())
	assert.Equal(t, "is no SKU", tools.Call("stock.level", map[string]any{"item": "AB-13"}).Failure().Fields[0].Problem)
	assert.Equal(t, 495, tools.Call("parcels.quote", map[string]any{"weight": 500}).Data[int]())
	assert.Equal(t, "weight", tools.Call("parcels.quote", map[string]any{"weight": "500"}).Failure().Fields[0].Path)
	created := tools.Call("parcels.create", map[string]any{"to": "1 Main Street"})
	assert.JSONEq(t, `{"id":"par_1","to":"1 Main Street","sender":"ann"}`, string(created.Structured()))
	assert.Equal(t, "sender", tools.Call("parcels.create", map[string]any{"to": "1 Main Street", "sender": "eve"}).Failure().Fields[0].Path)

	args := `{"from":"2026-01-02T00:00:00Z","until":"2026-01-01T00:00:00Z"}`
	golden(t, "wrong_arguments.json", pretty(t, tools.Call("parcels.pickup", jsontext.Value(args)).Text()))
}
