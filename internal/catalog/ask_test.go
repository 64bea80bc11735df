package catalog

import (
	"context"
	"encoding/json/jsontext"
	"errors"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpfusion/go/internal/scope"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

// fakeLine is the line of a retry, which writes down what it is asked.
type fakeLine struct {
	log      []string
	used     error
	supports map[string]bool
}

func (*fakeLine) Progress(float64, float64, string) {}
func (*fakeLine) Wants(slog.Level) bool             { return false }
func (*fakeLine) Log(slog.Level, jsontext.Value)    {}
func (l *fakeLine) Supports(capability string) bool { return l.supports[capability] }
func (*fakeLine) Immediate() bool                   { return false }
func (*fakeLine) Memory() *scope.Memory             { return scope.NewMemory(scope.Recall{}, nil) }
func (l *fakeLine) Use(context.Context) error       { l.log = append(l.log, "use"); return l.used }
func (l *fakeLine) Reuse()                          { l.log = append(l.log, "reuse") }
func (*fakeLine) Patience(ctx context.Context) (context.Context, context.CancelFunc) {
	return ctx, func() {}
}
func (*fakeLine) Request(context.Context, string, jsontext.Value) (jsontext.Value, error) {
	return nil, errors.New("not here")
}

// onLine calls a tool in a round of a call.
func onLine(t *testing.T, c *Catalog, l *fakeLine, round int) *Reply {
	t.Helper()
	ctx := context.WithValue(t.Context(), scope.LineKey{}, l)
	return c.Call(ctx, &middleware.Call{Kind: middleware.KindTool, Name: "p", Round: round})
}

func TestNoClaimIsHeldWhileAQuestionIsOpenAndNoStateIsUsedUp(t *testing.T) {
	open := true
	p := tool("p", func(ctx context.Context) (any, error) {
		if open {
			ctx.(handlerContext).scope.Pend(result.InputRequest{Key: "k", Method: "elicitation/create"})
		}
		return "done", nil
	})
	gate, line := &fakeGate{}, &fakeLine{}
	p.Gate = gate
	c, _ := newTest(t, nil, p)

	reply := onLine(t, c, line, 0)
	assert.Equal(t, "k", reply.Pending.Requests[0].Key)
	assert.Equal(t, []string{"look p", "claim p", "release p"}, gate.log)
	assert.Empty(t, line.log, "the first round has no state")

	gate.log = nil
	assert.NotNil(t, onLine(t, c, line, 1).Pending)
	assert.Equal(t, []string{"look p", "claim p", "release p"}, gate.log)
	assert.Equal(t, []string{"use", "reuse"}, line.log)

	open, gate.log, line.log = false, nil, nil
	assert.Equal(t, "done", string(onLine(t, c, line, 2).Lead))
	assert.Equal(t, []string{"look p", "claim p", "commit p"}, gate.log)
	assert.Equal(t, []string{"use"}, line.log)
}

func TestAStateThatWasUsedUpRefusesTheCallAndReleasesItsClaim(t *testing.T) {
	p := tool("p", func(context.Context) (any, error) { t.Error("ran"); return nil, nil })
	gate := &fakeGate{}
	p.Gate = gate
	c, _ := newTest(t, nil, p)
	reply := onLine(t, c, &fakeLine{used: result.Protocol(-32602, "used", nil)}, 1)
	assert.Equal(t, -32602, reply.Fault.Code)
	assert.Equal(t, []string{"look p", "claim p", "release p"}, gate.log)
}

func TestAQueryUsesNoStateUp(t *testing.T) {
	p := tool("p", says("done"))
	p.Verb = middleware.Query
	c, _ := newTest(t, nil, p)
	line := &fakeLine{}
	assert.Equal(t, "done", string(onLine(t, c, line, 3).Lead))
	assert.Empty(t, line.log)
}

func TestWhatAnItemRequiresIsCheckedBehindItsGuardsAndBeforeItsState(t *testing.T) {
	p := tool("p", says("done"))
	gate := &fakeGate{}
	p.Gate, p.Requires = gate, []string{"sampling", "roots"}
	c, _ := newTest(t, nil, p)

	reply := onLine(t, c, &fakeLine{supports: map[string]bool{"roots": true}}, 0)
	assert.Equal(t, -32021, reply.Fault.Code)
	assert.Equal(t, map[string]any{"requiredCapabilities": map[string]any{"sampling": map[string]any{}}}, reply.Fault.Data)
	assert.Empty(t, gate.log)
	assert.Equal(t, "done", string(onLine(t, c, &fakeLine{supports: map[string]bool{"roots": true, "sampling": true}}, 0).Lead))

	p.Guards = []middleware.Guard{func(context.Context, *middleware.Call) *result.Failure { return result.Forbidden("no") }}
	assert.Contains(t, string(onLine(t, c, &fakeLine{}, 0).Lead), "FORBIDDEN")
}
