package scope

import "context"

// SlotKey finds the [Slot] of a request in its context.
type SlotKey struct{}

// Slot is a request's place among those that run.
type Slot interface {
	// Hold keeps the place until release is called, also beyond the answer.
	Hold() (release func())
	// After runs f behind the answer, or at once if that is sent.
	After(f func())
}

// Hold keeps the place of the request that ctx belongs to, for work that may outlive its
// answer. Release must be called once.
func Hold(ctx context.Context) (release func()) {
	if slot, is := ctx.Value(SlotKey{}).(Slot); is {
		return slot.Hold()
	}
	return func() {}
}

// After runs f behind the answer of the request that ctx belongs to; outside of a request,
// at once. F must not wait.
func After(ctx context.Context, f func()) {
	if slot, is := ctx.Value(SlotKey{}).(Slot); is {
		slot.After(f)
		return
	}
	f()
}
