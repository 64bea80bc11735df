package tour

import (
	"errors"

	"github.com/samber/mo"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

// Asks declares what docs/interaction.md shows.
func Asks(f *fusion.App[Deps]) {
	telling(f)
	asking(f)
	several(f)
	once(f)
	pages(f)
}

func telling(f *fusion.App[Deps]) {
	// region: progress
	f.Action("orders.import").
		Describe("Import orders from the shop").
		Handle(func(ctx *fusion.Ctx[Deps], _ fusion.NoInput) result.Result[int] {
			ids := ctx.App.Orders.IDs()
			for i, id := range ids {
				ctx.Progress(float64(i+1), float64(len(ids)), "Importing "+id)
				ctx.Log().Info("imported", "order", id)
			}
			ctx.Notice("Prices are those of yesterday")
			return result.OK(len(ids))
		})
	// endregion
}

// region: form

// Delivery is what the user is asked for.
type Delivery struct {
	Day   string            `jsonschema:"When to deliver" validate:"oneof=today tomorrow"`
	Speed Speed             `jsonschema:"How to deliver" validate:"oneof=std exp,default=std"`
	Email mo.Option[string] `jsonschema:"Where to send the receipt" validate:"email"`
	Gift  bool              `jsonschema:"Wrap it as a gift" validate:"default=false"`
}

// Speed is a choice whose values have names for people.
type Speed string

// Title is what the user sees.
func (s Speed) Title() string {
	return map[Speed]string{"std": "Standard, 3 days", "exp": "Express"}[s]
}

// endregion

func asking(f *fusion.App[Deps]) {
	// region: elicit
	f.Mutation("orders.deliver").
		Describe("Deliver an order when and how the customer wants it").
		WithString("id", "The order").
		Elicits[Delivery]().
		Handle(func(ctx *fusion.Ctx[Deps], in struct{ ID string }) result.Result[string] {
			order, err := ctx.App.Orders.Find(in.ID)
			if err != nil {
				return result.Err[string](err)
			}
			delivery, err := ctx.Elicit[Delivery]("delivery", "How shall we deliver order "+order.ID+"?").Get()
			if errors.Is(err, result.Declined("")) {
				return result.OK("The customer wants no delivery")
			}
			if err != nil {
				return result.Err[string](err) // also while the answer is yet to come
			}
			return result.OK("Order " + order.ID + " comes " + delivery.Day)
		})
	// endregion
}

type sure struct{ OK bool }

func several(f *fusion.App[Deps]) {
	// region: ask
	f.Mutation("orders.archive").
		Describe("Archive all orders").
		Requires("elicitation.form").
		Handle(func(ctx *fusion.Ctx[Deps], _ fusion.NoInput) result.Result[int] {
			delivery := middleware.Form[Delivery]("delivery", "How shall the open ones be delivered?")
			confirm := middleware.Form[sure]("confirm", "Archive them all?")
			if err := ctx.Ask(delivery, confirm); err != nil {
				return result.Err[int](err)
			}
			return confirm.Answer().Map(func(s sure) int {
				if !s.OK {
					return 0
				}
				return len(ctx.App.Orders.IDs())
			})
		})
	// endregion
}

func once(f *fusion.App[Deps]) {
	// region: once
	f.Mutation("orders.reserve").
		Describe("Reserve an item until the customer confirms it").
		WithString("item", "The item").
		Handle(func(ctx *fusion.Ctx[Deps], in struct{ Item string }) result.Result[string] {
			held, err := ctx.Once("hold", func() (string, error) { return ctx.App.Orders.Hold(in.Item) }).Get()
			if err != nil {
				return result.Err[string](err)
			}
			return ctx.Elicit[sure]("confirm", "Buy the "+in.Item+"?").Map(func(sure) string { return held })
		})
	// endregion
}

func pages(f *fusion.App[Deps]) {
	// region: url
	f.Mutation("orders.pay").
		Describe("Pay for an order").
		WithString("id", "The order").
		Handle(func(ctx *fusion.Ctx[Deps], in struct{ ID string }) result.Result[string] {
			if ctx.App.Orders.Paid(in.ID) {
				return result.OK("Paid")
			}
			if _, err := ctx.ElicitURL("pay", "Pay on our page", "https://shop.example.com/pay/"+in.ID).Get(); err != nil {
				return result.Err[string](err)
			}
			return result.Fail[string](result.Precondition("The customer is paying on our page").
				Suggest("Call this again when the customer says that the payment is done"))
		})
	// endregion
}
