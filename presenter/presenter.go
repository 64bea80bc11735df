// Package presenter is the output contract of an entity: declared once and used by many
// tools, it says what a model may see of a value. What it does not name does not leave
// the process.
//
//	var invoicePresenter = presenter.For[Invoice]("Invoice").
//		Only("id", "status", "amount_cents", "customer.name")
package presenter

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/mcpfusion/go/internal/schema"
)

// Presenter shows values of type T. Its methods return a changed copy, so a presenter is
// immutable and safe for concurrent use.
type Presenter[T any] struct {
	name string
	only []string
}

// For starts the presenter of T under the entity's name, which build errors and the log
// mention. Without [Presenter.Only] every field is shown.
func For[T any](name string) *Presenter[T] { return &Presenter[T]{name: name} }

// Only is the allow-list: the fields that may be shown, by the names they have in JSON,
// such as "id", "customer.name" or "lines[].sku". A field named without its parts is
// shown with all of them. Called again, it adds fields. A field that does not exist is a
// build error of each tool that uses the presenter.
func (p *Presenter[T]) Only(fields ...string) *Presenter[T] {
	c := *p
	c.only = append(slices.Clone(p.only), fields...)
	return &c
}

// View compiles the presenter, with what is wrong with it in words.
func (p *Presenter[T]) View() (*schema.Output, []string) {
	out, err := schema.NewOutput(reflect.TypeFor[T]())
	if err != nil {
		return nil, []string{fmt.Sprintf("%q cannot show its type: %v", p.name, err)}
	}
	if len(p.only) == 0 {
		return out, nil
	}
	view, problems := out.Only(p.only...)
	var texts []string
	for _, problem := range problems {
		texts = append(texts, fmt.Sprintf("%q: %s", p.name, problem))
	}
	return view, texts
}
