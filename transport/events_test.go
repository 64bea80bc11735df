package transport

import (
	"fmt"
	"strings"
	"testing"
)

// replayed is what a store has of a stream.
func replayed(t *testing.T, s EventStore, session, stream string, seq uint64) string {
	t.Helper()
	var all []string
	err := s.Replay(t.Context(), session, stream, seq, func(n uint64, data []byte) {
		all = append(all, fmt.Sprintf("%d:%s", n, data))
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, " ")
}

func keep(t *testing.T, s EventStore, session, stream string, seq uint64, data string) {
	t.Helper()
	if err := s.Append(t.Context(), session, stream, seq, []byte(data)); err != nil {
		t.Fatal(err)
	}
}

func TestEventsAreReplayedForTheirStreamAlone(t *testing.T) { // row G22
	s := MemoryEvents(0, 0)
	for _, session := range []string{"s1", "s2"} {
		for n := uint64(1); n <= 3; n++ {
			keep(t, s, session, "a", n, session+"a")
			keep(t, s, session, "b", n, session+"b")
		}
	}
	if got := replayed(t, s, "s1", "a", 1); got != "2:s1a 3:s1a" {
		t.Errorf("got %q", got)
	}
	if err := s.Drop(t.Context(), "s1"); err != nil {
		t.Fatal(err)
	}
	if got := replayed(t, s, "s1", "a", 0) + replayed(t, s, "s3", "a", 0); got != "" {
		t.Errorf("a session that is gone has %q", got)
	}
	if got := replayed(t, s, "s2", "b", 2); got != "3:s2b" {
		t.Errorf("got %q", got)
	}
}

func TestAFullStoreDropsTheOldestEvents(t *testing.T) { // row G22
	const one = 1000 + eventOverhead
	data := strings.Repeat("x", 1000)
	s := MemoryEvents(2*one, 5*one)
	for n := uint64(1); n <= 3; n++ {
		keep(t, s, "s1", "a", n, data)
	}
	if got := replayed(t, s, "s1", "a", 0); strings.Contains(got, "1:x") || strings.Count(got, ":") != 2 {
		t.Errorf("the session keeps %d events", strings.Count(got, ":"))
	}
	for _, session := range []string{"s2", "s3"} {
		keep(t, s, session, "a", 1, data)
		keep(t, s, session, "a", 2, data)
	}
	if got := replayed(t, s, "s1", "a", 0); strings.Count(got, ":") != 1 {
		t.Errorf("together they keep %d events of the first session", strings.Count(got, ":"))
	}
	keep(t, s, "s4", "a", 1, strings.Repeat("x", 10*one))
	if got := replayed(t, s, "s4", "a", 0); got != "" {
		t.Error("an event over the bound is kept")
	}
	if m := s.(*memoryEvents); m.size != 5*one || m.all.Len() != 5 {
		t.Errorf("it counts %d bytes and %d events", m.size, m.all.Len())
	}
}
