package protocol

import "sync"

// buffer is a reusable one for encoding. Requests are never read into one: what they hold
// may be kept.
type buffer struct{ bytes []byte }

// maxPooled bounds what one buffer may keep from being freed.
const maxPooled = 64 << 10

type bufferPool struct{ pool sync.Pool }

var buffers = bufferPool{sync.Pool{New: func() any { return &buffer{bytes: make([]byte, 0, 1024)} }}}

func (p *bufferPool) get() *buffer { return p.pool.Get().(*buffer) }

func (p *bufferPool) put(b *buffer) {
	if cap(b.bytes) <= maxPooled {
		p.pool.Put(b)
	}
}
