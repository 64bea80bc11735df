package protocol

import (
	"encoding/json/jsontext"
	"net/http"
	"strconv"
	"strings"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/internal/schema"
	"github.com/mcpfusion/go/middleware"
)

// checkParamHeaders holds the headers that mirror arguments against the arguments as they
// were sent, see basic/transports/streamable-http of revision 2026-07-28. A tool that the
// caller is not shown has no headers; it is for the call to say that there is none.
func (x *exchange) checkParamHeaders(c *middleware.Call) *fault {
	if x.in.Header == nil || !x.rev.stateless() {
		return nil
	}
	t := x.srv.catalog.Find(c.Name)
	if t == nil || len(t.Mirrors) == 0 {
		return nil
	}
	f := checkParams(x.in.Header, t.Mirrors, c.Arguments)
	if f == nil {
		return nil
	}
	if c.Tool = &t.Tool; !x.srv.catalog.Knows(x.ctx, c) {
		return nil
	}
	return f
}

func checkParams(h http.Header, mirrors []catalog.Mirror, arguments jsontext.Value) *fault {
	for i := range mirrors {
		if problem := paramProblem(h[mirrors[i].Header], &mirrors[i], arguments); problem != "" {
			return headerMismatch("Header mismatch: " + problem)
		}
	}
	return nil
}

// paramProblem says how a header and its argument differ, "" if they do not. What no header
// can say and the argument's type refuses anyway, such as a list, is for the tool to refuse.
func paramProblem(header []string, m *catalog.Mirror, arguments jsontext.Value) string {
	value, whole := argumentAt(arguments, m.Path)
	name := strconv.Quote(strings.Join(m.Path, "."))
	switch {
	case !whole:
		return m.Header + " mirrors " + name + ", but the body has it inside a string"
	case len(header) > 1:
		return m.Header + " comes more than once"
	case !canMirror(value) && len(header) > 0:
		return m.Header + " is there, but the body has no value for it in " + name
	case !canMirror(value):
		return ""
	case unsafeNumber(value):
		return m.Header + " cannot mirror " + name + ", because readers disagree on integers beyond 9007199254740991"
	case len(header) == 0:
		return m.Header + " is required, because the body has a value in " + name
	}
	text, ok := decodeSentinel(strings.Trim(header[0], " \t"))
	switch {
	case !ok:
		return m.Header + " is malformed"
	case !sameValue(text, value):
		return m.Header + " is " + quoted([]byte(text)) + ", but " + name + " in the body is " + shownArgument(value)
	}
	return ""
}

// argumentAt finds the argument at a path, nil where there is none. It is not whole if a
// string comes where an object should: what the tool may yet make of it, nothing mirrors.
func argumentAt(arguments jsontext.Value, path []string) (value jsontext.Value, whole bool) {
	value = arguments
	for _, name := range path {
		if !isObject(value) {
			return nil, !isString(value)
		}
		s := scanner{buf: value, depth: len(value)}
		value = nil
		s.object(func(key []byte) bool {
			if value == nil && string(key) == name {
				return s.capture(&value, key)
			}
			return s.value()
		})
	}
	return value, true
}

// canMirror reports that a header can say what a value says: a string, a boolean or a whole
// number.
func canMirror(value jsontext.Value) bool {
	switch value.Kind() {
	case jsontext.KindString, jsontext.KindTrue, jsontext.KindFalse:
		return true
	case jsontext.KindNumber:
		_, whole, _ := schema.SafeInteger(value)
		return whole
	}
	return false
}

func unsafeNumber(value jsontext.Value) bool {
	if value.Kind() != jsontext.KindNumber {
		return false
	}
	_, _, safe := schema.SafeInteger(value)
	return !safe
}

// sameValue reports that a header's text says the same as a value. Numbers are compared as
// numbers, since 42.0 is 42.
func sameValue(text string, value jsontext.Value) bool {
	switch value.Kind() {
	case jsontext.KindString:
		return text == string(unquote(value))
	case jsontext.KindNumber:
		s := scanner{buf: []byte(text)}
		if !s.number() || s.pos < len(text) {
			return false
		}
		want, _, _ := schema.SafeInteger(value)
		got, whole, safe := schema.SafeInteger(s.buf)
		return whole && safe && got == want
	}
	return text == string(value)
}

// shownArgument shows a value within bounds.
func shownArgument(value jsontext.Value) string {
	if isString(value) {
		return quoted(unquote(value))
	}
	return string(value[:min(len(value), 64)])
}
