package protocol

import (
	"context"
	"crypto/rand"
	"net/http"
	"time"
)

// Get serves the stream of a session on which it is told what belongs to no request, or
// lets a client read a broken stream to its end. It returns when the stream ends. See
// basic/transports of revision 2025-11-25.
func (e *Endpoint) Get(ctx context.Context, in Incoming, to Responder) {
	x := &exchange{srv: e.srv, ctx: ctx, in: in, link: ctx, to: to}
	if x.fault = e.listening(x); x.fault != nil {
		x.run(to)
		return
	}
	defer e.listens.leave(x.flight)
	defer x.flight.cancel(nil)
	defer x.session.touch()
	f, attached := e.feedOf(x)
	if attached {
		x.session.streams.listen(f)
		defer func() { x.session.streams.unlisten(f, x.reader) }()
		x.session.listen(e.srv)
		f.onRoom(x.session.news.resume)
		x.session.news.resume()
	}
	f.pump(x.flight, to, x.reader, e.srv.pacing(x.rev))
}

// listening checks a GET and gives it its place among the open streams.
func (e *Endpoint) listening(x *exchange) *fault {
	x.msg.method = []byte("GET")
	if f := e.ofSession(x); f != nil {
		return f
	}
	if !x.to.Streams() {
		return &fault{code: codeInvalidRequest, message: "Accept must list text/event-stream", status: http.StatusNotAcceptable}
	}
	ctx, cancel := context.WithCancelCause(x.ctx)
	x.flight = &flight{Context: ctx, msg: &x.msg, cancel: cancel, calls: e.listens}
	if a := e.listens.enter(x.flight); a != admitted {
		cancel(nil)
		x.flight = nil
		return x.turnAway(a)
	}
	return nil
}

// ofSession finds the session of a GET or a DELETE, which only revisions with sessions have.
func (e *Endpoint) ofSession(x *exchange) *fault {
	if f := checkSessionVersion(x.in.Header); f != nil {
		return f
	}
	if version, _ := headerValue(x.in.Header, headerVersion); parseRevision(version).stateless() {
		return &fault{code: codeInvalidRequest, message: "Send messages by POST", status: http.StatusMethodNotAllowed}
	}
	return e.resume(x)
}

// The first letter of a stream's id tells what it is.
const (
	streamOfGet  = "g"
	streamOfCall = "c"
)

// feedOf finds the stream that a GET is for. It is attached if the session's messages go
// there from now on. A stream that is not known any more begins anew: what it had is lost.
func (e *Endpoint) feedOf(x *exchange) (f *feed, attached bool) {
	id, _ := headerValue(x.in.Header, headerLastEvent)
	stream, seq, ok := parseEventID(id)
	if !ok || e.srv.options.Events == nil {
		f = newFeed(x.record(streamOfGet + rand.Text()))
		if !x.prime(f) {
			f.queue = append(f.queue, Event{}) // the headers, at once
		}
		return f, true
	}
	attached = stream[:1] == streamOfGet
	if f = x.session.streams.find(stream); f == nil {
		f = newFeed(x.record(stream))
		f.ended = !attached // a call goes on elsewhere, if at all: this is what there is
	}
	x.reader = f.resume(seq)
	return f, attached
}

// record is where the events of a stream are kept; nil for nowhere.
func (x *exchange) record(stream string) *record {
	if x.session == nil || x.in.Header == nil || x.srv.options.Events == nil {
		return nil
	}
	return &record{store: x.srv.options.Events, log: x.srv.log, session: x.session.id, stream: stream}
}

// prime lets a client resume a stream from its very beginning, which 2025-11-25 brought:
// older ones take the empty data for a message.
func (x *exchange) prime(f *feed) bool {
	if f.rec == nil || x.rev != rev20251125 {
		return false
	}
	f.prime(retryAfter)
	return true
}

// retryAfter is how long clients are asked to wait before they connect again.
const retryAfter = 500 * time.Millisecond

// pacing is how streams of a revision are written.
func (s *Server) pacing(rev revision) pacing {
	p := pacing{silence: s.options.KeepAlive}
	if s.options.Events != nil && rev == rev20251125 {
		p.limit = s.options.ReconnectAfter
	}
	return p
}

// Delete ends a session for its client.
func (e *Endpoint) Delete(ctx context.Context, in Incoming, to Responder) {
	x := &exchange{srv: e.srv, ctx: ctx, in: in}
	if x.fault = e.ofSession(x); x.fault != nil {
		x.run(to)
		return
	}
	e.end(ctx, x.session)
	to.Answer(Outgoing{Status: http.StatusNoContent})
}

// end ends a session everywhere.
func (e *Endpoint) end(ctx context.Context, s *session) {
	e.forget(ctx, s.id)
	e.sessions.drop(s)
	s.ids.cancelAll(errSessionEnded)
}
