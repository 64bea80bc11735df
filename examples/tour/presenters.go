package tour

import (
	"context"
	"fmt"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/presenter"
	"github.com/mcpfusion/go/result"
)

// Customer is who an invoice is for.
type Customer struct{ Name, Email, TaxID string }

// Invoice is what a database of invoices holds.
type Invoice struct {
	ID          string
	Status      string
	AmountCents int64
	Customer    Customer
	Margin      int
}

// region: entity
var customerPresenter = presenter.For[Customer]("Customer").
	Hide("email").
	Redact("tax_id").
	Rules("tax_id is not told; do not ask the customer for it")

var invoicePresenter = presenter.For[Invoice]("Invoice").
	Only("id", "status", "amount_cents", "customer").
	Embed("customer", customerPresenter).
	Rules("amount_cents is in CENTS: divide by 100 before showing it").
	RulesFunc(func(ctx context.Context, inv Invoice) []string {
		if inv.Status == "overdue" {
			return []string{"Say first that the invoice is overdue"}
		}
		return nil
	}).
	Suggest(func(inv Invoice) []presenter.Next {
		if inv.Status != "overdue" {
			return nil
		}
		return []presenter.Next{presenter.Call("invoices.remind", "Remind the customer").With("id", inv.ID)}
	}).
	SuggestAlways(presenter.Call("invoices.search", "Search for others")).
	ListUI(invoiceTable).
	Limit(2)

// endregion

// region: table
func invoiceTable(shown []Invoice) []presenter.Block {
	rows := make([][]string, len(shown))
	for i, inv := range shown {
		rows[i] = []string{inv.ID, inv.Customer.Name, fmt.Sprintf("%.2f", float64(inv.AmountCents)/100)}
	}
	return []presenter.Block{presenter.Table([]string{"Invoice", "Customer", "Amount"}, rows)}
}

// endregion

// Row is an invoice as a database has it.
type Row struct {
	Key   string
	Cents int64
}

// Presenters declares what docs/presenters.md shows.
func Presenters(f *fusion.App[Deps]) {
	// region: list
	f.Query("invoices.search").
		Describe("Search for invoices").
		WithOptionalString("customer", "Part of the customer's name").
		WithOptionalString("status", "open, overdue or paid").
		ReturnsList(invoicePresenter).
		Handle(func(ctx *fusion.Ctx[Deps], in fusion.Args) result.Result[[]Invoice] {
			return result.OK(allInvoices())
		})
	// endregion

	// region: page
	f.Query("invoices.archive").
		Describe("Page through all invoices").
		WithOptionalString("cursor", "nextCursor of the page before").
		ReturnsPage(invoicePresenter.From(func(r Row) Invoice { return Invoice{ID: r.Key, AmountCents: r.Cents} })).
		Handle(func(ctx *fusion.Ctx[Deps], in fusion.Args) result.Result[presenter.Page[Row]] {
			return result.OK(presenter.Page[Row]{Items: []Row{{"inv_9", 100}}, Total: 8, NextCursor: "inv_9"})
		})
	// endregion

	// region: extend
	audited := presenter.For[Invoice]("Audited invoice").Only("margin").Rules("margin is in percent")
	f.Query("invoices.audit").
		Describe("Get one invoice with its margin").
		Returns(invoicePresenter.Extend(audited)).
		Handle(func(ctx *fusion.Ctx[Deps], in fusion.NoInput) result.Result[Invoice] {
			return result.OK(allInvoices()[0])
		})
	// endregion

	f.Action("invoices.remind").
		Describe("Remind a customer").
		WithString("id", "Invoice ID").
		Handle(func(ctx *fusion.Ctx[Deps], in struct{ ID string }) result.Result[result.Unit] { return result.Done() })
}

func allInvoices() []Invoice {
	ann := Customer{"Ann | Co", "ann@example.com", "DE123"}
	return []Invoice{
		{"inv_1", "overdue", 129900, ann, 40}, {"inv_2", "open", 4900, ann, 10}, {"inv_3", "paid", 900, ann, 5},
	}
}
