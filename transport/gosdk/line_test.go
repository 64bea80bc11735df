//nolint:staticcheck // sessions have what 2026-07-28 deprecates
package gosdk_test

import (
	"context"
	"encoding/json/v2"
	"errors"
	"log/slog"
	"math"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
	"github.com/mcpfusion/go/transport/gosdk"
)

type consent struct {
	Name string `json:"name" jsonschema:"required"`
	Age  int    `json:"age"`
}

// talkative is an app whose handlers use all that a client can be told and asked.
func talkative() *fusion.App[deps] {
	f := fusion.New("test", "1", deps{}, &fusion.Options{Logger: slog.New(slog.DiscardHandler)})
	type ctx = *fusion.Ctx[deps]
	f.Query("progress").Describe("d").Handle(func(c ctx, _ fusion.NoInput) result.Result[int] {
		for _, p := range []float64{0, 50, 50, 20, math.NaN(), math.Inf(1), 50.5} {
			c.Progress(p, 100, "going <on>")
		}
		c.Defer(func() { c.Progress(120, 0, "") })
		return result.OK(1)
	})
	f.Query("log").Describe("d").Handle(func(c ctx, _ fusion.NoInput) result.Result[int] {
		for _, level := range []slog.Level{-8, -4, 0, 1, 2, 3, 4, 8, 12, 20} {
			c.Log().Log(c, level, "at <&>", "level", int(level))
		}
		return result.OK(1)
	})
	f.Query("form").Describe("d").Handle(func(c ctx, _ fusion.NoInput) result.Result[consent] {
		return c.Elicit[consent]("form", "Who?")
	})
	f.Query("form_required").Describe("d").Requires("elicitation.form").Handle(func(c ctx, _ fusion.NoInput) result.Result[consent] {
		return c.Elicit[consent]("form", "Who?")
	})
	f.Query("page").Describe("d").Handle(func(c ctx, _ fusion.NoInput) result.Result[result.Unit] {
		return c.ElicitURL("page", "Pay?", "https://pay.example/5")
	})
	f.Query("sample").Describe("d").Handle(func(c ctx, _ fusion.NoInput) result.Result[string] {
		cool := 0.5
		return c.Sample("sample", middleware.SampleRequest{
			Messages: []result.Message{result.User("Hi"), result.Assistant("Ho")}, SystemPrompt: "s", MaxTokens: 1 << 40,
			Temperature: &cool, StopSequences: []string{"."}, Models: []string{"m"}, CostPriority: 0.5,
		}).Map(func(s middleware.Sample) string { return s.Text() + s.Model + s.StopReason })
	})
	f.Query("roots").Describe("d").Handle(func(c ctx, _ fusion.NoInput) result.Result[[]middleware.Root] { return c.Roots("roots") })
	f.Query("several").Describe("d").Handle(func(c ctx, _ fusion.NoInput) result.Result[int] {
		form, roots := middleware.Form[consent]("form", "Who?"), middleware.Roots("roots")
		if err := c.Ask(form, roots); err != nil {
			return result.Err[int](err)
		}
		return roots.Answer().Map(func(all []middleware.Root) int { return len(all) })
	})
	f.Query("supports").Describe("d").Handle(func(c ctx, _ fusion.NoInput) result.Result[map[string]bool] {
		has := map[string]bool{}
		for _, capability := range []string{"elicitation", "elicitation.form", "elicitation.url", "roots", "sampling", "sampling.context", "sampling.tools", "other"} {
			has[capability] = c.Supports(capability)
		}
		return result.OK(has)
	})
	f.Prompt("form").Describe("d").Handle(func(c ctx, _ fusion.NoInput) result.Result[string] {
		c.Progress(1, 2, "")
		return c.Elicit[consent]("form", "Who?").Map(func(a consent) string { return a.Name })
	})
	f.Resource("test://form").Describe("d").Handle(func(c ctx, _ fusion.NoInput) result.Result[string] {
		c.Progress(1, 2, "")
		return c.Elicit[consent]("form", "Who?").Map(func(a consent) string { return a.Name })
	})
	return f
}

// user is a client that notes what it is told and asked, and answers as it is set.
type user struct {
	mu    sync.Mutex
	heard []string
	forms []*mcp.ElicitResult // one after the other, the last for good
	err   error               // instead of any answer
}

