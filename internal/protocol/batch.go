package protocol

import (
	"bytes"
	"context"
	"net/http"
	"sync"
)

// Batches are arrays of messages, which the revision 2025-03-26 alone has: see basic/index
// there. Each message goes the way of a single one; the answers come back as one array.

// maxBatch bounds the messages of a batch.
const maxBatch = 100

// isBatch reports that a body is an array.
func isBatch(body []byte) bool {
	body = bytes.TrimLeft(bytes.TrimPrefix(body, byteOrderMark), " \t\r\n")
	return len(body) > 0 && body[0] == '['
}

// split cuts a batch into its messages; it is not ok if the body is no batch of them.
func split(body []byte, maxDepth int) (messages [][]byte, ok bool) {
	s := scanner{buf: bytes.TrimPrefix(body, byteOrderMark), depth: maxDepth}
	s.space()
	s.pos++ // the bracket
	for {
		s.space()
		start := s.pos
		if !s.value() || len(messages) == maxBatch {
			return nil, false
		}
		messages = append(messages, s.buf[start:s.pos:s.pos])
		s.space()
		if !s.accept(',') {
			break
		}
	}
	closed := s.accept(']')
	s.space()
	return messages, closed && s.pos == len(s.buf)
}

// batch are the messages of a batch on their way to one answer.
type batch struct {
	all []*exchange
	// carrier is the batch as one request over HTTP, whose answer is a stream once one of
	// them has more to say; nil elsewhere.
	carrier *exchange
}

// newBatch accepts messages in their order. A session cannot be opened among others.
func newBatch(srv *Server, messages [][]byte, accept func(message []byte) *exchange) *batch {
	all := make([]*exchange, len(messages))
	for i, body := range messages {
		var m message
		if f := m.decode(body, srv.options.MaxDepth); f == nil && m.kind == request && string(m.method) == "initialize" {
			all[i] = &exchange{srv: srv, ctx: context.Background(), msg: m, fault: invalidRequest(`Invalid request: "initialize" cannot be part of a batch`)}
			continue
		}
		all[i] = accept(body)
	}
	return &batch{all: all}
}

// run answers all messages and then the batch.
func (b *batch) run(to sink) {
	var running sync.WaitGroup
	var held []func()
	defer func() {
		for _, release := range held {
			release()
		}
	}()
	for _, x := range b.all {
		if x.flight != nil { // whoever waits for the calls waits for the answer
			held = append(held, x.flight.Hold())
		}
		running.Go(func() { x.run(&x.kept) })
	}
	running.Wait()
	var reply []byte
	for _, x := range b.all {
		if x.kept != nil {
			reply = append(append(reply, ','), x.kept...)
		}
	}
	out := Outgoing{Status: http.StatusAccepted}
	if reply != nil {
		reply[0] = '['
		out = Outgoing{Body: append(reply, ']'), Status: http.StatusOK}
	}
	if b.carrier == nil {
		to.Answer(out)
		return
	}
	b.carrier.deliver(out, to)
}

// carry makes the messages of a batch over HTTP tell on its answer's stream what they have
// to say before.
func (b *batch) carry(ctx context.Context, to Responder) {
	b.carrier.to, b.carrier.link = to, ctx
	for _, x := range b.all {
		x.tell = func(message []byte) bool { return b.carrier.push(message, true) }
	}
}

// quick reports that the answers take no time.
func (b *batch) quick() bool {
	for _, x := range b.all {
		if !x.quick() {
			return false
		}
	}
	return true
}

// batch accepts a batch on a stream; nil if the message is none or the session has none.
func (c *Conn) batch(ctx context.Context, body []byte) *batch {
	if !isBatch(body) {
		return nil
	}
	if s := c.current(); s == nil || s.rev != rev20250326 {
		return nil
	}
	messages, ok := split(body, c.srv.options.MaxDepth)
	if !ok {
		return nil
	}
	return newBatch(c.srv, messages, func(m []byte) *exchange {
		x := c.accept(ctx, m)
		x.lines = c.lines
		return x
	})
}

// batch accepts a batch over HTTP; nil if the body is none or the session has none.
func (e *Endpoint) batch(ctx context.Context, in Incoming) *batch {
	if !isBatch(in.Body) || e.calls.isClosed() {
		return nil
	}
	x := &exchange{srv: e.srv, ctx: ctx, in: in}
	if e.ofSession(x) != nil || x.rev != rev20250326 {
		return nil
	}
	messages, ok := split(in.Body, e.srv.options.MaxDepth)
	if !ok {
		return nil
	}
	b := newBatch(e.srv, messages, func(m []byte) *exchange {
		in.Body = m
		return e.accept(ctx, in)
	})
	b.carrier = x
	return b
}
