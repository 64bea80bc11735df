package protocol

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/middleware"
)

const (
	toolsChanged = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	listenID     = `"io.modelcontextprotocol/subscriptionId":`
)

// listening is a subscriptions/listen request.
func listening(id, notifications string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"subscriptions/listen","params":{` + modernMeta + `,"notifications":` + notifications + `}}`
}

// listen opens a subscription over HTTP. It ends with the context.
func (s *stage) listen(ctx context.Context, subject, id, notifications string) *reader {
	r := &reader{}
	h := http.Header{headerVersion: {"2026-07-28"}, headerMethod: {"subscriptions/listen"}}
	in := Incoming{Body: []byte(listening(id, notifications)), Header: h, Subject: middleware.Subject{ID: subject}}
	go s.Post(ctx, in, r)
	synctest.Wait()
	return r
}

func (s *stage) changed(to catalog.Audience) {
	s.srv.catalog.Changed(s.t.Context(), catalog.AnyChange, to)
	time.Sleep(2 * coalescing)
	synctest.Wait()
}

func TestG10_ABurstOfChangesIsToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := staged(t, Options{})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		g := s.get(ctx, "")
		for range 100 {
			s.srv.catalog.Changed(t.Context(), catalog.AnyChange, catalog.Audience{})
		}
		s.changed(catalog.Audience{})
		if got := g.read(); got != ":\n"+toolsChanged {
			t.Errorf("got %s", got)
		}
		s.sessions.close()
	})
}

func TestG12_AChangeWaitsForTheClientsStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := staged(t, Options{})
		s.changed(catalog.Audience{})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		g := s.get(ctx, "")
		time.Sleep(2 * coalescing)
		if got := g.read(); got != ":\n"+toolsChanged {
			t.Errorf("got %s", got)
		}
		s.sessions.close()
	})
}

func TestAMessageGoesToOneStreamOfASession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := staged(t, Options{})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var all []*reader
		for range maxListening + 1 {
			all = append(all, s.get(ctx, ""))
		}
		s.changed(catalog.Audience{})
		for i, r := range all {
			if told := strings.Contains(r.read(), toolsChanged); told != (i == maxListening) {
				t.Errorf("stream %d: %v", i, told)
			}
		}
		if left := len(s.listens.running()); left != maxListening {
			t.Errorf("%d streams are open", left)
		}
		s.sessions.close()
	})
}

func TestG14_AChangeIsToldToWhomItConcerns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := staged(t, Options{})
		ctx, cancel := context.WithCancel(t.Context())
		ann := s.listen(ctx, "ann", "1", `{"toolsListChanged":true}`)
		ben := s.listen(ctx, "ben", "1", `{"toolsListChanged":true}`)
		none := s.listen(ctx, "ann", "2", `{}`)
		s.changed(catalog.Audience{Subjects: []string{"ann"}})
		want(t, ann.read(), "tools/list_changed")
		if got := ben.read() + none.read(); strings.Contains(got, "list_changed") {
			t.Errorf("others are told: %s", got)
		}
		cancel()
		synctest.Wait()
		s.sessions.close()
	})
}

func TestSubscriptionsAreAcknowledgedAndMarked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := staged(t, Options{})
		first := s.listen(t.Context(), "", "1", `{"toolsListChanged":true,"promptsListChanged":true,"taskIds":["x"]}`)
		second := s.listen(t.Context(), "", `"1"`, `{"toolsListChanged":true}`)
		s.changed(catalog.Audience{})
		if err := s.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		for r, id := range map[*reader]string{first: "1", second: `"1"`} {
			lines := strings.Split(strings.TrimPrefix(r.read(), ":\n"), "\n")
			if len(lines) != 3 {
				t.Fatalf("got %q", lines)
			}
			for i, part := range []string{`subscriptions/acknowledged`, `tools/list_changed`, `"resultType":"complete"`} {
				want(t, lines[i], part, listenID+id)
			}
			want(t, lines[0], `"notifications":{"toolsListChanged":true}}`)
			want(t, lines[2], `"id":`+id)
		}
	})
}

func TestASubscriptionWantsAStreamAndAnObject(t *testing.T) {
	s := staged(t, Options{})
	h := []string{headerVersion, "2026-07-28", headerMethod, "subscriptions/listen"}
	want(t, post(t.Context(), s.Endpoint, "", listening("1", `{"toolsListChanged":true}`), h...).body, "-32600", "text/event-stream")
	want(t, post(t.Context(), s.Endpoint, "", listening("1", `[]`), h...).body, "-32602")
	want(t, post(t.Context(), s.Endpoint, "", listening("1", `{"toolsListChanged":1}`), h...).body, "-32602")
}

func TestOnAStreamChangesComeOnTheLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := serverOf(t)
		in, client := io.Pipe()
		var out bytes.Buffer
		served := make(chan error, 1)
		go func() { served <- srv.Connect(middleware.Subject{}).Serve(t.Context(), in, &out) }()
		say := func(line string) {
			_, _ = io.WriteString(client, line+"\n")
			synctest.Wait()
		}
		change := func() {
			srv.catalog.Changed(t.Context(), catalog.AnyChange, catalog.Audience{})
			time.Sleep(2 * coalescing)
			synctest.Wait()
		}
		say(initializing)
		change() // not before the client is ready
		say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		change()
		say(listening(`"a"`, `{"toolsListChanged":true}`))
		say(listening("7", `{"toolsListChanged":true}`))
		change()
		say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}`)
		_ = client.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
		got := out.String()
		if n := strings.Count(got, toolsChanged+"\n"); n != 2 {
			t.Errorf("the session is told %d times in %s", n, got)
		}
		for part, times := range map[string]int{
			listenID + `"a"`: 2, // acknowledged, changed; a cancelled request gets no result
			listenID + `7`:   3,
			`"method":"notifications/cancelled","params":{"requestId":7}}`: 1,
		} {
			if n := strings.Count(got, part); n != times {
				t.Errorf("%s comes %d times in %s", part, n, got)
			}
		}
		result, cancelled := strings.Index(got, `"id":7`), strings.Index(got, `"requestId":7`)
		if result < 0 || cancelled < result {
			t.Error("the result must come before the cancellation")
		}
	})
}

