package fusion_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/samber/mo"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/fusion/fusiontest"
	"github.com/mcpfusion/go/result"
	"github.com/mcpfusion/go/transport"
)

// mirroring is an app whose tools have arguments that clients repeat in headers.
func mirroring() *fusion.App[deps] {
	f := newApp()
	f.Query("chain").Describe("d").
		WithString("region", "Where", "header=Region").
		WithOptionalInteger("level", "How much", "header=Level,default=1").
		Handle(func(_ *fusion.Ctx[deps], in struct {
			Region string
			Level  int
		}) result.Result[string] {
			return result.OK("in " + in.Region)
		})
	f.Query("tagged").Describe("d").
		Handle(func(_ *fusion.Ctx[deps], in struct {
			Filter mo.Option[struct {
				Region string `validate:"header=Region"`
			}]
		}) result.Result[string] {
			return result.OK("in " + in.Filter.OrEmpty().Region)
		})
	f.Query("raw").Describe("d").
		RawSchema([]byte(`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`)).
		Handle(func(_ *fusion.Ctx[deps], in map[string]string) result.Result[string] {
			return result.OK("in " + in["region"])
		})
	return f
}

func TestClientsRepeatMarkedArgumentsInHeaders(t *testing.T) {
	f := mirroring()
	require.NoError(t, f.Err())
	for _, revision := range revisions {
		tools := fusiontest.New(t, f).Revision(revision)
		for _, tool := range tools.List() {
			assert.Contains(t, string(tool.InputSchema), `"x-mcp-header":"Region"`, "%s in %s", tool.Name, revision)
		}
		assert.Equal(t, "in eu", tools.Call("chain", map[string]any{"region": "eu"}).Text(), "in memory there are no headers")
	}
	handler, err := transport.HTTP(f, nil)
	require.NoError(t, err)
	tests := []struct{ name, tool, arguments, header, want string }{
		{"a parameter of the chain", "chain", `{"region":"eu"}`, "eu", `"text":"in eu"`},
		{"a parameter of the chain, another header", "chain", `{"region":"eu"}`, "us", `-32020`},
		{"a parameter of the chain, no header", "chain", `{"region":"eu"}`, "", `-32020`},
		{"the default of an absent argument has no header", "chain", `{"region":"eu","level":null}`, "eu", `"text":"in eu"`},
		{"a field inside", "tagged", `{"filter":{"region":"eu"}}`, "eu", `"text":"in eu"`},
		{"a field inside, no header", "tagged", `{"filter":{"region":"eu"}}`, "", `-32020`},
		{"a field inside a string, which would be taken for the object", "tagged", `{"filter":"{\"region\":\"eu\"}"}`, "", `-32020`},
		{"a field inside that is absent", "tagged", `{}`, "", `"text":"in "`},
		{"a raw schema", "raw", `{"region":"eu"}`, "eu", `"text":"in eu"`},
		{"a raw schema, another header", "raw", `{"region":"eu"}`, "us", `-32020`},
		{"a wrong argument is told to the model", "chain", `{"region":["eu"]}`, "", `INVALID_ARGUMENTS`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/", strings.NewReader(calling("2026-07-28", test.tool, test.arguments)[0]))
			for name, value := range map[string]string{
				"Content-Type": "application/json", "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": test.tool, "mcp-param-region": test.header,
			} {
				if value != "" {
					r.Header.Set(name, value)
				}
			}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			assert.Contains(t, w.Body.String(), test.want)
			assert.Equal(t, test.want == `-32020`, w.Code == http.StatusBadRequest, "the status is %d", w.Code)
		})
	}
}

func TestHeadersThatClientsWouldDropTheToolForAreBuildErrors(t *testing.T) {
	cases := []struct {
		name string
		make func(f *fusion.App[deps])
		want string
	}{
		{"a number", func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").WithNumber("x", "d", "header=X").Handle(func(*fusion.Ctx[deps], fusion.Args) result.Result[int] { return result.OK(1) })
		}, `tool "a": "x" has the header "X" but the type "number"`},
		{"a name twice", func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").WithString("x", "d", "header=X").WithString("y", "d", "header=x").
				Handle(func(*fusion.Ctx[deps], fusion.Args) result.Result[int] { return result.OK(1) })
		}, `tool "a": "y" has the header "x", as "x" has`},
		{"a list in a raw schema", func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").RawSchema([]byte(`{"type":"object","properties":{"x":{"type":"array","items":{"type":"string","x-mcp-header":"X"}}}}`)).
				Handle(func(*fusion.Ctx[deps], fusion.Args) result.Result[int] { return result.OK(1) })
		}, `tool "a": the raw schema is not usable: "/properties/x/items" has the header "X", but clients find only properties`},
		{"a prompt", func(f *fusion.App[deps]) {
			f.Prompt("a").Describe("d").WithString("x", "d", "header=X").
				Handle(func(*fusion.Ctx[deps], struct{ X string }) result.Result[string] { return result.OK("") })
		}, `prompt "a": "x" has the rule header, which is for tools; remove it`},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			f := newApp()
			tc.make(f)
			require.ErrorContains(t, f.Err(), tc.want)
			assert.Equal(t, 1, strings.Count(f.Err().Error(), "mirror_test.go:"), f.Err())
		})
	}
}
