package middleware

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"fmt"
	"time"

	"github.com/mcpfusion/go/internal/scope"
	"github.com/mcpfusion/go/result"
)

// maxKept bounds the JSON of what one [Ctx.Once] keeps, in bytes.
const maxKept = 16 << 10

// kept is how results of work are encoded. The codec has no form of its own for a duration.
var kept = json.JoinOptions(json.Deterministic(true), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true),
	json.WithMarshalers(json.MarshalToFunc(func(e *jsontext.Encoder, d time.Duration) error {
		return e.WriteToken(jsontext.String(d.String()))
	})),
	json.WithUnmarshalers(json.UnmarshalFromFunc(func(dec *jsontext.Decoder, d *time.Duration) error {
		text, err := dec.ReadToken()
		if err == nil {
			*d, err = time.ParseDuration(text.String())
		}
		return err
	})))

// Once does work that must not be repeated when the handler runs again for an answer, see
// [Ctx.Ask]: it runs in the first round that gets here, and later rounds of the same call
// get its result without it. The key is the author's and stable. The result is kept as
// JSON of at most 16 KiB, sealed where the client carries it: every round, the first too,
// gets what is left of it in JSON, so fields that are not exported are lost. An error is
// not kept. While a question of the call is unanswered, the work is not done and Once fails
// with [ErrUnanswered].
//
// It is no lock across calls: a call that is made twice does its work twice.
func (c *Ctx[C]) Once[T any](key string, work func() (T, error)) result.Result[T] {
	line := scope.LineOf(c)
	if line == nil {
		return result.Of(work())
	}
	var v T
	if err := keepable(key, v); err != nil {
		return result.Err[T](err)
	}
	b := line.Memory().Kept(key)
	if b == nil {
		if c.scope.Open() { // what the work would build on is not there yet
			return result.Err[T](ErrUnanswered)
		}
		done, err := work()
		if err != nil {
			return result.Err[T](err)
		}
		if b, err = keep(line, key, done); err != nil {
			return result.Err[T](err)
		}
	}
	if err := json.Unmarshal(b, &v, kept); err != nil {
		return result.Err[T](fmt.Errorf("once %q: what was kept: %w", key, err))
	}
	return result.OK(v)
}

// keepable finds out before the work is done whether its result could be kept.
func keepable(key string, zero any) error {
	if !legalKey(key) {
		return fmt.Errorf("once %q: the key must have 1 to %d bytes of text", key, maxKey)
	}
	if _, err := json.Marshal(zero, kept); err != nil {
		return fmt.Errorf("once %q: results of type %T have no JSON: %w", key, zero, err)
	}
	return nil
}

// keep remembers the result of work. It was done, so that it cannot be kept fails the call:
// a further round would repeat it.
func keep(line scope.Line, key string, v any) (jsontext.Value, error) {
	b, err := json.Marshal(v, kept)
	switch {
	case err != nil:
		return nil, fmt.Errorf("once %q: the result has no JSON: %w", key, err)
	case len(b) > maxKept:
		return nil, fmt.Errorf("once %q: the result has %d bytes of JSON, over %d; keep an id of it", key, len(b), maxKept)
	}
	line.Memory().Keep(key, b)
	return b, nil
}
