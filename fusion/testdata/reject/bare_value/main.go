// Command bare_value returns a value where a Result is wanted.
package main

import (
	"github.com/mcpfusion/go/fusion"
)

type Deps struct{}

func main() {
	f := fusion.New("app", "1", Deps{}, nil)
	f.Query("a").Describe("d").
		Handle(func(ctx *fusion.Ctx[Deps], in fusion.NoInput) (int, error) {
			return 1, nil
		})
}

// want: (int, error)