func TestG11_AChangeIsToldBehindTheReplyOfTheCallThatMadeIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c *catalog.Catalog
		change := tool("change", func(ctx context.Context, _ *middleware.Call, _ map[string]any) (any, error) {
			c.Changed(ctx, catalog.ToolsChanged, catalog.Audience{})
			time.Sleep(time.Second)
			return "ok", nil
		})
		srv := serverOf(t, change)
		c = srv.catalog
		in, client := io.Pipe()
		var out bytes.Buffer
		served := make(chan error, 1)
		go func() { served <- srv.Connect(middleware.Subject{}).Serve(t.Context(), in, &out) }()
		for _, line := range []string{initializing, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, calling("2", "change", `{}`)} {
			_, _ = io.WriteString(client, line+"\n")
		}
		time.Sleep(2 * time.Second)
		_ = client.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
		reply, told := strings.Index(out.String(), `"id":2`), strings.Index(out.String(), toolsChanged)
		if reply < 0 || told < reply {
			t.Errorf("got %s", out.String())
		}
	})
}

func TestOneClientSubscribesToABoundedNumberOfResources(t *testing.T) {
	n := &news{}
	for i := range maxURIs {
		if !n.subscribe(string(noted(i))) {
			t.Fatal(i)
		}
	}
	if n.subscribe("one more") || !n.subscribe(string(noted(0))) {
		t.Error("the bound does not hold")
	}
	n.unsubscribe(string(noted(0)))
	if !n.subscribe("one more") {
		t.Error("there is room again")
	}
}

func TestUpdatesGoToSubscribersAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := catalogOf(t)
		var got []string
		n := &news{send: func(m []byte) bool { got = append(got, string(m)); return true }}
		n.listen(c, "", "")
		n.subscribe("test://a")
		c.Updated(t.Context(), "test://a", catalog.Audience{})
		c.Updated(t.Context(), "test://b", catalog.Audience{})
		time.Sleep(2 * coalescing)
		n.close()
		n.close()
		c.Updated(t.Context(), "test://a", catalog.Audience{})
		time.Sleep(2 * coalescing)
		if len(got) != 1 || got[0] != `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"test://a"}}` {
			t.Errorf("got %q", got)
		}
	})
}

func TestAChangeRightBehindTheAcknowledgementIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serverOf(t, tool("a", echo))
		c := s.Connect(middleware.Subject{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var told []string
		c.Converse(ctx, []byte(listening("1", `{"toolsListChanged":true}`)), func(b []byte) {
			if told = append(told, string(b)); len(told) == 1 {
				s.catalog.Changed(t.Context(), catalog.AnyChange, catalog.Audience{})
			} else {
				cancel()
			}
		})
		if len(told) != 2 || !strings.Contains(told[0], "acknowledged") || !strings.Contains(told[1], "list_changed") {
			t.Errorf("told %s", told)
		}
	})
}
