package tour

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/samber/mo"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/result"
)

// Prompts declares what docs/prompts-resources.md shows.
func Prompts(f *fusion.App[Deps]) {
	prompts(f)
	resources(f)
}

func prompts(f *fusion.App[Deps]) {
	// region: prompt
	f.Prompt("orders.review").
		Title("Review an order").
		Describe("Look through one order for mistakes").
		WithString("id", "The order").
		WithOptionalInteger("limit", "How many mistakes to name", "min=1").
		WithEnum("tone", []string{"kind", "strict"}, "How to say it").
		Complete("id", func(ctx *fusion.Ctx[Deps], prefix string) []string {
			return slices.DeleteFunc(ctx.App.Orders.IDs(), func(id string) bool { return !strings.HasPrefix(id, prefix) })
		}).
		Handle(func(ctx *fusion.Ctx[Deps], in struct {
			ID    string
			Limit mo.Option[int]
			Tone  string
		}) result.Result[[]result.Message] {
			return result.Of(ctx.App.Orders.Find(in.ID)).Map(func(o Order) []result.Message {
				return []result.Message{
					result.User(fmt.Sprintf("Name up to %d mistakes in order %s. Be %s.", in.Limit.OrElse(3), o.ID, in.Tone)),
					result.Assistant("I shall look at its lines first."),
				}
			})
		})
	// endregion
}

func resources(f *fusion.App[Deps]) {
	// region: resource
	f.Resource("orders://open").
		Name("open_orders").
		Describe("How many orders are open").
		MIMEType("text/plain").
		Icon("https://example.com/orders.png", "image/png", "48x48").
		Handle(func(ctx *fusion.Ctx[Deps], _ fusion.NoInput) result.Result[string] {
			return result.OK(strconv.Itoa(ctx.App.Orders.Count("open")))
		})
	// endregion

	// region: template
	f.Resource("orders://{id}/lines/{line}").
		Describe("One line of an order").
		MIMEType("text/plain").
		Complete("id", func(ctx *fusion.Ctx[Deps], _ string) []string { return ctx.App.Orders.IDs() }).
		Handle(func(ctx *fusion.Ctx[Deps], in struct {
			ID   string
			Line int
		}) result.Result[string] {
			order, err := ctx.App.Orders.Find(in.ID)
			if err != nil || in.Line < 1 || in.Line > len(order.Items) {
				return result.Fail[string](result.NotFound("No such line"))
			}
			return result.OK(order.Items[in.Line-1])
		})
	// endregion
}

// Changed tells subscribers that an order was changed elsewhere.
func Changed(ctx *fusion.Ctx[Deps], f *fusion.App[Deps]) {
	// region: updated
	f.ResourceUpdated(ctx, "orders://open")
	// endregion
}
