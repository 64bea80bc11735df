package protocol

import (
	"context"
	"encoding/json/jsontext"
	"errors"
	"log/slog"
	"strings"
	"sync"

	"github.com/mcpfusion/go/internal/scope"
	"github.com/mcpfusion/go/result"
)

// dialog is what the handler of a call says to its client beside the answer, and what it
// hears. It implements [scope.Line] and [scope.Round].
type dialog struct {
	x *exchange

	mu       sync.Mutex
	progress scope.Progress
	memory   *scope.Memory
	state    *state // that the request came with; nil for none
	used     bool   // the state, by this request
}

var (
	_ scope.Line  = (*dialog)(nil)
	_ scope.Round = (*dialog)(nil)
)

// Progress implements [scope.Line], see basic/utilities/progress.
func (d *dialog) Progress(progress, total float64, message string) {
	token := d.x.msg.params.meta.progressToken
	if !isString(token) && !isInteger(token) || len(token) > scope.MaxToken {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.progress.Advance(progress, total) {
		return
	}
	e := encoder{dst: []byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`)}
	e.dst = append(e.dst, token...)
	e.raw(`,"progress":`)
	e.value(progress)
	if total != 0 {
		e.raw(`,"total":`)
		e.value(total)
	}
	if d.x.rev.annotated() {
		e.member("message", message)
	}
	e.raw("}}")
	d.x.notify(e.dst)
}

// isInteger reports whether a value is a JSON integer.
func isInteger(raw jsontext.Value) bool { return !isString(raw) && readableID(raw) }

// Wants implements [scope.Line].
func (d *dialog) Wants(level slog.Level) bool { return d.x.logLevel().wants(level) }

// Log implements [scope.Line], see server/utilities/logging.
func (d *dialog) Log(level slog.Level, data jsontext.Value) {
	e := encoder{dst: []byte(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"`)}
	e.raw(logLevelOf(level).String())
	e.raw(`","logger":`)
	e.text(d.x.called.Name)
	e.raw(`,"data":`)
	if e.json(data) != nil {
		return
	}
	e.raw("}}")
	d.x.notify(e.dst)
}

// Supports implements [scope.Line].
func (d *dialog) Supports(capability string) bool {
	return scope.Known(d.x.rev.String(), capability) && scope.Declared(capability, func(capability string) bool {
		return d.x.declares(strings.Split(capability, ".")...)
	})
}

// Immediate implements [scope.Line].
func (d *dialog) Immediate() bool { return !d.x.rev.stateless() }

// Patience implements [scope.Line].
func (d *dialog) Patience(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, d.x.srv.options.AskTimeout, errNoResponse)
}

// Request implements [scope.Line].
func (d *dialog) Request(ctx context.Context, method string, params jsontext.Value) (jsontext.Value, error) {
	answer, err := d.x.request(ctx, method, params)
	var refused *clientError
	switch {
	case errors.Is(err, errNoResponse):
		return nil, result.NoAnswer("The client was asked and did not answer in time").Because(err)
	case errors.As(err, &refused) && refused.Code == scope.UserRejected:
		return nil, result.Declined("The user was asked and declined").Because(err)
	case errors.Is(err, errNoChannel), refused != nil:
		return nil, result.NoAnswer("The client could not be asked").Because(err)
	}
	return answer, err
}

// Memory implements [scope.Line].
func (d *dialog) Memory() *scope.Memory {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.memory == nil {
		d.memory = scope.NewMemory(scope.Recall{}, nil)
	}
	return d.memory
}

// Use implements [scope.Round].
func (d *dialog) Use(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.state == nil || d.used { // a Wrap may try the same request again
		return nil
	}
	err := d.x.srv.sealer.use(ctx, d.state)
	d.used = err == nil
	return err
}

// Reuse implements [scope.Round].
func (d *dialog) Reuse() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.used {
		d.used = false
		d.x.srv.sealer.reuse(d.x.ctx, d.state)
	}
}