func (u *user) note(what string, params any) {
	b, err := json.Marshal(params, json.Deterministic(true))
	if err != nil {
		panic(err)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.heard = append(u.heard, what+" "+string(b))
}

func (u *user) options(capabilities *mcp.ClientCapabilities) *mcp.ClientOptions {
	o := &mcp.ClientOptions{
		Capabilities: capabilities,
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			u.note("progress", r.Params)
		},
		LoggingMessageHandler: func(_ context.Context, r *mcp.LoggingMessageRequest) { u.note("log", r.Params) },
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			asked := *r.Params
			asked.Mode = strings.TrimPrefix(asked.Mode, "form") // which is also the meaning of none
			if asked.ElicitationID != "" {
				asked.ElicitationID = "one of its own"
			}
			u.note("elicit", asked)
			if u.err != nil {
				return nil, u.err
			}
			if len(u.forms) == 0 {
				return nil, errors.New("no answer was meant")
			}
			answer := u.forms[0]
			if len(u.forms) > 1 {
				u.forms = u.forms[1:]
			}
			return answer, nil
		},
		CreateMessageHandler: func(_ context.Context, r *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			u.note("sample", r.Params)
			return &mcp.CreateMessageResult{Content: &mcp.TextContent{Text: "yes"}, Model: "m", Role: "assistant", StopReason: "endTurn"}, u.err
		},
	}
	if capabilities.Elicitation == nil { // which a handler would declare
		o.ElicitationHandler = nil
	}
	if capabilities.Sampling == nil {
		o.CreateMessageHandler = nil
	}
	return o
}

func everything() *mcp.ClientCapabilities {
	return &mcp.ClientCapabilities{
		RootsV2: &mcp.RootCapabilities{}, Sampling: &mcp.SamplingCapabilities{},
		Elicitation: &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{}},
	}
}

func accepted(content args) *mcp.ElicitResult {
	return &mcp.ElicitResult{Action: "accept", Content: content}
}

// talk is one call with the client's answers.
type talk struct {
	method, name string // tools/call by default
	level        mcp.LoggingLevel
	token        any
	capabilities *mcp.ClientCapabilities // everything by default
	forms        []*mcp.ElicitResult
	err          error
	has          string // in what was heard and the outcome,
	since        string // from this revision on
}

// with makes the call and returns what the client heard, and the outcome.
func (k talk) with(t *testing.T, open func(*mcp.ClientOptions) *mcp.ClientSession) string {
	t.Helper()
	u := &user{forms: k.forms, err: k.err}
	capabilities := k.capabilities
	if capabilities == nil {
		capabilities = everything()
	}
	c := open(u.options(capabilities))
	if k.level != "" {
		require.NoError(t, c.SetLoggingLevel(t.Context(), &mcp.SetLoggingLevelParams{Level: k.level}))
	}
	meta := mcp.Meta{}
	if k.token != nil {
		meta["progressToken"] = k.token
	}
	var got string
	switch k.method {
	case "prompts/get":
		r, err := c.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: k.name, Meta: meta})
		got = outcome(t, r, err)
	case "resources/read":
		r, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: k.name, Meta: meta})
		if err == nil {
			r.Cacheable = mcp.Cacheable{} // which the SDK sends in all revisions
		}
		got = outcome(t, r, err)
	default:
		r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: k.name, Meta: meta})
		got = outcome(t, r, err)
	}
	synctest.Wait() // for what the client has not read yet
	u.mu.Lock()
	defer u.mu.Unlock()
	return strings.Join(append(u.heard, got), "\n")
}

var refusal = &jsonrpc.Error{Code: -1, Message: "User rejected"}

