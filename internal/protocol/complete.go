package protocol

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"net/http"
	"sync"
	"time"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/middleware"
)

// completionParams are the parameters of completion/complete.
type completionParams struct {
	Ref struct {
		Type string `json:"type"`
		Name string `json:"name"`
		URI  string `json:"uri"`
	}
	Argument struct {
		Name  *string `json:"name"`
		Value *string `json:"value"`
	}
	Context struct {
		Arguments jsontext.Value `json:"arguments"`
	}
}

// complete answers completion/complete, see server/utilities/completion. It is limited in
// its rate, since clients ask at each key.
func complete(x *exchange, dst []byte) ([]byte, *fault) {
	p, f := x.completionParams()
	if f != nil {
		return dst, f
	}
	if !x.srv.limiter.allow(x.caller()) {
		return dst, tooFast
	}
	c := x.call(middleware.KindCompletion)
	q := catalog.Question{Kind: middleware.KindPrompt, Argument: *p.Argument.Name, Prefix: *p.Argument.Value}
	if c.Name = p.Ref.Name; p.Ref.Type == "ref/resource" {
		q.Kind, c.Name = middleware.KindResource, p.Ref.URI
	}
	if isObject(p.Context.Arguments) {
		c.Arguments = p.Context.Arguments
	}
	x.called = c
	x.reply = x.srv.catalog.Complete(x.ctx, c, q)
	return x.result(dst, x.reply)
}

func (x *exchange) completionParams() (p completionParams, f *fault) {
	refused := func(what string) (completionParams, *fault) { return p, invalidParams("Invalid params: " + what) }
	raw := &x.msg.params
	if !isObject(raw.ref) || json.Unmarshal(raw.ref, &p.Ref) != nil || p.Ref.Type != "ref/prompt" && p.Ref.Type != "ref/resource" {
		return refused(`"ref" must be a "ref/prompt" with a name or a "ref/resource" with a uri`)
	}
	if !isObject(raw.argument) || json.Unmarshal(raw.argument, &p.Argument) != nil || p.Argument.Name == nil || p.Argument.Value == nil {
		return refused(`"argument" must have a name and a value`)
	}
	if !isAbsent(raw.context) && (json.Unmarshal(raw.context, &p.Context) != nil || !isAbsent(p.Context.Arguments) && !isObject(p.Context.Arguments)) {
		return refused(`"context.arguments" must be an object`)
	}
	return p, nil
}

// caller is whom a limit is for: the session, or else the subject.
func (x *exchange) caller() string {
	if x.session != nil {
		return x.session.id
	}
	return x.in.Subject.ID
}

var tooFast = &fault{
	code: codeInternal, message: "Too many completions, try again in a moment", status: http.StatusTooManyRequests,
}

// How many completions one caller may ask for: at once, and in the long run.
const (
	completionBurst  = 100
	completionPeriod = 20 * time.Millisecond
)

// limiter bounds how often each caller asks. It keeps the moment at which the caller's
// allowance is full again: who has waited so long needs no entry.
type limiter struct {
	now func() time.Time

	mu   sync.Mutex
	full map[string]time.Time
}

func newLimiter(now func() time.Time) *limiter {
	return &limiter{now: now, full: make(map[string]time.Time)}
}

// sweepAt is how many entries there are before those without use are removed.
const sweepAt = 10_000

func (l *limiter) allow(caller string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	full := l.full[caller]
	if full.Before(now) {
		full = now
	}
	if full = full.Add(completionPeriod); full.Sub(now) > completionBurst*completionPeriod {
		return false
	}
	if len(l.full) >= sweepAt {
		for who, when := range l.full {
			if !when.After(now) {
				delete(l.full, who)
			}
		}
	}
	l.full[caller] = full
	return true
}
