package transport

import (
	"context"
	"log/slog"
	"net/http"
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
	// MaxBodyBytes bounds a request's body; 0 means 4 MiB.
	MaxBodyBytes int
	// MaxInFlight bounds the requests that run at once; 0 means 1024. A call beyond that is
	// answered OVERLOADED.
	MaxInFlight int
	// MaxSessions bounds the sessions of clients that open one; 0 means 10,000. A client
	// beyond that takes the place of the one that was idle the longest.
	MaxSessions int
	// SessionIdle is how long a session lives without a request; 0 means 30 minutes.
	SessionIdle time.Duration
}

// Server serves an app over Streamable HTTP. It is an [http.Handler] for one URL.
type Server struct {
	options  HTTPOptions
	guard    guard
	log      *slog.Logger
	endpoint *protocol.Endpoint
}

// HTTP prepares app for serving over Streamable HTTP. It fails if the app has build errors.
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
	c, err := app.Catalog()
	if err != nil {
		return nil, err
	}
	server, err := protocol.New(c, protocol.Options{
		MaxInFlight: o.MaxInFlight, MaxSessions: o.MaxSessions, SessionIdle: o.SessionIdle,
	})
	if err != nil {
		return nil, err
	}
	return &Server{
		options: o, guard: newGuard(o.AllowedOrigins, o.AllowedHosts),
		log: c.Log, endpoint: server.Endpoint(),
	}, nil
}

// ServeHTTP answers one message by POST. Other methods are not allowed.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if refusal := s.guard.check(r); refusal != nil {
		refusal.write(w)
		return
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		(&refusal{http.StatusMethodNotAllowed, "Send messages by POST"}).write(w)
		return
	}
	subject, refusal := s.authenticate(r)
	if refusal != nil {
		refusal.write(w)
		return
	}
	body, refusal := readMessage(w, r, s.options.MaxBodyBytes)
	if refusal != nil {
		refusal.write(w)
		return
	}
	answer := &responder{server: s, w: w, accept: r.Header["Accept"]}
	defer answer.close()
	s.endpoint.Post(r.Context(), protocol.Incoming{Body: body, Header: r.Header, Subject: subject}, answer)
}

func flush(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() }

// Shutdown refuses new requests with 503 and waits for the running ones. When ctx ends
// first, it cancels them, and names in the error those that then do not end. It may be
// called again, and concurrently.
func (s *Server) Shutdown(ctx context.Context) error { return s.endpoint.Shutdown(ctx) }
