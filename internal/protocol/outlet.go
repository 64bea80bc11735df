package protocol

import (
	"context"
	"crypto/rand"
	"encoding/json/jsontext"
	"errors"
	"time"
)

// notify sends a whole notification on the request's own stream, in order. After the
// answer, after a cancellation and where nothing can carry it, it is dropped.
func (x *exchange) notify(message []byte) { x.push(message, true) }

// push sends one more message than the answer. It is false if nothing carries it.
func (x *exchange) push(message []byte, droppable bool) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case x.ended || x.flight != nil && x.ids.left(x.flight):
		return false
	case x.lines != nil:
		return x.lines.tell(message)
	case x.tell != nil:
		return x.tell(message)
	case x.to == nil || !x.to.Streams():
		return false
	}
	if x.feed == nil {
		x.begin()
	}
	return x.feed.push(message, droppable)
}

// begin makes the answer a stream. The goroutine that writes it ends before the request
// does.
func (x *exchange) begin() {
	f, done := newFeed(x.record(streamOfCall+rand.Text())), make(chan struct{})
	x.feed, x.pumped = f, done
	if f.rec != nil {
		x.session.streams.begin(f)
	}
	if !x.prime(f) {
		f.queue = append(f.queue, Event{}) // at least the headers, at once
	}
	go func() {
		defer close(done)
		f.pump(x.link, x.to, 0, x.srv.pacing(x.rev))
	}()
}

// patiently makes the answer a stream before a slow call looks like a dead connection.
func (x *exchange) patiently() {
	if x.fault != nil || !x.method.slow || !x.to.Streams() {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.silence = time.AfterFunc(x.srv.options.KeepAlive, func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		if !x.ended && x.feed == nil {
			x.begin()
		}
	})
}

// endListening tells the client of a stream that the server ended its subscription, see
// basic/patterns/cancellation of revision 2026-07-28.
func (x *exchange) endListening(out Outgoing) {
	if x.lines != nil && x.method.listens && out.Body != nil && x.fault == nil {
		x.lines.send([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + string(x.msg.id) + `}}`))
	}
}

// deliver sends the answer, on the stream if there is one. Nothing is sent behind it.
func (x *exchange) deliver(out Outgoing, to sink) {
	x.mu.Lock()
	x.ended = true
	f := x.feed
	if x.silence != nil {
		x.silence.Stop()
	}
	x.mu.Unlock()
	if f == nil {
		to.Answer(out)
		x.endListening(out)
		return
	}
	if out.Body != nil {
		f.push(out.Body, false)
	}
	f.end()
	if f.rec != nil {
		x.session.streams.end(f)
	}
	<-x.pumped
}

var (
	// errNoChannel is a question that nothing can carry to the client.
	errNoChannel = errors.New("the client cannot be asked: nothing carries a request to it")
	// errNoResponse is a question that the client did not answer in time.
	errNoResponse = errors.New("the client did not respond in time")
)

// request sends a request to the client on the request's own stream and waits for the
// response until ctx ends. The error is a [clientError], errNoChannel or the cause of ctx.
// Only revisions that have sessions know such requests.
func (x *exchange) request(ctx context.Context, method string, params []byte) (jsontext.Value, error) {
	if x.rev.stateless() || x.peer == nil {
		return nil, errNoChannel
	}
	id, answer := x.peer.ask()
	defer x.peer.forget(id)
	if !x.push(appendRequest(nil, id, method, params), false) {
		return nil, errNoChannel
	}
	select {
	case a := <-answer:
		return a.result, a.err
	case <-ctx.Done():
	case <-x.ctx.Done():
		ctx = x.ctx
	}
	err := context.Cause(ctx)
	if errors.Is(err, errNoResponse) {
		x.abandon(id, "timeout")
	} else {
		x.abandon(id, "the request ended")
	}
	return nil, err
}

// abandon tells the client that a question needs no answer any more.
func (x *exchange) abandon(id, reason string) {
	x.notify([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"` + id + `","reason":"` + reason + `"}}`))
}

// appendRequest appends a JSON-RPC request. The id needs no escaping.
func appendRequest(dst []byte, id, method string, params []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":"`+id+`","method":`...)
	dst = appendString(dst, method)
	if params != nil {
		dst = append(append(dst, `,"params":`...), params...)
	}
	return append(dst, '}')
}

// declares reports that the client has a capability, such as "elicitation" or
// "sampling", "tools": each name is a member of the one before. A capability is an object,
// or true.
func (x *exchange) declares(path ...string) bool {
	if x.rev.stateless() {
		return declared(x.msg.params.meta.clientCapabilities, path)
	}
	return x.session != nil && declared(x.session.capabilities, path)
}

// declared looks a path up in what a client declares, which is valid JSON.
func declared(raw jsontext.Value, path []string) bool {
	for _, name := range path {
		if raw = memberOf(raw, name); raw == nil {
			return false
		}
	}
	return isObject(raw) || string(raw) == "true"
}

// memberOf is the member of that name in a valid JSON text; nil if there is none.
func memberOf(raw jsontext.Value, name string) (found jsontext.Value) {
	if !isObject(raw) {
		return nil
	}
	s := scanner{buf: raw, depth: trustedDepth}
	s.object(func(key []byte) bool {
		start := s.pos
		read := s.value()
		if string(key) == name {
			found = raw[start:s.pos]
		}
		return read
	})
	return found
}

// sink takes the answer to one message.
type sink interface{ Answer(out Outgoing) }

// sinkFunc is a function as a sink.
type sinkFunc func(Outgoing)

// Answer implements [sink].
func (f sinkFunc) Answer(out Outgoing) { f(out) }
