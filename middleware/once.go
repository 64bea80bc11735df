package middleware

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"fmt"

	"github.com/mcpfusion/go/internal/scope"
	"github.com/mcpfusion/go/result"
)

// maxKept bounds the JSON of what one [Ctx.Once] keeps, in bytes.
const maxKept = 16 << 10

// Once does work that must not be repeated when the handler runs again for an answer, see
// [Ctx.Ask]: it runs in the first round that gets here, and later rounds of the same call
// get its result without it. The key is the author's and stable. The result is kept as
// JSON of at most 16 KiB, sealed where the client carries it. An error is not kept.
//
// It is no lock across calls: a call that is made twice does its work twice.
func (c *Ctx[C]) Once[T any](key string, work func() (T, error)) result.Result[T] {
	line := scope.LineOf(c)
	if line == nil {
		return result.Of(work())
	}
	if kept := line.Memory().Kept(key); kept != nil {
		var v T
		if err := json.Unmarshal(kept, &v); err != nil {
			return result.Err[T](fmt.Errorf("once %q: what was kept: %w", key, err))
		}
		return result.OK(v)
	}
	v, err := work()
	if err != nil {
		return result.Err[T](err)
	}
	return result.Of(v, keep(line, key, v))
}

// keep remembers the result of work. It was done, so that it cannot be kept fails the call:
// a further round would repeat it.
func keep(line scope.Line, key string, v any) error {
	b, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	switch {
	case err != nil:
		return fmt.Errorf("once %q: the result has no JSON: %w", key, err)
	case len(b) > maxKept || len(key) > maxKey:
		return fmt.Errorf("once %q: the result has %d bytes of JSON, over %d; keep an id of it", key, len(b), maxKept)
	}
	line.Memory().Keep(key, b)
	return nil
}
