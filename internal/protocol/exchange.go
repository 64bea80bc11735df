package protocol

import (
	"context"
	"encoding/json/jsontext"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/internal/scope"
	"github.com/mcpfusion/go/middleware"
)

// exchange is one incoming message on its way to an answer. A Conn or an Endpoint accepts
// it, in the order of arrival; run then answers it, in any goroutine.
type exchange struct {
	srv     *Server
	ctx     context.Context
	in      Incoming
	msg     message
	rev     revision
	session *session // nil where the revision has none
	method  method
	fault   *fault // what is answered instead of a result
	opened  string // id of the session that this request opened
	silent  bool   // nothing is answered
	exits   bool   // the handler ended the goroutine
	busy    bool   // there is no room for one more call

	ids    *ids
	calls  *calls
	flight *flight // nil if the request is not tracked
	reader int     // of the feed that a GET reads

	called *middleware.Call // the call of a tool or another item, once it was made
	dialog dialog           // of its handler with the client
	reply  *catalog.Reply   // what it replied

	// What carries other messages to the client than the answer, see push.
	peer  *peer             // answers requests; nil if there is nobody to ask
	lines *lineWriter       // of a stream that serves; nil elsewhere
	tell  func([]byte) bool // of a client in memory, or of a batch; nil elsewhere
	to    Responder         // over HTTP; nil elsewhere
	link  context.Context   // ends when the HTTP connection does
	kept  kept              // the answer, for the caller of Handle

	mu     sync.Mutex
	ended  bool          // the answer is on its way
	feed   *feed         // over HTTP, once the answer is a stream
	pumped chan struct{} // closed when all of it is written
	// silence begins the stream of a call that runs long.
	silence *time.Timer
}

// method answers a request by appending the result.
type method struct {
	run func(x *exchange, dst []byte) ([]byte, *fault)
	// slow methods run policies or handlers, which may take any time.
	slow bool
	// listens marks one that waits for changes: it takes no place among the calls.
	listens bool
}

// find returns the method of that name in a revision. One behind a capability that is not
// advertised does not exist, see basic/index of revision 2026-07-28.
func (s *Server) find(rev revision, name []byte) method {
	switch string(name) {
	case "tools/list":
		return method{run: listTools, slow: true}
	case "tools/call":
		return method{run: callTool, slow: true}
	case "prompts/list", "prompts/get", "resources/list", "resources/templates/list", "resources/read",
		"resources/subscribe", "resources/unsubscribe", "completion/complete":
		return s.findFeature(rev, name)
	case "server/discover":
		if rev.stateless() {
			return method{run: discover}
		}
	case "logging/setLevel":
		if !rev.stateless() {
			return method{run: setLogLevel, slow: true}
		}
	case "subscriptions/listen":
		if rev.stateless() {
			return method{run: listen, slow: true, listens: true}
		}
	case "initialize":
		if !rev.stateless() {
			return method{run: initialize}
		}
	case "ping":
		if !rev.stateless() {
			return method{run: ping}
		}
	}
	return method{}
}

func ping(_ *exchange, dst []byte) ([]byte, *fault) { return append(dst, "{}"...), nil }

func initialize(x *exchange, dst []byte) ([]byte, *fault) {
	return append(dst, x.srv.initialize[x.rev]...), nil
}

// discover answers server/discover, keys in this order: resultType, supportedVersions,
// capabilities, instructions, ttlMs, cacheScope, _meta.
func discover(x *exchange, dst []byte) ([]byte, *fault) {
	e := encoder{dst: append(dst, x.srv.discover...), rev: x.rev}
	e.caching(true, x.in.Subject)
	e.resultMeta(nil, x.srv.info[x.rev])
	e.raw("}")
	return e.dst, nil
}

// read decodes the message.
func (s *Server) read(ctx context.Context, in Incoming) *exchange {
	x := &exchange{srv: s, ctx: ctx, in: in}
	x.fault = x.msg.decode(in.Body, s.options.MaxDepth)
	return x
}

// quick reports that the answer takes no time.
func (x *exchange) quick() bool { return x.fault != nil || x.busy || !x.method.slow }

// enter finds the method and gives the request its place among the running ones.
func (x *exchange) enter(ids *ids, calls, listens *calls) *fault {
	x.method = x.srv.find(x.rev, x.msg.method)
	if x.method.run == nil {
		return noMethod(x.rev, x.msg.method)
	}
	key := idKey(x.msg.id)
	if !x.method.slow {
		return x.refuseTwin(ids.has(key))
	}
	if x.method.listens {
		calls = listens
	}
	ctx, cancel := context.WithCancelCause(x.ctx)
	f := &flight{Context: ctx, msg: &x.msg, key: key, cancel: cancel, calls: calls}
	if twin := x.refuseTwin(!ids.claim(f)); twin != nil {
		cancel(nil)
		return twin
	}
	if a := calls.enter(f); a != admitted {
		ids.release(f)
		cancel(nil)
		return x.turnAway(a)
	}
	x.ctx, x.ids, x.calls, x.flight = f, ids, calls, f
	return nil
}

