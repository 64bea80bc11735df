package fusion_test

import (
	"context"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/samber/mo"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/fusion/fusiontest"
	"github.com/mcpfusion/go/result"
)

// hello is a prompt's handler whose messages do not matter.
func hello[C any](*fusion.Ctx[C], fusion.NoInput) result.Result[string] { return result.OK("hello") }

// jsonOf is a value as JSON, for comparisons with what travels.
func jsonOf(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v, json.Deterministic(true))
	require.NoError(t, err)
	return string(b)
}

func TestWhatAPromptsChainSaysIsWhatClientsAreTold(t *testing.T) {
	f := newApp()
	f.Router("orders").Prompt("review").
		Title("Review").
		Describe("Reviews an order").
		Icon("https://example.com/i.png", "image/png", "48x48").
		Meta("com.example/team", "orders").
		WithString("id", "The order").
		WithOptionalInteger("limit", "How many lines", "min=1").
		WithEnum("tone", []string{"kind", "strict"}, "How to say it").
		Handle(func(*fusion.Ctx[deps], struct {
			ID    string
			Limit mo.Option[int]
			Tone  string
		}) result.Result[string] {
			return result.OK("x")
		})
	tester := fusiontest.New(t, f)
	for revision, want := range map[string]string{
		"2026-07-28": `{"name":"orders_review","title":"Review","description":"Reviews an order","arguments":[{"name":"id","description":"The order","required":true},{"name":"limit","description":"How many lines","required":false},{"name":"tone","description":"How to say it","required":true}],"icons":[{"src":"https://example.com/i.png","mimeType":"image/png","sizes":["48x48"],"theme":""}],"_meta":{"com.example/team":"orders"}}`,
		"2025-06-18": `{"name":"orders_review","title":"Review","description":"Reviews an order","arguments":[{"name":"id","description":"The order","required":true},{"name":"limit","description":"How many lines","required":false},{"name":"tone","description":"How to say it","required":true}],"icons":[],"_meta":{"com.example/team":"orders"}}`,
		"2025-03-26": `{"name":"orders_review","title":"","description":"Reviews an order","arguments":[{"name":"id","description":"The order","required":true},{"name":"limit","description":"How many lines","required":false},{"name":"tone","description":"How to say it","required":true}],"icons":[],"_meta":null}`,
	} {
		assert.Equal(t, want, jsonOf(t, tester.Revision(revision).Prompts()[0]), revision)
	}
}

func TestPromptArgumentsComeAsStringsAndBecomeWhatIsDeclared(t *testing.T) {
	type input struct {
		Text string
		Yes  mo.Option[bool]
		N    mo.Option[int]
		F    mo.Option[float64]
	}
	f := newApp()
	f.Prompt("p").Describe("d").
		WithString("text", "d").WithOptionalBoolean("yes", "d").WithOptionalInteger("n", "d").WithOptionalNumber("f", "d").
		Handle(func(_ *fusion.Ctx[deps], in input) result.Result[string] {
			return result.OK(jsonOf(t, in))
		})
	tester := fusiontest.New(t, f)
	for args, want := range map[string]string{
		`{"text":"1"}`:                       `{"Text":"1","Yes":null,"N":null,"F":null}`,
		`{"text":"","yes":"TRUE"}`:           `{"Text":"","Yes":true,"N":null,"F":null}`,
		`{"text":"true","yes":"1"}`:          `{"Text":"true","Yes":true,"N":null,"F":null}`,
		`{"text":"","yes":"0"}`:              `{"Text":"","Yes":false,"N":null,"F":null}`,
		`{"text":"","yes":"","n":"","f":""}`: `{"Text":"","Yes":null,"N":null,"F":null}`,
		`{"text":"","n":"9007199254740993"}`: `{"Text":"","Yes":null,"N":9007199254740993,"F":null}`,
		`{"text":"","n":7,"f":"-2.5e1"}`:     `{"Text":"","Yes":null,"N":7,"F":-25}`,
	} {
		assert.Equal(t, want, tester.Prompt("p", jsontext.Value(args)).Text(), args)
	}
	for args, path := range map[string]string{
		`{}`:                        "text",
		`{"text":"","n":"seven"}`:   "n",
		`{"text":"","n":"1.5"}`:     "n",
		`{"text":"","yes":"maybe"}`: "yes",
		`{"text":"","txet":"x"}`:    "txet",
		`{"text":7}`:                "text",
	} {
		fault := tester.Prompt("p", jsontext.Value(args)).Fault()
		assert.Equal(t, -32602, fault.Code, args)
		assert.Contains(t, jsonOf(t, fault.Data), `"path":"`+path+`"`, args)
	}
}

func TestAMissingNumberOfAPromptIsNotZero(t *testing.T) {
	f := newApp()
	f.Prompt("p").Describe("d").WithInteger("n", "d").
		Handle(func(_ *fusion.Ctx[deps], in struct{ N int }) result.Result[string] { return result.OK("x") })
	assert.Equal(t, -32602, fusiontest.New(t, f).Prompt("p", jsontext.Value(`{"n":""}`)).Fault().Code)
}

