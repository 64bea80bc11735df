package transport

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/mcpfusion/go/internal/protocol"
	"github.com/mcpfusion/go/middleware"
)

// HTTPOptions change how HTTP serves. The zero value has the defaults.
type HTTPOptions struct {
	// Authenticate finds out who sends a request. It runs on every request, lists included;
	// an error refuses the request with 401 and is logged, never sent. Nil lets everyone in
	// as anonymous.
	Authenticate func(*http.Request) (middleware.Subject, error)
	// AllowedOrigins are the browser origins that may call, such as
	// "https://app.example.com"; "*" stands for any. Nil means those of this machine. A
	// request without an Origin does not come from a page and is let in.
	AllowedOrigins []string
	// AllowedHosts are the names that the server may be addressed by, such as
	// "mcp.example.com"; a port in the request is left aside. Nil means this machine's
	// names where a request comes in over loopback, and any name elsewhere.
	AllowedHosts []string
	// CORS lets pages of the allowed origins read the answers, which browsers keep from them
	// otherwise. False is for clients that are no pages.
	CORS bool
	// MaxBodyBytes bounds a request's body; 0 means 4 MiB.
	MaxBodyBytes int
	// MaxHeaderBytes bounds a request's headers; 0 means 64 KiB.
	MaxHeaderBytes int
	// MaxInFlight bounds the requests that run at once; 0 means 1024. A call beyond that is
	// answered OVERLOADED.
	MaxInFlight int
	// MaxSessions bounds the sessions of clients that open one; 0 means 10,000. A client
	// beyond that takes the place of the one that was idle the longest.
	MaxSessions int
	// MaxStreams bounds the streams on which clients wait for news; 0 means 10,000.
	MaxStreams int
	// SessionIdle is how long a session lives without a request or a stream; 0 means 30
	// minutes.
	SessionIdle time.Duration
	// KeepAlive is how long a stream may be silent before a comment is sent on it, so that no
	// proxy takes it for dead; 0 means 15 seconds. A call that takes longer is answered by a
	// stream, if the client takes one.
	KeepAlive time.Duration
	// AskTimeout is how long a client may take to answer what a handler asks it; 0 means 2
	// minutes.
	AskTimeout time.Duration
	// ReconnectAfter is how long one connection carries a stream: then the client is asked
	// to connect again and reads on, and the call goes on meanwhile. It is for clients of
	// 2025-11-25 and for proxies that cut long connections; 0 means as long as it lasts.
	ReconnectAfter time.Duration
	// Events keep what was sent on streams, for clients whose connection broke; nil means
	// MemoryEvents with its defaults.
	Events EventStore
	// Sessions are shared between the processes that serve one app behind one address; nil
	// means that each client must reach the process that opened its session.
	Sessions SessionStore
	// StateKeys seal what a client carries between the rounds of a call that asks it
	// something, in revision 2026-07-28: 32 random bytes each. The first seals and all open,
	// so that a new key can be put first while calls under the old one end. Nil means a key
	// of this process's own: a call's next round must then reach it, and is lost with it.
	StateKeys [][]byte
	// StateLife is how long a client may take between two rounds; 0 means an hour.
	StateLife time.Duration
	// Nonces are shared between the processes that have the same StateKeys, so that a call
	// which changes something cannot be finished twice with one answer; nil means that each
	// process remembers what it finished itself.
	Nonces NonceStore
	// SessionEnded is told of each session when it ends, once: its client ended it, it was
	// idle for too long, it made room, or the server shut down. With Sessions, that is the
	// end of this process's part. It must not wait.
	SessionEnded func(middleware.Session)
}

func (o *HTTPOptions) protocol() protocol.Options {
	if o.Events == nil {
		o.Events = MemoryEvents(0, 0)
	}
	return protocol.Options{
		MaxInFlight: o.MaxInFlight, MaxSessions: o.MaxSessions, MaxStreams: o.MaxStreams, SessionIdle: o.SessionIdle,
		KeepAlive: o.KeepAlive, AskTimeout: o.AskTimeout, ReconnectAfter: o.ReconnectAfter,
		Events: o.Events, Sessions: o.Sessions, SessionEnded: o.SessionEnded,
		StateKeys: o.StateKeys, StateLife: o.StateLife, Nonces: o.Nonces,
	}
}

