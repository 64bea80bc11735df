// Package result is what a Fusion handler returns and what travels back from it:
// a [Result] that is a value or an error, a [Failure] that tells a model what to do
// next, the MCP [Content] kinds, and the unrendered [Response] that middleware sees.
//
//	func find(ctx context.Context, id string) result.Result[Invoice] {
//		inv, ok := store.Find(id)
//		if !ok {
//			return result.Fail[Invoice](result.NotFound("No invoice with that ID").
//				Actions("billing.list_invoices"))
//		}
//		return result.OK(inv)
//	}
//
// An error that is not a [Failure] is never shown to the model: it is masked as
// INTERNAL with a reference id and logged in full.
package result

import (
	"errors"

	"github.com/samber/mo"
)

// Result is a value of type T or an error. The zero Result is the zero T, a success.
// Results are immutable values and safe to share.
type Result[T any] struct {
	value T
	err   error
}

// Unit is the value of a handler that has nothing to say but that it is done.
// The model reads the text "OK".
type Unit struct{}

var (
	errNilFailure = errors.New("result.Fail was given a nil Failure")
	errNilError   = errors.New("result.Err was given a nil error")
)

// OK is a success with value v.
func OK[T any](v T) Result[T] { return Result[T]{value: v} }

// Done is a success without a value.
func Done() Result[Unit] { return Result[Unit]{} }

// Fail is a failure that the model is shown. A nil f is reported as an internal error.
func Fail[T any](f *Failure) Result[T] {
	if f == nil {
		return Result[T]{err: errNilFailure}
	}
	return Result[T]{err: f}
}

// Err is any error. What the model sees of it is the [Failure] that [errors.As] finds
// in it, or else a masked internal error. A nil err is reported as an internal error,
// never taken for a success.
func Err[T any](err error) Result[T] {
	if err == nil {
		err = errNilError
	}
	return Result[T]{err: err}
}

// Of turns Go's (value, error) pair into a Result: the error if it is not nil, else v.
func Of[T any](v T, err error) Result[T] {
	if err != nil {
		return Result[T]{err: err}
	}
	return Result[T]{value: v}
}

// FromMo takes over a [mo.Result] that a caller already has.
func FromMo[T any](r mo.Result[T]) Result[T] { return Of(r.Get()) }

// ToMo hands r to code that speaks [mo.Result].
func ToMo[T any](r Result[T]) mo.Result[T] { return mo.TupleToResult(r.Get()) }

// Get returns the value and a nil error, or the zero T and the error.
func (r Result[T]) Get() (T, error) { return r.value, r.err }

// OrElse returns the value, or fallback if r is an error.
func (r Result[T]) OrElse(fallback T) T {
	if r.err != nil {
		return fallback
	}
	return r.value
}

// Map applies f to the value. An error passes through and f does not run.
func (r Result[T]) Map[U any](f func(T) U) Result[U] {
	if r.err != nil {
		return Result[U]{err: r.err}
	}
	return Result[U]{value: f(r.value)}
}

// Then goes on with f, which may fail in turn. An error passes through and f does not run.
func (r Result[T]) Then[U any](f func(T) Result[U]) Result[U] {
	if r.err != nil {
		return Result[U]{err: r.err}
	}
	return f(r.value)
}

// Match ends a Result: it returns ok of the value, or fail of the error.
func (r Result[T]) Match[U any](ok func(T) U, fail func(error) U) U {
	if r.err != nil {
		return fail(r.err)
	}
	return ok(r.value)
}
