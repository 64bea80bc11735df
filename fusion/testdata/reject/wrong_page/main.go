// Command wrong_page returns one value where the presenter shows a page.
package main

import (
	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/presenter"
	"github.com/mcpfusion/go/result"
)

type Deps struct{}

type Row struct{ Key string }

type Invoice struct{ ID string }

func main() {
	f := fusion.New("app", "1", Deps{}, nil)
	f.Query("a").Describe("d").
		ReturnsPage(presenter.For[Invoice]("Invoice").From(func(r Row) Invoice { return Invoice{r.Key} })).
		Handle(func(ctx *fusion.Ctx[Deps], in fusion.NoInput) result.Result[Row] {
			return result.OK(Row{})
		})
}

// want: result.Result[Row] {…} does not match inferred type
