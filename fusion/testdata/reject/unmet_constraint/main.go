// Command unmet_constraint mounts a package whose needs the app's context does not meet.
package main

import (
	"github.com/mcpfusion/go/fusion"
)

type Deps struct{}

type Needs interface{ InvoiceStore() string }

func Register[C Needs](r *fusion.Router[C]) {}

func main() {
	f := fusion.New("app", "1", Deps{}, nil)
	f.Mount("billing", Register)
}

// want: missing method InvoiceStore