// SessionStore shares sessions between the processes that serve one app, so that each of
// them can answer any message. A session in it is bound to who opened it. Its methods are
// safe for concurrent use.
//
// What runs stays where it began: a cancellation, the answer to a question and the rest of
// a stream that still grows must reach the process that runs the call.
type SessionStore interface {
	// Save keeps the record of a session for a time to live.
	Save(ctx context.Context, id string, record []byte, ttl time.Duration) error
	// Load returns a record and begins its time to live anew; nil if there is none.
	Load(ctx context.Context, id string, ttl time.Duration) ([]byte, error)
	// Delete ends a session. It is no error if there is none.
	Delete(ctx context.Context, id string) error
}

// NonceStore remembers what was used up, so that it is not used twice. Its methods are safe
// for concurrent use.
type NonceStore interface {
	// Use uses a nonce up for a time, after which it is worthless anyhow. It is false if
	// that was done before; of concurrent uses exactly one is true.
	Use(ctx context.Context, nonce string, ttl time.Duration) (fresh bool, err error)
	// Reuse takes Use back.
	Reuse(ctx context.Context, nonce string) error
}

// Server serves an app over Streamable HTTP. It is an [http.Handler] for one URL.
type Server struct {
	options  HTTPOptions
	guard    guard
	log      *slog.Logger
	endpoint *protocol.Endpoint
}

// HTTP prepares app for serving over Streamable HTTP. It fails if the app has build errors
// or a state key has a wrong length.
//
// Set timeouts for reading on the http.Server that carries it, and call Shutdown before
// that server's own.
func HTTP(app App, options *HTTPOptions) (*Server, error) {
	o := HTTPOptions{}
	if options != nil {
		o = *options
	}
	if o.MaxBodyBytes <= 0 {
		o.MaxBodyBytes = 4 << 20
	}
	if o.MaxHeaderBytes <= 0 {
		o.MaxHeaderBytes = 64 << 10
	}
	c, err := app.Catalog()
	if err != nil {
		return nil, err
	}
	server, err := protocol.New(c, o.protocol())
	if err != nil {
		return nil, err
	}
	return &Server{
		options: o, guard: newGuard(o.AllowedOrigins, o.AllowedHosts),
		log: c.Log, endpoint: server.Endpoint(),
	}, nil
}

// ServeHTTP answers one message by POST, opens a stream by GET and ends a session by
// DELETE. Other methods are not allowed.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if refusal := s.admit(r); refusal != nil {
		s.log.InfoContext(r.Context(), "a request was turned away", "remote", r.RemoteAddr,
			"host", r.Host, "origin", r.Header.Get("Origin"), "reason", refusal.message)
		refusal.write(w)
		return
	}
	if s.options.CORS && allowOrigin(w, r) {
		return
	}
	if !slices.Contains(methods, r.Method) {
		notAllowed.write(w)
		return
	}
	subject, refusal := s.authenticate(r)
	if refusal != nil {
		refusal.write(w)
		return
	}
	in := protocol.Incoming{Header: r.Header, Subject: subject}
	answer := &responder{server: s, w: w, accept: r.Header["Accept"]}
	defer answer.close()
	switch r.Method {
	case http.MethodGet:
		s.endpoint.Get(r.Context(), in, answer)
		return
	case http.MethodDelete:
		s.endpoint.Delete(r.Context(), in, answer)
		return
	}
	if in.Body, refusal = readMessage(w, r, s.options.MaxBodyBytes); refusal != nil {
		refusal.write(w)
		return
	}
	s.endpoint.Post(r.Context(), in, answer)
}

var methods = []string{http.MethodPost, http.MethodGet, http.MethodDelete}

var notAllowed = &refusal{http.StatusMethodNotAllowed, "Send messages by POST"}

// admit makes the checks that come before anyone is asked who they are.
func (s *Server) admit(r *http.Request) *refusal {
	size := 0
	for name, values := range r.Header {
		for _, v := range values {
			size += len(name) + len(v)
		}
	}
	if size > s.options.MaxHeaderBytes {
		return &refusal{http.StatusRequestHeaderFieldsTooLarge, "The headers are too large"}
	}
	return s.guard.check(r)
}

// Ready answers 200 while new requests are taken, and 503 once the server shuts down: a
// handler for a load balancer to ask.
func (s *Server) Ready() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		if s.endpoint.Ready() {
			w.WriteHeader(http.StatusOK)
			return
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	})
}

func flush(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() }

// Shutdown refuses new requests with 503, ends the streams on which clients wait for news
// and waits for the running calls; then all sessions end. When ctx ends
// first, it cancels them, and names in the error those that then do not end. It may be
// called again, and concurrently.
func (s *Server) Shutdown(ctx context.Context) error { return s.endpoint.Shutdown(ctx) }
