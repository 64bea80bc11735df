package protocol

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Endpoint answers messages that come by HTTP POST. It speaks every revision on one URL.
type Endpoint struct {
	srv      *Server
	calls    *calls
	listens  *calls // streams without a call
	sessions *sessions
}

// Endpoint makes an Endpoint.
func (s *Server) Endpoint() *Endpoint {
	o := &s.options
	return &Endpoint{
		srv:      s,
		calls:    newCalls(o.MaxInFlight, 0),
		listens:  newCalls(positive(o.MaxStreams, 10_000), 0),
		sessions: newSessions(o.MaxSessions, o.SessionIdle, o.Now, func(of *session) { of.end(s) }),
	}
}

// Post answers one message, with one answer or a stream of events, also if a handler
// panics or ends the goroutine. ctx is the HTTP request's; it ends a call only where the
// revision says that a lost connection does.
func (e *Endpoint) Post(ctx context.Context, in Incoming, to Responder) {
	if b := e.batch(ctx, in); b != nil {
		b.carry(ctx, to)
		b.run(to)
		return
	}
	e.answer(ctx, e.accept(ctx, in), to)
}

// answer answers a message that was accepted.
func (e *Endpoint) answer(ctx context.Context, x *exchange, to Responder) {
	x.to, x.link = to, ctx
	if e.detaches(x) {
		x.mu.Lock()
		x.begin()
		x.mu.Unlock()
		go x.run(to)
		<-x.pumped
		return
	}
	x.patiently()
	x.run(to)
}

// detaches reports that a request may outlive its connection, from which the client is
// asked to reconnect.
func (e *Endpoint) detaches(x *exchange) bool {
	return x.fault == nil && x.method.slow && e.srv.pacing(x.rev).limit > 0 && x.to.Streams()
}

func (e *Endpoint) accept(ctx context.Context, in Incoming) *exchange {
	x := e.srv.read(ctx, in)
	switch {
	case x.fault != nil:
	case x.msg.kind == request && e.calls.isClosed(): // what running calls wait for still comes in
		x.fault = shuttingDown
	case x.claimsStateless():
		x.fault = e.standAlone(x)
	default:
		x.fault = e.inSession(x)
	}
	return x
}

// standAlone takes a message of the stateless revision.
func (e *Endpoint) standAlone(x *exchange) *fault {
	if x.msg.kind == response {
		return invalidRequest("Invalid request: revision " + rev20260728.String() + " has no responses from clients")
	}
	if x.msg.kind == notification { // none is defined over HTTP
		x.silent = true
		return nil
	}
	if f := x.checkStateless(); f != nil {
		return f
	}
	return x.enter(nil, e.calls, e.listens)
}

// inSession takes a message of a revision that has sessions.
func (e *Endpoint) inSession(x *exchange) *fault {
	x.ctx = context.WithoutCancel(x.ctx) // a lost connection is no cancellation
	if f := checkSessionVersion(x.in.Header); f != nil {
		return f
	}
	if x.msg.kind == request && string(x.msg.method) == "initialize" {
		return e.initialize(x)
	}
	if f := e.resume(x); f != nil {
		return f
	}
	if x.msg.kind == request {
		return x.enter(x.session.ids, e.calls, e.listens)
	}
	if x.silent = true; x.msg.kind == notification {
		x.notified(x.session.ids, x.session)
	} else {
		x.session.peer.responded(&x.msg)
	}
	return nil
}

// checkSessionVersion refuses a version header that names no revision with sessions. That
// it equals the negotiated one is not asked for.
func checkSessionVersion(h http.Header) *fault {
	version, ok := headerValue(h, headerVersion)
	if ok && (version == "" || parseRevision(version) != 0) {
		return nil
	}
	return invalidRequest("Invalid request: unsupported MCP-Protocol-Version, use one of " + strings.Join(supported, ", "))
}

// initialize opens a session. A session id on the request is one that the client has given
// up, or it would not begin anew.
func (e *Endpoint) initialize(x *exchange) *fault {
	s, f := x.newSession()
	if f != nil {
		return f
	}
	if e.sessions.open(s) == nil {
		return &fault{code: codeInternal, message: "The server has too many sessions. Try again later", status: http.StatusServiceUnavailable}
	}
	if f := e.srv.save(x.ctx, s); f != nil {
		e.sessions.drop(s)
		return f
	}
	x.session, x.rev, x.opened, x.peer = s, s.rev, s.id, &s.peer
	return x.enter(s.ids, e.calls, e.listens)
}

// resume finds the session of a message, see basic/transports of revision 2025-11-25.
func (e *Endpoint) resume(x *exchange) *fault {
	id, ok := headerValue(x.in.Header, headerSession)
	if !ok || id == "" {
		f := uninitialized(x.msg.method)
		if f.code == codeInvalidRequest {
			f.message += ", or send the Mcp-Session-Id header"
		}
		return f
	}
	s, f := e.find(x.ctx, id, x.in.Subject.ID)
	if f == someoneElses {
		e.srv.log.WarnContext(x.ctx, "a session was refused to a caller who did not open it", "subject", x.in.Subject.ID)
	}
	if f != nil {
		return f
	}
	x.session = s
	x.rev, x.peer = x.session.rev, &x.session.peer
	return nil
}

// Ready reports that new requests are taken.
func (e *Endpoint) Ready() bool { return !e.calls.isClosed() }

// Shutdown refuses new requests, ends the streams that belong to no call and waits for the
// running calls. Then all sessions end. When ctx ends first, they
// are cancelled, and those that then do not end at once are named in the error. It may be
// called again.
func (e *Endpoint) Shutdown(ctx context.Context) error {
	done := e.calls.close()
	defer e.sessions.close()
	e.listens.quit(errClosing)
	select {
	case <-done:
		return nil
	case <-ctx.Done():
	}
	e.calls.cancel(errClosing)
	timer := time.NewTimer(shutdownGrace)
	defer timer.Stop()
	select {
	case <-done:
		return nil
	case <-timer.C:
		return fmt.Errorf("requests did not end: %s: %w", strings.Join(names(e.calls.running()), ", "), context.Cause(ctx))
	}
}

// shutdownGrace is how long cancelled requests have to end.
const shutdownGrace = 100 * time.Millisecond
