package schema

import (
	"bytes"
	"encoding"
	"encoding/base64"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"fmt"
	"math"
	"math/big"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// maxOutputDepth bounds the nesting of results, which a cycle would make endless.
const maxOutputDepth = 1000

var (
	errNotFinite = errors.New("a number is not finite, which JSON cannot say")
	errTooDeep   = errors.New("the data is nested too deeply; it may contain itself")
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
		if !v.Field(0).Bool() {
			return v, false
		}
		return s.option.get(v), true
	}
	return v, true
}

func (n *node) append(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	switch n.kind {
	case boolKind:
		return strconv.AppendBool(dst, v.Bool()), nil
	case intKind, uintKind, floatKind:
		return n.appendNumber(dst, v)
	case stringKind:
		if n.redacted {
			return quote(dst, Redacted), nil
		}
		return quote(dst, v.String()), nil
	case durationKind:
		return quote(dst, time.Duration(v.Int()).String()), nil
	case objectKind, listKind, mapKind, anyKind:
		if depth > maxOutputDepth {
			return dst, errTooDeep
		}
		return n.appendParts(dst, v, depth+1)
	}
	return n.appendOther(dst, v)
}

func (n *node) appendParts(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	switch n.kind {
	case objectKind:
		return n.appendObject(dst, v, depth)
	case listKind:
		return n.appendList(dst, v, depth)
	case mapKind:
		return n.appendMap(dst, v, depth)
	}
	return appendAny(dst, v, depth)
}

func (n *node) appendNumber(dst []byte, v reflect.Value) (_ []byte, err error) {
	if n.quoted {
		dst = append(dst, '"')
	}
	switch n.kind {
	case intKind:
		dst = strconv.AppendInt(dst, v.Int(), 10)
	case uintKind:
		dst = strconv.AppendUint(dst, v.Uint(), 10)
	default:
		dst, err = appendFloat(dst, v.Float(), n.typ.Bits())
	}
	if n.quoted {
		dst = append(dst, '"')
	}
	return dst, err
}

// quote appends a JSON string; invalid UTF-8 is replaced.
func quote(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}

// appendFloat writes a number as JavaScript would.
func appendFloat(dst []byte, f float64, bits int) ([]byte, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return dst, errNotFinite
	}
	if f == 0 {
		return append(dst, '0'), nil
	}
	if abs := math.Abs(f); abs >= 1e-6 && abs < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, bits), nil
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, bits)
	if n := len(dst); n >= 4 && dst[n-4] == 'e' && dst[n-3] == '-' && dst[n-2] == '0' { // e-09 is e-9
		dst = append(dst[:n-2], dst[n-1])
	}
	return dst, nil
}

func (n *node) appendObject(dst []byte, v reflect.Value, depth int) (_ []byte, err error) {
	dst = append(dst, '{')
	for _, f := range n.fields {
		value, present := f.reach(v)
		if !present || f.omit == omitZero && f.isZero(value) {
			continue
		}
		start := len(dst)
		if dst[start-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(dst, f.quotedName...)
		begin := len(dst)
		if dst, err = f.node.append(dst, value, depth); err != nil {
			return dst, err
		}
		if f.omit == omitEmpty && isEmptyJSON(dst[begin:]) {
			dst = dst[:start]
		}
	}
	if n.rest != nil {
		if dst, err = n.appendRest(dst, v, depth); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

// appendRest writes the members that no field names.
func (n *node) appendRest(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	value, present := n.rest.reach(v)
	if !present {
		return dst, nil
	}
	return n.rest.node.appendEntries(dst, value, depth, func(name string) bool { return n.find([]byte(name)) != nil })
}

// isEmptyJSON recognises what omitempty leaves out.
func isEmptyJSON(b []byte) bool {
	switch string(b) {
	case "null", `""`, "[]", "{}":
		return true
	}
	return false
}

// isZero reports what omitzero leaves out. A value that was given in a pointer or option
// is never left out.
func (f *field) isZero(v reflect.Value) bool {
	switch {
	case f.presence == pointer, f.presence == optional:
		return false
	case f.node.zeroer:
		z, _ := reflect.TypeAssert[interface{ IsZero() bool }](addressable(v).Addr())
		return z.IsZero()
	}
	return v.IsZero()
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

// appendMember writes one field of a struct in a slot, or nothing when it is absent.
func (s *slot) appendMember(dst []byte, v reflect.Value, f *field) ([]byte, error) {
	inner, present := s.inner(v)
	if !present {
		return dst, nil
	}
	value, present := f.reach(inner)
	if !present {
		return dst, nil
	}
	return f.node.append(dst, value, 0)
}

func (n *node) appendList(dst []byte, v reflect.Value, depth int) (_ []byte, err error) {
	dst = append(dst, '[')
	for i := range v.Len() {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = n.elem.append(dst, v.Index(i), depth); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

// appendOther writes what has a form of its own.
func (n *node) appendOther(dst []byte, v reflect.Value) ([]byte, error) {
	switch n.kind {
	case bytesKind:
		return appendBase64(dst, v), nil
	case timeKind:
		t, _ := reflect.TypeAssert[time.Time](v)
		return appendText(dst, t)
	case urlKind:
		u, _ := reflect.TypeAssert[*url.URL](addressable(v).Addr())
		return quote(dst, u.String()), nil
	case bigKind:
		i, _ := reflect.TypeAssert[*big.Int](addressable(v).Addr())
		return i.Append(dst, 10), nil
	case textKind:
		m, is := reflect.TypeAssert[encoding.TextAppender](addressable(v).Addr())
		if is {
			return appendText(dst, m)
		}
	case rawKind:
		if v.Len() == 0 {
			return append(dst, "null"...), nil
		}
	case customKind:
		return n.appendOwn(dst, v)
	}
	return appendJSON(dst, v)
}

// appendOwn writes what a type writes itself, if its own schema allows that: clients refuse
// a result that is not as it was described.
func (n *node) appendOwn(dst []byte, v reflect.Value) ([]byte, error) {
	start := len(dst)
	dst, err := appendJSON(dst, v)
	if err == nil && n.own != nil && !n.own.allows(dst[start:]) {
		err = fmt.Errorf("a %s writes JSON that its own JSONSchema does not allow", n.typ)
	}
	return dst, err
}

// appendText writes what a type appends, as a string.
func appendText(dst []byte, m encoding.TextAppender) ([]byte, error) {
	text, err := m.AppendText(nil)
	return quote(dst, string(text)), err
}

func appendBase64(dst []byte, v reflect.Value) []byte {
	if v.Kind() == reflect.Array {
		v = addressable(v)
	}
	return append(base64.StdEncoding.AppendEncode(append(dst, '"'), v.Bytes()), '"')
}

// appendJSON writes what the type or json/v2 writes. Methods on the pointer count too.
func appendJSON(dst []byte, v reflect.Value) ([]byte, error) {
	b, err := json.Marshal(addressable(v).Addr().Interface(), json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	return append(dst, bytes.ToValidUTF8(b, []byte("\uFFFD"))...), err
}

// appendAny writes a value in an interface by the tree of its own type.
func appendAny(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if !v.IsValid() {
		return append(dst, "null"...), nil
	}
	c := outputType(v.Type())
	if len(c.problems) > 0 {
		return dst, errors.New(strings.TrimPrefix(c.problems[0].String(), `"" `))
	}
	if c.slot.presence == pointer && v.IsNil() {
		return append(dst, "null"...), nil
	}
	return c.slot.append(dst, v, depth)
}
