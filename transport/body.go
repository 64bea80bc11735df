package transport

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
)

// readMessage reads the body of a POST into memory of its own.
func readMessage(w http.ResponseWriter, r *http.Request, limit int) ([]byte, *refusal) {
	if f := checkMedia(r.Header); f != nil {
		return nil, f
	}
	if r.ContentLength > int64(limit) {
		if r.ProtoMajor == 1 { // or the server waits for some of the body before it answers
			w.Header().Set("Connection", "close")
		}
		return nil, tooLarge(limit)
	}
	body, err := readBody(http.MaxBytesReader(w, r.Body, int64(limit)), r.ContentLength)
	if err == nil {
		return body, nil
	}
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return nil, tooLarge(limit)
	}
	return nil, &refusal{http.StatusBadRequest, "The body could not be read to its end"}
}

func tooLarge(limit int) *refusal {
	return &refusal{http.StatusRequestEntityTooLarge, fmt.Sprintf("The body is larger than %d bytes", limit)}
}

// promised is how much memory a mere Content-Length can claim. The rest of a longer body is
// made room for once that much has come.
const promised = 64 << 10

// readBody reads into a slice of the exact size where that is known.
func readBody(r io.Reader, length int64) ([]byte, error) {
	if length < 0 {
		return io.ReadAll(r)
	}
	body := make([]byte, min(length, promised))
	n, err := io.ReadFull(r, body)
	if err != nil || length == int64(n) {
		return body, err
	}
	all := make([]byte, length)
	_, err = io.ReadFull(r, all[copy(all, body):])
	return all, err
}

// checkMedia wants JSON in, which a page cannot send to another site unasked, and a client
// that takes JSON back. It is lenient with clients that do not say what they take.
func checkMedia(h http.Header) *refusal {
	if !isJSON(h.Get("Content-Type")) {
		return &refusal{http.StatusUnsupportedMediaType, "Content-Type must be application/json, in UTF-8"}
	}
	if encoding := h.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return &refusal{http.StatusUnsupportedMediaType, "Content-Encoding is not supported: send the body as it is"}
	}
	if !takesJSON(h["Accept"]) {
		return &refusal{http.StatusNotAcceptable, "Accept must list application/json and text/event-stream"}
	}
	return nil
}

func isJSON(contentType string) bool {
	if contentType == "application/json" {
		return true
	}
	media, params, err := mime.ParseMediaType(contentType)
	charset := params["charset"]
	return err == nil && media == "application/json" && (charset == "" || strings.EqualFold(charset, "utf-8"))
}

// takesJSON reports whether an Accept header lets JSON through. Its weights are ignored.
func takesJSON(accept []string) bool {
	if strings.TrimSpace(strings.Join(accept, "")) == "" {
		return true
	}
	return accepts(accept, "application/json")
}
