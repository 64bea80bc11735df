package protocol

import (
	"context"
	"log/slog"
	"strconv"
	"strings"
	"time"
)

// EventStore keeps the events of streams, so that a client whose connection broke can read
// on. It is bounded: it may forget the oldest. Its methods are safe for concurrent use.
type EventStore interface {
	// Append keeps an event of a stream of a session. Each stream counts its own, from 1.
	Append(ctx context.Context, session, stream string, seq uint64, data []byte) error
	// Replay calls visit with the events of one stream behind seq that it still has, in
	// order.
	Replay(ctx context.Context, session, stream string, seq uint64, visit func(seq uint64, data []byte)) error
	// Drop forgets a session.
	Drop(ctx context.Context, session string) error
}

// storeTimeout bounds what a store may take, during which a stream waits.
const storeTimeout = 5 * time.Second

// record is a stream in an EventStore. What the store fails to do is logged, and the
// stream goes on.
type record struct {
	store           EventStore
	log             *slog.Logger
	session, stream string
}

// id is the id of an event: unique in the session, and it names the stream.
func (r *record) id(seq uint64) string { return r.stream + "-" + strconv.FormatUint(seq, 10) }

// parseEventID reads what id wrote.
func parseEventID(id string) (stream string, seq uint64, ok bool) {
	stream, number, found := strings.Cut(id, "-")
	seq, err := strconv.ParseUint(number, 10, 64)
	if !found || err != nil || len(stream) < 2 || len(stream) > 64 || strconv.FormatUint(seq, 10) != number {
		return "", 0, false
	}
	return stream, seq, true
}

// keep stores an event and returns its id.
func (r *record) keep(seq uint64, data []byte) (id string) {
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	if err := r.store.Append(ctx, r.session, r.stream, seq, data); err != nil {
		r.log.Warn("an event was not stored: a client that loses its connection misses it", "error", err)
	}
	return r.id(seq)
}

// replay visits the stored events behind seq.
func (r *record) replay(seq uint64, visit func(seq uint64, data []byte)) {
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	if err := r.store.Replay(ctx, r.session, r.stream, seq, visit); err != nil {
		r.log.Warn("events could not be replayed", "error", err)
	}
}
