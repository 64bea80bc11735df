package protocol

import (
	"bytes"
	"container/list"
	"crypto/rand"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpfusion/go/middleware"
)

// session is what initialize opens in the revisions that have sessions.
type session struct {
	id      string
	subject string // the id of who opened it, the only one who may use it
	client  middleware.Client
	// capabilities are what the client declared, as sent; nil for nothing.
	capabilities jsontext.Value
	rev          revision
	ids          *ids
	peer         peer    // who answers over HTTP
	streams      streams // over HTTP
	news         news
	ended        sync.Once
	now          func() time.Time
	logLevel     atomic.Uint32
	changes      atomic.Uint64 // of the log level and the subscriptions, see stored
	used         atomic.Int64  // when a request last came or ended
}

var _ middleware.Session = (*session)(nil)

// ID implements [middleware.Session].
func (s *session) ID() string { return s.id }

// Client implements [middleware.Session].
func (s *session) Client() middleware.Client { return s.client }

// touch marks the session as used now.
func (s *session) touch() {
	if s != nil {
		s.used.Store(s.now().UnixNano())
	}
}

// idle reports that nothing runs and nobody listens.
func (s *session) idle() bool { return s.ids.idle() && s.streams.idle() }

// listen lets the client be told of changes, which it must be ready for.
func (s *session) listen(srv *Server) { s.news.listen(srv.catalog, s.subject, s.id) }

// end ends what the session has, once.
func (s *session) end(srv *Server) {
	s.ended.Do(func() {
		s.news.close()
		s.streams.close()
		srv.ended(s)
	})
}

// sessionOf makes a session. Over HTTP, it is told on its GET streams of what changes.
func (s *Server) sessionOf(id, subject string, rev revision) *session {
	of := &session{id: id, subject: subject, rev: rev, ids: newIDs(), now: s.options.Now}
	of.news.wanted, of.news.send = s.changing, of.streams.push
	of.touch()
	return of
}

// newSession reads what initialize asks for, see basic/lifecycle of revision 2025-11-25. A
// version that is not known is answered with the newest one that has sessions.
func (x *exchange) newSession() (*session, *fault) {
	p := &x.msg.params
	if !isString(p.protocolVersion) {
		return nil, invalidParams(`Invalid params: "protocolVersion" must name the protocol version`)
	}
	rev := parseRevision(unquote(p.protocolVersion))
	if rev == 0 && x.in.Header == nil && string(unquote(p.protocolVersion)) == rev20241105.String() {
		rev = rev20241105
	}
	if rev == 0 || rev.stateless() {
		rev = newestSession
	}
	s := x.srv.sessionOf(rand.Text(), x.in.Subject.ID, rev)
	if isObject(p.capabilities) {
		s.capabilities = bytes.Clone(p.capabilities)
	}
	if isObject(p.clientInfo) {
		s.client = readClient(p.clientInfo)
	}
	return s, nil
}

// readClient reads a client's name for itself. What is not in order is left empty: it
// decides nothing.
func readClient(raw []byte) middleware.Client {
	var c struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	_ = json.Unmarshal(raw, &c)
	return middleware.Client{Name: c.Name, Version: c.Version}
}

// sessions are the sessions of an endpoint. They are bounded in number and end when they
// are idle for long. When there are too many, the one that was idle the longest makes room:
// its client is answered 404 and begins anew, where refusing would let whoever opens
// sessions keep everyone else out.
type sessions struct {
	max  int
	idle time.Duration
	now  func() time.Time
	// ended is told of each session that ends, once. It is called without locks.
	ended func(*session)

	mu    sync.Mutex
	byID  map[string]*list.Element
	order *list.List  // of *session, the last used first
	timer *time.Timer // runs expire while there are sessions
}

func newSessions(max int, idle time.Duration, now func() time.Time, ended func(*session)) *sessions {
	return &sessions{max: max, idle: idle, now: now, ended: ended, byID: make(map[string]*list.Element), order: list.New()}
}

// open adds a session and returns it, or the one that has its id already. It is nil if
// there is no room, because requests run in all.
func (t *sessions) open(s *session) *session {
	var gone []*session
	defer func() { t.tell(gone) }()
	t.mu.Lock()
	defer t.mu.Unlock()
	gone = t.expire()
	if e := t.byID[s.id]; e != nil {
		return e.Value.(*session)
	}
	if t.order.Len() >= t.max {
		evicted := t.evict()
		if evicted == nil {
			return nil
		}
		gone = append(gone, evicted)
	}
	t.byID[s.id] = t.order.PushFront(s)
	t.watch()
	return s
}

// find returns a session of that caller, or nil: one that never was, that has ended or
// that is someone else's are all alike.
func (t *sessions) find(id, subject string) *session {
	var gone []*session
	defer func() { t.tell(gone) }()
	t.mu.Lock()
	defer t.mu.Unlock()
	gone = t.expire()
	e := t.byID[id]
	if e == nil || e.Value.(*session).subject != subject {
		return nil
	}
	t.order.MoveToFront(e)
	s := e.Value.(*session)
	s.touch()
	return s
}

// has reports that there is a session of that id, whoever's it is.
func (t *sessions) has(id string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byID[id] != nil
}

// drop ends a session.
func (t *sessions) drop(s *session) {
	t.mu.Lock()
	if e := t.byID[s.id]; e != nil && e.Value == s {
		t.remove(e)
	}
	t.mu.Unlock()
	t.ended(s)
}

// close ends all sessions.
func (t *sessions) close() {
	t.mu.Lock()
	var gone []*session
	for t.order.Len() > 0 {
		gone = append(gone, t.remove(t.order.Back()))
	}
	if t.timer != nil {
		t.timer.Stop()
		t.timer = nil
	}
	t.mu.Unlock()
	t.tell(gone)
}

func (t *sessions) tell(gone []*session) {
	for _, s := range gone {
		t.ended(s)
	}
}

// watch looks for idle sessions also when no requests come.
func (t *sessions) watch() {
	if t.timer == nil {
		t.timer = time.AfterFunc(max(t.idle/4, time.Millisecond), t.sweep)
	}
}

func (t *sessions) sweep() {
	t.mu.Lock()
	gone := t.expire()
	if t.timer = nil; t.order.Len() > 0 {
		t.watch()
	}
	t.mu.Unlock()
	t.tell(gone)
}

// expire removes the sessions that were idle for too long. Those are at the back, but for
// the ones in which a request ran long; these move to the front.
func (t *sessions) expire() (gone []*session) {
	deadline := t.now().Add(-t.idle).UnixNano()
	for range t.order.Len() {
		e := t.order.Back()
		s := e.Value.(*session)
		switch {
		case s.used.Load() >= deadline:
			return gone
		case s.idle():
			gone = append(gone, t.remove(e))
		default:
			s.touch()
			t.order.MoveToFront(e)
		}
	}
	return gone
}

// evict removes the session that was idle the longest.
func (t *sessions) evict() *session {
	for range t.order.Len() {
		e := t.order.Back()
		if e.Value.(*session).idle() {
			return t.remove(e)
		}
		t.order.MoveToFront(e)
	}
	return nil
}

func (t *sessions) remove(e *list.Element) *session {
	s := t.order.Remove(e).(*session)
	delete(t.byID, s.id)
	return s
}
