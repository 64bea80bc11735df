package transport

import (
	"io"
	"sync"
)

// conduitSize is how much a conduit holds, as a pipe of the operating system commonly does.
const conduitSize = 64 << 10

// conduit is one direction of a pipe: bytes written come out in order. A writer waits
// while it is full, a reader while it is empty.
type conduit struct {
	mu      sync.Mutex
	changed sync.Cond
	bytes   []byte
	closed  bool
}

func newConduit() *conduit {
	c := &conduit{}
	c.changed.L = &c.mu
	return c
}

// Read returns what is there, or io.EOF once the conduit is closed and empty.
func (c *conduit) Read(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.bytes) == 0 && len(b) > 0 {
		if c.closed {
			return 0, io.EOF
		}
		c.changed.Wait()
	}
	n := copy(b, c.bytes)
	c.bytes = append(c.bytes[:0], c.bytes[n:]...)
	c.changed.Broadcast()
	return n, nil
}

// Write puts all of b in, or fails with io.ErrClosedPipe once the conduit is closed.
func (c *conduit) Write(b []byte) (n int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for n < len(b) {
		for len(c.bytes) >= conduitSize && !c.closed {
			c.changed.Wait()
		}
		if c.closed {
			return n, io.ErrClosedPipe
		}
		chunk := b[n:min(len(b), n+conduitSize-len(c.bytes))]
		c.bytes = append(c.bytes, chunk...)
		n += len(chunk)
		c.changed.Broadcast()
	}
	return n, nil
}

// Close ends the conduit for both sides. What was written can still be read.
func (c *conduit) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.changed.Broadcast()
}
