package middleware

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/mcpfusion/go/internal/scope"
	"github.com/mcpfusion/go/result"
)

// ErrUnanswered is what a question fails with whose answer is yet to come. The handler
// must return at once, with whatever: the client is asked, and the handler runs again from
// its beginning when the answer is there.
var ErrUnanswered = errors.New("the client has been asked and has not answered yet")

// Question is one question to the client of a call, with an answer of type T. [Form],
// [RawForm], [Link], [Sampling] and [Roots] make one, [Ctx.Ask] asks it. It belongs to one
// call and one goroutine.
//
// Its key names it among the questions of the handler. Keys are the author's and stable:
// where a handler runs again for each answer, the key is how the answer finds its question.
type Question[T any] struct {
	inquiry

	read   func(raw jsontext.Value) (answer result.Result[T], problem string)
	answer result.Result[T]
}

// Questioner is a [Question] of any type.
type Questioner interface {
	about() *inquiry
	settle(raw jsontext.Value) (problem string)
	fail(err error)
}

// inquiry is a question without the type of its answer.
type inquiry struct {
	key, method string
	capability  string
	// params are those of the request, for a revision.
	params func(revision string) (map[string]any, error)
}

var errNotAsked = errors.New("the question was not asked; pass it to ctx.Ask")

func newQuestion[T any](about inquiry, read func(jsontext.Value) (result.Result[T], string)) *Question[T] {
	return &Question[T]{inquiry: about, read: read, answer: result.Err[T](errNotAsked)}
}

// Answer is what came of the question, once it was asked. A user who said no or closed the
// question is a Failure with the code DECLINED or DISMISSED.
func (q *Question[T]) Answer() result.Result[T] { return q.answer }

func (q *Question[T]) about() *inquiry { return &q.inquiry }

func (q *Question[T]) fail(err error) { q.answer = result.Err[T](err) }

func (q *Question[T]) settle(raw jsontext.Value) string {
	answer, problem := q.read(raw)
	if problem == "" {
		q.answer = answer
	}
	return problem
}

// Ask asks the client several questions in one round. Each then has its Answer. The error
// is the first thing that keeps the handler from going on: [ErrUnanswered]; a client that
// lacks a capability, which is answered with the JSON-RPC error -32021; a client that gave
// no useful answer, with the code NO_ANSWER; or the end of the context. A user who says no
// is no error here, but the outcome of that question.
//
// In revisions with sessions the questions go out one after the other on the call's own
// stream, and Ask waits. From 2026-07-28 on the handler runs again from its beginning with
// the answers: what comes before a question must be repeatable, or run inside [Ctx.Once].
// An answer that is wrong is asked for again, at most 10 times in one call.
func (c *Ctx[C]) Ask(questions ...Questioner) error { return ask(c, c.Call, c.scope, questions) }

// Supports reports that the client declared a capability and that the protocol revision
// has it: "elicitation", "elicitation.form", "elicitation.url", "sampling",
// "sampling.tools", "sampling.context" or "roots".
func (c *Ctx[C]) Supports(capability string) bool { return scope.Supports(c, capability) }

func ask(ctx context.Context, call *Call, s *scope.Scope, questions []Questioner) error {
	a := asker{ctx: ctx, call: call, scope: s, line: scope.LineOf(ctx)}
	err := askable(ctx, questions)
	if err == nil {
		err = a.prepare(questions)
	}
	if err != nil {
		for _, q := range questions {
			q.fail(err)
		}
		return err
	}
	var first error
	for i, q := range questions {
		err := first
		if first == nil || !a.line.Immediate() { // else the client is not bothered any more
			err = a.one(q, a.params[i], a.digests[i])
		}
		if err != nil {
			q.fail(err)
			first = cmp.Or(first, err)
		}
	}
	return first
}

