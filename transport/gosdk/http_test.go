package gosdk_test

import (
	"context"
	"encoding/json/jsontext"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/result"
	"github.com/mcpfusion/go/transport/gosdk"
)

// bearer sends a token with each request.
type bearer struct{ token string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	r.Header.Set("X-Tenant", "of "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

// overHTTP serves server to who has a token, which is also the name of its user, and
// returns how to connect as one.
func overHTTP(t *testing.T, server *mcp.Server, o *mcp.StreamableHTTPOptions) func(user, revision string, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	verify := func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		return &auth.TokenInfo{
			UserID: token, Scopes: []string{"read"}, Extra: map[string]any{"plan": "gold"}, Expiration: time.Now().Add(time.Hour),
		}, nil
	}
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, o)
	site := httptest.NewServer(auth.RequireBearerToken(verify, nil)(handler))
	t.Cleanup(func() {
		site.Close()
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	})
	return func(user, revision string, o *mcp.ClientOptions) *mcp.ClientSession {
		return connect(t, &mcp.StreamableClientTransport{Endpoint: site.URL, HTTPClient: &http.Client{Transport: bearer{user}}}, revision, o)
	}
}

func TestACallOverHTTPSaysWhoMakesIt(t *testing.T) {
	calls := make(chan fusion.Call, 1)
	f := fusion.New("test", "1", deps{}, nil)
	f.Query("who").Describe("d").Handle(func(c *fusion.Ctx[deps], _ fusion.NoInput) result.Result[int] {
		calls <- *c.Call
		return result.OK(1)
	})
	f.Query("ada").Describe("d").Visible(func(_ context.Context, c *fusion.Call) bool { return c.Subject.ID == "ada" }).
		Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[int] { return result.OK(1) })
	server := newServer(nil)
	require.NoError(t, gosdk.Mount(server, f))
	for _, revision := range revisions {
		as := overHTTP(t, server, &mcp.StreamableHTTPOptions{Stateless: revision == "2026-07-28"})
		sessions := map[string]bool{}
		for _, user := range []string{"ada", "bob"} {
			c := as(user, revision, nil)
			require.Contains(t, callTool("who", nil)(t, c), `"result":1`)
			call := <-calls
			assert.Equal(t, fusion.Subject{ID: user, Scopes: []string{"read"}, Claims: map[string]any{"plan": "gold"}}, call.Subject)
			assert.Equal(t, "of "+user, call.Header.Get("X-Tenant"))
			_, shown := listed(t, c)["tool ada"]
			assert.Equal(t, user == "ada", shown, "%s in %s", user, revision)
			assert.Equal(t, revision, call.Revision)
			if revision == "2026-07-28" {
				assert.Nil(t, call.Session)
				continue
			}
			require.NotNil(t, call.Session, revision)
			assert.Equal(t, c.ID(), call.Session.ID())
			assert.Equal(t, "c", call.Session.Client().Name)
			assert.Equal(t, "1", call.Session.Client().Version)
			assert.False(t, sessions[call.Session.ID()])
			sessions[call.Session.ID()] = true
		}
	}
}

func TestAHandlerReachesItsOwnClientOverHTTP(t *testing.T) {
	server := newServer(nil)
	require.NoError(t, gosdk.Mount(server, talkative()))
	as := overHTTP(t, server, nil)
	for _, name := range []string{"Ada", "Bob"} {
		u := &user{forms: []*mcp.ElicitResult{accepted(args{"name": name, "age": 5})}}
		assert.Contains(t, callTool("form", nil)(t, as(name, "2025-11-25", u.options(everything()))), name)
		assert.Len(t, u.heard, 1)
	}
}

// one is an app with a tool and a prompt that say whose they are.
func one(name string) *fusion.App[deps] {
	f := fusion.New(name, "1", deps{}, nil)
	f.Query(name).Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[string] { return result.OK("tool of " + name) })
	f.Query(name + "_form").Describe("d").Handle(func(c *fusion.Ctx[deps], _ fusion.NoInput) result.Result[consent] {
		return c.Elicit[consent]("form", "Who asks for "+name+"?")
	})
	f.Query(name + "_hidden").Describe("d").Visible(nobody).
		Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[int] { return result.OK(1) })
	f.Prompt(name).Describe("d").WithString("a", "a").
		Complete("a", func(*fusion.Ctx[deps], string) []string { return []string{"value of " + name} }).
		Handle(func(*fusion.Ctx[deps], struct{ A string }) result.Result[string] {
			return result.OK("prompt of " + name)
		})
	f.Resource(name + "://{id}").Describe("d").
		Handle(func(_ *fusion.Ctx[deps], in struct{ ID string }) result.Result[string] {
			return result.OK("resource " + in.ID + " of " + name)
		})
	return f
}

func TestTwoAppsOnOneServerAnswerForThemselves(t *testing.T) {
	server := newServer(nil)
	require.NoError(t, gosdk.Mount(server, one("left")))
	require.NoError(t, gosdk.Mount(server, one("right")))
	u := &user{forms: []*mcp.ElicitResult{accepted(args{"name": "Ada", "age": 5})}}
	c := clientOf(t, server, "2025-11-25", u.options(everything()))
	items := listed(t, c)
	for _, name := range []string{"left", "right"} {
		assert.Contains(t, items, "tool "+name)
		assert.NotContains(t, items, "tool "+name+"_hidden")
		assert.Contains(t, callTool(name, nil)(t, c), "tool of "+name)
		assert.Contains(t, callTool(name+"_hidden", nil)(t, c), `"message":"Unknown tool:`)
		assert.Contains(t, callTool(name+"_form", nil)(t, c), "Ada")
		assert.Contains(t, getPrompt(name, texts{"a": "a"})(t, c), "prompt of "+name)
		assert.Contains(t, readResource(name+"://5")(t, c), "resource 5 of "+name)
		assert.Contains(t, readResource(name+"://a@b")(t, c), "resource a@b of "+name)
		assert.Contains(t, complete("ref/prompt", name, "a", "", nil)(t, c), "value of "+name)
	}
	assert.Len(t, u.heard, 2, "each question goes out once")
}

// refused is an app whose tools have a schema that no server takes.
type refused struct{ *fusion.App[deps] }

func (r refused) Catalog() (*catalog.Catalog, error) {
	c, err := r.App.Catalog()
	for _, tool := range c.Tools() {
		tool.InputSchema = jsontext.Value(`{"type":"string"}`)
	}
	return c, err
}

func TestAnAppThatTheSDKRefusesIsNotMounted(t *testing.T) {
	server := newServer(nil)
	require.ErrorContains(t, gosdk.Mount(server, refused{one("left")}), "gosdk: the SDK refuses the app: AddTool")
	require.NoError(t, gosdk.Mount(server, one("right")))
	assert.NotContains(t, listed(t, clientOf(t, server, "2025-11-25", nil)), "tool left", "nothing of it is there")
}
