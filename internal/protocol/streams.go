package protocol

import (
	"slices"
	"sync"
)

// maxListening bounds the GET streams of one session. Another one ends the oldest.
const maxListening = 4

// streams are those of one session over HTTP.
type streams struct {
	mu        sync.Mutex
	listening []*feed          // GET streams, the newest last
	calls     map[string]*feed // recorded streams of calls that run, by id
}

// listen adds a GET stream, unless it is there: a client may resume it before its old
// connection is known to be broken.
func (s *streams) listen(f *feed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(s.listening, f) {
		return
	}
	s.listening = append(s.listening, f)
	if len(s.listening) > maxListening {
		s.listening[0].end()
		s.listening = slices.Delete(s.listening, 0, 1)
	}
}

// unlisten removes a GET stream when the last that reads it has gone.
func (s *streams) unlisten(f *feed, reader int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.listening, f); i >= 0 && f.readBy(reader) {
		s.listening = slices.Delete(s.listening, i, i+1)
	}
}

// push sends a message on one GET stream, the newest that takes it.
func (s *streams) push(message []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range slices.Backward(s.listening) {
		if f.push(message, true) {
			return true
		}
	}
	return false
}

// begin adds the stream of a call.
func (s *streams) begin(f *feed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls == nil {
		s.calls = make(map[string]*feed)
	}
	s.calls[f.rec.stream] = f
}

// end removes the stream of a call that was answered.
func (s *streams) end(f *feed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.calls, f.rec.stream)
}

// find returns a stream that goes on, or nil.
func (s *streams) find(stream string) *feed {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.listening {
		if f.rec != nil && f.rec.stream == stream {
			return f
		}
	}
	return s.calls[stream]
}

// idle reports that nobody listens.
func (s *streams) idle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.listening) == 0
}

// close ends the GET streams.
func (s *streams) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.listening {
		f.end()
	}
	s.listening = nil
}
