package scope

import (
	"bytes"
	"context"
	"encoding/json/jsontext"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mcpfusion/go/result"
)

// listening is the line of a client that wants all log records.
type listening struct {
	Line

	mu   sync.Mutex
	logs []string
}

func (*listening) Wants(slog.Level) bool { return true }
func (l *listening) Log(_ slog.Level, data jsontext.Value) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.logs = append(l.logs, string(data))
}

type secretive struct{ Op string }

func (*secretive) Error() string { return "secret" }

type unmarshalable struct{}

func (unmarshalable) MarshalJSON() ([]byte, error) { return nil, errors.New("secret") }

type panicking struct{}

func (panicking) MarshalText() ([]byte, error) { panic("secret") }

type unwrapping struct{}

func (unwrapping) Error() string { return "secret" }
func (unwrapping) Unwrap() error { panic("secret") }

// chatty logs while it is logged.
type chatty struct{ log *slog.Logger }

func (c chatty) LogValue() slog.Value {
	c.log.Info("inside")
	return slog.StringValue("said")
}

func TestAClientIsSentRecordsWithoutTheTextsOfErrors(t *testing.T) {
	var server bytes.Buffer
	line := &listening{}
	log := New(slog.New(slog.NewTextHandler(&server, nil)), "x").Logger(line)
	secret := errors.New("secret")
	for want, say := range map[string]func(){
		`{"msg":"m","e":"see the server's log"}`:                          func() { log.Info("m", "e", secret) },
		`{"msg":"m","f":"NOT_FOUND: gone"}`:                               func() { log.Info("m", "f", fmt.Errorf("secret: %w", result.NotFound("gone"))) },
		`{"msg":"m","p":"see the server's log"}`:                          func() { log.Info("m", "p", &secretive{"secret"}) },
		`{"msg":"m","l":["see the server's log","see the server's log"]}`: func() { log.Info("m", "l", []error{secret, secret}) },
		`{"msg":"m","k":{"a":"see the server's log"}}`:                    func() { log.Info("m", "k", map[string]error{"a": secret}) },
		`{"msg":"m","s":{"E":"see the server's log"}}`:                    func() { log.Info("m", "s", struct{ E error }{secret}) },
		`{"msg":"m","j":"see the server's log"}`:                          func() { log.Info("m", "j", unmarshalable{}) },
		`{"msg":"m","t":"see the server's log"}`:                          func() { log.Info("m", "t", panicking{}) },
		`{"msg":"m","u":"see the server's log"}`:                          func() { log.Info("m", "u", unwrapping{}) },
		`{"msg":"m","c":"see the server's log"}`:                          func() { log.Info("m", "c", make(chan int)) },
		`{"msg":"m","v":"said"}`:                                          func() { log.Info("m", "v", chatty{log}) },
		`{"msg":"m","d":"1h0m0s","n":"NaN","b":true,"i":1,"o":{"a":2}}`: func() {
			log.Info("m", "d", time.Hour, "n", math.NaN(), "b", true, "i", 1, "o", map[string]int{"a": 2})
		},
		`{"msg":"m","time":1,"level":2}`:      func() { log.Info("m", "time", 1, "level", 2) },
		`{"msg":"m","id":2}`:                  func() { log.With("id", 1).Info("m", "id", 2, "msg", "x") },
		`{"msg":"m","g":{"a":1,"h":{"b":2}}}`: func() { log.WithGroup("g").With("a", 1).WithGroup("h").Info("m", "b", 2) },
		`{"msg":"m","g":{"a":1},"z":3}`: func() {
			log.Info("m", slog.Group("g", "a", 1), slog.Group("", "z", 3), slog.Group("none"), slog.Attr{})
		},
	} {
		line.logs = nil
		say()
		assert.Contains(t, line.logs, want)
		assert.NotContains(t, strings.Join(line.logs, ""), "secret")
	}
	assert.Contains(t, server.String(), "secret", "the server's log has it all")
}

func TestARecordThatIsTooLongIsItsMessageAlone(t *testing.T) {
	line := &listening{}
	New(slog.New(slog.DiscardHandler), "x").Logger(line).Info("m", "x", strings.Repeat("x", 20<<10))
	assert.Equal(t, []string{`{"msg":"m"}`}, line.logs)
}

func TestALoggerOfACallIsSafeForManyGoroutines(t *testing.T) {
	line := &listening{}
	log := New(slog.New(slog.DiscardHandler), "x").Logger(line).With("a", 1)
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() { log.With("b", i).WithGroup("g").InfoContext(context.Background(), "m", "c", i) })
	}
	all.Wait()
	assert.Len(t, line.logs, 50)
}
