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

// maxQueued and maxQueuedBytes bound the messages of a stream that wait for a slow reader.
// Notifications beyond them are dropped; what a client must get for a request to end is not.
const (
	maxQueued      = 256
	maxQueuedBytes = 1 << 20
)

// feed is a stream of events, in order, for one connection at a time. Whoever sends never
// waits for the reader. If it is recorded, it goes on without a reader, and another
// connection may resume it.
type feed struct {
	rec  *record       // nil if it cannot be resumed
	wake chan struct{} // has an element if there may be news for pump

	mu     sync.Mutex
	queue  []Event
	bytes  int    // of the messages in it
	seq    uint64 // of the last event
	ended  bool   // nothing more is taken
	gone   bool   // nobody reads
	full   bool   // something was not taken since the reader last caught up
	room   func() // told when the reader has caught up then; it must not push. Nil tells nobody
	reader int    // counts connections: the one before ends when another takes over
}

func newFeed(rec *record) *feed { return &feed{rec: rec, wake: make(chan struct{}, 1)} }

// push adds a copy of a message. It is false if nobody will read it.
func (f *feed) push(message []byte, droppable bool) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.ended, f.gone && f.rec == nil:
		return false
	case droppable && (len(f.queue) >= maxQueued || f.bytes+len(message) > maxQueuedBytes):
		f.full = true
		return false
	}
	e := Event{Data: bytes.Clone(message)}
	if f.rec != nil {
		f.seq++
		e.ID = f.rec.keep(f.seq, e.Data)
	}
	if !f.gone {
		f.queue = append(f.queue, e)
		f.bytes += len(e.Data)
		f.signal()
	}
	return true
}

// prime begins with an event that lets the client resume before the first message.
func (f *feed) prime(retry time.Duration) {
	f.queue = append(f.queue, Event{ID: f.rec.id(0), Retry: retry, Data: []byte{}})
}

// onRoom lets who was turned away know when to try again.
func (f *feed) onRoom(room func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.room = room
}

// end lets pump return when all is sent.
func (f *feed) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended = true
	f.signal()
}

func (f *feed) signal() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// resume lets another connection read on behind an event.
func (f *feed) resume(seq uint64) (reader int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reader++
	f.gone, f.queue, f.bytes = false, nil, 0
	f.seq = max(f.seq, seq)
	f.rec.replay(seq, func(n uint64, data []byte) {
		f.seq = max(f.seq, n)
		f.queue = append(f.queue, Event{ID: f.rec.id(n), Data: data})
	})
	if f.queue == nil {
		f.queue = append(f.queue, Event{}) // the headers, at once
	}
	f.signal()
	return f.reader
}

// take returns what waits for a reader, and whether that is the last.
func (f *feed) take(reader int) (batch []Event, last bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if reader != f.reader {
		f.signal() // it was not meant for this one
		return nil, true
	}
	batch, f.queue, f.bytes = f.queue, nil, 0
	if f.full && f.room != nil {
		f.room()
	}
	f.full = false
	return batch, f.ended
}

// leave drops what waits: the reader has gone.
func (f *feed) leave(reader int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if reader == f.reader {
		f.gone, f.queue, f.bytes = true, nil, 0
	}
}

// readBy reports that no other connection has taken over.
func (f *feed) readBy(reader int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.reader == reader
}

// pacing is how a feed is written.
type pacing struct {
	silence time.Duration // after which something is sent, so that no proxy takes the connection for dead
	limit   time.Duration // after which the connection ends and the client resumes; 0 for none
}

// pump writes events until the feed ends, its reader goes or another one takes over.
func (f *feed) pump(ctx context.Context, to Responder, reader int, p pacing) {
	defer f.leave(reader)
	silence := time.NewTicker(p.silence)
	defer silence.Stop()
	var limit <-chan time.Time
	if p.limit > 0 {
		timer := time.NewTimer(p.limit)
		defer timer.Stop()
		limit = timer.C
	}
	for {
		batch, last := f.take(reader)
		for _, e := range batch {
			if to.Event(e) != nil {
				return
			}
		}
		switch {
		case last:
			return
		case len(batch) > 0:
			silence.Reset(p.silence)
		}
		select {
		case <-f.wake:
		case <-ctx.Done():
			return
		case <-limit:
			return
		case <-silence.C:
			if to.Event(Event{}) != nil {
				return
			}
		}
	}
}
