package transport

import (
	"net/http"
	"runtime/debug"

	"github.com/mcpfusion/go/middleware"
)

// authenticate finds out who sends a request. What went wrong is for the log alone.
func (s *Server) authenticate(r *http.Request) (subject middleware.Subject, f *refusal) {
	if s.options.Authenticate == nil {
		return middleware.Subject{}, nil
	}
	returned := false
	defer func() {
		if returned {
			return
		}
		subject = middleware.Subject{}
		f = &refusal{http.StatusInternalServerError, "The server could not authenticate the request"}
		if v := recover(); v != nil {
			s.log.ErrorContext(r.Context(), "Authenticate panicked", "panic", v, "stack", string(debug.Stack()))
		}
	}()
	subject, err := s.options.Authenticate(r)
	returned = true
	if err != nil {
		s.log.InfoContext(r.Context(), "a request was not authenticated", "remote", r.RemoteAddr, "error", err)
		return middleware.Subject{}, &refusal{http.StatusUnauthorized, "Authentication required"}
	}
	return subject, nil
}
