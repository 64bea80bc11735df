package shared_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/examples/shared"
	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
	"github.com/mcpfusion/go/transport"
)

var tokens = shared.NewTokens(map[string]shared.User{
	"t-ann": {ID: "u1", Name: "Ann"},
	"t-bob": {ID: "u2", Name: "Bob"},
})

// The notes app keeps the user beside its context, as package shared puts it.
type notes struct{ prefix string }

func (notes) UserTokens() *shared.Tokens { return tokens }

func notesApp() *fusion.App[notes] {
	f := fusion.New("notes", "1", notes{"note of "}, nil)
	f.Query("whoami").Describe("Say who calls").
		Use(shared.RequireUser).
		Handle(func(ctx *fusion.Ctx[shared.Authed[notes]], _ fusion.NoInput) result.Result[string] {
			return result.OK(ctx.App.App.prefix + ctx.App.User.Name)
		})
	return f
}

// The shop app merges the user into a context type of its own.
type shop struct{ *shared.Tokens }

func (s shop) UserTokens() *shared.Tokens { return s.Tokens }

type customer struct {
	shop
	name string
}

func shopApp() *fusion.App[shop] {
	f := fusion.New("shop", "1", shop{tokens}, nil)
	customers := f.Use(middleware.Derive(shared.FindUser, func(s shop, u shared.User) customer { return customer{s, u.Name} }))
	customers.Query("whoami").Describe("Say who calls").
		Handle(func(ctx *fusion.Ctx[customer], _ fusion.NoInput) result.Result[string] {
			return result.OK("customer " + ctx.App.name)
		})
	return f
}

func TestOneSharedPackageServesTwoAppsOverHTTP(t *testing.T) {
	for name, app := range map[string]struct {
		app  transport.App
		want string
	}{
		"notes": {notesApp(), "note of Ann"},
		"shop":  {shopApp(), "customer Ann"},
	} {
		t.Run(name, func(t *testing.T) {
			handler, err := transport.HTTP(app.app, &transport.HTTPOptions{Authenticate: tokens.Authenticate})
			require.NoError(t, err)
			server := httptest.NewServer(handler)
			defer server.Close()

			status, body := post(t, server.URL, "t-ann")
			assert.Equal(t, http.StatusOK, status)
			assert.Contains(t, body, app.want)
			for _, bad := range []string{"", "t-eve"} {
				status, body = post(t, server.URL, bad)
				assert.Equal(t, http.StatusUnauthorized, status)
				assert.NotContains(t, body, "unknown bearer token", "the raw error stays inside")
			}
		})
	}
}

func post(t *testing.T, url, token string) (int, string) {
	t.Helper()
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewBufferString(body))
	require.NoError(t, err)
	for key, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "whoami",
	} {
		request.Header.Set(key, value)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { assert.NoError(t, response.Body.Close()) }()
	b, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(b)
}
