package protocol

import (
	"bytes"
	"io"
	"sync"
)

// lineWriter writes whole lines, one at a time and in order. A slow reader holds up whoever
// answers, and nobody who only tells something.
type lineWriter struct {
	w      io.Writer
	failed func(error) // told once; nothing is written from then on

	mu     sync.Mutex
	freed  *sync.Cond
	queue  [][]byte // what waits for who writes
	bytes  int      // in it
	busy   bool     // somebody writes
	broken bool
}

func newLineWriter(w io.Writer, failed func(error)) *lineWriter {
	l := &lineWriter{w: w, failed: failed}
	l.freed = sync.NewCond(&l.mu)
	return l
}

// Answer implements [sink].
func (l *lineWriter) Answer(out Outgoing) {
	if out.Body != nil {
		l.send(out.Body)
	}
}

// send writes a message, which it may append to, or leaves a copy to who writes. It waits
// while too much waits already, and is false if the stream is broken.
func (l *lineWriter) send(message []byte) bool {
	l.mu.Lock()
	for l.busy && l.full(len(message)) && !l.broken {
		l.freed.Wait()
	}
	switch {
	case l.broken:
		l.mu.Unlock()
		return false
	case l.busy:
		l.enqueue(bytes.Clone(message))
		l.mu.Unlock()
		return true
	}
	l.busy = true
	l.mu.Unlock()
	written := l.line(append(message, '\n'))
	l.goOn()
	return written
}

// tell leaves a message, which is then not the caller's any more, to be written behind all
// others. It never waits, and is false if too much waits already or the stream is broken.
func (l *lineWriter) tell(message []byte) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken || l.full(len(message)) {
		return false
	}
	l.enqueue(message)
	if !l.busy {
		l.busy = true
		go l.drain()
	}
	return true
}

func (l *lineWriter) full(more int) bool {
	return len(l.queue) >= maxQueued || len(l.queue) > 0 && l.bytes+more > maxQueuedBytes
}

func (l *lineWriter) enqueue(message []byte) {
	l.queue = append(l.queue, append(message, '\n'))
	l.bytes += len(message)
}

// goOn ends the turn of who wrote.
func (l *lineWriter) goOn() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) > 0 && !l.broken {
		go l.drain()
		return
	}
	l.rest()
}

// rest says that nobody writes.
func (l *lineWriter) rest() {
	l.busy, l.queue, l.bytes = false, nil, 0
	l.freed.Broadcast()
}

// drain writes what waits.
func (l *lineWriter) drain() {
	for {
		l.mu.Lock()
		if len(l.queue) == 0 || l.broken {
			l.rest()
			l.mu.Unlock()
			return
		}
		batch := l.queue
		l.queue, l.bytes = nil, 0
		l.freed.Broadcast()
		l.mu.Unlock()
		for _, line := range batch {
			if !l.line(line) {
				break
			}
		}
	}
}

// line writes one line, feed and all.
func (l *lineWriter) line(line []byte) bool {
	_, err := l.w.Write(line)
	if err == nil {
		return true
	}
	l.mu.Lock()
	first := !l.broken
	l.broken = true
	l.freed.Broadcast()
	l.mu.Unlock()
	if first {
		l.failed(err)
	}
	return false
}

// flush waits until all is written, or until done is closed: what still waits then is
// dropped.
func (l *lineWriter) flush(done <-chan struct{}) {
	written := make(chan struct{})
	go func() {
		defer close(written)
		l.mu.Lock()
		defer l.mu.Unlock()
		for l.busy && !l.broken {
			l.freed.Wait()
		}
	}()
	select {
	case <-written:
		return
	case <-done:
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.broken = true
	l.freed.Broadcast()
}
