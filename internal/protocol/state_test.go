package protocol

import (
	"bytes"
	"context"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/internal/scope"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

// asker is a tool whose handler may ask its client.
func asker(name string, verb middleware.Verb, h func(*middleware.Ctx[struct{}]) result.Result[string]) *catalog.Tool {
	t := tool(name, echo)
	t.Verb = verb
	t.Derive = func(ctx context.Context, call *middleware.Call, s *scope.Scope) (any, error) {
		return middleware.NewCtx(ctx, struct{}{}, call, s), nil
	}
	t.Invoke = func(app, _ any) (any, error) { return h(app.(*middleware.Ctx[struct{}])).Get() }
	return t
}

type consent struct {
	OK bool `json:"ok"`
}

// refund asks once and counts how often it was carried out.
func refund(verb middleware.Verb, done *atomic.Int64) *catalog.Tool {
	return asker("refund", verb, func(ctx *middleware.Ctx[struct{}]) result.Result[string] {
		return ctx.Elicit[consent]("sure", "Sure?").Map(func(consent) string {
			done.Add(1)
			return "refunded"
		})
	})
}

const askMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`

// asks calls a tool of a client that can be asked. Rest are further members of params.
func asks(t testing.TB, c *Conn, name, rest string) string {
	t.Helper()
	return send(t, c, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`+askMeta+`,"name":"`+name+`"`+rest+`}}`)
}

// stateIn is the requestState of a reply.
func stateIn(t testing.TB, reply string) string {
	t.Helper()
	var r struct {
		Result struct {
			State string `json:"requestState"`
		} `json:"result"`
	}
	if err := json.Unmarshal([]byte(reply), &r); err != nil || r.Result.State == "" {
		t.Fatalf("no state in %s", reply)
	}
	return r.Result.State
}

const yes = `,"inputResponses":{"sure":{"action":"accept","content":{"ok":true}}}`

func withState(state string) string { return `,"requestState":"` + state + `"` }

func TestAQuestionEndsTheCallAndItsAnswerBeginsItAnew(t *testing.T) {
	var done atomic.Int64
	c := serverOf(t, refund(middleware.Mutation, &done)).Connect(middleware.Subject{})
	first := asks(t, c, "refund", "")
	want(t, first, `"result":{"resultType":"input_required","inputRequests":{"sure":{"method":"elicitation/create","params":{"message":"Sure?","requestedSchema":{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}}}},"requestState":"`)
	if strings.Contains(first, "ttlMs") {
		t.Error("a question may be cached:", first)
	}
	want(t, asks(t, c, "refund", yes+withState(stateIn(t, first))), `"structuredContent":{"result":"refunded"}`)
}

