package protocol

import (
	"context"
	"encoding/json/jsontext"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/internal/scope"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

// item is what a prompt or a resource in a test has: its handler returns data.
func item(name string, data any) catalog.Item {
	return catalog.Item{
		ID: name, Name: name, Description: "About " + name,
		Derive: func(context.Context, *middleware.Call, *scope.Scope) (any, error) { return nil, nil },
		Decode: func(jsontext.Value) (any, []result.Field) { return nil, nil },
		Invoke: func(any, any) (any, error) { return data, nil },
		Present: func(_ context.Context, v any) (*result.Response, error) {
			return &result.Response{Data: v}, nil
		},
	}
}

// hiddenFrom hides an item from a subject.
func hiddenFrom(subject string) []middleware.Visible {
	return []middleware.Visible{func(_ context.Context, call *middleware.Call) bool { return call.Subject.ID != subject }}
}

// featured is a server with a prompt, a resource and a template, each with a suggestion.
func featured(t *testing.T, o Options) *Server {
	t.Helper()
	suggest := func(_ context.Context, _ *middleware.Call, _ *scope.Scope, prefix string) ([]string, error) {
		return []string{prefix + "!"}, nil
	}
	text := []result.ResourceContents{{MIMEType: "text/plain", Text: "held"}}
	resource := &catalog.Resource{Item: item("test://a", text), Label: "a"}
	resource.Visible = hiddenFrom("ben")
	return mustServer(t, catalog.New(catalog.Info{Name: "test", Version: "1"}, slog.New(slog.DiscardHandler), nil, nil,
		&catalog.Prompt{
			Item:      item("greet", []result.Message{result.User("hello")}),
			Arguments: []catalog.Argument{{Name: "who", Description: "Whom", Required: true}},
			Complete:  map[string]catalog.Complete{"who": suggest},
		},
		resource,
		&catalog.Resource{
			Item: item("test://t/{id}", text), Label: "t", Variables: []string{"id"},
			Match: func(uri string) (jsontext.Value, bool) {
				return jsontext.Value(`{"id":"x"}`), strings.HasPrefix(uri, "test://t/")
			},
			Complete: map[string]catalog.Complete{"id": suggest},
		},
	), o)
}

// asking is a request of a session.
func asking(method, params string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + `}}`
}

func TestFeaturesAreAdvertisedWhereTheyAreServed(t *testing.T) {
	const all = `"prompts":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"completions":{}}`
	if got := string(featured(t, Options{}).initialize[rev20251125]); !strings.Contains(got, all) {
		t.Errorf("got %s", got)
	}
	c := opened(t, serverOf(t, tool("a", echo)), "2025-11-25")
	for _, method := range []string{"prompts/list", "prompts/get", "resources/list", "resources/templates/list", "resources/read", "resources/subscribe", "completion/complete"} {
		want(t, send(t, c, asking(method, "")), `"code":-32601`)
	}
	modern := featured(t, Options{}).Connect(middleware.Subject{})
	for _, method := range []string{"resources/subscribe", "resources/unsubscribe"} {
		want(t, send(t, modern, asking(method, modernMeta+`,"uri":"test://a"`)), `"code":-32601`)
	}
}

func TestFeaturesTravelAsEachRevisionHasThem(t *testing.T) {
	const suffix = `,"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"test","version":"1"}}}}`
	tests := []struct{ method, params, old, modern string }{
		{"prompts/list", "", `{"prompts":[{"name":"greet","description":"About greet","arguments":[{"name":"who","description":"Whom","required":true}]}]`, `,"ttlMs":300000,"cacheScope":"public"`},
		{"prompts/get", `"name":"greet"`, `{"description":"About greet","messages":[{"role":"user","content":{"type":"text","text":"hello"}}]`, ""},
		{"resources/list", "", `{"resources":[{"uri":"test://a","name":"a","description":"About test://a"}]`, `,"ttlMs":0,"cacheScope":"private"`},
		{"resources/templates/list", "", `{"resourceTemplates":[{"uriTemplate":"test://t/{id}","name":"t","description":"About test://t/{id}"}]`, `,"ttlMs":300000,"cacheScope":"public"`},
		{"resources/read", `"uri":"test://t/7"`, `{"contents":[{"uri":"test://t/7","mimeType":"text/plain","text":"held"}]`, `,"ttlMs":0,"cacheScope":"private"`},
		{"completion/complete", `"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who","value":"a"}`, `{"completion":{"values":["a!"],"total":1,"hasMore":false}`, ""},
		{"completion/complete", `"ref":{"type":"ref/resource","uri":"test://t/{id}"},"argument":{"name":"id","value":""},"context":{"arguments":{}}`, `{"completion":{"values":["!"],"total":1,"hasMore":false}`, ""},
	}
	s := featured(t, Options{})
	modern := s.Connect(middleware.Subject{})
	for _, test := range tests {
		for _, version := range []string{"2025-03-26", "2025-06-18", "2025-11-25"} {
			if got := send(t, opened(t, s, version), asking(test.method, test.params)); got != `{"jsonrpc":"2.0","id":1,"result":`+test.old+"}}" {
				t.Errorf("%s in %s: %s", test.method, version, got)
			}
		}
		params := modernMeta
		if test.params != "" {
			params += "," + test.params
		}
		if got := send(t, modern, asking(test.method, params)); got != `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete",`+test.old[1:]+test.modern+suffix {
			t.Errorf("%s: %s", test.method, got)
		}
	}
}

func TestParametersThatAreNoneAreRefused(t *testing.T) {
	c := opened(t, featured(t, Options{}), "2025-11-25")
	for method, all := range map[string][]string{
		"prompts/get":         {``, `"name":1`, `"name":"greet","arguments":[]`, `"name":"greet","arguments":"{}"`},
		"prompts/list":        {`"cursor":"bogus"`, `"cursor":1`},
		"resources/list":      {`"cursor":"bogus"`},
		"resources/read":      {``, `"uri":1`, `"uri":"a"`, `"uri":""`, `"uri":"test://%zz"`},
		"resources/subscribe": {``, `"uri":"a"`},
		"completion/complete": {
			``, `"ref":{}`, `"ref":{"type":"ref/tool","name":"greet"},"argument":{"name":"who","value":""}`,
			`"ref":{"type":"ref/prompt","name":"greet"}`, `"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who"}`,
			`"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who","value":1}`,
			`"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who","value":""},"context":{"arguments":[]}`,
			`"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"nobody","value":""}`,
			`"ref":{"type":"ref/resource","uri":"test://a"},"argument":{"name":"id","value":""}`,
		},
	} {
		for _, params := range all {
			want(t, send(t, c, asking(method, params)), `"code":-32602`)
		}
	}
}

func TestTheNameHeaderMirrorsPromptsAndResources(t *testing.T) {
	e := featured(t, Options{}).Endpoint()
	for _, test := range []struct {
		method, params, name string
		status               int
	}{
		{"prompts/get", `"name":"greet"`, "greet", 200},
		{"prompts/get", `"name":"greet"`, "other", 400},
		{"prompts/get", `"name":"greet"`, "", 400},
		{"resources/read", `"uri":"test://a"`, "test://a", 200},
		{"resources/read", `"uri":"test://a"`, "=?base64?dGVzdDovL2E=?=", 200},
		{"resources/read", `"uri":"test://a"`, "test://b", 400},
		{"resources/list", `"x":1`, "", 200},
	} {
		a := post(t.Context(), e, "", asking(test.method, modernMeta+","+test.params), headerVersion, "2026-07-28", headerMethod, test.method, headerName, test.name)
		if a.status != test.status {
			t.Errorf("%+v: %d %s", test, a.status, a.body)
		}
	}
}

func TestASubscriberAloneIsToldOfAnUpdate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const updated = `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"test://a"}}`
		store := &sharedSessions{}
		e := featured(t, Options{Sessions: store}).Endpoint()
		open := func() *stage {
			s := &stage{e, t, openedSession(t, e, "")}
			post(t.Context(), e, "", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, headerSession, s.session)
			return s
		}
		one, other := open(), open()
		ask := func(s *stage, method, uri string) string {
			return post(t.Context(), e, "", asking(method, `"uri":"`+uri+`"`), headerSession, s.session).body
		}
		want(t, ask(one, "resources/subscribe", "test://a"), `"result":{}`)
		want(t, ask(one, "resources/subscribe", "test://missing"), `"code":-32002`)
		want(t, ask(other, "resources/unsubscribe", "test://a"), `"result":{}`)
		want(t, string(store.records[one.session]), `"resources":["test://a"]`)

		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		first, second := one.get(ctx, ""), other.get(ctx, "")
		e.srv.catalog.Updated(t.Context(), "test://a", catalog.Audience{})
		time.Sleep(2 * coalescing)
		synctest.Wait()
		if got := first.read(); !strings.Contains(got, updated) {
			t.Errorf("the subscriber is told %q", got)
		}
		if strings.Contains(second.read(), updated) {
			t.Error("another is told too")
		}
		ask(one, "resources/unsubscribe", "test://a")
		e.srv.catalog.Updated(t.Context(), "test://a", catalog.Audience{})
		time.Sleep(2 * coalescing)
		if got := first.read(); strings.Count(got, updated) > 1 {
			t.Errorf("told after unsubscribing: %q", got)
		}
		e.sessions.close()
	})
}

