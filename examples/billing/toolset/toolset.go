// Package toolset declares the billing tools.
package toolset

import (
	"errors"
	"fmt"

	"github.com/samber/mo"

	"github.com/mcpfusion/go/examples/billing/invoices"
	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/presenter"
	"github.com/mcpfusion/go/result"
)

// Deps is what the billing tools need.
type Deps struct{ Invoices *invoices.Store }

// summaryPresenter is what a model may see of an invoice in a list: not the email address.
var summaryPresenter = presenter.For[invoices.Invoice]("Invoice").
	Only("id", "customer", "status", "amount_cents").
	Rules("amount_cents is in CENTS: divide by 100 before showing it").
	Suggest(func(inv invoices.Invoice) []presenter.Next {
		switch inv.Status {
		case invoices.Open:
			return []presenter.Next{presenter.Call("billing.send_reminder", "Remind the customer").With("id", inv.ID)}
		case invoices.Paid:
			return []presenter.Next{presenter.Call("billing.refund", "Refund it, in part or as a whole").With("id", inv.ID)}
		}
		return nil
	}).
	ListUI(table).
	Limit(2) // so few that the demo shows what happens

// invoicePresenter shows one invoice in full.
var invoicePresenter = summaryPresenter.
	Only("refunded_cents", "due_at", "reminders").
	Rules("refunded_cents is the part of amount_cents that was paid back")

func table(shown []invoices.Invoice) []presenter.Block {
	rows := make([][]string, len(shown))
	for i, inv := range shown {
		rows[i] = []string{inv.ID, inv.Customer, string(inv.Status), fmt.Sprintf("%.2f", float64(inv.AmountCents)/100)}
	}
	return []presenter.Block{presenter.Table([]string{"Invoice", "Customer", "Status", "Amount"}, rows)}
}

var errNoInvoice = result.NotFound("No invoice with that ID").
	Suggest("List the invoices and use one of their ids").
	Actions("billing.list_invoices")

// New declares the billing tools. A nil opts means defaults.
func New(deps Deps, opts *fusion.Options) *fusion.App[Deps] {
	f := fusion.New("billing", "1.0.0", deps, opts)
	billing := f.Router("billing")
	declareQueries(billing)
	declareChanges(billing)
	return f
}

func declareQueries(billing *fusion.Router[Deps]) {
	billing.Query("list_invoices").
		Describe("List invoices, all of them or those with one status").
		WithOptionalEnum("status", []invoices.Status{invoices.Open, invoices.Paid, invoices.Refunded}, "Only invoices with this status").
		ReturnsList(summaryPresenter).
		Handle(func(ctx *fusion.Ctx[Deps], in struct{ Status mo.Option[invoices.Status] }) result.Result[[]invoices.Invoice] {
			return result.OK(ctx.App.Invoices.List(in.Status.OrEmpty()))
		})

	billing.Query("get_invoice").
		Describe("Get one invoice by its ID").
		WithString("id", "Invoice ID, like inv_1", "min=1,max=64").
		Returns(invoicePresenter).
		Handle(func(ctx *fusion.Ctx[Deps], in struct{ ID string }) result.Result[invoices.Invoice] {
			inv, ok := ctx.App.Invoices.Find(in.ID)
			if !ok {
				return result.Fail[invoices.Invoice](errNoInvoice)
			}
			return result.OK(inv)
		})
}

func declareChanges(billing *fusion.Router[Deps]) {
	billing.Mutation("refund").
		Describe("Refund a paid invoice by its ID, in part or as a whole").
		WithString("id", "Invoice ID, like inv_1", "min=1,max=64").
		WithInteger("amount_cents", "Amount to refund in CENTS", "min=1,max=100000000").
		WithOptionalEnum("reason", []string{"duplicate", "customer_request", "fraud"}, "Why the refund is happening").
		Returns(invoicePresenter).
		Handle(func(ctx *fusion.Ctx[Deps], in struct {
			ID          string
			AmountCents int64
			Reason      mo.Option[string]
		}) result.Result[invoices.Invoice] {
			if _, ok := ctx.App.Invoices.Find(in.ID); !ok {
				return result.Fail[invoices.Invoice](errNoInvoice)
			}
			inv, err := ctx.App.Invoices.Refund(in.ID, in.AmountCents)
			ctx.Log().InfoContext(ctx, "refund", "invoice", in.ID, "cents", in.AmountCents, "reason", in.Reason.OrElse("none"))
			return result.Of(inv, refusal(err))
		})

	billing.Action("send_reminder").
		Describe("Remind the customer of an open invoice").
		WithString("id", "Invoice ID, like inv_2", "min=1,max=64").
		Returns(invoicePresenter).
		Handle(func(ctx *fusion.Ctx[Deps], in struct{ ID string }) result.Result[invoices.Invoice] {
			if _, ok := ctx.App.Invoices.Find(in.ID); !ok {
				return result.Fail[invoices.Invoice](errNoInvoice)
			}
			inv, err := ctx.App.Invoices.Remind(in.ID)
			return result.Of(inv, refusal(err))
		})
}

// refusal says in words for a model what the store refuses. Other errors stay as they
// are: they are logged and masked.
func refusal(err error) error {
	switch {
	case errors.Is(err, invoices.ErrNotPaid):
		return result.Conflict("Only a paid invoice can be refunded").
			Actions("billing.get_invoice", "billing.send_reminder").Because(err)
	case errors.Is(err, invoices.ErrNotOpen):
		return result.Conflict("Only an open invoice needs a reminder").
			Actions("billing.get_invoice").Because(err)
	case errors.Is(err, invoices.ErrTooMuch):
		return result.Precondition("The refund is larger than what is left of the invoice").
			Suggest("Read the invoice: at most amount_cents minus refunded_cents can be refunded").
			Actions("billing.get_invoice").Because(err)
	default:
		return err
	}
}
