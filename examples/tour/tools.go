// Package tour has the code that the pages in docs show.
package tour

import (
	"time"

	"github.com/samber/mo"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/presenter"
	"github.com/mcpfusion/go/result"
)

// Deps are the dependencies of the tour's app.
type Deps struct{ Orders *Orders }

// Order is what the tour's tools are about.
type Order struct {
	ID       string   `json:"id"`
	Status   string   `json:"status"`
	Items    []string `json:"items"`
	Internal string   `json:"internal_note"`
}

// Tools declares what docs/tools.md shows.
func Tools(f *fusion.App[Deps]) {
	declared(f)
	tagged(f)
	dynamic(f)
	results(f)
}

func declared(f *fusion.App[Deps]) {
	// region: verbs
	// A query reads: read-only and idempotent.
	f.Query("orders.count").
		Title("Count orders").
		Describe("Count the orders with a status").
		Instructions("Prefer this to listing orders when only the number matters.").
		WithEnum("status", []string{"open", "sent"}, "Status to count").
		Handle(func(ctx *fusion.Ctx[Deps], in struct{ Status string }) result.Result[int] {
			return result.OK(ctx.App.Orders.Count(in.Status))
		})

	// A mutation may destroy. Cancelling twice is cancelling once.
	f.Mutation("orders.cancel").
		Describe("Cancel an order").
		Idempotent(true).
		WithString("id", "Order ID", "min=1,max=64").
		Handle(func(ctx *fusion.Ctx[Deps], in struct{ ID string }) result.Result[result.Unit] {
			return result.Of(result.Unit{}, ctx.App.Orders.Cancel(in.ID))
		})

	// An action does something without destroying. This one reaches beyond the app's own data.
	f.Action("orders.track").
		Describe("Ask the carrier where an order is").
		OpenWorld(true).
		Timeout(5*time.Second).
		WithString("id", "Order ID").
		Handle(func(ctx *fusion.Ctx[Deps], in struct{ ID string }) result.Result[string] {
			return result.Of(ctx.App.Orders.Track(ctx, in.ID))
		})
	// endregion

	// region: params
	f.Query("orders.search").
		Describe("Search orders").
		WithString("customer", "Customer's email address", "email,max=120").
		WithOptionalArray[string]("items", "Item names that must be among the order's", "max=20,unique").
		WithOptionalInteger("limit", "How many orders at most", "min=1,max=100,default=20").
		WithOptionalNumber("min_total", "Smallest total in EUR", "gt=0").
		WithOptionalBoolean("archived", "Search the archive too", "default=false").
		Handle(func(ctx *fusion.Ctx[Deps], in struct {
			Customer string
			Items    []string           // optional: nil when absent
			Limit    int                // optional with a default: always there
			MinTotal mo.Option[float64] // optional: tells 0 from absent
			Archived bool
		}) result.Result[[]Order] {
			return result.OK(ctx.App.Orders.Search(in.Customer, in.Limit))
		})
	// endregion
}

func tagged(f *fusion.App[Deps]) {
	// region: tagged
	type Window struct {
		From time.Time            `jsonschema:"First moment of the window"`
		To   mo.Option[time.Time] `jsonschema:"Last moment; open when absent"`
	}
	type Report struct {
		Window   Window
		Format   string   `json:"format" jsonschema:"File format" validate:"oneof=csv json,default=csv"`
		Statuses []string `jsonschema:"Only these statuses" validate:"min=1,dive,oneof=open sent"`
	}
	f.Query("orders.report").
		Describe("Report on the orders of a window of time").
		Handle(func(ctx *fusion.Ctx[Deps], in Report) result.Result[string] {
			return result.OK("report as " + in.Format)
		})
	// endregion

	// region: header
	f.Query("orders.stock").
		Describe("Count an item in a region's warehouses").
		WithString("region", "Region of the warehouses", "oneof=eu us,header=Region").
		WithString("item", "Item name").
		Handle(func(ctx *fusion.Ctx[Deps], in struct{ Region, Item string }) result.Result[int] {
			return result.OK(ctx.App.Orders.Stock(in.Region, in.Item))
		})
	// endregion
}

func dynamic(f *fusion.App[Deps]) {
	// region: args
	tool := f.Query("orders.lookup").Describe("Look up an order by any of its keys")
	for _, key := range []string{"id", "invoice_number", "tracking_code"} {
		tool.WithOptionalString(key, "Find the order by this "+key)
	}
	tool.Handle(func(ctx *fusion.Ctx[Deps], args fusion.Args) result.Result[string] {
		if args.Has("id") {
			return result.OK("by id " + args.String("id"))
		}
		return result.OK("by another key")
	})
	// endregion

	// region: raw
	f.Query("orders.export").
		Describe("Export orders by a filter that another service defines").
		RawSchema([]byte(`{"type":"object","properties":{"filter":{"type":"object","minProperties":1}},"required":["filter"]}`)).
		Handle(func(ctx *fusion.Ctx[Deps], args fusion.Args) result.Result[string] {
			return result.OK("exported with " + string(args.Raw()))
		})
	// endregion
}

// region: presenter
var orderPresenter = presenter.For[Order]("Order").Only("id", "status", "items")

// endregion

func results(f *fusion.App[Deps]) {
	// region: returns
	f.Query("orders.get").
		Describe("Get an order").
		WithString("id", "Order ID").
		Returns(orderPresenter).
		Handle(func(ctx *fusion.Ctx[Deps], in struct{ ID string }) result.Result[Order] {
			return result.Of(ctx.App.Orders.Find(in.ID))
		})
	// endregion

	// region: content
	f.Query("orders.label").
		Describe("Draw the shipping label of an order").
		WithString("id", "Order ID").
		Handle(func(ctx *fusion.Ctx[Deps], in struct{ ID string }) result.Result[[]result.Content] {
			return result.OK([]result.Content{
				result.Text{Text: "The label of " + in.ID},
				result.Image{Data: ctx.App.Orders.Label(in.ID), MIMEType: "image/png"},
			})
		})
	// endregion
}