var talks = map[string]talk{
	"progress for a text token":         {name: "progress", token: "t-1", has: `"progress":120`},
	"progress for a number":             {name: "progress", token: 17, has: `"progressToken":17`},
	"progress for a number that is not": {name: "progress", token: 1.5, has: `1`},
	"progress for too long a token":     {name: "progress", token: strings.Repeat("x", 2000), has: `1`},
	"progress for nobody":               {name: "progress", has: `1`},
	"log records for nobody":            {name: "log", has: `1`},
	"log records from debug on":         {name: "log", level: "debug", has: `"level":-8`},
	"log records from info on":          {name: "log", level: "info", has: `"level":1`},
	"log records from notice on":        {name: "log", level: "notice", has: `"logger":"log"`},
	"log records from warning on":       {name: "log", level: "warning", has: `"level":"critical"`},
	"log records from emergency on":     {name: "log", level: "emergency", has: `1`},
	"a form that is accepted":           {name: "form", forms: []*mcp.ElicitResult{accepted(args{"name": "Ada", "age": 5})}, has: `"name":"Ada"`},
	"a form that is declined":           {name: "form", forms: []*mcp.ElicitResult{{Action: "decline"}}, has: `DECLINED`},
	"a form that is closed":             {name: "form", forms: []*mcp.ElicitResult{{Action: "cancel"}}, has: `DISMISSED`},
	"a form with an unknown action":     {name: "form", forms: []*mcp.ElicitResult{{Action: "?"}, {Action: "decline"}}, has: `DECLINED`},
	"a form without content":            {name: "form", forms: []*mcp.ElicitResult{{Action: "accept"}, accepted(args{"name": "Ada", "age": 1})}, has: `"name":"Ada"`},
	"a form that is refused":            {name: "form", err: refusal, has: `DECLINED`},
	"a form that fails":                 {name: "form", err: errors.New("broken"), has: `NO_ANSWER`},
	"a form for who has none":           {name: "form", capabilities: &mcp.ClientCapabilities{}, has: `-32021`},
	"a form for who has pages alone": {name: "form", has: `-32021`, capabilities: &mcp.ClientCapabilities{
		Elicitation: &mcp.ElicitationCapabilities{URL: &mcp.URLElicitationCapabilities{}}}},
	"a form that a tool requires": {name: "form_required", capabilities: &mcp.ClientCapabilities{}, has: `-32021`},
	"a page that is accepted":     {name: "page", forms: []*mcp.ElicitResult{{Action: "accept"}}, has: `"text":"OK"`, since: "2025-11-25"},
	"a page that is declined":     {name: "page", forms: []*mcp.ElicitResult{{Action: "decline"}}, has: `DECLINED`, since: "2025-11-25"},
	"a sample":                    {name: "sample", has: `yesmendTurn`},
	"a sample that is refused":    {name: "sample", err: refusal, has: `DECLINED`},
	"a sample that fails":         {name: "sample", err: &jsonrpc.Error{Code: -32603, Message: "broken"}, has: `NO_ANSWER`},
	"roots":                       {name: "roots", has: `file:///src`},
	"several questions":           {name: "several", forms: []*mcp.ElicitResult{accepted(args{"name": "Ada", "age": 5})}, has: `1`},
	"all capabilities":            {name: "supports", has: `"elicitation.form":true`},
	"no capabilities":             {name: "supports", capabilities: &mcp.ClientCapabilities{}, has: `"roots":false`},
	"elicitation without a kind":  {name: "supports", capabilities: &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{}}, has: `"elicitation.form":true`},
	"parts of sampling": {name: "supports", has: `"sampling":true`, capabilities: &mcp.ClientCapabilities{
		Sampling: &mcp.SamplingCapabilities{Tools: &mcp.SamplingToolsCapabilities{}, Context: &mcp.SamplingContextCapabilities{}}}},
	"a prompt that asks":   {method: "prompts/get", name: "form", token: 1, forms: []*mcp.ElicitResult{accepted(args{"name": "Ada", "age": 5})}, has: `Ada`},
	"a resource that asks": {method: "resources/read", name: "test://form", token: 1, forms: []*mcp.ElicitResult{accepted(args{"name": "Ada", "age": 5})}, has: `Ada`},
}

func TestAClientIsToldAndAskedTheSameAsByTheNativeEngine(t *testing.T) {
	for _, revision := range []string{"2025-06-18", "2025-11-25"} {
		for name, k := range talks {
			t.Run(revision+": "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := talkative()
					want := k.with(t, func(o *mcp.ClientOptions) *mcp.ClientSession { return native(t, f, revision, o) })
					if revision >= k.since {
						assert.Contains(t, want, k.has)
					}
					assert.Equal(t, want, k.with(t, func(o *mcp.ClientOptions) *mcp.ClientSession { return bridged(t, f, revision, o) }))
				})
			})
		}
	}
}

