package catalog

import (
	"context"

	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

// Refuse renders the answer to a call that did not run, or whose handler ended its
// goroutine: err is shown if it is a Failure, else masked and logged.
func (c *Catalog) Refuse(ctx context.Context, call *middleware.Call, err error) *Reply {
	return c.render(ctx, call, c.find(call), result.FromError(err))
}

// Unsendable renders the answer to a call that ran and whose reply cannot be encoded.
func (c *Catalog) Unsendable(ctx context.Context, call *middleware.Call, err error) *Reply {
	i := c.find(call)
	return c.render(ctx, call, i, i.unpresentable(err))
}