func TestPromptsGiveMessagesOfEveryKind(t *testing.T) {
	f := newApp()
	f.Prompt("many").Describe("About many").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[[]result.Message] {
		return result.OK([]result.Message{
			result.User("a"),
			result.Assistant("b"),
			{Role: result.RoleUser, Content: result.Image{Data: []byte("x"), MIMEType: "image/png"}},
			{Role: result.RoleUser, Content: result.EmbeddedResource{Resource: result.ResourceContents{URI: "test://r", Text: "t"}}},
		})
	})
	f.Prompt("one").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[result.Message] {
		return result.OK(result.Assistant("b"))
	})
	f.Prompt("none").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[[]result.Message] {
		return result.OK[[]result.Message](nil)
	})
	tester := fusiontest.New(t, f).Revision("2025-11-25")
	assert.Equal(t, `{"description":"About many","messages":[{"role":"user","content":{"type":"text","text":"a"}},{"role":"assistant","content":{"type":"text","text":"b"}},{"role":"user","content":{"type":"image","data":"eA==","mimeType":"image/png"}},{"role":"user","content":{"type":"resource","resource":{"uri":"test://r","text":"t"}}}]}`,
		string(tester.Prompt("many", nil).Raw()))
	assert.Equal(t, `{"description":"d","messages":[{"role":"assistant","content":{"type":"text","text":"b"}}]}`, string(tester.Prompt("one", nil).Raw()))
	assert.Equal(t, `{"description":"d","messages":[]}`, string(tester.Prompt("none", nil).Raw()))
	assert.Contains(t, string(tester.Revision("2026-07-28").Prompt("one", nil).Raw()), `{"resultType":"complete","description":"d",`)
}

func TestPromptErrorsAreErrorsAndNameNothingElse(t *testing.T) {
	f := newApp()
	f.Prompt("secret_one").Describe("d").Visible(func(context.Context, *fusion.Call) bool { return false }).Handle(hello[deps])
	f.Prompt("failing").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[string] {
		return result.Fail[string](result.Conflict("Not now").Suggest("Wait"))
	})
	f.Prompt("absent").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[string] {
		return result.Fail[string](result.NotFound("No such order"))
	})
	f.Prompt("broken").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[string] {
		return result.Err[string](errors.New("password=hunter2"))
	})
	f.Prompt("panics").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[string] { panic("hunter2") })
	f.Prompt("hollow").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[result.Message] {
		return result.OK(result.Message{Role: result.RoleUser})
	})
	f.Prompt("rude").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[result.Message] {
		return result.OK(result.Message{Role: "system", Content: result.Text{Text: "x"}})
	})
	f.Prompt("forbidden").Describe("d").Require(func(context.Context, *fusion.Call) *result.Failure { return result.Forbidden("Not you") }).Handle(hello[deps])
	tester := fusiontest.New(t, f)

	unknown := tester.Prompt("secret", nil).Fault()
	hidden := tester.Prompt("secret_one", nil).Fault()
	assert.Equal(t, &result.ProtocolError{Code: -32602, Message: `Unknown prompt: "secret"`}, unknown)
	assert.Equal(t, &result.ProtocolError{Code: -32602, Message: `Unknown prompt: "secret_one"`}, hidden)
	for name, want := range map[string]result.ProtocolError{
		"failing":   {Code: -32603, Message: "Not now"},
		"absent":    {Code: -32602, Message: "No such order"},
		"broken":    {Code: -32603, Message: "The prompt failed with an internal error"},
		"panics":    {Code: -32603, Message: "The prompt failed with an internal error"},
		"hollow":    {Code: -32603, Message: "The prompt failed with an internal error"},
		"rude":      {Code: -32603, Message: "The prompt failed with an internal error"},
		"forbidden": {Code: -32603, Message: "Not you"},
	} {
		fault := tester.Prompt(name, nil).Fault()
		assert.Equal(t, want, result.ProtocolError{Code: fault.Code, Message: fault.Message}, name)
		assert.NotContains(t, jsonOf(t, fault.Data), "hunter2", name)
	}
	assert.Contains(t, jsonOf(t, tester.Prompt("failing", nil).Fault().Data), `"suggestion":"Wait"`)
	assert.Contains(t, jsonOf(t, tester.Prompt("broken", nil).Fault().Data), `"reference":"`)
	names := []string{}
	for _, p := range tester.Prompts() {
		names = append(names, p.Name)
	}
	assert.Equal(t, "failing absent broken panics hollow rude", strings.Join(names, " "))
}

func TestUseWrapAndTimeoutHoldForPrompts(t *testing.T) {
	f := newApp()
	var seen []string
	note := func(who string) func(context.Context, *fusion.Call, fusion.Next) *result.Response {
		return func(ctx context.Context, call *fusion.Call, next fusion.Next) *result.Response {
			seen = append(seen, who+" "+string(call.Kind)+" "+call.Name+" "+call.Tool.ID)
			return next(ctx, call)
		}
	}
	f.Wrap(note("app"))
	f.Prompt("a.b").Describe("d").Wrap(note("own")).Use(derive).
		Handle(func(ctx *fusion.Ctx[derived], _ fusion.NoInput) result.Result[string] {
			return result.OK(ctx.App.greeting)
		})
	f.Prompt("slow").Describe("d").Timeout(time.Millisecond).Handle(func(ctx *fusion.Ctx[deps], _ fusion.NoInput) result.Result[string] {
		<-ctx.Done()
		return result.Err[string](ctx.Err())
	})
	tester := fusiontest.New(t, f)
	assert.Equal(t, "hello", tester.Prompt("a_b", nil).Text())
	assert.Equal(t, []string{"app prompt a_b a.b", "own prompt a_b a.b"}, seen)
	assert.Contains(t, tester.Prompt("slow", nil).Fault().Message, "The prompt did not finish within 1ms")
}

func TestPromptsAreServedOnlyWhereThereAreAny(t *testing.T) {
	f := newApp()
	f.Query("a").Describe("d").Handle(nothing[deps])
	tester := fusiontest.New(t, f).Revision("2025-11-25")
	assert.Equal(t, -32601, tester.Prompt("x", nil).Fault().Code)
	assert.Equal(t, -32601, tester.Resource("x://y").Fault().Code)
	assert.Equal(t, -32601, tester.Complete("x", "y", "", nil).Fault().Code)
}
