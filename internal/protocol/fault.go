package protocol

import (
	"bytes"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"net/http"
	"strconv"
	"unicode/utf8"

	"github.com/mcpfusion/go/internal/scope"
	"github.com/mcpfusion/go/result"
)

// The error codes of JSON-RPC and of MCP, see basic/index of revision 2026-07-28.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeNoMethod       = -32601
	codeInvalidParams  = -32602
	codeInternal       = -32603
	codeHeader         = -32020
	codeCapability     = -32021
	codeVersion        = -32022
	codeNoResource     = -32002 // before 2026-07-28
)

// fault is a JSON-RPC error and the HTTP status it travels with. Where the revision at
// hand puts errors into a 200, it is 200.
type fault struct {
	code    int
	message string
	data    jsontext.Value // nil is left out
	status  int
}

func parseError(message string) *fault {
	return &fault{code: codeParse, message: message, status: http.StatusBadRequest}
}

func invalidRequest(message string) *fault {
	return &fault{code: codeInvalidRequest, message: message, status: http.StatusBadRequest}
}

func invalidParams(message string) *fault {
	return &fault{code: codeInvalidParams, message: message, status: http.StatusOK}
}

func headerMismatch(message string) *fault {
	return &fault{code: codeHeader, message: message, status: http.StatusBadRequest}
}

// noMethod answers an unknown method, and one behind a capability that is not advertised.
// Only the stateless revision has a status for it.
func noMethod(rev revision, method []byte) *fault {
	f := &fault{code: codeNoMethod, message: "Method not found: " + quoted(method), status: http.StatusOK}
	if rev.stateless() {
		f.status = http.StatusNotFound
	}
	return f
}

// onPurpose is the error that a tool asked for, without data that has no JSON.
func onPurpose(e *result.ProtocolError, rev revision) (*fault, error) {
	f := &fault{code: e.Code, message: e.Message, status: http.StatusOK}
	if rev.stateless() && e.Code <= codeHeader && e.Code >= codeVersion {
		f.status = http.StatusBadRequest
	}
	if e.Data == nil {
		return f, nil
	}
	data, err := marshal(e.Data)
	if err == nil {
		f.data = data
	}
	return f, err
}

// appendError appends a whole JSON-RPC error response. An id that could not be read is
// left out, as basic/index wants it.
func appendError(dst []byte, id jsontext.Value, f *fault) []byte {
	dst = append(dst, `{"jsonrpc":"2.0",`...)
	if id != nil {
		dst = append(dst, `"id":`...)
		dst = append(append(dst, id...), ',')
	}
	dst = append(dst, `"error":{"code":`...)
	dst = strconv.AppendInt(dst, int64(f.code), 10)
	dst = append(dst, `,"message":`...)
	dst = appendString(dst, f.message)
	if f.data != nil {
		dst = append(append(dst, `,"data":`...), f.data...)
	}
	return append(dst, "}}"...)
}

// marshal encodes what no compiled type stands for: the same value always gives the same
// bytes, on one line and in valid UTF-8. A panic in it is an error.
func marshal(v any) (b []byte, err error) {
	defer func() {
		if v := recover(); v != nil {
			b, err = nil, scope.Recovered(v)
		}
	}()
	return json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
}

// appendString appends s as a JSON string; invalid UTF-8 is replaced.
func appendString[S string | []byte](dst []byte, s S) []byte {
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}

// unquote returns the text of a valid JSON string.
func unquote(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	text, _ := jsontext.AppendUnquote(nil, raw)
	return text
}

// isString reports whether a value is a JSON string.
func isString(raw jsontext.Value) bool { return len(raw) > 0 && raw[0] == '"' }

// isObject reports whether a value is a JSON object.
func isObject(raw jsontext.Value) bool { return len(raw) > 0 && raw[0] == '{' }

// isAbsent reports whether a value is missing or null.
func isAbsent(raw jsontext.Value) bool { return len(raw) == 0 || raw[0] == 'n' }

// quoted shows what a client sent in a message to it, within bounds.
func quoted(text []byte) string {
	const most = 64
	if len(text) <= most {
		return strconv.Quote(string(text))
	}
	end := most
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return strconv.Quote(string(text[:end]) + "…")
}
