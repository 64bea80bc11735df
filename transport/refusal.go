package transport

import (
	"encoding/json/jsontext"
	"net/http"
)

// contentType of every answer with a body.
const contentType = "application/json; charset=utf-8"

// allowed are the methods, for a request that has another one.
const allowed = "POST, GET, DELETE"

// refusal is why a request is turned away before its message is read.
type refusal struct {
	status  int
	message string
}

// write sends the refusal as a JSON-RPC error without an id, which clients can show.
func (f *refusal) write(w http.ResponseWriter) {
	code := `-32600`
	if f.status >= http.StatusInternalServerError {
		code = `-32603`
	}
	body := []byte(`{"jsonrpc":"2.0","error":{"code":` + code + `,"message":`)
	body, _ = jsontext.AppendQuote(body, f.message)
	if f.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	if f.status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", allowed)
	}
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(f.status)
	_, _ = w.Write(append(body, "}}"...))
}
