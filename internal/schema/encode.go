package schema

import (
	"encoding/base64"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"math"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

var (
	errNotFinite = errors.New("a number is not finite, which JSON cannot say")
	errTooDeep   = errors.New("the data is nested too deeply; it may contain itself")
	errYear      = errors.New("a time is outside the years 0 to 9999")
)

// append writes a value of a slot. Nil pointers and empty options, where a value must be,
// are the zero value.
func (s *slot) append(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	inner, present := s.inner(v)
	if !present {
		inner = reflect.Zero(s.node.typ)
	}
	return s.node.append(dst, inner, depth)
}

// inner is the value in a slot, and whether there is one.
func (s *slot) inner(v reflect.Value) (reflect.Value, bool) {
	switch s.presence {
	case pointer:
		return v.Elem(), !v.IsNil()
	case optional:
		return v.Field(1), v.Field(0).Bool()
	}
	return v, true
}

func (n *node) append(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	if depth > maxOutputDepth {
		return dst, errTooDeep
	}
	switch n.kind {
	case boolKind:
		return strconv.AppendBool(dst, v.Bool()), nil
	case intKind:
		return strconv.AppendInt(dst, v.Int(), 10), nil
	case uintKind:
		return strconv.AppendUint(dst, v.Uint(), 10), nil
	case floatKind:
		return appendFloat(dst, v.Float(), n.typ.Bits())
	case stringKind:
		return quote(dst, v.String()), nil
	case bytesKind:
		return append(base64.StdEncoding.AppendEncode(append(dst, '"'), v.Bytes()), '"'), nil
	case durationKind:
		return quote(dst, time.Duration(v.Int()).String()), nil
	case objectKind:
		return n.appendObject(dst, v, depth)
	case listKind:
		return n.appendList(dst, v, depth)
	case mapKind:
		return n.appendMap(dst, v, depth)
	}
	return n.appendOther(dst, v, depth)
}

// quote appends a JSON string; invalid UTF-8 is replaced.
func quote(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}

func appendFloat(dst []byte, f float64, bits int) ([]byte, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return dst, errNotFinite
	}
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(dst, f, format, -1, bits), nil
}

func (n *node) appendObject(dst []byte, v reflect.Value, depth int) (_ []byte, err error) {
	dst = append(dst, '{')
	for _, f := range n.fields {
		value, present := f.reach(v)
		if !present || f.omits(value) {
			continue
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(quote(dst, f.name), ':')
		if dst, err = f.node.append(dst, value, depth+1); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

// reach finds the value of a field, if there is one.
func (f *field) reach(v reflect.Value) (reflect.Value, bool) {
	for i, x := range f.index {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return v, false
			}
			v = v.Elem()
		}
		v = v.Field(x)
	}
	return f.inner(v)
}

// omits reports whether the tags leave a value out.
func (f *field) omits(v reflect.Value) bool {
	switch f.omit {
	case omitZero:
		return f.presence != optional && f.presence != pointer && v.IsZero()
	case omitEmpty:
		switch v.Kind() {
		case reflect.String, reflect.Slice, reflect.Map:
			return v.Len() == 0
		case reflect.Interface:
			return v.IsNil()
		}
	}
	return false
}

func (n *node) appendList(dst []byte, v reflect.Value, depth int) (_ []byte, err error) {
	dst = append(dst, '[')
	for i := range v.Len() {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = n.elem.append(dst, v.Index(i), depth+1); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

func (n *node) appendMap(dst []byte, v reflect.Value, depth int) (_ []byte, err error) {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	dst = append(dst, '{')
	for i, key := range keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(quote(dst, key.String()), ':')
		if dst, err = n.elem.append(dst, v.MapIndex(key), depth+1); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

// appendOther writes what json/v2 or the type itself writes.
func (n *node) appendOther(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	switch n.kind {
	case timeKind:
		t := v.Interface().(time.Time)
		if y := t.Year(); y < 0 || y > 9999 {
			return dst, errYear
		}
		return quote(dst, t.Format(time.RFC3339Nano)), nil
	case urlKind:
		u := v.Interface().(url.URL)
		return quote(dst, u.String()), nil
	case anyKind:
		if v.IsNil() {
			return append(dst, "null"...), nil
		}
		return appendDynamic(dst, v.Elem(), depth)
	case rawKind:
		if v.Len() == 0 {
			return append(dst, "null"...), nil
		}
	}
	if !v.CanAddr() { // methods on the pointer count too
		c := reflect.New(v.Type()).Elem()
		c.Set(v)
		v = c
	}
	b, err := json.Marshal(v.Addr().Interface(), json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	return append(dst, b...), err
}

// appendDynamic writes what an interface holds, by the rules of its own type.
func appendDynamic(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	c := compileType(v.Type(), true)
	if len(c.problems) > 0 {
		return dst, errors.New(c.problems[0].String())
	}
	return c.slot.append(dst, v, depth+1)
}

// maxOutputDepth bounds the nesting of results, which a cycle would make endless.
const maxOutputDepth = 256