func TestWhatIsHiddenCannotBeSubscribedTo(t *testing.T) {
	e := featured(t, Options{}).Endpoint()
	id := openedSession(t, e, "ben")
	a := post(t.Context(), e, "ben", asking("resources/subscribe", `"uri":"test://a"`), headerSession, id)
	b := post(t.Context(), e, "ben", asking("resources/subscribe", `"uri":"test://b"`), headerSession, id)
	if a.body != b.body || !strings.Contains(a.body, "-32002") {
		t.Errorf("got %s and %s", a.body, b.body)
	}
}

func TestAReplicaKnowsWhatASessionSubscribedTo(t *testing.T) {
	store := &sharedSessions{}
	here, there := featured(t, Options{Sessions: store}).Endpoint(), featured(t, Options{Sessions: store}).Endpoint()
	id := openedSession(t, here, "")
	post(t.Context(), here, "", asking("resources/subscribe", `"uri":"test://a"`), headerSession, id)
	x := there.accept(t.Context(), Incoming{Body: []byte(pinging), Header: http.Header{headerSession: {id}}})
	if got := x.session.news.resources(); len(got) != 1 || got[0] != "test://a" {
		t.Errorf("got %q", got)
	}
	there.sessions.close()
	here.sessions.close()
}

func TestTheRateOfCompletionsIsBoundedForEachCaller(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	l := newLimiter(func() time.Time { return now })
	for range completionBurst {
		if !l.allow("ann") {
			t.Fatal("refused within the burst")
		}
	}
	if l.allow("ann") || !l.allow("ben") {
		t.Error("the bound is not the caller's own")
	}
	if now = now.Add(completionPeriod); !l.allow("ann") || l.allow("ann") {
		t.Error("the allowance does not come back one by one")
	}
	for i := range sweepAt {
		l.allow(string(noted(i)))
	}
	if now = now.Add(time.Hour); !l.allow("new") || len(l.full) != 1 {
		t.Errorf("%d entries are kept", len(l.full))
	}
}
