//go:build unix

package main

import (
	"bytes"
	"fmt"
	"time"
)

const head = `// Package generated was generated at %s.
package generated

import (
	"github.com/samber/mo"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/result"
)

// Deps is the app's own.
type Deps struct{ Name string }

// New declares the tools.
func New() *fusion.App[Deps] {
	f := fusion.New("many", "1.0.0", Deps{}, nil)
	declare(f)
	return f
}

// What is imported is used, however few the tools.
var (
	_ mo.Option[int]
	_ result.Unit
)

func declare(f *fusion.App[Deps]) {
`

const tool = `	f.Query("many.tool_%[1]d").
		Describe("Finds order %[1]d").
		WithString("order_id", "Order ID", "min=1,max=64").
		WithInteger("amount_cents", "Amount in CENTS", "min=1").
		WithOptionalString("note_%[1]d", "Note").
		Handle(func(ctx *fusion.Ctx[Deps], in struct {
			OrderID     string
			AmountCents int64
			Note%[1]d   mo.Option[string]
		}) result.Result[Order%[1]d] {
			if in.OrderID == "" {
				return result.Fail[Order%[1]d](result.NotFound("No order with that ID"))
			}
			return result.OK(Order%[1]d{ID: in.OrderID, Amount: in.AmountCents, Note: in.Note%[1]d.OrElse(ctx.App.Name)})
		})
`

const order = `
// Order%[1]d is the result of tool %[1]d.
type Order%[1]d struct {
	ID     string ` + "`json:\"id\"`" + `
	Amount int64  ` + "`json:\"amount\"`" + `
	Note   string ` + "`json:\"note\"`" + `
}
`

// generate is a package of tools. Its text is another at each time.
func generate(tools int, at time.Time) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, head, at.Format(time.RFC3339Nano))
	for i := range tools {
		fmt.Fprintf(&b, tool, i)
	}
	b.WriteString("}\n")
	for i := range tools {
		fmt.Fprintf(&b, order, i)
	}
	return b.Bytes()
}
