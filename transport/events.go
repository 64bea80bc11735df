package transport

import (
	"container/list"
	"context"
	"sync"
)

// EventStore keeps the events of the streams of sessions, so that a client whose connection
// broke can read on, from any process that shares the store. It is bounded: it may forget
// the oldest, which a client then misses. Its methods are safe for concurrent use.
type EventStore interface {
	// Append keeps an event of a stream of a session. Each stream counts its own, from 1.
	// The data must not be changed.
	Append(ctx context.Context, session, stream string, seq uint64, data []byte) error
	// Replay calls visit with the events of one stream behind seq that it still has, in
	// order.
	Replay(ctx context.Context, session, stream string, seq uint64, visit func(seq uint64, data []byte)) error
	// Drop forgets a session.
	Drop(ctx context.Context, session string) error
}

// MemoryEvents is an EventStore in memory with two bounds, in bytes: what one session
// keeps, and what all keep together; 0 means 1 MiB and 64 MiB. Over a bound, the oldest
// events go first.
func MemoryEvents(maxSessionBytes, maxBytes int) EventStore {
	if maxSessionBytes <= 0 {
		maxSessionBytes = 1 << 20
	}
	if maxBytes <= 0 {
		maxBytes = 64 << 20
	}
	return &memoryEvents{
		maxSession: maxSessionBytes, max: maxBytes,
		sessions: make(map[string]*sessionEvents), all: list.New(),
	}
}

type memoryEvents struct {
	maxSession, max int

	mu       sync.Mutex
	size     int
	sessions map[string]*sessionEvents
	all      *list.List // of *event, the oldest first
}

// sessionEvents are the events of one session.
type sessionEvents struct {
	size   int
	events *list.List // of *list.Element in all, the oldest first
}

type event struct {
	session, stream string
	seq             uint64
	data            []byte
}

// eventOverhead is what an event takes besides its data.
const eventOverhead = 256

func (e *event) size() int { return len(e.data) + eventOverhead }

// Append implements [EventStore].
func (m *memoryEvents) Append(_ context.Context, session, stream string, seq uint64, data []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sessions[session]
	if s == nil {
		s = &sessionEvents{events: list.New()}
		m.sessions[session] = s
	}
	e := &event{session, stream, seq, data}
	s.events.PushBack(m.all.PushBack(e))
	s.size += e.size()
	m.size += e.size()
	for s.size > m.maxSession && s.events.Len() > 0 {
		m.drop(s)
	}
	for m.size > m.max {
		m.drop(m.sessions[m.all.Front().Value.(*event).session])
	}
	return nil
}

// drop forgets the oldest event of a session, which goes with its last one.
func (m *memoryEvents) drop(s *sessionEvents) {
	e := m.all.Remove(s.events.Remove(s.events.Front()).(*list.Element)).(*event)
	s.size -= e.size()
	m.size -= e.size()
	if s.events.Len() == 0 {
		delete(m.sessions, e.session)
	}
}

// Replay implements [EventStore].
func (m *memoryEvents) Replay(_ context.Context, session, stream string, seq uint64, visit func(uint64, []byte)) error {
	for _, e := range m.behind(session, stream, seq) {
		visit(e.seq, e.data)
	}
	return nil
}

func (m *memoryEvents) behind(session, stream string, seq uint64) (found []*event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sessions[session]
	if s == nil {
		return nil
	}
	for i := s.events.Front(); i != nil; i = i.Next() {
		if e := i.Value.(*list.Element).Value.(*event); e.stream == stream && e.seq > seq {
			found = append(found, e)
		}
	}
	return found
}

// Drop implements [EventStore].
func (m *memoryEvents) Drop(_ context.Context, session string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.sessions[session]; s != nil {
		for s.events.Len() > 0 {
			m.drop(s)
		}
	}
	return nil
}
