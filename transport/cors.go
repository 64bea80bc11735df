package transport

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// What a page on another origin may send and read.
const (
	corsMethods = "GET, POST, DELETE"
	corsHeaders = "Authorization, Content-Type, Accept, Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID"
	corsExposed = "Mcp-Session-Id, WWW-Authenticate"
	corsMaxAge  = 10 * time.Minute
)

// allowOrigin lets the page read the answer: its origin has passed the guard. It reports
// that the request was a page's question whether it may send one, and is answered.
func allowOrigin(w http.ResponseWriter, r *http.Request) (answered bool) {
	h := w.Header()
	h.Add("Vary", "Origin")
	origin := r.Header.Get("Origin")
	if origin == "" {
		return false
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", corsExposed)
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", corsMethods)
	h.Set("Access-Control-Allow-Headers", corsHeaders+mirrored(r))
	h.Set("Access-Control-Max-Age", strconv.Itoa(int(corsMaxAge.Seconds())))
	w.WriteHeader(http.StatusNoContent)
	return true
}

// mirrored are the headers of tool parameters among those that a page asks to send.
func mirrored(r *http.Request) string {
	var b strings.Builder
	for _, list := range r.Header["Access-Control-Request-Headers"] {
		for name := range strings.SplitSeq(list, ",") {
			name = strings.ToLower(strings.TrimSpace(name))
			if strings.HasPrefix(name, "mcp-param-") {
				b.WriteString(", " + name)
			}
		}
	}
	return b.String()
}
