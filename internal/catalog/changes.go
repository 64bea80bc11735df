package catalog

import (
	"context"
	"slices"
	"sync"

	"github.com/mcpfusion/go/internal/scope"
)

// Change is a set of lists that are no longer what a client was shown.
type Change uint8

// The lists.
const (
	ToolsChanged Change = 1 << iota
	PromptsChanged
	ResourcesChanged
)

// AnyChange is every list.
const AnyChange = ToolsChanged | PromptsChanged | ResourcesChanged

// Listener is told of changes. Heard must not wait, nor listen or stop in it.
type Listener interface {
	// Heard gets the lists that have changed, or the URI of a resource that has.
	Heard(lists Change, uri string)
}

// Audience is whom a change concerns. The zero Audience is everyone.
type Audience struct {
	// Subjects and Sessions are ids. One of them must match.
	Subjects, Sessions []string
}

func (a Audience) has(to address) bool {
	return len(a.Subjects)+len(a.Sessions) == 0 ||
		slices.Contains(a.Subjects, to.subject) || slices.Contains(a.Sessions, to.session)
}

// address is who listens.
type address struct{ subject, session string }

// changes are the listeners of a catalog, on every transport.
type changes struct {
	mu   sync.RWMutex
	last int
	all  map[int]listening
}

type listening struct {
	Listener
	address
}

// Listen tells l what concerns a subject, or its session, until stop is called. The
// session is "" where there is none.
func (c *Catalog) Listen(subject, session string, l Listener) (stop func()) {
	h := &c.changes
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.all == nil {
		h.all = make(map[int]listening)
	}
	h.last++
	id := h.last
	h.all[id] = listening{l, address{subject, session}}
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.all, id)
	}
}

// Changed tells an audience that lists have changed, after the reply of the request that
// ctx belongs to.
func (c *Catalog) Changed(ctx context.Context, lists Change, to Audience) {
	scope.After(ctx, func() { c.changes.tell(lists, "", to) })
}

// Updated tells those in an audience who subscribed to it that a resource has changed,
// after the reply of the request that ctx belongs to.
func (c *Catalog) Updated(ctx context.Context, uri string, to Audience) {
	scope.After(ctx, func() { c.changes.tell(0, uri, to) })
}

func (h *changes) tell(lists Change, uri string, to Audience) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for _, l := range h.all {
		if to.has(l.address) {
			l.Heard(lists, uri)
		}
	}
}
