package catalog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mcpfusion/go/internal/scope"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

// errToolTimeout is the cause of a context that the tool's own timeout ended.
var errToolTimeout = fmt.Errorf("the tool's timeout passed: %w", context.DeadlineExceeded)

// timed runs next in a goroutine of its own and answers at the deadline, or when the
// caller cancels, even if next ignores its context. Next then goes on to its own end, until
// which it keeps its place among the running requests, and its result is dropped; what it
// did stays done.
func (c *Catalog) timed(d time.Duration, next middleware.Next) middleware.Next {
	return func(ctx context.Context, call *middleware.Call) *result.Response {
		ctx, cancel := context.WithTimeoutCause(ctx, d, errToolTimeout)
		done := make(chan *result.Response, 1)
		release := scope.Hold(ctx)
		go func() {
			defer cancel()
			resp := result.FromError(errNoReturn) // unless next ends the goroutine
			defer func() {
				release()
				done <- resp
			}()
			resp = contained(ctx, call, next)
		}()
		resp := first(ctx, done)
		if errors.Is(context.Cause(ctx), errToolTimeout) && resp.Failure == nil && errors.Is(resp.Cause, context.DeadlineExceeded) {
			resp.Failure = result.Timeout("The " + kindOf(call) + " did not finish within " + d.String() + "; what it began may still take effect")
		}
		return resp
	}
}

// errNoReturn is what remains of a handler that ended its goroutine.
var errNoReturn = errors.New("the handler ended its goroutine without returning")

// first waits for the response or the context's end. A response that is there wins.
func first(ctx context.Context, done <-chan *result.Response) *result.Response {
	select {
	case resp := <-done:
		return resp
	case <-ctx.Done():
	}
	select {
	case resp := <-done:
		return resp
	default:
		return result.FromError(context.Cause(ctx))
	}
}

// contained goes on with a call in a goroutine of its own, where nobody else recovers.
func contained(ctx context.Context, call *middleware.Call, next middleware.Next) (resp *result.Response) {
	defer func() {
		if v := recover(); v != nil {
			resp = result.FromError(scope.Recovered(v))
		}
	}()
	return next(ctx, call)
}
