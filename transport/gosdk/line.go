//nolint:staticcheck // sessions have what 2026-07-28 deprecates
package gosdk

import (
	"context"
	"encoding/json/jsontext"
	"errors"
	"log/slog"
	"math"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/internal/scope"
	"github.com/mcpfusion/go/middleware"
	fusion "github.com/mcpfusion/go/result"
)

// line is what the handler of a call says to its client beside the answer, and what it
// hears, over the SDK's session. It implements [scope.Line].
type line struct {
	ctx     context.Context // of the request, by which the SDK finds its stream; ends with the call
	session *mcp.ServerSession
	call    *middleware.Call
	token   any // for progress; nil for none
	memory  *scope.Memory

	mu       sync.Mutex // held while something is sent, so that it arrives in order
	progress scope.Progress
}

var _ scope.Line = (*line)(nil)

// run makes a call whose handler can reach the client that r is from.
func (b *bridge) run(ctx context.Context, r mcp.Request, call *middleware.Call) *catalog.Reply {
	session, is := r.GetSession().(*mcp.ServerSession)
	if !is {
		return b.catalog.Call(ctx, call)
	}
	l := &line{session: session, call: call, token: tokenOf(r.GetParams().GetMeta()), memory: scope.NewMemory(scope.Recall{}, nil)}
	var end context.CancelCauseFunc
	l.ctx, end = context.WithCancelCause(ctx)
	defer l.end(end)
	return b.catalog.Call(context.WithValue(ctx, scope.LineKey{}, l), call)
}

// end waits for what is being sent. Nothing is sent later.
func (l *line) end(end context.CancelCauseFunc) {
	l.mu.Lock()
	defer l.mu.Unlock()
	end(errEnded)
}

var (
	errEnded      = errors.New("the call has ended")
	errNoResponse = errors.New("the client did not respond in time")
)

// tokenOf is the progress token of a request, which is a string or an integer; nil if it
// has none.
func tokenOf(meta map[string]any) any {
	switch token := meta["progressToken"].(type) {
	case string:
		if len(token) <= scope.MaxToken {
			return token
		}
	case float64:
		if token == math.Trunc(token) {
			return token
		}
	}
	return nil
}

// Progress implements [scope.Line].
func (l *line) Progress(progress, total float64, message string) {
	if l.token == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ctx.Err() != nil || !l.progress.Advance(progress, total) {
		return
	}
	_ = l.session.NotifyProgress(l.ctx, &mcp.ProgressNotificationParams{
		ProgressToken: l.token, Progress: progress, Total: total, Message: message,
	})
}

// Wants implements [scope.Line]. The SDK keeps the level to itself, so it is asked to log,
// and [send] sees whether it would.
func (l *line) Wants(level slog.Level) bool {
	wanted := false
	_ = l.session.Log(context.WithValue(l.ctx, probeKey{}, &wanted), &mcp.LoggingMessageParams{Level: levelOf(level)})
	return wanted
}

// Log implements [scope.Line].
func (l *line) Log(level slog.Level, data jsontext.Value) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ctx.Err() != nil || !data.IsValid() {
		return
	}
	_ = l.session.Log(l.ctx, &mcp.LoggingMessageParams{Level: levelOf(level), Logger: l.call.Name, Data: data})
}

// levelOf is the protocol's level for one of slog, as Fusion's own transports have it.
func levelOf(level slog.Level) mcp.LoggingLevel {
	switch {
	case level < slog.LevelInfo:
		return "debug"
	case level < mcp.LevelNotice:
		return "info"
	case level < slog.LevelWarn:
		return "notice"
	case level < slog.LevelError:
		return "warning"
	case level < mcp.LevelCritical:
		return "error"
	}
	return "critical"
}

// Supports implements [scope.Line]. The SDK sends no requests where its client asked for a
// stateless revision, even if it got another.
func (l *line) Supports(capability string) bool {
	p := l.session.InitializeParams()
	if p == nil || p.Capabilities == nil || p.ProtocolVersion >= stateless || l.call.Revision >= stateless ||
		!scope.Known(l.call.Revision, capability) {
		return false
	}
	return scope.Declared(capability, func(capability string) bool { return declares(p.Capabilities, capability) })
}

func declares(c *mcp.ClientCapabilities, capability string) bool {
	switch capability {
	case "roots":
		return c.RootsV2 != nil
	case "sampling":
		return c.Sampling != nil
	case "sampling.context":
		return c.Sampling != nil && c.Sampling.Context != nil
	case "sampling.tools":
		return c.Sampling != nil && c.Sampling.Tools != nil
	case "elicitation":
		return c.Elicitation != nil
	case "elicitation.form":
		return c.Elicitation != nil && c.Elicitation.Form != nil
	case "elicitation.url":
		return c.Elicitation != nil && c.Elicitation.URL != nil
	}
	return false
}

// Immediate implements [scope.Line].
func (l *line) Immediate() bool { return true }

// patience is how long a client may take to answer.
const patience = 2 * time.Minute

// Patience implements [scope.Line].
func (l *line) Patience(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, patience, errNoResponse)
}

// Memory implements [scope.Line].
func (l *line) Memory() *scope.Memory { return l.memory }

// Request implements [scope.Line].
func (l *line) Request(ctx context.Context, method string, params jsontext.Value) (jsontext.Value, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(l.ctx, func() { cancel(context.Cause(l.ctx)) })()
	err := context.Cause(l.ctx)
	var answer jsontext.Value
	if err == nil {
		answer, err = l.ask(ctx, method, params)
	}
	if err == nil {
		return answer, nil
	}
	if refused, is := errors.AsType[*jsonrpc.Error](err); is && refused.Code == scope.UserRejected {
		return nil, fusion.Declined("The user was asked and declined").Because(err)
	}
	switch ended := context.Cause(ctx); {
	case errors.Is(ended, errNoResponse):
		return nil, fusion.NoAnswer("The client was asked and did not answer in time").Because(ended)
	case ended != nil && !errors.Is(ended, errEnded):
		return nil, ended
	}
	return nil, fusion.NoAnswer("The client could not be asked").Because(err)
}
