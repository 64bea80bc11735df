package transport

import (
	"log/slog"
	"net/http"

	"github.com/mcpfusion/go/internal/scope"
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
			p := scope.Recovered(v)
			scope.Log(r.Context(), s.log, slog.LevelError, "Authenticate panicked", "panic", p.Text(), "stack", string(p.Stack))
		}
	}()
	subject, err := s.options.Authenticate(r)
	returned = true
	if err != nil {
		scope.Log(r.Context(), s.log, slog.LevelInfo, "a request was not authenticated", "remote", r.RemoteAddr, "error", err)
		return middleware.Subject{}, &refusal{http.StatusUnauthorized, "Authentication required"}
	}
	return subject, nil
}