// askable says why the questions cannot be asked; nil if they can.
func askable(ctx context.Context, questions []Questioner) error {
	var lacking []string
	for _, q := range questions {
		about := q.about()
		if !legalKey(about.key) {
			return fmt.Errorf("a question (%s) needs a key of 1 to %d bytes of text", about.method, maxKey)
		}
		if !scope.Supports(ctx, about.capability) && !slices.Contains(lacking, about.capability) {
			lacking = append(lacking, about.capability)
		}
	}
	if len(lacking) > 0 {
		return scope.Lacking(lacking...)
	}
	return nil
}

// maxKey bounds the key of a question or of work, in bytes.
const maxKey = 128

func legalKey(key string) bool { return key != "" && len(key) <= maxKey && utf8.ValidString(key) }

// asker asks the questions of one call.
type asker struct {
	ctx   context.Context
	call  *Call
	scope *scope.Scope
	line  scope.Line

	params  []map[string]any // of each question
	digests []string         // of each question
}

// prepare finds out what is wrong with any of the questions before one is asked.
func (a *asker) prepare(questions []Questioner) error {
	for _, q := range questions {
		about := q.about()
		params, err := about.params(a.call.Revision)
		if err != nil {
			return err
		}
		digest, err := told(about, params)
		if err == nil {
			err = a.scope.Ask(about.key, digest)
		}
		if err != nil {
			return fmt.Errorf("question %q: %w", about.key, err)
		}
		a.params = append(a.params, params)
		a.digests = append(a.digests, digest)
	}
	return nil
}

// one asks one question, unless its answer is there.
func (a *asker) one(q Questioner, params map[string]any, digest string) error {
	about, memory := q.about(), a.line.Memory()
	raw := memory.Answered(about.key, digest)
	problem := ""
	if raw != nil {
		if problem = q.settle(raw); problem == "" {
			memory.Prove(about.key, digest, raw)
			return nil
		}
	}
	if !a.line.Immediate() {
		return a.later(about, again(params, problem), digest, problem)
	}
	ctx, cancel := a.line.Patience(a.ctx)
	defer cancel()
	for range scope.MaxRounds {
		raw, err := a.now(ctx, about, again(params, problem))
		if err != nil {
			return err
		}
		if problem = q.settle(raw); problem == "" {
			memory.Prove(about.key, digest, raw)
			return nil
		}
	}
	return noAnswer(about.key, problem)
}

// told is a digest of what is asked, by which a question is the same when it is asked again.
func told(about *inquiry, params map[string]any) (string, error) {
	same := maps.Clone(params)
	delete(same, "elicitationId") // another one each time
	b, err := json.Marshal(same, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	digest := sha256.Sum256(append([]byte(about.method), b...))
	return hex.EncodeToString(digest[:12]), err
}

// noAnswer is the failure of a question that was answered wrongly again and again.
func noAnswer(key, problem string) error {
	return result.NoAnswer("The client was asked, but gave no answer that is valid").
		Because(fmt.Errorf("question %q, asked %d times: %s", key, scope.MaxRounds, cmp.Or(problem, "no answer")))
}

// later ends this round of the call.
func (a *asker) later(about *inquiry, params map[string]any, digest, problem string) error {
	if a.call.Round >= scope.MaxRounds {
		return noAnswer(about.key, problem)
	}
	a.line.Memory().Ask(about.key, digest)
	a.scope.Pend(result.InputRequest{Key: about.key, Method: about.method, Params: params})
	return ErrUnanswered
}

// keyMeta is the member of the _meta of a request to the client that has the question's
// key, where the revision itself does not carry one.
const keyMeta = "com.mcpfusion/key"

// now asks the client and waits.
func (a *asker) now(ctx context.Context, about *inquiry, params map[string]any) (jsontext.Value, error) {
	params["_meta"] = map[string]any{keyMeta: about.key}
	b, err := json.Marshal(params, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, fmt.Errorf("question %q: %w", about.key, err)
	}
	return a.line.Request(ctx, about.method, b)
}

// again adds to the message of a question what was wrong with the last answer.
func again(params map[string]any, problem string) map[string]any {
	message, has := params["message"].(string)
	if problem == "" || !has {
		return params
	}
	params = maps.Clone(params)
	params["message"] = message + "\n\n" + problem
	return params
}
