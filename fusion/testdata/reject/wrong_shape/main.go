// Command wrong_shape hands Handle a function without an input.
package main

import (
	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/result"
)

type Deps struct{}

func main() {
	f := fusion.New("app", "1", Deps{}, nil)
	f.Query("a").Describe("d").
		Handle(func(ctx *fusion.Ctx[Deps]) result.Result[int] {
			return result.OK(1)
		})
}

// want: type func(ctx *fusion.Ctx[Deps]) result.Result[int] of func
