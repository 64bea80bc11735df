package protocol

import (
	"context"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"log/slog"
	"net/http"
	"time"

	"github.com/mcpfusion/go/internal/scope"
	"github.com/mcpfusion/go/middleware"
)

// SessionStore shares sessions between the processes that serve one app, so that each of
// them can answer any message. Its methods are safe for concurrent use.
type SessionStore interface {
	// Save keeps the record of a session for a time to live.
	Save(ctx context.Context, id string, record []byte, ttl time.Duration) error
	// Load returns a record and begins its time to live anew; nil if there is none.
	Load(ctx context.Context, id string, ttl time.Duration) ([]byte, error)
	// Delete ends a session. It is no error if there is none.
	Delete(ctx context.Context, id string) error
}

// stored is what another process needs to know of a session.
type stored struct {
	Subject      string         `json:"subject"`
	Revision     string         `json:"revision"`
	Client       string         `json:"client"`
	Version      string         `json:"version"`
	Capabilities jsontext.Value `json:"capabilities,omitempty"`
	// Resources are those that the client subscribed to.
	Resources []string `json:"resources,omitempty"`
	LogLevel  uint32   `json:"logLevel,omitempty"`
	// Changes counts those of the last two, so that the newest record is known.
	Changes uint64 `json:"changes"`
}

// save shares a session as it is here now.
func (s *Server) save(ctx context.Context, of *session) *fault {
	o := &s.options
	if o.Sessions == nil {
		return nil
	}
	b, err := json.Marshal(stored{of.subject, of.rev.String(), of.client.Name, of.client.Version, of.capabilities, of.news.resources(), of.logLevel.Load(), of.changes.Add(1)}, jsontext.AllowInvalidUTF8(true))
	if err == nil {
		ctx, cancel := context.WithTimeout(ctx, storeTimeout)
		defer cancel()
		err = o.Sessions.Save(ctx, of.id, b, o.SessionIdle)
	}
	if err != nil {
		s.log.ErrorContext(ctx, "a session could not be stored", "error", err)
		return noSessions
	}
	return nil
}

var noSessions = &fault{
	code: codeInternal, message: "Sessions cannot be served now. Try again later", status: http.StatusServiceUnavailable,
}

var noSession = &fault{
	code: codeInvalidRequest, message: "Session not found: initialize again", status: http.StatusNotFound,
}

// someoneElses is answered as noSession is, so that nobody learns that the session exists;
// the log tells them apart.
var someoneElses = &fault{code: noSession.code, message: noSession.message, status: noSession.status}

// find returns a session of that caller: one that never was, that has ended or that is
// someone else's are all alike. The store decides, where there is one.
func (e *Endpoint) find(ctx context.Context, id, subject string) (*session, *fault) {
	o := &e.srv.options
	if o.Sessions == nil {
		if s := e.sessions.find(id, subject); s != nil {
			return s, nil
		}
		if e.sessions.has(id) {
			return nil, someoneElses
		}
		return nil, noSession
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	b, err := o.Sessions.Load(ctx, id, o.SessionIdle)
	if err != nil {
		e.srv.log.ErrorContext(ctx, "a session could not be loaded", "error", err)
		return nil, noSessions
	}
	if b == nil {
		if s := e.sessions.find(id, subject); s != nil { // ended in another process
			e.sessions.drop(s)
		}
		return nil, noSession
	}
	var r stored
	if err := json.Unmarshal(b, &r); err != nil {
		return nil, noSession
	}
	if s := e.sessions.find(id, subject); s != nil {
		s.follow(&r)
		return s, nil
	}
	return e.adopt(id, subject, &r)
}

// follow takes over what the client changed in another process.
func (s *session) follow(r *stored) {
	for known := s.changes.Load(); r.Changes > known; known = s.changes.Load() {
		if !s.changes.CompareAndSwap(known, r.Changes) {
			continue
		}
		if int(r.LogLevel) < len(logLevels) {
			s.logLevel.Store(r.LogLevel)
		}
		s.news.replace(r.Resources)
	}
}

// adopt takes up a session that another process opened.
func (e *Endpoint) adopt(id, subject string, r *stored) (*session, *fault) {
	if r.Subject != subject {
		return nil, someoneElses
	}
	rev := parseRevision(r.Revision)
	if rev == 0 || rev.stateless() {
		return nil, noSession
	}
	s := e.srv.sessionOf(id, subject, rev)
	s.client, s.capabilities = middleware.Client{Name: r.Client, Version: r.Version}, r.Capabilities
	s.follow(r)
	if s = e.sessions.open(s); s == nil {
		return nil, noSessions
	}
	return s, nil
}

// dropEvents forgets what the streams of a session had.
func (s *Server) dropEvents(session string) {
	if s.options.Events == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	if err := s.options.Events.Drop(ctx, session); err != nil {
		s.log.Warn("the events of a session were not dropped", "error", err)
	}
}

// forget ends a session in the store.
func (e *Endpoint) forget(ctx context.Context, id string) {
	if store := e.srv.options.Sessions; store != nil {
		ctx, cancel := context.WithTimeout(ctx, storeTimeout)
		defer cancel()
		defer e.srv.dropEvents(id)
		if err := store.Delete(ctx, id); err != nil {
			e.srv.log.ErrorContext(ctx, "a session could not be deleted", "error", err)
		}
	}
}

// ended tells the app that a session has ended here. A panic in it goes to the log.
func (s *Server) ended(of *session) {
	if s.options.Sessions == nil { // else it may go on elsewhere
		s.dropEvents(of.id)
	}
	if s.options.SessionEnded == nil {
		return
	}
	defer func() {
		if v := recover(); v != nil {
			scope.Log(context.Background(), s.log, slog.LevelError, "SessionEnded panicked", "panic", scope.Text(v))
		}
	}()
	s.options.SessionEnded(of)
}
