package gosdk_test

import (
	"encoding/json/v2"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/transport/gosdk"
)

var revisions = []string{"2025-06-18", "2025-11-25", "2026-07-28"}

var reference = regexp.MustCompile(`[0-9a-f]{16}`)

// outcome is what a client got, as JSON: the result, or the error with its code and data.
func outcome[R mcp.Result](t *testing.T, r R, err error) string {
	t.Helper()
	var got any = r
	if err != nil {
		wire, is := errors.AsType[*jsonrpc.Error](err)
		require.True(t, is, "%v", err)
		got = map[string]any{"code": wire.Code, "message": wire.Message, "data": string(wire.Data)}
	} else {
		delete(r.GetMeta(), mcp.MetaKeyServerInfo)
		if len(r.GetMeta()) == 0 {
			r.SetMeta(nil)
		}
	}
	b, err := json.Marshal(got, json.Deterministic(true))
	require.NoError(t, err)
	return reference.ReplaceAllString(string(b), "REF")
}

type args = map[string]any

type texts = map[string]string

func callTool(name string, arguments any) func(*testing.T, *mcp.ClientSession) string {
	return func(t *testing.T, c *mcp.ClientSession) string {
		t.Helper()
		r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
		return outcome(t, r, err)
	}
}

func getPrompt(name string, arguments texts) func(*testing.T, *mcp.ClientSession) string {
	return func(t *testing.T, c *mcp.ClientSession) string {
		t.Helper()
		r, err := c.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: name, Arguments: arguments})
		return outcome(t, r, err)
	}
}

func readResource(uri string) func(*testing.T, *mcp.ClientSession) string {
	return func(t *testing.T, c *mcp.ClientSession) string {
		t.Helper()
		r, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err == nil && r.CacheScope != "" { // which the SDK sends in all revisions
			assert.Equal(t, mcp.Cacheable{CacheScope: "private"}, r.Cacheable)
			r.Cacheable = mcp.Cacheable{}
		}
		return outcome(t, r, err)
	}
}

func complete(kind, of, argument, prefix string, known texts) func(*testing.T, *mcp.ClientSession) string {
	return func(t *testing.T, c *mcp.ClientSession) string {
		t.Helper()
		p := &mcp.CompleteParams{
			Ref: &mcp.CompleteReference{Type: kind}, Argument: mcp.CompleteParamsArgument{Name: argument, Value: prefix},
		}
		if p.Ref.Name = of; kind == "ref/resource" {
			p.Ref.Name, p.Ref.URI = "", of
		}
		if known != nil {
			p.Context = &mcp.CompleteContext{Arguments: known}
		}
		r, err := c.Complete(t.Context(), p)
		return outcome(t, r, err)
	}
}

// calls are made through the bridge and of the native engine. Each must bring what has, so
// that two empty outcomes are no success.
var calls = map[string]struct {
	call func(*testing.T, *mcp.ClientSession) string
	has  string
}{
	"a tool's result without what the presenter leaves out": {callTool("get", args{"id": "x"}), `{"cents":5,"id":"x"}`},
	"a tool's failure":                                     {callTool("get", args{"id": "none"}), `NOT_FOUND`},
	"a tool's argument against a rule":                     {callTool("get", args{"id": ""}), `INVALID_ARGUMENTS`},
	"a tool's unknown argument":                            {callTool("get", args{"idd": 5}), `INVALID_ARGUMENTS`},
	"a tool's missing arguments":                           {callTool("get", nil), `INVALID_ARGUMENTS`},
	"arguments that are no object":                         {callTool("get", []int{1}), `-32602`},
	"a tool without a result":                              {callTool("unit", nil), `OK`},
	"a tool's blocks of every kind":                        {callTool("blocks", nil), `x://z`},
	"a tool's block that is nil":                           {callTool("no_block", nil), `INTERNAL`},
	"a tool's block with _meta that panics":                {callTool("bad_meta", nil), `INTERNAL`},
	"a tool's own _meta":                                   {callTool("own_response", nil), `com.example/k`},
	"a tool's own _meta without JSON":                      {callTool("own_bad_response", nil), `INTERNAL`},
	"a tool that panics":                                   {callTool("boom", nil), `INTERNAL`},
	"a tool's error on purpose":                            {callTool("protocol", nil), `{"code":42,"data":"{\"a\":1}"`},
	"a tool's error on purpose whose data panics":          {callTool("protocol_bad_data", nil), `{"code":42,"data":""`},
	"a hidden tool":                                        {callTool("hidden", nil), `-32602`},
	"a tool that is refused":                               {callTool("refused", nil), `FORBIDDEN`},
	"an unknown tool":                                      {callTool("unknown", nil), `-32602`},
	"an unknown tool with arguments that are no object":    {callTool("unknown", []int{1}), `must be an object`},
	"a tool without a name":                                {callTool("", nil), `-32602`},
	"a prompt's messages":                                  {getPrompt("greet", texts{"name": "Ada", "times": "2"}), `Hello Ada`},
	"a prompt's failure":                                   {getPrompt("greet", texts{"name": "none"}), `NOT_FOUND`},
	"a prompt's argument against a rule":                   {getPrompt("greet", texts{"name": "A"}), `INVALID_ARGUMENTS`},
	"a prompt's argument of the wrong type":                {getPrompt("greet", texts{"name": "Ada", "times": "x"}), `INVALID_ARGUMENTS`},
	"a prompt's missing arguments":                         {getPrompt("greet", nil), `INVALID_ARGUMENTS`},
	"a prompt's blocks of every kind":                      {getPrompt("blocks", nil), `x://z`},
	"a prompt's block that is nil":                         {getPrompt("no_block", nil), `INTERNAL`},
	"a prompt that panics":                                 {getPrompt("boom", nil), `INTERNAL`},
	"a hidden prompt":                                      {getPrompt("hidden", nil), `Unknown prompt`},
	"a prompt that is refused":                             {getPrompt("refused", nil), `FORBIDDEN`},
	"an unknown prompt":                                    {getPrompt("unknown", nil), `Unknown prompt`},
	"a text resource":                                      {readResource("test://text"), `hello`},
	"a binary resource":                                    {readResource("test://blob"), `AQI=`},
	"a resource of several parts":                          {readResource("test://many"), `test://one`},
	"a resource's failure":                                 {readResource("test://gone"), `NOT_FOUND`},
	"a resource that panics":                               {readResource("test://boom"), `INTERNAL`},
	"a resource that is refused":                           {readResource("test://refused"), `FORBIDDEN`},
	"a resource of a template":                             {readResource("orders://ab/lines/2"), `abab`},
	"a resource of a template that the SDK does not match": {readResource("orders://a@é/lines/1"), `a@é`},
	"a resource of a template with a URI that is none":     {readResource("orders://a@b:é/lines/1"), `must be an absolute URI`},
	"a resource of a template with a wrong variable":       {readResource("orders://ab/lines/x"), `INVALID_ARGUMENTS`},
	"suggestions for a prompt":                             {complete("ref/prompt", "greet", "name", "A", texts{"times": "1"}), `{\"times\":\"1\"}`},
	"more suggestions than may be sent":                    {complete("ref/prompt", "greet", "name", "!", nil), `"hasMore":true,"total":150`},
	"suggestions for a template":                           {complete("ref/resource", "orders://{id}/lines/{line}", "id", "A", nil), `A1`},
	"an argument without suggestions":                      {complete("ref/prompt", "greet", "times", "", nil), `"values":[]`},
	"suggestions for an unknown argument":                  {complete("ref/prompt", "greet", "x", "", nil), `Unknown argument`},
	"suggestions for a hidden prompt":                      {complete("ref/prompt", "hidden", "a", "", nil), `Unknown prompt`},
	"suggestions for a refused prompt":                     {complete("ref/prompt", "refused", "a", "", nil), `Unknown argument`},
	"suggestions for an unknown prompt":                    {complete("ref/prompt", "unknown", "a", "", nil), `Unknown prompt`},
	"suggestions for an unknown template":                  {complete("ref/resource", "x://{a}", "a", "", nil), `Unknown resource template`},
}

