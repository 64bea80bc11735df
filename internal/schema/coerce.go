package schema

import (
	"encoding/json/jsontext"
	"reflect"
	"strconv"
	"strings"
)

// Coercion takes a string for the value that it spells, where nothing is lost: models and
// their clients send "5" for 5 and "[1,2]" for [1,2]. It is tried when strict decoding
// failed, never for what may be a string itself, and never for the arguments as a whole.

// Truth is the boolean that a text spells: true, false, 1 or 0, in letters of any case.
func Truth(text string) (value, spelt bool) {
	switch strings.ToLower(text) {
	case "true", "1":
		return true, true
	case "false", "0":
		return false, true
	}
	return false, false
}

// spelled is the JSON of a type that a string spells. It is false if the string spells none.
func spelled(jsonType string, raw jsontext.Value) (jsontext.Value, bool) {
	if raw.Kind() != '"' {
		return nil, false
	}
	value := jsontext.Value(strings.TrimSpace(text(raw)))
	switch jsonType {
	case "integer", "number":
		return value, value.Kind() == '0' && value.IsValid()
	case "boolean":
		truth, spelt := Truth(text(raw))
		return strconv.AppendBool(nil, truth), spelt
	case "array":
		return value, value.Kind() == '[' && value.IsValid(jsontext.AllowDuplicateNames(true))
	case "object":
		return value, value.Kind() == '{' && value.IsValid(jsontext.AllowDuplicateNames(true))
	}
	return nil, false
}

// spelt reads a number or a boolean that a string spells. It is false if the string spells
// none.
func (d *decoder) spelt(n *node, r *rules, dst reflect.Value, raw jsontext.Value) bool {
	if !d.coerce {
		return false
	}
	if n.kind == boolKind {
		value, spelt := spelled("boolean", raw)
		if spelt {
			dst.SetBool(value.Kind() == 't')
			r.check(d, dst, raw)
		}
		return spelt
	}
	number, spelt := spelled("number", raw)
	if spelt = spelt && n.isNumber(); spelt {
		d.number(n, r, dst, number, raw)
	}
	return spelt
}

// unpacked reads an object, list or map that a string holds. It is false if something else
// comes next than such a string; then nothing was read.
func (d *decoder) unpacked(n *node, r *rules, dst reflect.Value) bool {
	if !d.coerce || d.broken != nil || d.dec.PeekKind() != '"' {
		return false
	}
	raw := d.read()
	if raw == nil {
		return true
	}
	jsonType := "object"
	if n.kind == listKind {
		jsonType = "array"
	}
	packed, spelt := spelled(jsonType, raw)
	if !spelt {
		d.mismatch(n, r, raw)
		return true
	}
	inner := decoderOf(packed)
	inner.coerce, inner.path = true, append(inner.path, d.path...)
	inner.value(n, r, dst)
	d.problems = append(d.problems, inner.finish()...)
	if len(d.problems) >= maxProblems {
		d.problems, d.broken = d.problems[:maxProblems], errMany
	}
	return true
}
