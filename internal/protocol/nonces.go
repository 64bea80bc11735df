package protocol

import (
	"container/list"
	"context"
	"errors"
	"strings"
	"sync"
	"time"
)

// NonceStore remembers what was used up, so that it is not used twice: by all processes
// that serve one app. Its methods are safe for concurrent use.
type NonceStore interface {
	// Use uses a nonce up for a time, after which it is worthless anyhow. It is false if
	// that was done before.
	Use(ctx context.Context, nonce string, ttl time.Duration) (fresh bool, err error)
	// Reuse takes Use back.
	Reuse(ctx context.Context, nonce string) error
}

// maxNonces bounds those that memory holds, maxSubjectNonces those of one caller, so that
// nobody takes the room of others.
const (
	maxNonces        = 200_000
	maxSubjectNonces = 10_000
)

// errTooManyNonces refuses what memory could not keep from being used twice.
var errTooManyNonces = errors.New("too many calls were finished in a short time")

// memoryNonces is a NonceStore for one process.
type memoryNonces struct {
	now func() time.Time

	mu    sync.Mutex
	used  map[string]*list.Element
	of    map[string]int // how many, by the part before the dot, which is the caller
	order list.List      // of usedNonce, in the order in which they end
}

type usedNonce struct {
	nonce string
	ends  time.Time
}

func newMemoryNonces(now func() time.Time) *memoryNonces {
	return &memoryNonces{now: now, used: make(map[string]*list.Element), of: make(map[string]int)}
}

// Use implements [NonceStore].
func (m *memoryNonces) Use(_ context.Context, nonce string, ttl time.Duration) (fresh bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.expire()
	if _, used := m.used[nonce]; used {
		return false, nil
	}
	caller, _, _ := strings.Cut(nonce, ".")
	if len(m.used) >= maxNonces || m.of[caller] >= maxSubjectNonces {
		return false, errTooManyNonces
	}
	m.of[caller]++
	m.used[nonce] = m.order.PushBack(usedNonce{nonce, m.now().Add(ttl)})
	return true, nil
}

// Reuse implements [NonceStore].
func (m *memoryNonces) Reuse(_ context.Context, nonce string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e := m.used[nonce]; e != nil {
		m.remove(e)
	}
	return nil
}

func (m *memoryNonces) expire() {
	now := m.now()
	for e := m.order.Front(); e != nil && e.Value.(usedNonce).ends.Before(now); e = m.order.Front() {
		m.remove(e)
	}
}

func (m *memoryNonces) remove(e *list.Element) {
	nonce := m.order.Remove(e).(usedNonce).nonce
	delete(m.used, nonce)
	caller, _, _ := strings.Cut(nonce, ".")
	if m.of[caller]--; m.of[caller] == 0 {
		delete(m.of, caller)
	}
}
