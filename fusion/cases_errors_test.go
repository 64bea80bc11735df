package fusion_test

import (
	"bytes"
	"context"
	"encoding/json/jsontext"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/fusion/fusiontest"
	"github.com/mcpfusion/go/presenter"
	"github.com/mcpfusion/go/result"
	"github.com/mcpfusion/go/transport"
)

// fails is an app with one tool that returns err.
func fails(t *testing.T, err error) *fusiontest.Reply {
	t.Helper()
	f := newApp()
	f.Query("a").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[invoice] { return result.Err[invoice](err) })
	return fusiontest.New(t, f).Call("a", nil)
}

func TestE1_BadInputIsAToolResultThatTheModelSees(t *testing.T) {
	tools := echoTester(t)
	for args, text := range map[string]string{
		`{"count":"x"}`:    `{"path":"count","problem":"has the wrong type","expected":"an integer, such as 5","received":"\"x\""}`,
		`{"color":"blue"}`: `{"path":"color","problem":"is not one of the allowed values","expected":"one of \"red\", \"green\"","received":"\"blue\""}`,
	} {
		reply := tools.Call("echo", jsontext.Value(args))
		assert.Contains(t, string(reply.Raw()), `"isError":true`)
		assert.Equal(t, `{"error":{"code":"INVALID_ARGUMENTS","message":"The arguments are not valid","retryable":false,"fields":[`+text+`]}}`, reply.Text())
	}
	assert.Equal(t, []result.Field{{Path: "id", Problem: "is missing", Expected: "a string"}}, tools.Call("need", nil).Failure().Fields)
}

func TestE2_AnUnknownToolIsInvalidParams(t *testing.T) {
	tools := echoTester(t)
	fault := tools.Call("no_such_tool", nil).Fault()
	assert.Equal(t, -32602, fault.Code)
	assert.Equal(t, "OK", tools.Call("none", nil).Text(), "the session is alive")
}

func TestE4_APanicInAnyPartIsContainedAndOtherCallsFinish(t *testing.T) {
	boom := func(*fusion.Ctx[deps]) result.Result[deps] { panic("x") }
	handler := func(crash func()) func(*fusion.App[deps]) {
		return func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[int] {
				crash()
				return result.OK(1)
			})
		}
	}
	for name, declare := range map[string]func(f *fusion.App[deps]){
		"a handler":           handler(func() { panic("x") }),
		"a handler, with nil": handler(func() { panic(nil) }),
		"a handler, by the runtime": handler(func() {
			var m map[string]int
			m["x"] = 1
		}),
		"Use": func(f *fusion.App[deps]) { says(f.Query("a").Use(boom), "never") },
		"Wrap": func(f *fusion.App[deps]) {
			says(f.Query("a").Wrap(func(context.Context, *fusion.Call, fusion.Next) *result.Response { panic("x") }), "never")
		},
		"a Wrap behind the handler": func(f *fusion.App[deps]) {
			says(f.Query("a").Wrap(func(ctx context.Context, call *fusion.Call, next fusion.Next) *result.Response {
				next(ctx, call)
				panic("x")
			}), "never")
		},
		"Require": func(f *fusion.App[deps]) {
			says(f.Query("a").Require(func(context.Context, *fusion.Call) *result.Failure { panic("x") }), "never")
		},
		"a presenter": func(f *fusion.App[deps]) {
			f.Query("a").Describe("d").Returns(presenter.For[explosive]("E")).
				Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[explosive] { return result.OK(explosive{}) })
		},
		"an encoder":   func(f *fusion.App[deps]) { returns(f.Query("a").Describe("d"), explosive{}) },
		"with Timeout": func(f *fusion.App[deps]) { says(f.Query("a").Timeout(time.Minute).Use(boom), "never") },
	} {
		t.Run(name, func(t *testing.T) {
			hold, held := make(chan struct{}), make(chan struct{})
			f := newApp()
			f.Query("slow").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[string] {
				close(held)
				<-hold
				return result.OK("done")
			})
			declare(f)
			tools := fusiontest.New(t, f)
			var wg sync.WaitGroup
			wg.Go(func() { assert.Equal(t, "done", tools.Call("slow", nil).Text()) })
			<-held
			for range 2 {
				reply := tools.Call("a", nil)
				assert.Equal(t, result.CodeInternal, reply.Failure().Code)
				assert.NotEmpty(t, reply.Failure().Reference)
				assert.NotContains(t, string(reply.Raw()), "goroutine", "the stack is for the log")
			}
			close(hold)
			wg.Wait()
		})
	}
}

