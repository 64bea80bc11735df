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

// paramProblem says how a header and its argument differ, "" if they do not. What the type
// of the argument refuses anyway, a list or a fraction, needs no header: the tool can tell
// the model better what is wrong.
func paramProblem(header []string, m *catalog.Mirror, arguments jsontext.Value) string {
	value, inside := argumentAt(arguments, m.Path)
	name := strconv.Quote(strings.Join(m.Path, "."))
	whole, safe := integer(value)
	switch {
	case !inside:
		return m.Header + " mirrors " + name + ", but the body has it inside a string"
	case len(header) > 1:
		return m.Header + " comes more than once"
	case !isScalar(value) && len(header) > 0:
		return m.Header + " is there, but the body has no value for it in " + name
	case !isScalar(value), !whole && len(header) == 0:
		return ""
	case whole && !safe:
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

// argumentAt finds the argument at a path, nil where there is none. It is not inside
// objects if a string comes where one should: what the tool may make of it, nothing mirrors.
func argumentAt(arguments jsontext.Value, path []string) (value jsontext.Value, inside bool) {
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

// isScalar reports whether a value is a string, a number or a boolean.
func isScalar(value jsontext.Value) bool {
	switch value.Kind() {
	case jsontext.KindString, jsontext.KindNumber, jsontext.KindTrue, jsontext.KindFalse:
		return true
	}
	return false
}

// integer reports of a number whether it is whole, and safe to be read as an integer. Other
// values are both.
func integer(value jsontext.Value) (whole, safe bool) {
	if value.Kind() != jsontext.KindNumber {
		return true, true
	}
	return schema.SafeInteger(value)
}

// sameValue reports that a header's text says the same as a value. Numbers are compared as
// numbers, since 42.0 is 42.
func sameValue(text string, value jsontext.Value) bool {
	switch value.Kind() {
	case jsontext.KindString:
		return text == string(unquote(value))
	case jsontext.KindNumber:
		s := scanner{buf: []byte(text)}
		return s.number() && s.pos == len(text) && schema.SameNumber(s.buf, value)
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
