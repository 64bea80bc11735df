// Command wrong_result returns something else than the presenter shows.
package main

import (
	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/presenter"
	"github.com/mcpfusion/go/result"
)

type Deps struct{}

type Invoice struct{ ID string }

func main() {
	f := fusion.New("app", "1", Deps{}, nil)
	f.Query("a").Describe("d").
		Returns(presenter.For[Invoice]("Invoice")).
		Handle(func(ctx *fusion.Ctx[Deps], in fusion.NoInput) result.Result[string] {
			return result.OK("text")
		})
}

// want: result.Result[string] {…} does not match inferred type func(*middleware.Ctx[Deps], fusion.NoInput) result.Result[Invoice]
