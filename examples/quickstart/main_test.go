package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/fusion/fusiontest"
	"github.com/mcpfusion/go/result"
)

// region: test
func TestRefund(t *testing.T) {
	t.Parallel()
	f := newApp(Deps{Invoices: map[string]Invoice{"inv_1": {ID: "inv_1", AmountCents: 500}}})
	tools := fusiontest.New(t, f).As(fusion.Subject{ID: "ann"})

	t.Run("gives money back", func(t *testing.T) {
		t.Parallel()
		reply := tools.In(t).Call("billing.refund", map[string]any{"id": "inv_1", "amount_cents": 200})
		assert.Equal(t, int64(300), reply.Data[Invoice]().AmountCents)
	})

	t.Run("names the tool that helps with a wrong id", func(t *testing.T) {
		t.Parallel()
		failure := tools.In(t).Call("billing.refund", map[string]any{"id": "inv_9", "amount_cents": 1}).Failure()
		assert.ErrorIs(t, failure, result.NotFound(""))
		assert.Equal(t, []string{"billing_list_invoices"}, failure.AvailableActions)
	})

	t.Run("tells every problem of the arguments", func(t *testing.T) {
		t.Parallel()
		failure := tools.In(t).Call("billing.refund", map[string]any{"amount_cents": 0}).Failure()
		assert.Len(t, failure.Fields, 2)
	})
}

// endregion

// region: list
func TestTheListIsWhatClientsSee(t *testing.T) {
	tools := fusiontest.New(t, newApp(Deps{})).List()
	assert.Equal(t, "billing_refund", tools[0].Name)
	assert.True(t, tools[0].Annotations["destructiveHint"])
}

// endregion