func TestWhatIsNoGoodAnswerIsAskedForAgain(t *testing.T) {
	var done atomic.Int64
	c := serverOf(t, refund(middleware.Mutation, &done)).Connect(middleware.Subject{})
	state := stateIn(t, asks(t, c, "refund", ""))
	for name, rest := range map[string]string{
		"nothing":           "",
		"null":              `,"inputResponses":null`,
		"another key":       `,"inputResponses":{"other":{"action":"accept"}}`,
		"a number":          `,"inputResponses":{"sure":12345}`,
		"an unknown action": `,"inputResponses":{"sure":{"action":"maybe"}}`,
		"no content":        `,"inputResponses":{"sure":{"action":"accept"}}`,
		"a wrong type":      `,"inputResponses":{"sure":{"action":"accept","content":{"ok":"yes"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			want(t, asks(t, c, "refund", rest), `"resultType":"input_required","inputRequests":{"sure":`)
			want(t, asks(t, c, "refund", rest+withState(state)), `"resultType":"input_required","inputRequests":{"sure":`)
		})
	}
	if done.Load() != 0 {
		t.Error("it was carried out")
	}
	want(t, asks(t, c, "refund", yes+withState(state)), `"refunded"`)
}

func TestAnswersMayComeUnaskedAndBesideUnknownOnes(t *testing.T) {
	var done atomic.Int64
	c := serverOf(t, refund(middleware.Mutation, &done)).Connect(middleware.Subject{})
	want(t, asks(t, c, "refund", `,"inputResponses":{"more":1,"sure":{"action":"accept","content":{"ok":true}}}`), `"refunded"`)
}

func TestWhatIsNoInputAtAllIsAnError(t *testing.T) {
	var done atomic.Int64
	c := serverOf(t, refund(middleware.Mutation, &done)).Connect(middleware.Subject{})
	for rest, problem := range map[string]string{
		`,"inputResponses":[]`:            `"inputResponses\" must be an object`,
		`,"inputResponses":{"a":1,"a":2}`: `"inputResponses\" must be an object with each key once`,
		`,"requestState":5`:               `"requestState\" must be the string`,
		`,"requestState":""`:              `the requestState is refused`,
		`,"requestState":"AAAA"`:          `the requestState is refused`,
		`,"requestState":"ä"`:             `the requestState is refused`,
	} {
		want(t, asks(t, c, "refund", rest), `"error":{"code":-32602,`, problem)
	}
}

func TestAStateIsGoodForItsOwnCallAlone(t *testing.T) {
	var done atomic.Int64
	other := refund(middleware.Mutation, &done)
	other.ID, other.Name = "other", "other"
	s := serverOf(t, refund(middleware.Mutation, &done), other)
	ann := s.Connect(middleware.Subject{ID: "ann"})
	state := stateIn(t, asks(t, ann, "refund", `,"arguments":{"id":"a","n":9007199254740993}`))

	for name, got := range map[string]string{
		"another tool":            asks(t, ann, "other", `,"arguments":{"id":"a","n":9007199254740993}`+yes+withState(state)),
		"other arguments":         asks(t, ann, "refund", `,"arguments":{"id":"b","n":9007199254740993}`+yes+withState(state)),
		"a number beyond doubles": asks(t, ann, "refund", `,"arguments":{"id":"a","n":9007199254740992}`+yes+withState(state)),
		"no arguments":            asks(t, ann, "refund", yes+withState(state)),
		"another caller":          asks(t, s.Connect(middleware.Subject{ID: "bob"}), "refund", `,"arguments":{"id":"a","n":9007199254740993}`+yes+withState(state)),
		"another process":         asks(t, serverOf(t, refund(middleware.Mutation, &done)).Connect(middleware.Subject{ID: "ann"}), "refund", `,"arguments":{"id":"a","n":9007199254740993}`+yes+withState(state)),
		"changed":                 asks(t, ann, "refund", `,"arguments":{"id":"a","n":9007199254740993}`+yes+withState(state+"-TAMPERED")),
	} {
		t.Run(name, func(t *testing.T) {
			want(t, got, `"error":{"code":-32602,"message":"Invalid params: the requestState is refused`)
		})
	}
	if done.Load() != 0 {
		t.Error("it was carried out")
	}
	want(t, asks(t, ann, "refund", `,"arguments": { "n":9007199254740993, "id":"\u0061" }`+yes+withState(state)), `"refunded"`)
}

func TestAStateOfReplicasWithTheSameKeysIsGoodOnEach(t *testing.T) {
	var done atomic.Int64
	older, newer := bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{2}, 32)
	replica := func(keys ...[]byte) *Conn {
		return mustServer(t, catalogOf(t, refund(middleware.Mutation, &done)), Options{StateKeys: keys}).Connect(middleware.Subject{})
	}
	before := stateIn(t, asks(t, replica(older), "refund", ""))
	want(t, asks(t, replica(newer, older), "refund", yes+withState(before)), `"refunded"`)
	after := stateIn(t, asks(t, replica(newer, older), "refund", ""))
	want(t, asks(t, replica(older), "refund", yes+withState(after)), `-32602`)

	if _, err := New(catalogOf(t), Options{StateKeys: [][]byte{newer, []byte("short")}}); err == nil || !strings.Contains(err.Error(), "StateKeys[1] has 5 bytes") {
		t.Error(err)
	}
}

func TestAStateExpires(t *testing.T) {
	var done atomic.Int64
	now := time.Unix(1_000_000, 0)
	s := mustServer(t, catalogOf(t, refund(middleware.Mutation, &done)), Options{Now: func() time.Time { return now }, StateLife: time.Minute})
	c := s.Connect(middleware.Subject{})
	state := stateIn(t, asks(t, c, "refund", ""))
	now = now.Add(59 * time.Second)
	want(t, asks(t, c, "refund", withState(state)), `input_required`)
	now = now.Add(time.Second)
	want(t, asks(t, c, "refund", yes+withState(state)), `-32602`, `it has expired; make the call anew`)
}

// inParallel makes the same retry a hundred times at once and counts the successes.
func inParallel(t *testing.T, c *Conn, rest string) (succeeded int64) {
	t.Helper()
	var n atomic.Int64
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			got := send(t, c, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{%s,"name":"refund"%s}}`, i, askMeta, rest))
			switch {
			case strings.Contains(got, `"refunded"`):
				n.Add(1)
			case !strings.Contains(got, `-32602`) || !strings.Contains(got, "was used already"):
				t.Error(got)
			}
		})
	}
	all.Wait()
	return n.Load()
}

func TestAHundredReplaysOfAFinalStateGiveOneRun(t *testing.T) {
	for _, verb := range []middleware.Verb{middleware.Mutation, middleware.Action} {
		var done atomic.Int64
		c := serverOf(t, refund(verb, &done)).Connect(middleware.Subject{})
		state := stateIn(t, asks(t, c, "refund", ""))
		if n := inParallel(t, c, yes+withState(state)); n != 1 || done.Load() != 1 {
			t.Errorf("%s: %d successes, %d runs", verb, n, done.Load())
		}
	}
}

func TestAQueryMayBeFinishedAgain(t *testing.T) {
	var done atomic.Int64
	c := serverOf(t, refund(middleware.Query, &done)).Connect(middleware.Subject{})
	state := stateIn(t, asks(t, c, "refund", ""))
	if n := inParallel(t, c, yes+withState(state)); n != 100 {
		t.Errorf("%d of 100", n)
	}
}

func TestAStateIsUsedUpByItsHandlerAndByNothingBefore(t *testing.T) {
	var done atomic.Int64
	refuse := true
	guarded := refund(middleware.Mutation, &done)
	guarded.Wraps = []middleware.Wrap{func(ctx context.Context, call *middleware.Call, next middleware.Next) *result.Response {
		if refuse && call.Round > 0 {
			return result.FromError(result.RateLimited("slow down"))
		}
		return next(ctx, call)
	}}
	c := serverOf(t, guarded).Connect(middleware.Subject{})
	state := stateIn(t, asks(t, c, "refund", ""))
	want(t, asks(t, c, "refund", yes+withState(state)), "RATE_LIMITED")
	refuse = false
	want(t, asks(t, c, "refund", yes+withState(state)), `"refunded"`)
	want(t, asks(t, c, "refund", yes+withState(state)), `was used already`)
}

// brokenNonces is a store that is down.
type brokenNonces struct{ NonceStore }

func (brokenNonces) Use(context.Context, string, time.Duration) (bool, error) { return false, errBoom }

func TestAStoreThatIsDownRefusesTheRetry(t *testing.T) {
	var done atomic.Int64
	c := mustServer(t, catalogOf(t, refund(middleware.Mutation, &done)), Options{Nonces: brokenNonces{}}).Connect(middleware.Subject{})
	state := stateIn(t, asks(t, c, "refund", ""))
	got := asks(t, c, "refund", yes+withState(state))
	want(t, got, "UNAVAILABLE", `\"retryable\":true`)
	if strings.Contains(got, "10.0.0.1") || done.Load() != 0 {
		t.Error(got)
	}
}

func TestMemoryForgetsNoncesWhenTheyAreWorthlessAndHoldsNotTooMany(t *testing.T) {
	now := time.Unix(0, 0)
	m := newMemoryNonces(func() time.Time { return now })
	use := func(nonce string) bool {
		t.Helper()
		fresh, err := m.Use(t.Context(), nonce, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		return fresh
	}
	if !use("a") || use("a") {
		t.Error("a nonce is used up once")
	}
	if _ = m.Reuse(t.Context(), "a"); !use("a") {
		t.Error("taken back")
	}
	for i := range maxSubjectNonces {
		use("ann." + strconv.Itoa(i))
	}
	if _, err := m.Use(t.Context(), "ann.more", time.Minute); !errors.Is(err, errTooManyNonces) {
		t.Error(err)
	}
	if !use("ben.1") {
		t.Error("ann took the room of ben")
	}
	for i := len(m.used); i < maxNonces; i++ {
		use(strconv.Itoa(i) + ".1")
	}
	if _, err := m.Use(t.Context(), "eve.1", time.Minute); !errors.Is(err, errTooManyNonces) {
		t.Error(err)
	}
	now = now.Add(2 * time.Minute)
	if !use("ann.more") || len(m.used) != 1 || m.order.Len() != 1 || len(m.of) != 1 {
		t.Errorf("%d are left", len(m.used))
	}
}

func TestEarlierAnswersRideSealedAndCountForGood(t *testing.T) {
	steps := asker("steps", middleware.Action, func(ctx *middleware.Ctx[struct{}]) result.Result[string] {
		a := ctx.Elicit[consent]("a", "A?")
		if _, err := a.Get(); err != nil {
			return result.Err[string](err)
		}
		return ctx.Elicit[consent]("b", "B?").Map(func(b consent) string {
			first, _ := a.Get()
			return fmt.Sprint(first.OK, b.OK, ctx.Call.Round)
		})
	})
	c := serverOf(t, steps).Connect(middleware.Subject{})
	one := stateIn(t, asks(t, c, "steps", ""))
	second := asks(t, c, "steps", `,"inputResponses":{"a":{"action":"accept","content":{"ok":true}}}`+withState(one))
	want(t, second, `"inputRequests":{"b":`)
	two := stateIn(t, second)
	if one == two {
		t.Error("the state did not change")
	}
	got := asks(t, c, "steps", `,"inputResponses":{"a":{"action":"accept","content":{"ok":false}},"b":{"action":"accept","content":{"ok":true}}}`+withState(two))
	want(t, got, `"result":"true true 2"`)
}

func TestAStateThatGrowsTooLargeEndsTheCall(t *testing.T) {
	greedy := asker("greedy", middleware.Action, func(ctx *middleware.Ctx[struct{}]) result.Result[string] {
		for i := range 10 {
			_ = ctx.Once(strconv.Itoa(i), func() (string, error) { return strings.Repeat("x", 15<<10), nil })
		}
		return ctx.Elicit[consent]("sure", "Sure?").Map(func(consent) string { return "" })
	})
	want(t, asks(t, serverOf(t, greedy).Connect(middleware.Subject{}), "greedy", ""), "INTERNAL")
}

func TestInputOfARetryMeansNothingInASession(t *testing.T) {
	c := opened(t, serverOf(t, tool("x", echo)), "2025-11-25")
	want(t, send(t, c, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","requestState":7,"inputResponses":[]}}`), `"structuredContent":{}`)
}

func TestOfAllWaysToFinishACallOneCanBeTaken(t *testing.T) {
	var held, done atomic.Int64
	reserve := asker("reserve", middleware.Mutation, func(ctx *middleware.Ctx[struct{}]) result.Result[string] {
		if _, err := ctx.Elicit[consent]("a", "A?").Get(); err != nil {
			return result.Err[string](err)
		}
		_ = ctx.Once("hold", func() (int64, error) { return held.Add(1), nil })
		return ctx.Elicit[consent]("b", "B?").Map(func(consent) string { done.Add(1); return "reserved" })
	})
	c := serverOf(t, reserve).Connect(middleware.Subject{})
	first := stateIn(t, asks(t, c, "reserve", ""))
	var forks []string
	for range 5 {
		forks = append(forks, stateIn(t, asks(t, c, "reserve", `,"inputResponses":{"a":{"action":"accept","content":{"ok":true}}}`+withState(first))))
	}
	for _, fork := range forks {
		asks(t, c, "reserve", `,"inputResponses":{"b":{"action":"accept","content":{"ok":true}}}`+withState(fork))
	}
	if done.Load() != 1 {
		t.Errorf("%d times", done.Load())
	}
}

func TestAWrapMayTryTheSameRoundAgain(t *testing.T) {
	runs := 0
	flaky := asker("refund", middleware.Mutation, func(ctx *middleware.Ctx[struct{}]) result.Result[string] {
		if _, err := ctx.Elicit[consent]("sure", "Sure?").Get(); err != nil {
			return result.Err[string](err)
		}
		if runs++; runs == 1 {
			return result.Fail[string](result.Unavailable("in a moment"))
		}
		return result.OK("refunded")
	})
	flaky.Wraps = []middleware.Wrap{func(ctx context.Context, call *middleware.Call, next middleware.Next) *result.Response {
		resp := next(ctx, call)
		if resp.Failure != nil && resp.Failure.Code == result.CodeUnavailable {
			resp = next(ctx, call)
		}
		return resp
	}}
	c := serverOf(t, flaky).Connect(middleware.Subject{})
	state := stateIn(t, asks(t, c, "refund", ""))
	want(t, asks(t, c, "refund", yes+withState(state)), `"refunded"`)
	want(t, asks(t, c, "refund", yes+withState(state)), `was used already`)
}

func TestAQuestionThatCannotBeSentWasNotCarriedOut(t *testing.T) {
	for name, ask := range map[string]func(*middleware.Ctx[struct{}]){
		"a state too large": func(ctx *middleware.Ctx[struct{}]) {
			for i := range 10 {
				_ = ctx.Once(strconv.Itoa(i), func() (string, error) { return strings.Repeat("x", 15<<10), nil })
			}
			_ = ctx.Elicit[consent]("sure", "Sure?")
		},
	} {
		t.Run(name, func(t *testing.T) {
			tool := asker("x", middleware.Mutation, func(ctx *middleware.Ctx[struct{}]) result.Result[string] { ask(ctx); return result.OK("") })
			tool.Hints.ReadOnly = false
			got := asks(t, serverOf(t, tool).Connect(middleware.Subject{}), "x", "")
			want(t, got, "INTERNAL")
			if strings.Contains(got, "carried out") {
				t.Error(got)
			}
		})
	}
}

func TestAnAnswerIsGoodForWhatWasAskedAlone(t *testing.T) {
	price, agreed := 180, 0
	pay := asker("pay", middleware.Mutation, func(ctx *middleware.Ctx[struct{}]) result.Result[string] {
		asked := price
		return ctx.Elicit[consent]("sure", fmt.Sprintf("Pay %d?", asked)).Map(func(consent) string { agreed = asked; return "paid" })
	})
	c := serverOf(t, pay).Connect(middleware.Subject{})
	state := stateIn(t, asks(t, c, "pay", ""))
	price = 280
	again := asks(t, c, "pay", yes+withState(state))
	want(t, again, `"input_required"`, "Pay 280?")
	want(t, asks(t, c, "pay", yes+withState(stateIn(t, again))), `"paid"`)
	if agreed != 280 {
		t.Errorf("agreed to %d", agreed)
	}

	step := asker("step", middleware.Mutation, func(ctx *middleware.Ctx[struct{}]) result.Result[string] {
		if _, err := ctx.Elicit[consent]("sure", fmt.Sprintf("Pay %d?", price)).Get(); err != nil {
			return result.Err[string](err)
		}
		return ctx.Elicit[consent]("really", "Really?").Map(func(consent) string { return "paid" })
	})
	c = serverOf(t, step).Connect(middleware.Subject{})
	second := asks(t, c, "step", yes+withState(stateIn(t, asks(t, c, "step", ""))))
	want(t, second, "Really?")
	price = 380 // the answer that was proved is to another question now
	third := asks(t, c, "step", `,"inputResponses":{"really":{"action":"accept","content":{"ok":true}}}`+withState(stateIn(t, second)))
	want(t, third, "Pay 380?")
	want(t, asks(t, c, "step", yes+withState(stateIn(t, third))), "Really?")
}

// FuzzState opens what anybody may send: it never panics, and opens nothing but what was
// sealed, for the same call.
func FuzzState(f *testing.F) {
	s, err := newSealer(&Options{StateLife: time.Hour, Now: time.Now}, nil, "x")
	if err != nil {
		f.Fatal(err)
	}
	sealed, err := s.seal(&state{Round: 1, Recall: scope.Recall{Kept: map[string]jsontext.Value{"k": jsontext.Value(`1`)}}}, []byte("call"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add("AAAA", uint16(0), byte(0), "call")
	f.Add("", uint16(3), byte('x'), "call")
	f.Add("", uint16(0), byte(0), "other")
	f.Fuzz(func(t *testing.T, text string, at uint16, to byte, call string) {
		if text == "" { // else what was sealed, changed in one place
			b := []byte(sealed)
			b[int(at)%len(b)] = to
			text = string(b)
		}
		st, err := s.open(text, []byte(call))
		if text == sealed && call == "call" {
			if err != nil || st.Round != 1 || string(st.Recall.Kept["k"]) != "1" {
				t.Errorf("%v %v", st, err)
			}
		} else if err == nil {
			t.Errorf("%q opened", text)
		}
	})
}
