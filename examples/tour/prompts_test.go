package tour

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/fusion/fusiontest"
)

func TestThePromptsAndResourcesOfTheTourWork(t *testing.T) {
	f := fusion.New("tour", "1.0.0", Deps{NewOrders()}, quiet())
	Prompts(f)
	// region: test
	tester := fusiontest.New(t, f)

	review := tester.Prompt("orders_review", map[string]string{"id": "ord_1", "limit": "2", "tone": "kind"})
	assert.Equal(t, "Name up to 2 mistakes in order ord_1. Be kind.", review.Text())
	assert.Equal(t, "lamp", tester.Resource("orders://ord_1/lines/1").Text())
	assert.Equal(t, []string{"ord_1", "ord_2"}, tester.Complete("orders_review", "id", "ord_", nil).Values())
	// endregion
	assert.Equal(t, -32602, tester.Prompt("orders_review", map[string]string{"id": "ord_9", "tone": "kind"}).Fault().Code)
	assert.Equal(t, -32602, tester.Resource("orders://ord_1/lines/2").Fault().Code)
	assert.Equal(t, "1", tester.Resource("orders://open").Text())
	assert.Len(t, tester.Complete("orders://{id}/lines/{line}", "id", "", nil).Values(), 2)
	Changed(&fusion.Ctx[Deps]{Context: t.Context()}, f)
}
