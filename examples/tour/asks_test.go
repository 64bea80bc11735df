package tour

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/fusion/fusiontest"
	"github.com/mcpfusion/go/result"
)

func asksApp() *fusion.App[Deps] {
	f := fusion.New("tour", "1.0.0", Deps{NewOrders()}, quiet())
	Asks(f)
	return f
}

// region: test
func TestDeliver(t *testing.T) {
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		tools := fusiontest.New(t, asksApp()).Revision(revision)

		said := tools.Answering(fusiontest.Answers{"delivery": map[string]any{"day": "today"}})
		reply := said.Call("orders.deliver", map[string]any{"id": "ord_1"})
		assert.Equal(t, "Order ord_1 comes today", reply.Text())
		assert.Equal(t, "delivery", reply.Questions()[0].Key)

		no := tools.Answering(fusiontest.Answers{"delivery": fusiontest.Decline})
		assert.Equal(t, "The customer wants no delivery", no.Call("orders.deliver", map[string]any{"id": "ord_1"}).Text())
	}
}

// endregion

func TestEachToolThatAsksWorks(t *testing.T) {
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		tools := fusiontest.New(t, asksApp()).Revision(revision).Answering(fusiontest.Answers{
			"delivery": map[string]any{"day": "tomorrow", "speed": "exp", "email": "ada@example.com", "gift": true},
			"confirm":  sure{true}, "pay": fusiontest.Accept,
		})
		imported := tools.Call("orders.import", nil)
		assert.Equal(t, 2, imported.Data[int]())
		assert.Equal(t, []fusiontest.Progress{
			{Progress: 1, Total: 2, Message: "Importing ord_1"}, {Progress: 2, Total: 2, Message: "Importing ord_2"},
		}, imported.Progress())
		assert.Len(t, imported.Logs(), 2)
		assert.Equal(t, []string{"Prices are those of yesterday"}, imported.Guidance().Notices)

		assert.Equal(t, 2, tools.Call("orders.archive", nil).Data[int]())
		assert.Equal(t, "lamp-1", tools.Call("orders.reserve", map[string]any{"item": "lamp"}).Text(), "held once")
		assert.Equal(t, "Paid", tools.Call("orders.pay", map[string]any{"id": "ord_2"}).Text())
		assert.ErrorIs(t, tools.Call("orders.pay", map[string]any{"id": "ord_1"}).Failure(), result.Precondition(""))
	}
	fault := fusiontest.New(t, asksApp()).Call("orders.archive", nil).Fault()
	assert.Equal(t, -32021, fault.Code)
}