func TestWithoutSessionsAClientIsToldButNotAsked(t *testing.T) {
	for name, k := range map[string]talk{
		"progress":                    talks["progress for a text token"],
		"a question":                  {name: "form", has: `-32021`},
		"a tool that requires a form": {name: "form_required", has: `-32021`},
		"capabilities":                {name: "supports", has: `"elicitation":false,"elicitation.form":false,"elicitation.url":false,"other":false,"roots":false,"sampling":false`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				assert.Contains(t, k.with(t, func(o *mcp.ClientOptions) *mcp.ClientSession {
					return bridged(t, talkative(), "2026-07-28", o)
				}), k.has)
			})
		})
	}
}

func TestWithoutSessionsARequestSaysWhichLogRecordsItWants(t *testing.T) {
	for level, want := range map[string]int{"": 0, "debug": 10, "warning": 4} {
		synctest.Test(t, func(t *testing.T) {
			u := &user{}
			c := bridged(t, talkative(), "2026-07-28", u.options(everything()))
			meta := mcp.Meta{}
			if level != "" {
				meta[mcp.MetaKeyLogLevel] = level
			}
			_, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "log", Meta: meta})
			require.NoError(t, err)
			synctest.Wait()
			assert.Len(t, u.heard, want, level)
		})
	}
}

func TestAClientHasTwoMinutesToAnswer(t *testing.T) {
	for name, open := range map[string]func(*testing.T, *fusion.App[deps], string, *mcp.ClientOptions) *mcp.ClientSession{"bridge": bridged, "native engine": native} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := (&user{}).options(everything())
				abandoned := false
				o.ElicitationHandler = func(ctx context.Context, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					<-ctx.Done()
					abandoned = true
					return nil, ctx.Err()
				}
				c := open(t, talkative(), "2025-11-25", o)
				began := time.Now()
				assert.Contains(t, callTool("form", nil)(t, c), "The client was asked and did not answer in time")
				assert.Equal(t, 2*time.Minute, time.Since(began))
				synctest.Wait()
				assert.True(t, abandoned)
			})
		})
	}
}

func TestNothingIsToldOrAskedAfterTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var kept *fusion.Ctx[deps]
		f := fusion.New("test", "1", deps{}, nil)
		f.Query("late").Describe("d").Handle(func(c *fusion.Ctx[deps], _ fusion.NoInput) result.Result[int] {
			kept = c
			return result.OK(1)
		})
		u := &user{forms: []*mcp.ElicitResult{{Action: "decline"}}}
		c := bridged(t, f, "2025-11-25", u.options(everything()))
		require.NoError(t, c.SetLoggingLevel(t.Context(), &mcp.SetLoggingLevelParams{Level: "debug"}))
		_, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "late", Meta: mcp.Meta{"progressToken": 1}})
		require.NoError(t, err)
		kept.Progress(1, 2, "late")
		kept.Log().Error("late")
		_, err = kept.Elicit[consent]("late", "?").Get()
		require.Error(t, err)
		synctest.Wait()
		assert.Empty(t, u.heard)
	})
}

func TestAFormThatIsFilledInWronglyIsAskedForAgain(t *testing.T) {
	var asked []string
	answers := []*mcp.ElicitResult{accepted(args{"name": 5}), accepted(args{"age": 5}), accepted(args{"name": "Ada", "age": 5})}
	// The SDK's client would refuse to send these, so they come from before its handler.
	wrong := func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			p, is := r.GetParams().(*mcp.ElicitParams)
			if !is {
				return next(ctx, method, r)
			}
			asked = append(asked, p.Message)
			return answers[len(asked)-1], nil
		}
	}
	server := newServer(nil)
	require.NoError(t, gosdk.Mount(server, talkative()))
	near, far := mcp.NewInMemoryTransports()
	session, err := server.Connect(t.Context(), far, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Wait() })
	client := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, &mcp.ClientOptions{Capabilities: everything()})
	client.AddReceivingMiddleware(wrong)
	c, err := client.Connect(t.Context(), near, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	assert.Contains(t, callTool("form", nil)(t, c), `"name":"Ada"`)
	assert.Len(t, asked, 3)
}
