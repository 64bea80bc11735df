// Package protocol speaks the Model Context Protocol for a catalog of tools: message bytes
// in, message bytes out, for every revision that is served.
//
// A [Server] holds what all clients share. A stream such as stdio or a pipe is a [Conn],
// which reads and writes one message per line. An HTTP endpoint is an [Endpoint], which
// answers one POST at a time and keeps the sessions of the revisions that have them.
//
// Which revision a message belongs to is decided for each message: one that names its
// version in params._meta stands alone, by revision 2026-07-28; any other belongs to the
// session that initialize opened. A message goes through the envelope, the checks of its
// revision and its method; a tool call goes on to the catalog's one dispatch path.
package protocol

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/middleware"
)

// Options are the limits of a Server. The zero value has the defaults.
type Options struct {
	// MaxMessageBytes bounds one message; 0 means 4 MiB.
	MaxMessageBytes int
	// MaxDepth bounds the nesting of one message; 0 means 256.
	MaxDepth int
	// MaxInFlight bounds the requests that run at once on one stream, or on the whole
	// endpoint; 0 means 1024.
	MaxInFlight int
	// MaxSessions bounds the sessions of an endpoint; 0 means 10,000.
	MaxSessions int
	// SessionIdle is how long a session lives without a request; 0 means 30 minutes.
	SessionIdle time.Duration
	// DrainTimeout is how long running requests may go on after the end of a stream's
	// input; 0 means 10 seconds.
	DrainTimeout time.Duration
	// KeepAlive is how long a stream of events may be silent; 0 means 15 seconds.
	KeepAlive time.Duration
	// AskTimeout is how long a client may take to answer a request; 0 means 2 minutes.
	AskTimeout time.Duration
	// MaxStreams bounds the streams that are open at once without a call: GET streams and
	// subscriptions; 0 means 10,000 over HTTP and 100 on a stream.
	MaxStreams int
	// ReconnectAfter is how long a connection carries a stream before the client is asked
	// to connect again, where the revision knows that; 0 means as long as it lasts.
	ReconnectAfter time.Duration
	// Events keep the events of streams in sessions, for clients whose connection broke;
	// nil means that they are lost.
	Events EventStore
	// Sessions are shared with other processes; nil means that they are not.
	Sessions SessionStore
	// StateKeys seal what clients carry between the rounds of one call, 32 bytes each: the
	// first seals, all open. Nil means one that only this Server has.
	StateKeys [][]byte
	// StateLife is how long a sealed state is good; 0 means an hour.
	StateLife time.Duration
	// Nonces remember which states were used up; nil means in memory.
	Nonces NonceStore
	// SessionEnded is told of each session that ends here, once; nil tells nobody.
	SessionEnded func(middleware.Session)
	// Now is the clock of the sessions; nil means time.Now.
	Now func() time.Time
}

func (o Options) withDefaults() Options {
	o.MaxMessageBytes = positive(o.MaxMessageBytes, 4<<20)
	o.MaxDepth = positive(o.MaxDepth, 256)
	o.MaxInFlight = positive(o.MaxInFlight, 1024)
	o.MaxSessions = positive(o.MaxSessions, 10_000)
	o.SessionIdle = positive(o.SessionIdle, 30*time.Minute)
	o.DrainTimeout = positive(o.DrainTimeout, 10*time.Second)
	o.KeepAlive = positive(o.KeepAlive, 15*time.Second)
	o.AskTimeout = positive(o.AskTimeout, 2*time.Minute)
	o.StateLife = positive(o.StateLife, time.Hour)
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// positive is v, or the default where v says nothing.
func positive[N int | time.Duration](v, otherwise N) N {
	if v > 0 {
		return v
	}
	return otherwise
}

// Server answers for one catalog. It is safe for concurrent use.
type Server struct {
	catalog  *catalog.Catalog
	options  Options
	log      *slog.Logger
	pageSize int
	changing catalog.Change // lists that are served
	limiter  *limiter       // of completions
	sealer   *sealer

	tools, prompts, resources, templates *collection

	// By revision, encoded once.
	info       [len(revisions)][]byte
	initialize [len(revisions)][]byte
	discover   []byte
}

// New encodes what a catalog tells of itself. The error is a schema that is not JSON, or a
// key of a wrong length.
func New(c *catalog.Catalog, options Options) (*Server, error) {
	s := &Server{
		catalog:  c,
		options:  options.withDefaults(),
		log:      c.Log,
		pageSize: positive(c.Info.PageSize, defaultPageSize),
		discover: discoverResult(c, rev20260728),
		changing: changing(c),
	}
	s.limiter = newLimiter(s.options.Now)
	sealer, err := newSealer(&s.options, s.log, c.Info.Name)
	if err != nil {
		return nil, err
	}
	s.sealer = sealer
	for rev := rev20241105; rev <= rev20260728; rev++ {
		s.info[rev] = serverInfo(&c.Info, rev)
		s.initialize[rev] = initializeResult(c, rev)
	}
	if err := s.collect(); err != nil {
		return nil, err
	}
	return s, nil
}

// Incoming is one message with what its transport knows of it.
type Incoming struct {
	// Body is the message. It is kept: the transport must not use it again.
	Body []byte
	// Header are the headers of an HTTP request; nil elsewhere.
	Header http.Header
	// Subject is who sent it.
	Subject middleware.Subject
}

// Outgoing is the answer to one message.
type Outgoing struct {
	// Body is a message, nil when there is nothing to say. It is borrowed: it is valid
	// until the function that got it returns.
	Body []byte
	// Status is the HTTP status.
	Status int
	// Session is the id of the session that this answer opens; "" for none.
	Session string
	// Exits says that the handler ended the goroutine: nothing runs after this is sent.
	Exits bool
}
