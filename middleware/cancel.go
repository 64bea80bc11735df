package middleware

import "context"

// CancelledError is the cause of a context that the client ended with
// notifications/cancelled; errors.Is finds context.Canceled in it.
type CancelledError struct {
	// Reason is what the client said; "" when it said nothing.
	Reason string
}

// Error is a short text with the client's reason.
func (e *CancelledError) Error() string {
	if e.Reason == "" {
		return "cancelled by the client"
	}
	return "cancelled by the client: " + e.Reason
}

// Is makes it a [context.Canceled].
func (e *CancelledError) Is(target error) bool { return target == context.Canceled }
