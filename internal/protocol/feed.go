package protocol

import (
	"bytes"
	"context"
	"sync"
	"time"
)

// Responder is where the answer to one HTTP request goes.
type Responder interface {
	// Answer sends the one answer, unless a stream has begun.
	Answer(out Outgoing)
	// Streams reports that the client takes a stream of events.
	Streams() bool
	// Event sends one event at once, the first with the headers of a stream. It is called
	// by one goroutine at a time, and fails when the client has gone or does not read.
	Event(e Event) error
}

// Event is one event of a stream. One without an ID and Data keeps the connection alive.
type Event struct {
	// ID lets a client resume behind this event; "" if it cannot.
	ID string
	// Retry is how long a client waits before it connects again; 0 leaves it to the client.
	Retry time.Duration
	// Data is a message; nil is none.
	Data []byte
}

// maxQueued bounds the messages of a stream that wait for a slow reader. Notifications
// beyond it are dropped; what a client must get for a request to end is not.
const maxQueued = 256

// feed is what one connection carries, in order. Whoever sends never waits for the
// reader.
type feed struct {
	wake chan struct{} // has an element if there may be news for pump

	mu    sync.Mutex
	queue []Event
	ended bool // nothing more is taken
	gone  bool // nobody reads
}

func newFeed() *feed { return &feed{wake: make(chan struct{}, 1)} }

// push adds a copy of a message. It is false if nobody will read it.
func (s *feed) push(message []byte, droppable bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended || s.gone || droppable && len(s.queue) >= maxQueued {
		return false
	}
	s.queue = append(s.queue, Event{Data: bytes.Clone(message)})
	s.signal()
	return true
}

// end lets pump return when all is sent.
func (s *feed) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	s.signal()
}

func (s *feed) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// take returns what waits, and whether that is the last.
func (s *feed) take() (batch []Event, last bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	batch, s.queue = s.queue, nil
	return batch, s.ended
}

// leave drops what waits: the reader has gone.
func (s *feed) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone, s.queue = true, nil
}

// pump writes events until the stream ends or its reader goes, and something in every
// interval, so that no proxy takes the connection for dead.
func (s *feed) pump(ctx context.Context, to Responder, interval time.Duration) {
	defer s.leave()
	timer := time.NewTicker(interval)
	defer timer.Stop()
	for {
		batch, last := s.take()
		for _, e := range batch {
			if to.Event(e) != nil {
				return
			}
		}
		switch {
		case last:
			return
		case len(batch) > 0:
			timer.Reset(interval)
		}
		select {
		case <-s.wake:
		case <-ctx.Done():
			return
		case <-timer.C:
			if to.Event(Event{}) != nil {
				return
			}
		}
	}
}