func TestE4_APanicInDeferredWorkKeepsTheRestAndTheResult(t *testing.T) {
	var log bytes.Buffer
	f := fusion.New("test", "1", deps{}, &fusion.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	unlocked := 0
	f.Query("a").Describe("d").Handle(func(ctx *fusion.Ctx[deps], _ fusion.NoInput) result.Result[string] {
		ctx.Defer(func() { unlocked++ })
		ctx.Defer(func() { panic("of a Defer") })
		return result.OK("x")
	})
	f.Query("b").Describe("d").Handle(func(ctx *fusion.Ctx[deps], _ fusion.NoInput) result.Result[string] {
		ctx.Defer(func() { unlocked++ })
		panic("of a handler")
	})
	tools := fusiontest.New(t, f)
	assert.Equal(t, "x", tools.Call("a", nil).Text())
	assert.Contains(t, log.String(), "of a Defer")
	assert.Equal(t, result.CodeInternal, tools.Call("b", nil).Failure().Code)
	assert.Equal(t, 2, unlocked)
}

func TestE5_APanicWithACancellationIsOne(t *testing.T) {
	var log bytes.Buffer
	f := fusion.New("test", "1", deps{}, &fusion.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	f.Query("a").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[int] {
		panic(fmt.Errorf("browser: %w", context.Canceled))
	})
	failure := fusiontest.New(t, f).Call("a", nil).Failure()
	assert.Equal(t, result.CodeCancelled, failure.Code)
	assert.Empty(t, failure.Reference)
	assert.Empty(t, log.String(), "it is no crash")
}

// explosive panics when it is written.
type explosive struct{ N int }

func (explosive) MarshalJSON() ([]byte, error) { panic("x") }

func TestE6_AFailureHasNoStructuredContentAndAllItsFactsInText(t *testing.T) {
	reply := fails(t, result.Conflict("taken").Suggest("wait").Actions("a").Details(map[string]any{"by": "ann"}))
	assert.Equal(t, `{"resultType":"complete","content":[{"type":"text","text":"{\"error\":{\"code\":\"CONFLICT\",\"message\":\"taken\",\"retryable\":false,`+
		`\"suggestion\":\"wait\",\"availableActions\":[\"a\"],\"details\":{\"by\":\"ann\"}}}"}],"isError":true,`+
		`"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"test","version":"1.0.0"}}}`, string(reply.Raw()))
}

func TestE8_AMappingWrapIsSeenOnTheWire(t *testing.T) {
	errNoRows := errors.New("sql: no rows")
	f := newApp()
	f.Wrap(func(ctx context.Context, call *fusion.Call, next fusion.Next) *result.Response {
		resp := next(ctx, call)
		if errors.Is(resp.Cause, errNoRows) {
			resp.Failure = result.NotFound("No such row")
		}
		return resp
	})
	f.Query("a").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[int] {
		return result.Err[int](fmt.Errorf("query: %w", errNoRows))
	})
	assert.Equal(t, result.CodeNotFound, fusiontest.New(t, f).Call("a", nil).Failure().Code)
}

func TestE9_ARetryDelayIsToldOnlyWhenThereIsOne(t *testing.T) {
	for d, want := range map[time.Duration]string{-time.Second: "", 0: "", 90 * time.Second: `"retryAfterSeconds":90`, time.Millisecond: `"retryAfterSeconds":0.001`} {
		text := fails(t, result.Conflict("c").RetryAfter(d)).Text()
		if want == "" {
			assert.NotContains(t, text, "retryAfterSeconds")
			assert.Contains(t, text, `"retryable":false`)
			continue
		}
		assert.Contains(t, text, want)
		assert.Contains(t, text, `"retryable":true`)
	}
}

func TestE10_AMessageWithAnotherCodesNameKeepsItsOwnCode(t *testing.T) {
	assert.Equal(t, result.CodeConflict, fails(t, result.Conflict("RATE_LIMITED NOT_FOUND")).Failure().Code)
	assert.Equal(t, result.CodeInternal, fails(t, errors.New("RATE_LIMITED")).Failure().Code)
}

