package tour

import (
	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/result"
)

// Broken makes mistakes and returns what is said of them.
func Broken(f *fusion.App[Deps]) error {
	// region: broken
	f.Query("orders.find").
		WithString("order_id", "Order ID").
		Handle(func(ctx *fusion.Ctx[Deps], in struct{ ID string }) result.Result[int] {
			return result.OK(1)
		})
	f.Query("orders get").Describe("Get an order")
	// endregion
	return f.Err()
}