// refuseTwin refuses an id that a running request has, see basic/index: its answer could
// not be told from the other's.
func (x *exchange) refuseTwin(taken bool) *fault {
	if !taken {
		return nil
	}
	return invalidRequest("Invalid request: a request with this id is still running")
}

// turnAway answers a request that is not admitted. A call is told in its result, which
// the model can read, that there is no room.
func (x *exchange) turnAway(a admission) *fault {
	switch {
	case a == closed:
		return shuttingDown
	case string(x.msg.method) == "tools/call":
		x.busy = true
		return nil
	}
	return busy
}

var busy = &fault{
	code: codeInternal, message: "The server is busy, try again in a moment", status: http.StatusServiceUnavailable,
}

var shuttingDown = &fault{
	code: codeInternal, message: "The server is shutting down", status: http.StatusServiceUnavailable,
}

// run answers the message. It answers exactly once, whatever the handler does: also if
// it panics or ends its goroutine.
func (x *exchange) run(to sink) {
	b := buffers.get()
	returned := false
	defer func() {
		if !returned {
			b.bytes = x.rescue(b.bytes[:0], recover())
		}
		x.finish(b, to)
	}()
	b.bytes = x.answer(b.bytes[:0])
	returned = true
}

// answer appends the response.
func (x *exchange) answer(dst []byte) []byte {
	if x.silent {
		return dst
	}
	if x.fault == nil {
		head := appendHead(dst, x.msg.id)
		body, f := x.method.run(x, head)
		if f == nil {
			return append(body, '}')
		}
		x.fault = f
	}
	return appendError(dst, x.msg.id, x.fault)
}

// appendHead appends what comes before the result.
func appendHead(dst []byte, id jsontext.Value) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	return append(append(dst, id...), `,"result":`...)
}

// errNoReturn is what remains of a handler that ended its goroutine.
var errNoReturn = errors.New("the handler ended its goroutine without returning")

// rescue appends the response of a method that did not return, because it panicked with v
// or, if v is nil, because it ended its goroutine.
func (x *exchange) rescue(dst []byte, v any) []byte {
	err := errNoReturn
	if x.exits = v == nil; !x.exits {
		err = scope.Recovered(v)
	}
	switch {
	case x.called == nil:
		scope.Log(x.ctx, x.srv.log, slog.LevelError, "a request failed", "method", string(x.msg.method), "error", err, "panic", scope.Text(v))
		x.fault = &fault{code: codeInternal, message: "Internal error", status: http.StatusOK}
		return appendError(dst, x.msg.id, x.fault)
	case x.reply == nil || x.reply.IsError || x.reply.Fault != nil: // nothing was carried out
		x.reply = x.srv.catalog.Refuse(x.ctx, x.called, err)
	default:
		x.reply = x.srv.catalog.Unsendable(x.ctx, x.called, err)
	}
	body, f := x.failed(appendHead(dst, x.msg.id), x.reply)
	if f != nil {
		x.fault = f
		return appendError(dst, x.msg.id, f)
	}
	return append(body, '}')
}

// finish sends the answer, unless the client cancelled the request, and ends the
// request's place.
func (x *exchange) finish(b *buffer, to sink) {
	out := Outgoing{Body: b.bytes, Status: http.StatusOK, Session: x.opened, Exits: x.exits}
	if x.fault != nil {
		out.Status = x.fault.status
	}
	if x.flight != nil && !x.ids.release(x.flight) || x.silent {
		out = Outgoing{Status: http.StatusAccepted, Exits: x.exits}
	}
	x.deliver(out, to)
	buffers.put(b)
	if x.flight != nil {
		x.flight.cancel(nil)
		x.flight.settle()
		x.calls.leave(x.flight)
	}
	x.session.touch()
}

// call is the request as policies and handlers see it.
func (x *exchange) call(kind middleware.Kind) *middleware.Call {
	c := &middleware.Call{
		Kind:     kind,
		Header:   x.in.Header,
		Subject:  x.in.Subject,
		Revision: x.rev.String(),
	}
	if isObject(x.msg.params.meta.raw) {
		c.Meta = x.msg.params.meta.raw
	}
	if x.session != nil {
		c.Session = x.session
	}
	return c
}