func TestE12_AvailableActionsAreWhatThisCallerMayCallNow(t *testing.T) {
	boss := func(_ context.Context, call *fusion.Call) bool { return call.Subject.ID == "boss" }
	f := newApp()
	says(f.Query("actions.list"), "x")
	says(f.Query("actions.list_all").Visible(boss), "x")
	says(f.Query("actions.approve").Require(func(_ context.Context, call *fusion.Call) *result.Failure {
		if call.Subject.ID == "boss" {
			return nil
		}
		return result.Forbidden("Only the boss")
	}), "x")
	f.Query("a").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[int] {
		return result.Fail[int](result.NotFound("gone").Actions("actions.list_all", "actions.approve", "actions.list", "actions.lis", "actions.list"))
	})
	tools := fusiontest.New(t, f)
	assert.Equal(t, []string{"actions_list"}, tools.Call("a", nil).Failure().AvailableActions)
	assert.Equal(t, []string{"actions_list_all", "actions_approve", "actions_list"}, tools.As(fusion.Subject{ID: "boss"}).Call("a", nil).Failure().AvailableActions)
	assert.Equal(t, result.CodeForbidden, tools.Call("actions.approve", nil).Failure().Code)
	assert.Equal(t, -32602, tools.Call("actions_list_all", nil).Fault().Code)
}

func TestE12_EachFailureHasACodeAndSaysWhetherToRetry(t *testing.T) {
	for _, f := range []*result.Failure{result.Unavailable("u"), result.NotFound("n"), result.Error("OWN_CODE", "o")} {
		got := fails(t, f).Failure()
		assert.Equal(t, f.Code, got.Code)
		assert.Equal(t, f.Retryable, got.Retryable)
	}
}

func TestE13_NoGoTypeIsEverNamedOnTheWire(t *testing.T) {
	f := newApp()
	f.Mutation("a").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[any] {
		return result.OK[any](map[string]any{"f": func() {}})
	})
	reply := fusiontest.New(t, f).Call("a", nil)
	assert.Contains(t, reply.Failure().Message, "was carried out")
	assert.NotContains(t, string(reply.Raw()), "func")
	assert.NotContains(t, string(echoTester(t).Call("echo", jsontext.Value(`{"count":{}}`)).Raw()), "int64")
}

func TestE14_AContextThatCannotBeMadeIsAToolErrorAndNoStatus500(t *testing.T) {
	for name, use := range map[string]func(*fusion.Ctx[deps]) result.Result[deps]{
		"an error": func(*fusion.Ctx[deps]) result.Result[deps] { return result.Err[deps](errSecret) },
		"a panic":  func(*fusion.Ctx[deps]) result.Result[deps] { panic(errSecret) },
	} {
		f := newApp()
		says(f.Use(use).Query("a"), "never")
		for _, revision := range revisions {
			for route, over := range routes {
				reply := over(t, f, calling(revision, "a", "{}"))
				assert.Contains(t, resultIn(t, reply), `{\"error\":{\"code\":\"INTERNAL\"`, "%s %s %s", name, revision, route)
				assert.NotContains(t, reply, "hunter2")
			}
		}
	}
}

func TestE14_AnAuthenticationThatPanicsEndsItsRequestAlone(t *testing.T) {
	hold, held := make(chan struct{}), make(chan struct{})
	f := newApp()
	f.Query("slow").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[string] {
		close(held)
		<-hold
		return result.OK("done")
	})
	handler, err := transport.HTTP(f, &transport.HTTPOptions{Authenticate: func(r *http.Request) (fusion.Subject, error) {
		if r.Header.Get("Authorization") == "" {
			panic(errSecret)
		}
		return fusion.Subject{ID: "ann"}, nil
	}})
	require.NoError(t, err)
	post := func(authorization string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/", strings.NewReader(calling("2026-07-28", "slow", "{}")[0]))
		for name, value := range map[string]string{
			"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": authorization,
			"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "slow",
		} {
			r.Header.Set(name, value)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w
	}
	var wg sync.WaitGroup
	wg.Go(func() { assert.Contains(t, post("Bearer x").Body.String(), `"text":"done"`) })
	<-held
	refused := post("")
	assert.Equal(t, http.StatusInternalServerError, refused.Code)
	assert.Contains(t, refused.Body.String(), `"error":{"code":-32603`)
	assert.NotContains(t, refused.Body.String(), "hunter2")
	close(hold)
	wg.Wait()
}
