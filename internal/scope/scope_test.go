package scope

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
)

// hostile is an error whose every method panics with itself, which fmt does not survive.
type hostile struct{}

func (h *hostile) Error() string { panic(h) }
func (h *hostile) Is(error) bool { panic(h) }
func (h *hostile) Unwrap() error { panic(h) }

func TestTextNeverPanicsAndNeverWalks(t *testing.T) {
	cycle := map[string]any{}
	cycle["self"] = cycle
	for want, v := range map[string]any{
		"nil":                     nil,
		"boom":                    errors.New("boom"),
		"5":                       5,
		"a map[string]interface":  cycle,
		"cannot say what it is":   &hostile{},
		"invalid memory address":  Recovered(func() (v any) { defer func() { v = recover() }(); var p *int; return *p }()).Value,
		strings.Repeat("x", 8000): strings.Repeat("x", 10<<20),
	} {
		text := Text(v)
		assert.Contains(t, text, want)
		assert.Less(t, len(text), 10_000)
	}
}

func TestAPanicIsOnlyWhatItsErrorIs(t *testing.T) {
	assert.ErrorIs(t, Recovered(context.Canceled), context.Canceled)
	assert.NotErrorIs(t, Recovered("x"), context.Canceled)
	assert.NotErrorIs(t, Recovered(&hostile{}), context.Canceled)
}

func TestALogRecordSurvivesItsAttributes(t *testing.T) {
	var log bytes.Buffer
	Log(t.Context(), slog.New(slog.NewTextHandler(&log, nil)), slog.LevelError, "failed", "tool", "x", "error", &hostile{})
	assert.Contains(t, log.String(), "msg=failed tool=x")
	assert.Contains(t, log.String(), "hostile that cannot say what it is")

	Log(t.Context(), slog.New(brokenLog{}), slog.LevelError, "failed", "error", errors.New("x"))
}

type brokenLog struct{ slog.Handler }

func (brokenLog) Enabled(context.Context, slog.Level) bool  { return true }
func (brokenLog) Handle(context.Context, slog.Record) error { panic("no log") }

func TestDeferredWorkRunsAlsoIfSomeOfItEndsTheGoroutine(t *testing.T) {
	var order []int
	done := make(chan struct{})
	go func() {
		defer close(done)
		s := New(slog.New(slog.DiscardHandler), "x")
		s.Defer(func() { order = append(order, 1) })
		s.Defer(runtime.Goexit)
		s.Defer(func() { order = append(order, 2) })
		s.Close(context.Background())
	}()
	<-done
	assert.Equal(t, []int{2, 1}, order)
}

func TestDeferredWorkRunsLastAddedFirstOnceAndAPanicKeepsNoneOfIt(t *testing.T) {
	var log bytes.Buffer
	var order []int
	s := New(slog.New(slog.NewTextHandler(&log, nil)), "billing.refund")
	s.Defer(func() { order = append(order, 1) })
	s.Defer(nil)
	s.Defer(func() { panic("of the second") })
	s.Defer(func() { order = append(order, 3) })
	s.Close(t.Context())
	s.Close(t.Context())
	assert.Equal(t, []int{3, 1}, order)
	assert.Equal(t, 1, strings.Count(log.String(), `msg="deferred work panicked"`))
	assert.Contains(t, log.String(), `tool=billing.refund panic="of the second"`)
	assert.Contains(t, log.String(), "scope_test.go", "the stack is for the log")
}

func TestWhatIsDeferredAfterTheEndRunsAtOnce(t *testing.T) {
	s := New(slog.New(slog.DiscardHandler), "x")
	ran := false
	s.Defer(func() { s.Defer(func() { ran = true }) })
	s.Close(t.Context())
	assert.True(t, ran, "deferred by deferred work")
	ran = false
	s.Defer(func() { ran = true })
	assert.True(t, ran)
}

func TestNoticesEndWithTheCall(t *testing.T) {
	s := New(slog.New(slog.DiscardHandler), "x")
	s.Notice("one")
	s.Notice("")
	notices := s.Notices()
	s.Close(t.Context())
	s.Notice("late")
	assert.Equal(t, []string{"one"}, s.Notices())
	notices[0] = "changed"
	assert.Equal(t, []string{"one"}, s.Notices(), "what was handed out is a copy")
}

func TestNoScopeTakesEverythingAndKeepsNothing(t *testing.T) {
	var s *Scope
	s.Defer(func() { t.Error("nobody ends this call") })
	s.Notice("lost")
	assert.Equal(t, slog.Default(), s.Logger(nil))
}

func TestAScopeIsSafeForManyGoroutines(t *testing.T) {
	s := New(slog.New(slog.DiscardHandler), "x")
	var ran atomic.Int64
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			s.Notice("n")
			s.Defer(func() { ran.Add(1) })
		})
	}
	all.Go(func() { s.Close(t.Context()) })
	all.Wait()
	assert.EqualValues(t, 50, ran.Load(), "each ran once, before the end or after it")
}

func TestASlotIsHeldAndLeftThroughTheContext(t *testing.T) {
	ran := false
	After(t.Context(), func() { ran = true })
	assert.True(t, ran, "outside of a request at once")
	Hold(t.Context())()

	slot := &fakeSlot{}
	ctx := context.WithValue(t.Context(), SlotKey{}, slot)
	release := Hold(ctx)
	assert.Equal(t, 1, slot.held)
	release()
	assert.Zero(t, slot.held)
	After(ctx, func() { t.Error("the slot says when") })
	assert.Len(t, slot.after, 1)
}

type fakeSlot struct {
	held  int
	after []func()
}

func (s *fakeSlot) Hold() (release func()) { s.held++; return func() { s.held-- } }
func (s *fakeSlot) After(f func())         { s.after = append(s.after, f) }

func TestLateDeferredWorkIsContained(t *testing.T) {
	s := New(slog.New(slog.DiscardHandler), "x")
	s.Close(t.Context())
	s.Defer(func() { panic("late") })
}
