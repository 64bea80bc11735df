// Package presenter is the output contract of an entity: declared once and used by many
// tools, it says what a model may see of a value, how to read it and what to do next. What
// it does not name does not leave the process.
//
//	var invoicePresenter = presenter.For[Invoice]("Invoice").
//		Only("id", "status", "amount_cents", "customer.name").
//		Rules("amount_cents is in CENTS: divide by 100 before showing it").
//		Suggest(func(inv Invoice) []presenter.Next {
//			return []presenter.Next{presenter.Call("billing.refund", "Refund it").With("id", inv.ID)}
//		})
//
// A value is shown in this order: a list is cut to its limit, the allow-list picks the
// fields, texts are redacted, embedded presenters narrow their parts; then rules,
// suggestions and blocks for people are made, by functions that are given nothing but what
// is shown. Mistakes, such as a field that does not exist, are build errors of each tool
// that uses the presenter.
package presenter

import (
	"context"
	"reflect"
	"slices"

	"github.com/mcpfusion/go/internal/schema"
)

// Presenter shows values of type T. Its methods return a changed copy, so a presenter is
// immutable and safe for concurrent use. Its functions must be safe for that, too.
type Presenter[T any] struct{ spec spec }

// spec is what a presenter was told, without its type. Its slices are never appended to in
// place.
type spec struct {
	name   string
	typ    reflect.Type
	shape  schema.Shape
	limit  int
	rules  []func(context.Context, reflect.Value) []string
	next   []func(reflect.Value) []Next
	always []Next
	ui     []func(reflect.Value) []Block
	listUI []func([]reflect.Value) []Block
	embeds []embed

	problems []string
}

// embed is a presenter for a part of the value.
type embed struct {
	path  string
	child *spec
}

// For starts the presenter of T under the entity's name, which build errors mention.
// Without [Presenter.Only] every field is shown.
func For[T any](name string) *Presenter[T] {
	return &Presenter[T]{spec{name: name, typ: reflect.TypeFor[T]()}}
}

// with returns a changed copy.
func (p *Presenter[T]) with(change func(*spec)) *Presenter[T] {
	c := Presenter[T]{nilSpec[T]()}
	if p != nil {
		c.spec = p.spec
	}
	change(&c.spec)
	return &c
}

// nilSpec stands for a nil presenter: declaring never panics.
func nilSpec[T any]() spec {
	return spec{name: "nil", typ: reflect.TypeFor[T](), problems: []string{"is a nil presenter; begin with presenter.For[T](name)"}}
}

// add appends to a slice that other presenters share.
func add[E any](to []E, more ...E) []E { return append(slices.Clip(to), more...) }

// Only is the allow-list: the fields that may be shown, by the names they have in JSON,
// such as "id", "customer.name" or "lines[].sku". A field named without its parts is
// shown with all of them. Called again, it adds fields.
func (p *Presenter[T]) Only(fields ...string) *Presenter[T] {
	return p.with(func(s *spec) { s.shape.Only = add(orEmpty(s.shape.Only), fields...) })
}

// orEmpty is never nil: an allow-list without fields shows none.
func orEmpty(fields []string) []string {
	if fields == nil {
		return []string{}
	}
	return fields
}

// Hide leaves fields out, named as for [Presenter.Only], which it cannot be used together
// with.
func (p *Presenter[T]) Hide(fields ...string) *Presenter[T] {
	return p.with(func(s *spec) { s.shape.Hide = add(s.shape.Hide, fields...) })
}

// Redact shows texts, and lists and maps of them, as "[REDACTED]". What is no text cannot
// be redacted; hide it.
func (p *Presenter[T]) Redact(fields ...string) *Presenter[T] {
	return p.with(func(s *spec) { s.shape.Redact = add(s.shape.Redact, fields...) })
}

// Limit is how many values a list or page shows at most. A notice tells the model how many
// were left out and which parameters of the tool narrow the search.
func (p *Presenter[T]) Limit(n int) *Presenter[T] {
	return p.with(func(s *spec) {
		if s.limit = n; n < 1 {
			s.problems = add(s.problems, "has a limit below 1; a list shows at least one value")
		}
	})
}

// Rules tell the model how to read a value. They are sent with each reply that has one.
func (p *Presenter[T]) Rules(texts ...string) *Presenter[T] {
	texts = slices.Clone(texts)
	return p.with(func(s *spec) {
		s.rules = add(s.rules, func(context.Context, reflect.Value) []string { return texts })
	})
}

