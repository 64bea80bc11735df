// Package toolset declares the billing tools.
package toolset

import (
	"errors"

	"github.com/samber/mo"

	"github.com/mcpfusion/go/examples/billing/invoices"
	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/presenter"
	"github.com/mcpfusion/go/result"
)

// Deps is what the billing tools need.
type Deps struct{ Invoices *invoices.Store }

// invoicePresenter is what a model may see of an invoice: not the email address.
var invoicePresenter = presenter.For[invoices.Invoice]("Invoice").
	Only("id", "customer", "status", "amount_cents", "refunded_cents", "due_at", "reminders")

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

// Summary is one line of the list of invoices.
type Summary struct {
	ID          string          `json:"id"`
	Customer    string          `json:"customer"`
	Status      invoices.Status `json:"status"`
	AmountCents int64           `json:"amount_cents"`
}

// Summaries is the list of invoices.
type Summaries struct {
	Items []Summary `json:"items"`
	Total int       `json:"total"`
}

func declareQueries(billing *fusion.Router[Deps]) {
	billing.Query("list_invoices").
		Describe("List invoices, all of them or those with one status").
		WithOptionalEnum("status", []invoices.Status{invoices.Open, invoices.Paid, invoices.Refunded}, "Only invoices with this status").
		Handle(func(ctx *fusion.Ctx[Deps], in struct{ Status mo.Option[invoices.Status] }) result.Result[Summaries] {
			var list Summaries
			for _, inv := range ctx.App.Invoices.List(in.Status.OrEmpty()) {
				list.Items = append(list.Items, Summary{inv.ID, inv.Customer, inv.Status, inv.AmountCents})
			}
			list.Total = len(list.Items)
			return result.OK(list)
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
