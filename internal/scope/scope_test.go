package scope

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"strings"
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

func TestLateDeferredWorkIsContained(t *testing.T) {
	s := New(slog.New(slog.DiscardHandler), "x")
	s.Close(t.Context())
	s.Defer(func() { panic("late") })
}
