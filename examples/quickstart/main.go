// Command quickstart is the server of docs/quickstart.md.
package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"slices"

	"github.com/samber/mo"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/presenter"
	"github.com/mcpfusion/go/result"
	"github.com/mcpfusion/go/transport"
)

// region: types

// Invoice is the app's own type.
type Invoice struct {
	ID          string `json:"id"`
	Status      string `json:"status"`
	AmountCents int64  `json:"amount_cents"`
	TaxID       string `json:"tax_id"`
}

// Deps are the app's own dependencies; every handler finds them in ctx.App.
type Deps struct{ Invoices map[string]Invoice }

// Tenant is what handlers see after withUser.
type Tenant struct {
	Deps
	User string
}

// invoicePresenter says what a model may see: not the tax id.
var invoicePresenter = presenter.For[Invoice]("Invoice").Only("id", "status", "amount_cents")

// endregion

// region: middleware

// withUser is a typed middleware: from Deps it derives Tenant.
func withUser(ctx *fusion.Ctx[Deps]) result.Result[Tenant] {
	if ctx.Call.Subject.Anonymous() {
		return result.Fail[Tenant](result.Unauthorized("Sign in first"))
	}
	return result.OK(Tenant{Deps: ctx.App, User: ctx.Call.Subject.ID})
}

// endregion

func newApp(deps Deps) *fusion.App[Deps] {
	// region: chain
	f := fusion.New("billing", "1.0.0", deps, nil)

	f.Mutation("billing.refund").
		Describe("Refund an invoice by ID").
		WithString("id", "Invoice ID").
		WithInteger("amount_cents", "Amount to refund in CENTS", "min=1").
		WithOptionalEnum("reason", []string{"duplicate", "customer_request", "fraud"}, "Why the refund is happening").
		Use(withUser).             // the context is Tenant from here on
		Returns(invoicePresenter). // the handler must return Result[Invoice] from here on
		Handle(func(ctx *fusion.Ctx[Tenant], in struct {
			ID          string
			AmountCents int64
			Reason      mo.Option[string]
		}) result.Result[Invoice] {
			inv, ok := ctx.App.Invoices[in.ID]
			if !ok {
				return result.Fail[Invoice](result.NotFound("No invoice with that ID").Actions("billing.list_invoices"))
			}
			return result.Of(refund(inv, in.AmountCents)) // (Invoice, error) -> Result[Invoice]
		})
	// endregion

	// region: query
	f.Query("billing.list_invoices").
		Describe("List the ids of all invoices").
		Handle(func(ctx *fusion.Ctx[Deps], _ fusion.NoInput) result.Result[[]string] {
			return result.OK(slices.Sorted(maps.Keys(ctx.App.Invoices)))
		})
	// endregion
	return f
}

var errTooMuch = errors.New("refund larger than the invoice")

func refund(inv Invoice, cents int64) (Invoice, error) {
	if cents > inv.AmountCents {
		return Invoice{}, errTooMuch
	}
	inv.AmountCents -= cents
	return inv, nil
}

// region: main
func main() {
	f := newApp(Deps{Invoices: map[string]Invoice{
		"inv_1": {ID: "inv_1", Status: "paid", AmountCents: 12_500, TaxID: "DE-1"},
	}})
	local := &transport.StdioOptions{Subject: fusion.Subject{ID: "local"}}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := transport.Stdio(ctx, f, local)
	stop()
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// endregion
