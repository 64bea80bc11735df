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
	peer         peer // who answers over HTTP
	now          func() time.Time
	used         atomic.Int64 // when a request last came or ended
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

// newSession reads what initialize asks for, see basic/lifecycle of revision 2025-11-25. A
// version that is not known is answered with the newest one that has sessions.
func (x *exchange) newSession() (*session, *fault) {
	p := &x.msg.params
	if !isString(p.protocolVersion) {
		return nil, invalidParams(`Invalid params: "protocolVersion" must name the protocol version`)
	}
	rev := parseRevision(unquote(p.protocolVersion))
	if rev == 0 || rev.stateless() {
		rev = newestSession
	}
	s := &session{
		id: rand.Text(), subject: x.in.Subject.ID, rev: rev,
		ids: newIDs(), now: x.srv.options.Now,
	}
	if isObject(p.capabilities) {
		s.capabilities = bytes.Clone(p.capabilities)
	}
	if isObject(p.clientInfo) {
		s.client = readClient(p.clientInfo)
	}
	s.touch()
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
// are idle for long, which is looked for when requests come. When there are too many, the
// one that was idle the longest makes room: its client is answered 404 and begins anew,
// where refusing would let whoever opens sessions keep everyone else out.
type sessions struct {
	max  int
	idle time.Duration
	now  func() time.Time

	mu    sync.Mutex
	byID  map[string]*list.Element
	order *list.List // of *session, the last used first
}

func newSessions(max int, idle time.Duration, now func() time.Time) *sessions {
	return &sessions{max: max, idle: idle, now: now, byID: make(map[string]*list.Element), order: list.New()}
}

// open adds a session. It is false if there is no room, because requests run in all.
func (t *sessions) open(s *session) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.expire()
	if t.order.Len() >= t.max && !t.evict() {
		return false
	}
	t.byID[s.id] = t.order.PushFront(s)
	return true
}

// find returns a session of that caller, or nil: one that never was, that has ended or
// that is someone else's are all alike.
func (t *sessions) find(id, subject string) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.expire()
	e := t.byID[id]
	if e == nil || e.Value.(*session).subject != subject {
		return nil
	}
	t.order.MoveToFront(e)
	s := e.Value.(*session)
	s.touch()
	return s
}

// expire ends the sessions that were idle for too long. Those are at the back, but for
// the ones in which a request ran long; these move to the front.
func (t *sessions) expire() {
	deadline := t.now().Add(-t.idle).UnixNano()
	for range t.order.Len() {
		e := t.order.Back()
		s := e.Value.(*session)
		switch {
		case s.used.Load() >= deadline:
			return
		case s.ids.idle():
			t.remove(e)
		default:
			s.touch()
			t.order.MoveToFront(e)
		}
	}
}

// evict ends the session that was idle the longest.
func (t *sessions) evict() bool {
	for range t.order.Len() {
		e := t.order.Back()
		if e.Value.(*session).ids.idle() {
			t.remove(e)
			return true
		}
		t.order.MoveToFront(e)
	}
	return false
}

func (t *sessions) remove(e *list.Element) {
	delete(t.byID, t.order.Remove(e).(*session).id)
}
