package schema

import (
	"encoding/json/jsontext"
	"reflect"

	"github.com/mcpfusion/go/result"
)

// Reader reads JSON that another schema allowed into a Go type. Nothing is required and
// all names are allowed; null is the zero value, and an untagged field takes its name without
// regard to case and underscores. It is safe for concurrent use.
type Reader struct{ slot slot }

// NewReader compiles a type.
func NewReader(t reflect.Type) (*Reader, []Problem) {
	c := compiler{}
	s := c.slot(t, "")
	return &Reader{s}, c.problems
}

// Read reads a value into dst, which must be settable, of the reader's type, and zero.
func (r *Reader) Read(value jsontext.Value, dst reflect.Value) []result.Field {
	d := decoderOf(value)
	d.loose = true
	d.slot(&r.slot, dst)
	return d.finish()
}
