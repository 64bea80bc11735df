package transport

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/mcpfusion/go/internal/catalog"
)

// restart kills the server and begins another one at its address.
func (s *site) restart(a App, o *HTTPOptions) {
	s.t.Helper()
	_ = s.http.Config.Close()
	server, err := HTTP(a, o)
	if err != nil {
		s.t.Fatal(err)
	}
	h := httptest.NewUnstartedServer(server)
	_ = h.Listener.Close()
	if h.Listener, err = new(net.ListenConfig).Listen(s.t.Context(), "tcp", s.http.Listener.Addr().String()); err != nil {
		s.t.Fatal(err)
	}
	h.Start()
	s.t.Cleanup(h.Close)
	s.server, s.http = server, h
}

func TestAServerIsRestartedUnderItsClient(t *testing.T) {
	for name, store := range map[string]SessionStore{"which forgets its sessions": nil, "which shares its sessions": &sharedSessions{records: map[string][]byte{}}} {
		t.Run(name, func(t *testing.T) {
			release := make(chan struct{})
			block, began := blocking(release)
			o := HTTPOptions{Sessions: store}
			s := serving(t, &o, block, tool("echo", echo))
			before := s.server
			id := s.open()
			s.post(initialized, id...)
			news := s.read(http.MethodGet, "", id...)
			last := strings.TrimPrefix(news.until(t, "id: "), "id: ")
			var call sync.WaitGroup
			lost := s.request(t.Context(), http.MethodPost, calling("1", "block", `{}`), id...)
			call.Go(func() {
				if resp, err := s.client.Do(lost); err == nil {
					_ = resp.Body.Close()
				}
			})
			<-began

			f := frozenApp(t, tool("echo", echo))
			s.restart(f, &o)
			call.Wait()
			news.drop()
			r := s.post(calling("1", "echo", `{"a":1}`), id...)
			if store == nil {
				if r.status != http.StatusNotFound {
					t.Errorf("the old session gives %+v", r)
				}
				want(t, r.body, "initialize again")
				id = s.open()
				s.post(initialized, id...)
				r = s.post(calling("1", "echo", `{"a":1}`), id...)
			}
			want(t, r.body, `"structuredContent":{"a":1}`)
			want(t, s.post(modern("1", "echo", `{"a":1}`), modernHeaders("echo")...).body, `"structuredContent":{"a":1}`)
			news = s.read(http.MethodGet, "", append(id, "Last-Event-ID", last)...)
			f.catalog.Changed(t.Context(), catalog.AnyChange, catalog.Audience{})
			news.until(t, "notifications/tools/list_changed")

			close(release)
			if err := before.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}
