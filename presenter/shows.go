package presenter

import "reflect"

// Shows is what a tool's Returns takes: something that shows values of type R. It is a
// [Presenter] or what [Presenter.From] makes of one.
type Shows[R any] interface {
	// source mentions R, so that it can be inferred.
	source(R) (spec, converter)
}

// converter turns a handler's value into the one that is shown; nil leaves it.
type converter func(reflect.Value) reflect.Value

func (p *Presenter[T]) source(T) (spec, converter) { //nolint:unparam // what Shows asks for
	return p.with(func(*spec) {}).spec, nil
}

// From shows values of another type by what convert makes of them, such as rows of a
// database. Of a list only those that are shown are converted.
func (p *Presenter[T]) From[R any](convert func(R) T) Shows[R] {
	return &adapter[R, T]{p.usable("From", convert != nil, func(*spec) {}), convert}
}

type adapter[R, T any] struct {
	presenter *Presenter[T]
	convert   func(R) T
}

func (a *adapter[R, T]) source(R) (spec, converter) {
	s, _ := a.presenter.source(*new(T))
	return s, func(v reflect.Value) reflect.Value {
		shown := a.convert(as[R](v))
		return reflect.ValueOf(&shown).Elem()
	}
}

// Page is a part of a list that comes in pages.
type Page[T any] struct {
	Items []T `json:"items"`
	// Total is how many there are on all pages.
	Total int `json:"total"`
	// NextCursor leads to the next page; empty on the last.
	NextCursor string `json:"nextCursor,omitempty"`
}
