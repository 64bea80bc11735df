// Command unmet_middleware uses a shared middleware whose needs the context does not meet.
package main

import (
	"github.com/mcpfusion/go/examples/shared"
	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/result"
)

type Deps struct{}

func main() {
	f := fusion.New("app", "1", Deps{}, nil)
	f.Query("a").Describe("d").Use(shared.RequireUser).
		Handle(func(ctx *fusion.Ctx[shared.Authed[Deps]], in fusion.NoInput) result.Result[int] {
			return result.OK(1)
		})
}

// want: missing method UserTokens
