// Package scope is the record of one running call: its deferred work, its notices and
// its logger. The dispatch path opens and closes it; handlers reach it through their
// context type.
package scope

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/mcpfusion/go/result"
)

// Scope belongs to one call. A nil Scope accepts everything and keeps nothing, so that
// code under test needs none. Its methods are safe for concurrent use.
type Scope struct {
	log  *slog.Logger
	tool string

	mu        sync.Mutex
	defers    []func()
	notices   []string
	asked     map[string]string // the questions of this run, by key
	questions []result.InputRequest
	closed    bool
}

// Panic is a recovered panic with its stack.
type Panic struct {
	Value any
	Stack []byte
}

// Recovered makes the Panic of a value that recover returned, for the stack at hand.
func Recovered(v any) *Panic { return &Panic{Value: v, Stack: debug.Stack()} }

// Error is a short text; the value and the stack are for the log alone.
func (p *Panic) Error() string { return "panic" }

// Is reports whether the panic's value is an error that is target. Nothing else is taken
// from the value: a panic is never a way to answer.
func (p *Panic) Is(target error) (is bool) {
	err, isError := p.Value.(error)
	if !isError {
		return false
	}
	defer func() {
		if recover() != nil {
			is = false
		}
	}()
	return errors.Is(err, target)
}

// Text is the panic's value for the log, see [Text].
func (p *Panic) Text() string { return Text(p.Value) }

// New opens the record of a call to the tool with the given id.
func New(log *slog.Logger, tool string) *Scope { return &Scope{log: log, tool: tool} }

// Logger is the server's logger with the tool's id on each record. A client on the line
// that asked for records gets them too, without that.
func (s *Scope) Logger(line Line) *slog.Logger {
	if s == nil {
		return slog.Default()
	}
	log := s.log.With("tool", s.tool)
	if line == nil || !line.Wants(loudest) {
		return log
	}
	return slog.New(&tee{Handler: log.Handler(), line: line})
}

// loudest is the level of a record that a client gets if it gets any.
const loudest = slog.LevelError + 4

// What is wrong with a question, whatever its answer would be.
var (
	errNowhere  = errors.New("a question can be asked only by a handler or a Use middleware while it runs")
	errKeyTaken = errors.New("another question of this call has the same key; give each its own")
)

// Ask notes that a question is asked in this run, told by its text. It fails once the run
// has ended, and if another question has its key.
func (s *Scope) Ask(key, text string) error {
	if s == nil {
		return errNowhere
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errNowhere
	}
	if s.asked == nil {
		s.asked = make(map[string]string)
	}
	if known, twice := s.asked[key]; twice && known != text {
		return errKeyTaken
	}
	s.asked[key] = text
	return nil
}

// Open reports that the client has a question of this run to answer.
func (s *Scope) Open() bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.questions) > 0
}

// Pend notes a question that the client has yet to answer, so that the call must end and
// begin anew.
func (s *Scope) Pend(q result.InputRequest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, known := range s.questions {
		if known.Key == q.Key {
			return
		}
	}
	s.questions = append(s.questions, q)
}

// Questions returns those that the client has yet to answer.
func (s *Scope) Questions() []result.InputRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.questions)
}

// Defer adds work for the end of the call. After the end it runs at once.
func (s *Scope) Defer(f func()) {
	if s == nil || f == nil {
		return
	}
	s.mu.Lock()
	closed := s.closed
	if !closed {
		s.defers = append(s.defers, f)
	}
	s.mu.Unlock()
	if closed {
		s.contain(context.Background(), f)
	}
}

// Notice adds a remark to the reply. After the end it is lost.
func (s *Scope) Notice(text string) {
	if s == nil || text == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.notices = append(s.notices, text)
	}
}

// Notices returns the remarks made so far.
func (s *Scope) Notices() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.notices)
}

// Close ends the record and runs the deferred work, last added first, each once. A panic
// in it is logged and does not keep the rest from running.
func (s *Scope) Close(ctx context.Context) {
	s.mu.Lock()
	defers := s.defers
	s.defers, s.closed = nil, true
	s.mu.Unlock()

	for _, f := range defers {
		defer s.contain(ctx, f) //nolint:gocritic // deferred, since one of them may end the goroutine
	}
}

// contain runs deferred work. A panic in it goes to the log.
func (s *Scope) contain(ctx context.Context, f func()) {
	defer func() {
		if v := recover(); v != nil {
			p := Recovered(v)
			Log(ctx, s.Logger(nil), slog.LevelError, "deferred work panicked", "panic", p.Text(), "stack", string(p.Stack))
		}
	}()
	f()
}