func TestTheSameCallsGiveTheSameResultsAsTheNativeEngine(t *testing.T) {
	f := newApp()
	for _, revision := range revisions {
		theirs, ours := bridged(t, f, revision, nil), native(t, f, revision, nil)
		for name, c := range calls {
			t.Run(revision+": "+name, func(t *testing.T) {
				want := c.call(t, ours)
				assert.Contains(t, want, c.has)
				assert.Equal(t, want, c.call(t, theirs))
			})
		}
	}
}

func TestAMissingResourceIsAnsweredAsTheSDKDoes(t *testing.T) {
	f := newApp()
	for _, revision := range revisions {
		theirs, ours := bridged(t, f, revision, nil), native(t, f, revision, nil)
		for _, uri := range []string{"test://hidden", "secrets://5", "secrets://a@b", "test://unknown", "orders://../lines/1", "orders:///lines/1"} {
			want := strings.Replace(readResource(uri)(t, ours), "-32002", "-32602", 1)
			assert.Contains(t, want, `"message":"Resource not found"`, uri)
			assert.Equal(t, want, readResource(uri)(t, theirs), uri)
		}
	}
}

// listed is everything that a client is shown, by kind and name.
func listed(t *testing.T, c *mcp.ClientSession) map[string]string {
	t.Helper()
	items := map[string]string{}
	add := func(key string, item any, err error) {
		require.NoError(t, err)
		b, err := json.Marshal(item, json.Deterministic(true))
		require.NoError(t, err)
		items[key] = string(b)
	}
	for i, err := range c.Tools(t.Context(), nil) {
		add("tool "+i.Name, i, err)
	}
	for i, err := range c.Prompts(t.Context(), nil) {
		add("prompt "+i.Name, i, err)
	}
	for i, err := range c.Resources(t.Context(), nil) {
		add("resource "+i.URI, i, err)
	}
	for i, err := range c.ResourceTemplates(t.Context(), nil) {
		add("template "+i.URITemplate, i, err)
	}
	return items
}

func TestTheSameIsListedAsByTheNativeEngine(t *testing.T) {
	f := newApp()
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		ours, theirs := listed(t, native(t, f, revision, nil)), listed(t, bridged(t, f, revision, nil))
		assert.Equal(t, ours, theirs)
		for _, item := range []string{"tool get", "prompt greet", "resource test://text", "template orders://{id}/lines/{line}"} {
			assert.Contains(t, theirs, item)
		}
		for _, item := range []string{"tool hidden", "tool refused", "prompt hidden", "prompt refused", "resource test://hidden", "resource test://refused", "template secrets://{id}"} {
			assert.NotContains(t, theirs, item)
		}
	}
}

func TestWhatIsForOneCallerIsPrivate(t *testing.T) {
	c := bridged(t, newApp(), "", nil)
	tools, err := c.ListTools(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, "private", tools.CacheScope)
	read, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "test://text"})
	require.NoError(t, err)
	assert.Equal(t, "private", read.CacheScope)
}

func TestAnAppWithBuildErrorsIsNotMounted(t *testing.T) {
	f := fusion.New("test", "1", deps{}, nil)
	f.Query("a")
	assert.Error(t, gosdk.Mount(newServer(nil), f))
}
