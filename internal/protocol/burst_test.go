package protocol

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpfusion/go/internal/catalog"
)

func TestMoreUpdatesThanAStreamHoldsAreToldToASlowReader(t *testing.T) {
	const updates = 3 * maxQueued
	for name, begin := range map[string]func(ctx context.Context, s *stage, uris []string, to Responder){
		"in a session": func(ctx context.Context, s *stage, uris []string, to Responder) {
			for _, uri := range uris {
				s.sessions.find(s.session, "").news.subscribe(uri)
			}
			s.Get(ctx, Incoming{Header: s.header()}, to)
		},
		"by a subscription": func(ctx context.Context, s *stage, uris []string, to Responder) {
			h := http.Header{headerVersion: {"2026-07-28"}, headerMethod: {"subscriptions/listen"}}
			body := listening("1", `{"resourceSubscriptions":["`+strings.Join(uris, `","`)+`"]}`)
			s.Post(ctx, Incoming{Body: []byte(body), Header: h}, to)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &stage{featured(t, Options{}).Endpoint(), t, ""}
				s.session = openedSession(t, s.Endpoint, "")
				var uris []string
				for n := range updates {
					uris = append(uris, fmt.Sprintf("test://t/%d", n))
				}
				ctx, cancel := context.WithCancel(t.Context())
				r := &reader{held: make(chan struct{})}
				go begin(ctx, s, uris, r)
				synctest.Wait()
				for _, uri := range uris {
					s.srv.catalog.Updated(t.Context(), uri, catalog.Audience{})
				}
				time.Sleep(2 * coalescing)
				close(r.held)
				time.Sleep(time.Second)
				told := r.read()
				for _, uri := range uris {
					if n := strings.Count(told, `"uri":"`+uri+`"}`); n != 1 {
						t.Fatalf("of %s it is told %d times, of all %d times", uri, n, strings.Count(told, "resources/updated"))
					}
				}
				cancel()
				synctest.Wait()
				s.sessions.close()
			})
		})
	}
}
