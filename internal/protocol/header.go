package protocol

import (
	"encoding/base64"
	"net/http"
	"strings"
	"unicode/utf8"
)

// The headers that mirror the body over HTTP, in canonical form, see
// basic/transports/streamable-http of revision 2026-07-28.
const (
	headerVersion   = "Mcp-Protocol-Version"
	headerMethod    = "Mcp-Method"
	headerName      = "Mcp-Name"
	headerSession   = "Mcp-Session-Id"
	headerLastEvent = "Last-Event-Id"
)

// headerValue returns a header's value without outer blanks, "" if there is none. It is
// not ok if the header comes more than once.
func headerValue(h http.Header, canonical string) (value string, ok bool) {
	switch values := h[canonical]; len(values) {
	case 0:
		return "", true
	case 1:
		return strings.Trim(values[0], " \t"), true
	}
	return "", false
}

// checkVersionHeader holds the version header against the version in the body. Without
// headers, on a stream, there is nothing to hold.
func (x *exchange) checkVersionHeader(version []byte) *fault {
	if x.in.Header == nil {
		return nil
	}
	return checkMirror(x.in.Header, headerVersion, version, literal)
}

// checkMirrors holds the other standard headers against the body.
func (x *exchange) checkMirrors() *fault {
	if x.in.Header == nil {
		return nil
	}
	if f := checkMirror(x.in.Header, headerMethod, x.msg.method, literal); f != nil {
		return f
	}
	name := x.msg.params.name
	switch string(x.msg.method) {
	case "tools/call", "prompts/get":
	case "resources/read":
		name = x.msg.params.uri
	default:
		return nil
	}
	if isString(name) {
		return checkMirror(x.in.Header, headerName, unquote(name), decodeSentinel)
	}
	if len(x.in.Header[headerName]) > 0 {
		return headerMismatch("Header mismatch: " + headerName + " is there but the body has no name")
	}
	return nil
}

// checkMirror holds one header against what the body says.
func checkMirror(h http.Header, name string, want []byte, decode func(string) (string, bool)) *fault {
	value, ok := headerValue(h, name)
	if !ok {
		return headerMismatch("Header mismatch: " + name + " comes more than once")
	}
	if value == "" {
		return headerMismatch("Header mismatch: " + name + " is required and must be " + quoted(want))
	}
	got, ok := decode(value)
	if !ok {
		return headerMismatch("Header mismatch: " + name + " is malformed")
	}
	if got != string(want) {
		return headerMismatch("Header mismatch: " + name + " is " + quoted([]byte(got)) + " but the body says " + quoted(want))
	}
	return nil
}

// literal takes a header's value as it is.
func literal(value string) (string, bool) { return value, visible(value) }

// The marks of a value that is sent as base64, because a header could not hold it.
const (
	sentinelPrefix = "=?base64?"
	sentinelSuffix = "?="
)

// decodeSentinel reads a header value that may be base64 between marks. Anything without
// exactly those marks stands for itself.
func decodeSentinel(value string) (string, bool) {
	encoded, marked := strings.CutPrefix(value, sentinelPrefix)
	encoded, ended := strings.CutSuffix(encoded, sentinelSuffix)
	if !marked || !ended {
		return literal(value)
	}
	raw, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if err != nil || strings.ContainsAny(encoded, "\r\n") || !utf8.Valid(raw) {
		return "", false
	}
	return string(raw), true
}

// visible reports whether a value has only what RFC 9110 lets into a header.
func visible(value string) bool {
	for i := range len(value) {
		if c := value[i]; c != '\t' && (c < ' ' || c > '~') {
			return false
		}
	}
	return true
}
