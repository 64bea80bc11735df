package middleware

import (
	"context"
	"errors"
	"slices"

	"github.com/mcpfusion/go/internal/scope"
	"github.com/mcpfusion/go/result"
)

// Next goes on with a call: the next Wrap, and in the end the tool. It never returns nil
// and never panics: a panic inside is a response with its cause.
type Next func(ctx context.Context, call *Call) *result.Response

// Wrap goes around calls. It may answer without calling next, call next again, and read
// or change the response, which is not rendered yet and has its cause. Of several, the
// first added runs outermost.
type Wrap func(ctx context.Context, call *Call, next Next) *result.Response

// Chain puts wraps around next, the first outermost.
func Chain(wraps []Wrap, next Next) Next {
	for _, w := range slices.Backward(wraps) {
		next = around(w, next)
	}
	return next
}

func around(w Wrap, next Next) Next {
	return func(ctx context.Context, call *Call) (resp *result.Response) {
		defer func() {
			if v := recover(); v != nil {
				resp = result.FromError(scope.Recovered(v))
			}
		}()
		if resp = w(ctx, call, next); resp == nil {
			resp = result.FromError(errNoResponse)
		}
		return resp
	}
}

var errNoResponse = errors.New("a Wrap returned no response")

// Guard refuses a caller: it returns why the call may not be made, or nil. It is asked
// when tools are listed and again at the call, so it depends on the caller and not on
// the arguments.
type Guard func(ctx context.Context, call *Call) *result.Failure

// Visible reports whether the caller may know of a tool. When it does not, the tool
// answers exactly like one that does not exist.
type Visible func(ctx context.Context, call *Call) bool
