// Command declaring_after_returns declares a parameter after the presenter.
package main

import (
	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/presenter"
)

type Deps struct{}

type Invoice struct{ ID string }

func main() {
	f := fusion.New("app", "1", Deps{}, nil)
	f.Query("a").Describe("d").
		Returns(presenter.For[Invoice]("Invoice")).
		WithString("id", "Invoice ID")
}

// want: has no field or method WithString