// RulesFunc makes rules for one value. Like all functions of a presenter it is given no
// more than is shown: the fields that are not are zero. Of a list it is asked for every
// value that is shown, and what occurs twice is sent once.
func (p *Presenter[T]) RulesFunc(rules func(context.Context, T) []string) *Presenter[T] {
	return p.usable("RulesFunc", rules != nil, func(s *spec) {
		s.rules = add(s.rules, func(ctx context.Context, v reflect.Value) []string { return rules(ctx, as[T](v)) })
	})
}

// Suggest makes the calls that make sense after a value was shown. The model is told those
// that this caller may make now; a tool that does not exist, or arguments that it does not
// take, are left out and logged.
func (p *Presenter[T]) Suggest(next func(T) []Next) *Presenter[T] {
	return p.usable("Suggest", next != nil, func(s *spec) {
		s.next = add(s.next, func(v reflect.Value) []Next { return next(as[T](v)) })
	})
}

// SuggestAlways are calls that make sense after every reply, that with an empty list too.
// A tool that does not exist, or arguments that it does not take, are a build error.
func (p *Presenter[T]) SuggestAlways(next ...Next) *Presenter[T] {
	return p.with(func(s *spec) { s.always = add(s.always, next...) })
}

// UI makes blocks for a person. The reply is complete without them: not every client shows
// them, and a model may read them nevertheless.
func (p *Presenter[T]) UI(blocks func(T) []Block) *Presenter[T] {
	return p.usable("UI", blocks != nil, func(s *spec) {
		s.ui = add(s.ui, func(v reflect.Value) []Block { return blocks(as[T](v)) })
	})
}

// ListUI makes blocks for a person out of all that a list or page shows, such as a
// [Table]. For lists it takes the place of [Presenter.UI].
func (p *Presenter[T]) ListUI(blocks func(shown []T) []Block) *Presenter[T] {
	return p.usable("ListUI", blocks != nil, func(s *spec) {
		s.listUI = add(s.listUI, func(values []reflect.Value) []Block {
			shown := make([]T, len(values))
			for i, v := range values {
				shown[i] = as[T](v)
			}
			return blocks(shown)
		})
	})
}

// Embed presents a part of the value, such as "customer" or "lines[]", by a presenter of
// its own: what that one does not show is not shown here either, and its rules,
// suggestions and blocks count too. Its limit is for tools that return a list of it.
func (p *Presenter[T]) Embed[C any](path string, child *Presenter[C]) *Presenter[T] {
	part := child.with(func(*spec) {}).spec
	return p.with(func(s *spec) { s.embeds = add(s.embeds, embed{path, &part}) })
}

// Extend adds what another presenter says to this one; where both have a limit, the other's
// counts.
func (p *Presenter[T]) Extend(other *Presenter[T]) *Presenter[T] {
	o := other.with(func(*spec) {}).spec
	return p.with(func(s *spec) {
		if o.shape.Only != nil {
			s.shape.Only = add(orEmpty(s.shape.Only), o.shape.Only...)
		}
		s.shape.Hide = add(s.shape.Hide, o.shape.Hide...)
		s.shape.Redact = add(s.shape.Redact, o.shape.Redact...)
		if o.limit != 0 {
			s.limit = o.limit
		}
		s.rules = add(s.rules, o.rules...)
		s.next = add(s.next, o.next...)
		s.always = add(s.always, o.always...)
		s.ui = add(s.ui, o.ui...)
		s.listUI = add(s.listUI, o.listUI...)
		s.embeds = add(s.embeds, o.embeds...)
		s.problems = add(s.problems, o.problems...)
	})
}

// usable makes the change, or notes that its function is nil.
func (p *Presenter[T]) usable(method string, ok bool, change func(*spec)) *Presenter[T] {
	if !ok {
		change = func(s *spec) { s.problems = add(s.problems, method+" was given a nil function; remove it") }
	}
	return p.with(change)
}

// as is a value as the type that a function takes. Embedded values come without the
// pointer that led to them.
func as[T any](v reflect.Value) T {
	t := reflect.TypeFor[T]()
	if v.Type() != t && t.Kind() == reflect.Pointer {
		p := reflect.New(t.Elem())
		p.Elem().Set(v)
		v = p
	}
	typed, _ := reflect.TypeAssert[T](v)
	return typed
}
