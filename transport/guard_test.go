package transport

import (
	"bytes"
	"log/slog"
	"testing"
)

func TestARequestThatIsTurnedAwayIsLogged(t *testing.T) {
	var log bytes.Buffer
	s := servingApp(t, app{log: slog.New(slog.NewTextHandler(&log, nil))}, nil)
	if r := s.post(opening, "Host", "mcp.example.com"); r.status != 403 {
		t.Errorf("got %+v", r)
	}
	want(t, log.String(), "host=mcp.example.com", "Host not allowed")
}
