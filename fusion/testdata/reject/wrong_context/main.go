// Command wrong_context hands Handle a function for another context than the chain has.
package main

import (
	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/result"
)

type Deps struct{}

type Tenant struct{ Deps }

func main() {
	f := fusion.New("app", "1", Deps{}, nil)
	f.Query("a").Describe("d").
		Handle(func(ctx *fusion.Ctx[Tenant], in fusion.NoInput) result.Result[int] {
			return result.OK(1)
		})
}

// want: does not match func(*middleware.Ctx[Deps], In) result.Result[Out]
