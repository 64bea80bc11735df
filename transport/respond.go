package transport

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/mcpfusion/go/internal/protocol"
)

// eventStream is the media type of a stream of events.
const eventStream = "text/event-stream"

// responder writes what answers one request.
type responder struct {
	server *Server
	w      http.ResponseWriter
	accept []string
	began  bool // the headers of a stream are sent
}

var _ protocol.Responder = (*responder)(nil)

// Answer implements [protocol.Responder]. A handler that ends its goroutine takes the
// connection with it: then the client is told so, and nothing may be left in a buffer.
func (r *responder) Answer(out protocol.Outgoing) {
	h := r.w.Header()
	if out.Session != "" {
		h.Set("Mcp-Session-Id", out.Session)
	}
	if out.Status == http.StatusMethodNotAllowed {
		h.Set("Allow", allowed)
	}
	if out.Exits {
		h.Set("Connection", "close")
		defer flush(r.w)
	}
	if out.Body == nil {
		r.w.WriteHeader(out.Status)
		return
	}
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(len(out.Body)))
	r.w.WriteHeader(out.Status)
	if _, err := r.w.Write(out.Body); err != nil {
		r.server.log.Debug("the client has gone before its answer", "error", err)
	}
}

// Streams implements [protocol.Responder].
func (r *responder) Streams() bool { return accepts(r.accept, eventStream) }

// writeTimeout is how long a client may take to read one event.
const writeTimeout = 30 * time.Second

// Event implements [protocol.Responder].
func (r *responder) Event(e protocol.Event) error {
	c := http.NewResponseController(r.w)
	_ = c.SetWriteDeadline(time.Now().Add(writeTimeout))
	if !r.began {
		r.began = true
		h := r.w.Header()
		h.Set("Content-Type", eventStream)
		h.Set("Cache-Control", "no-store")
		h.Set("X-Accel-Buffering", "no")
		r.w.WriteHeader(http.StatusOK)
	}
	if _, err := r.w.Write(appendEvent(nil, e)); err != nil {
		return err
	}
	return c.Flush()
}

// close lets the connection carry another answer, for which the client has its own time.
func (r *responder) close() {
	if r.began {
		_ = http.NewResponseController(r.w).SetWriteDeadline(time.Time{})
	}
}

// appendEvent appends an event as a client reads it. A message is one line.
func appendEvent(dst []byte, e protocol.Event) []byte {
	if e.ID == "" && e.Data == nil {
		return append(dst, ":\n\n"...)
	}
	if e.ID != "" {
		dst = append(append(append(dst, "id: "...), e.ID...), '\n')
	}
	if e.Retry > 0 {
		dst = append(strconv.AppendInt(append(dst, "retry: "...), e.Retry.Milliseconds(), 10), '\n')
	}
	dst = append(append(dst, "data: "...), e.Data...)
	return append(dst, "\n\n"...)
}

// accepts reports whether an Accept header names a media type or a range that has it. Its
// weights are ignored.
func accepts(accept []string, media string) bool {
	kind, _, _ := strings.Cut(media, "/")
	for _, list := range accept {
		for item := range strings.SplitSeq(list, ",") {
			item, _, _ = strings.Cut(item, ";")
			switch strings.ToLower(strings.TrimSpace(item)) {
			case media, kind + "/*", "*/*":
				return true
			}
		}
	}
	return false
}
