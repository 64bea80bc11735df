package protocol

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpfusion/go/internal/catalog"
)

func TestG10_AHundredChangesAreFewMessagesToEachClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := staged(t, Options{})
		g := s.get(t.Context(), "")
		l := s.listen(t.Context(), "", "1", `{"toolsListChanged":true}`)
		for range 50 { // rapid ones, but not all at one moment
			s.srv.catalog.Changed(t.Context(), catalog.AnyChange, catalog.Audience{})
			time.Sleep(coalescing / 50)
		}
		time.Sleep(2 * coalescing)
		for name, r := range map[string]*reader{"a session": g, "a subscription": l} {
			if n := strings.Count(r.read(), "tools/list_changed"); n < 1 || n > 2 {
				t.Errorf("%s is told %d times", name, n)
			}
		}
		if err := s.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestTS_AStreamThatBreaksWhileItIsToldHurtsNobodyElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := staged(t, Options{})
		broken := &reader{err: errors.New("reset")}
		go s.Get(t.Context(), Incoming{Header: s.header()}, broken)
		listening := s.listen(t.Context(), "", "1", `{"toolsListChanged":true}`)
		s.changed(catalog.Audience{})
		s.changed(catalog.Audience{})
		if n := strings.Count(listening.read(), "tools/list_changed"); n != 2 {
			t.Errorf("the other is told %d times", n)
		}
		want(t, post(t.Context(), s.Endpoint, "", pinging, headerSession, s.session).body, `"result":{}`)
		if err := s.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestTS_NothingIsToldOfAChangeThatWaitsWhenItsSessionEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := staged(t, Options{})
		g := s.get(t.Context(), "")
		s.srv.catalog.Changed(t.Context(), catalog.AnyChange, catalog.Audience{})
		if status := deleted(t, s.Endpoint, "", s.session); status != http.StatusNoContent {
			t.Errorf("DELETE gives %d", status)
		}
		time.Sleep(10 * coalescing) // a timer that were left would end the bubble with a panic, or tell
		if got := g.read(); strings.Contains(got, "list_changed") {
			t.Errorf("it is told %s", got)
		}
	})
}

func TestG16_ClientsOfOneProcessHaveSessionsOfTheirOwn(t *testing.T) {
	s := serverOf(t, tool("echo", echo))
	first, second := opened(t, s, "2025-11-25"), opened(t, s, "2025-11-25")
	one, two := first.current(), second.current()
	if one == two || one.id == two.id || one.id == "" {
		t.Errorf("the sessions are %q and %q", one.id, two.id)
	}
	if again := first.current(); again != one {
		t.Error("a client's session does not last")
	}
}
