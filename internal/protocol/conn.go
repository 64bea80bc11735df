package protocol

import (
	"context"
	"sync"
	"time"

	"github.com/mcpfusion/go/middleware"
)

// patience is how long a stream that is full keeps its reader waiting.
const patience = 100 * time.Millisecond

// Conn is one client on a stream. It speaks every revision: requests that stand alone and
// a session may come mixed.
type Conn struct {
	srv     *Server
	subject middleware.Subject
	ids     *ids
	calls   *calls
	listens *calls
	lines   *lineWriter // nil unless it serves
	peer    peer

	mu      sync.Mutex
	session *session // nil before initialize
}

// Connect makes a Conn for a client that is known as subject.
func (s *Server) Connect(subject middleware.Subject) *Conn {
	return &Conn{srv: s, subject: subject, ids: newIDs(), calls: newCalls(s.options.MaxInFlight, patience), listens: newCalls(positive(s.options.MaxStreams, 100), 0)}
}

// Handle answers one message: it returns the response, or nil where there is none. It may
// be called concurrently; responses then come in any order. The message must not be used
// again. Should a handler end its goroutine, it is the caller's that ends.
func (c *Conn) Handle(ctx context.Context, message []byte) []byte {
	return c.Converse(ctx, message, nil)
}

// Converse does as Handle. Tell gets each message to the client that belongs to the request
// and is no answer, while that runs: it may give Handle the response. The message is
// borrowed. A nil tell drops them.
func (c *Conn) Converse(ctx context.Context, message []byte, tell func(message []byte)) []byte {
	if b := c.batch(ctx, message); b != nil {
		var answer kept
		b.run(&answer)
		return answer
	}
	x := c.accept(ctx, message)
	if tell != nil {
		x.tell = func(b []byte) bool { tell(b); return true }
	}
	x.run(&x.kept)
	return x.kept
}

// kept keeps a copy of the answer for who called.
type kept []byte

// Answer implements [sink].
func (k *kept) Answer(out Outgoing) {
	if out.Body != nil {
		*k = append(make([]byte, 0, len(out.Body)), out.Body...)
	}
}

// accept takes a message in the order of arrival.
func (c *Conn) accept(ctx context.Context, body []byte) *exchange {
	x := c.srv.read(ctx, Incoming{Body: body, Subject: c.subject})
	if x.fault != nil {
		return x
	}
	if x.msg.kind != request {
		x.silent = true
		if x.msg.kind == notification {
			x.notified(c.ids, c.current())
		} else {
			c.peer.responded(&x.msg)
		}
		return x
	}
	if x.fault = c.join(x); x.fault == nil {
		x.fault = x.enter(c.ids, c.calls, c.listens)
	}
	return x
}

// join finds the revision of a request and the session that it belongs to.
func (c *Conn) join(x *exchange) *fault {
	if x.claimsStateless() {
		return x.checkStateless()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if string(x.msg.method) == "initialize" {
		s, f := x.newSession()
		if f != nil {
			return f
		}
		c.replace(s)
	}
	if c.session == nil {
		return uninitialized(x.msg.method)
	}
	x.session, x.rev, x.peer = c.session, c.session.rev, &c.peer
	return nil
}

// replace begins a session. The one before ends.
func (c *Conn) replace(s *session) {
	if c.lines != nil {
		s.news.send = c.lines.send
	}
	if c.session != nil {
		c.session.end(c.srv)
	}
	c.session = s
}

// current is the session, or nil.
func (c *Conn) current() *session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session
}

// uninitialized answers a request that comes before any session and does not stand alone.
func uninitialized(method []byte) *fault {
	if string(method) == "server/discover" {
		return missingMeta(`"io.modelcontextprotocol/protocolVersion" must name the protocol version`)
	}
	return invalidRequest(`Invalid request: send "initialize" first, or name the protocol version in params._meta`)
}
