package protocol

import (
	"bytes"
	"context"
	"encoding/json/jsontext"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

// calling is a tools/call request of a session.
func calling(id, name, arguments string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + name + `","arguments":` + arguments + `}}`
}

// want fails unless got has each of the parts.
func want(t *testing.T, got string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(got, part) {
			t.Errorf("%q is not in %s", part, got)
		}
	}
}

func TestAnUnknownVersionIsAnsweredWithTheNewestThatHasSessions(t *testing.T) {
	for _, version := range []string{"2024-11-06", "2099-01-01", "2026-07-28", ""} {
		c := serverOf(t).Connect(middleware.Subject{})
		got := send(t, c, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"`+version+`"}}`)
		want(t, got, `"protocolVersion":"2025-11-25"`)
	}
}

func TestInitializeWithoutAVersionIsRefused(t *testing.T) {
	for _, params := range []string{``, `,"params":null`, `,"params":{}`, `,"params":{"protocolVersion":5}`} {
		c := serverOf(t).Connect(middleware.Subject{})
		want(t, send(t, c, `{"jsonrpc":"2.0","id":1,"method":"initialize"`+params+`}`), `"code":-32602`)
		want(t, send(t, c, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`), `"code":-32600`)
	}
}

func TestARequestBeforeInitializeSaysWhatToDo(t *testing.T) {
	c := serverOf(t).Connect(middleware.Subject{})
	want(t, send(t, c, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`), `"code":-32600`, "initialize", "params._meta")
	want(t, send(t, c, `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`), `"code":-32602`, "protocolVersion")
}

func TestAStreamServesSessionsAndStatelessRequestsMixed(t *testing.T) {
	seen := make(map[string]bool)
	s := serverOf(t, tool("who", func(_ context.Context, call *middleware.Call, _ map[string]any) (any, error) {
		seen[call.Revision] = call.Session != nil
		return result.Unit{}, nil
	}))
	c := opened(t, s, "2025-06-18")
	send(t, c, calling("1", "who", `{}`))
	send(t, c, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`+modernMeta+`,"name":"who"}}`)
	if len(seen) != 2 || !seen["2025-06-18"] || seen["2026-07-28"] {
		t.Errorf("sessions by revision: %v", seen)
	}
}

func TestInitializingAgainBeginsANewSession(t *testing.T) {
	var ids []string
	s := serverOf(t, tool("who", func(_ context.Context, call *middleware.Call, _ map[string]any) (any, error) {
		ids = append(ids, call.Session.ID())
		return call.Session.Client().Name + " " + call.Session.Client().Version, nil
	}))
	c := opened(t, s, "2025-11-25")
	want(t, send(t, c, calling("1", "who", `{}`)), `"text":"c 1"`)
	send(t, c, calling("1", "who", `{}`))
	send(t, c, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","clientInfo":"no object"}}`)
	want(t, send(t, c, calling("1", "who", `{}`)), `"text":" "`)
	if ids[0] != ids[1] || ids[0] == ids[2] || len(ids[0]) < 22 {
		t.Errorf("session ids: %q", ids)
	}
}

func TestAHandlersContextEndsWithItsCall(t *testing.T) {
	seen := make(chan context.Context, 1)
	c := opened(t, serverOf(t, tool("see", func(ctx context.Context, _ *middleware.Call, _ map[string]any) (any, error) {
		seen <- ctx
		return result.Unit{}, ctx.Err()
	})), "2025-11-25")
	want(t, send(t, c, calling("1", "see", `{}`)), `"text":"OK"`)
	if (<-seen).Err() == nil {
		t.Error("what waits for it waits forever")
	}
}

func TestACallHasWhatTheRequestHas(t *testing.T) {
	var call *middleware.Call
	s := serverOf(t, tool("see", func(_ context.Context, c *middleware.Call, _ map[string]any) (any, error) {
		call = c
		return result.Unit{}, nil
	}))
	c := s.Connect(middleware.Subject{ID: "ada", Scopes: []string{"s"}})
	send(t, c, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`+modernMeta+`,"name":"s\u0065e","arguments":{"a" : 1}}}`)
	switch {
	case call.Kind != middleware.KindTool, call.Name != "see", call.Tool == nil, call.Subject.ID != "ada", call.Revision != "2026-07-28":
		t.Errorf("the call is %+v", call)
	case string(call.Arguments) != `{"a" : 1}`, "{"+string(call.Meta)[1:] != strings.TrimPrefix(modernMeta, `"_meta":`):
		t.Errorf("arguments %s, _meta %s", call.Arguments, call.Meta)
	}
}

func TestB3_MissingNullAndEmptyArgumentsAreTheSame(t *testing.T) {
	required := tool("required", echo)
	required.Decode = func(raw jsontext.Value) (any, []result.Field) {
		return nil, []result.Field{{Path: "id", Problem: "is required"}}
	}
	c := opened(t, serverOf(t, tool("free", echo), required), "2025-11-25")
	for name, expected := range map[string]string{"free": `"structuredContent":{}`, "required": `INVALID_ARGUMENTS`} {
		first := send(t, c, calling("1", name, `{}`))
		want(t, first, expected)
		for _, params := range []string{`{"name":"` + name + `"}`, `{"name":"` + name + `","arguments":null}`} {
			if got := send(t, c, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+params+`}`); got != first {
				t.Errorf("%s gives %s, {} gives %s", params, got, first)
			}
		}
	}
}

func TestB4_ArgumentsThatAreNoObjectAreAClientError(t *testing.T) {
	c := opened(t, serverOf(t, tool("echo", echo)), "2025-11-25")
	for _, arguments := range []string{`"{\"a\":1}"`, `[]`, `5`, `true`, `""`} {
		want(t, send(t, c, calling("1", "echo", arguments)), `"code":-32602`)
	}
}

func TestB23_HostileNestingIsABoundedError(t *testing.T) {
	c := opened(t, serverOf(t, tool("echo", echo)), "2025-11-25")
	for _, brackets := range []string{"[]", "{}"} {
		open := strings.Repeat(brackets[:1], 10_000)
		if brackets == "{}" {
			open = strings.Repeat(`{"a":`, 10_000) + "1"
		}
		deep := open + strings.Repeat(brackets[1:], 10_000)
		want(t, send(t, c, calling("1", "echo", `{"a":`+deep+`}`)), `"id":1`, `"code":-32600`, "too deep")
	}
	want(t, send(t, c, calling("1", "echo", `{"a":`+strings.Repeat("[", 200)+strings.Repeat("]", 200)+`}`)), `"result"`)
}

func TestB24_MarkupIsNotTouched(t *testing.T) {
	var got any
	c := opened(t, serverOf(t, tool("say", func(_ context.Context, _ *middleware.Call, args map[string]any) (any, error) {
		got = args["text"]
		return got, nil
	})), "2025-11-25")
	reply := send(t, c, calling("1", "say", `{"text":"<h2>a & b</h2>"}`))
	want(t, reply, `"text":"<h2>a & b</h2>"`)
	if got != "<h2>a & b</h2>" {
		t.Errorf("the handler saw %q", got)
	}
}

func TestD2_ContentIsAlwaysAnArray(t *testing.T) {
	tools := map[string]any{"nil": nil, "unit": result.Unit{}, "empty": []result.Content{}, "response": &result.Response{}}
	for name, value := range tools {
		c := opened(t, serverOf(t, tool("x", func(context.Context, *middleware.Call, map[string]any) (any, error) { return value, nil })), "2025-11-25")
		if got := send(t, c, calling("1", "x", `{}`)); !strings.Contains(got, `"content":[`) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestE2_AnUnknownToolIsInvalidParamsAndTheSessionLives(t *testing.T) {
	c := opened(t, serverOf(t, tool("echo", echo)), "2025-11-25")
	for range 2 {
		want(t, send(t, c, calling("1", "no_such_tool", `{}`)), `"code":-32602`, "no_such_tool")
		want(t, send(t, c, calling("1", "echo", `{}`)), `"result"`)
	}
}

func TestH9_NothingInABatchRuns(t *testing.T) {
	c := opened(t, serverOf(t, tool("x", func(context.Context, *middleware.Call, map[string]any) (any, error) {
		t.Error("a call in a batch ran")
		return result.Unit{}, nil
	})), "2025-06-18")
	one := calling("1", "x", `{}`)
	for _, batch := range []string{"[" + one + "," + one + "]", "[]", "[" + one} {
		want(t, send(t, c, batch), `{"jsonrpc":"2.0","error":{"code":-32600`)
	}
}

func TestANotificationNeverRunsACall(t *testing.T) {
	c := opened(t, serverOf(t, tool("x", func(context.Context, *middleware.Call, map[string]any) (any, error) {
		t.Error("the call ran")
		return result.Unit{}, nil
	})), "2025-11-25")
	for _, message := range []string{
		`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"x"}}`,
		`{"jsonrpc":"2.0","method":"initialize"}`, `{"jsonrpc":"2.0","method":"no/such"}`,
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":1,"error":{}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled"}`,
	} {
		if got := send(t, c, message); got != "" {
			t.Errorf("%s was answered %s", message, got)
		}
	}
	want(t, send(t, c, `{"jsonrpc":"2.0","id":1,"method":"notifications/initialized"}`), `"code":-32601`)
}

// blocking is a tool that runs until release is closed or its context ends, and a channel
// that gets the context of each call that began.
func blocking(release chan struct{}) (*catalog.Tool, chan context.Context) {
	began := make(chan context.Context, 100)
	return tool("block", func(ctx context.Context, _ *middleware.Call, args map[string]any) (any, error) {
		began <- ctx
		select {
		case <-release:
			return "done", nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}), began
}

func TestH7_TheSameIDInFlightTwiceIsRefused(t *testing.T) {
	release := make(chan struct{})
	block, began := blocking(release)
	s := serverOf(t, block)
	c, other := opened(t, s, "2025-11-25"), opened(t, s, "2025-11-25")
	var wg sync.WaitGroup
	for _, conn := range []*Conn{c, other} { // independent of each other
		wg.Go(func() { want(t, send(t, conn, calling(`"\u0031"`, "block", `{}`)), `"text":"done"`) })
	}
	<-began
	<-began
	want(t, send(t, c, calling(`"1"`, "block", `{}`)), `"id":"1"`, `"code":-32600`)
	want(t, send(t, c, `{"jsonrpc":"2.0","id":"1","method":"ping"}`), `"code":-32600`)
	want(t, send(t, c, `{"jsonrpc":"2.0","id":1,"method":"ping"}`), `"result":{}`) // the number is another id
	close(release)
	wg.Wait()
	want(t, send(t, c, calling(`"1"`, "block", `{}`)), `"text":"done"`)
}

func TestJ1_ACancelledRequestEndsAndIsNotAnswered(t *testing.T) {
	block, began := blocking(nil)
	for _, meta := range []string{"", modernMeta + ","} {
		c := opened(t, serverOf(t, block), "2025-11-25")
		answer := make(chan string)
		go func() {
			answer <- string(c.Handle(context.Background(), []byte(`{"jsonrpc":"2.0","id":"a\u0062","method":"tools/call","params":{`+meta+`"name":"block"}}`)))
		}()
		<-began
		send(t, c, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"ab"}}`)
		if got := <-answer; got != "" {
			t.Errorf("a cancelled request was answered %s", got)
		}
		want(t, send(t, c, `{"jsonrpc":"2.0","id":"ab","method":"ping"}`), `"result":{}`)
	}
}

func TestACancelledIDIsFreeWhileItsHandlerStillRuns(t *testing.T) {
	release := make(chan struct{})
	began := make(chan struct{}, 2)
	c := opened(t, serverOf(t, tool("stubborn", func(context.Context, *middleware.Call, map[string]any) (any, error) {
		began <- struct{}{}
		<-release
		return "late", nil
	})), "2025-11-25")
	var wg sync.WaitGroup
	var first, second string
	wg.Go(func() { first = send(t, c, calling("1", "stubborn", `{}`)) })
	<-began
	send(t, c, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	wg.Go(func() { second = send(t, c, calling("1", "stubborn", `{}`)) })
	<-began
	close(release)
	wg.Wait()
	if first != "" || !strings.Contains(second, "late") {
		t.Errorf("the cancelled one was answered %q, the other %q", first, second)
	}
}

func TestJ3_TheReasonOfACancellationIsItsCause(t *testing.T) {
	block, began := blocking(nil)
	c := opened(t, serverOf(t, block), "2025-11-25")
	var wg sync.WaitGroup
	wg.Go(func() { send(t, c, calling("1", "block", `{}`)) })
	ctx := <-began
	send(t, c, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"changed my \"mind\""}}`)
	<-ctx.Done()
	wg.Wait()
	cause := context.Cause(ctx)
	cancelled, ok := errors.AsType[*middleware.CancelledError](cause)
	if !ok || cancelled.Reason != `changed my "mind"` || !errors.Is(cause, context.Canceled) {
		t.Errorf("the cause is %v", cause)
	}
}

func TestJ7_CancellingWhatDoesNotRunIsQuiet(t *testing.T) {
	var log bytes.Buffer
	s := mustServer(t, catalog.New(catalog.Info{}, slog.New(slog.NewTextHandler(&log, nil)), nil, []*catalog.Tool{tool("echo", echo)}), Options{})
	c := opened(t, s, "2025-11-25")
	send(t, c, calling("1", "echo", `{}`))
	for _, id := range []string{`1`, `99`, `"x"`, `null`, `{}`, `1.5`} {
		if got := send(t, c, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+id+`}}`); got != "" {
			t.Errorf("answered %s", got)
		}
	}
	if log.Len() > 0 {
		t.Errorf("logged %s", &log)
	}
}

func TestAPanicIsContainedAndAnswered(t *testing.T) {
	panics := tool("panics", func(context.Context, *middleware.Call, map[string]any) (any, error) { panic("secret") })
	bad := tool("bad", func(context.Context, *middleware.Call, map[string]any) (any, error) {
		return &result.Response{Content: []result.Content{}, Meta: map[string]any{"k": explosive{}}}, nil
	})
	bad.Hints = middleware.Hints{}
	c := opened(t, serverOf(t, panics, bad), "2025-11-25")
	got := send(t, c, calling("1", "panics", `{}`)) + send(t, c, calling("1", "bad", `{}`))
	want(t, got, `INTERNAL`, `"isError":true`, "was carried out")
	if strings.Contains(got, "secret") {
		t.Errorf("the panic's value was sent: %s", got)
	}
	want(t, send(t, c, calling("1", "panics", `{}`)), `"id":1`) // its id is free again
}

// explosive panics when it is encoded.
type explosive struct{}

func (explosive) MarshalJSON() ([]byte, error) { panic("secret") }

func TestAHandlerThatEndsItsGoroutineIsAnswered(t *testing.T) {
	c := opened(t, serverOf(t, tool("exit", func(context.Context, *middleware.Call, map[string]any) (any, error) {
		runtime.Goexit()
		return nil, nil
	})), "2025-11-25")
	for range 2 { // its id is free again
		answer := make(chan string, 1)
		go c.accept(t.Context(), []byte(calling("1", "exit", `{}`))).run(sinkFunc(func(out Outgoing) { answer <- string(out.Body) }))
		want(t, <-answer, `"id":1`, `"isError":true`, `INTERNAL`)
	}
}

func TestWhatCannotBeEncodedIsAnInternalErrorOfTheTool(t *testing.T) {
	c := opened(t, serverOf(t, tool("x", func(_ context.Context, _ *middleware.Call, args map[string]any) (any, error) {
		switch args["case"] {
		case "no JSON":
			return &result.Response{Data: jsontext.Value(`{"a":`)}, nil
		case "two values":
			return &result.Response{Data: jsontext.Value(`{} {}`)}, nil
		case "no UTF-8":
			return &result.Response{Data: jsontext.Value("{\"a\":\"\xff\"}")}, nil
		case "nil block":
			return []result.Content{(*result.Text)(nil)}, nil
		case "channel":
			return &result.Response{Content: []result.Content{}, Meta: map[string]any{"c": make(chan int)}}, nil
		}
		return &result.Response{Pending: &result.Pending{State: "s"}}, nil
	})), "2025-11-25")
	for _, name := range []string{"no JSON", "two values", "no UTF-8", "nil block", "channel", "pending"} {
		got := send(t, c, calling("1", "x", `{"case":"`+name+`"}`))
		if !strings.Contains(got, "INTERNAL") || !jsontext.Value(got).IsValid() {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestRawDataIsSentOnOneLine(t *testing.T) {
	c := opened(t, serverOf(t, tool("x", func(context.Context, *middleware.Call, map[string]any) (any, error) {
		return &result.Response{Data: jsontext.Value("{\n\"a\": 1,\r\n\"b\": \"\\n\"}")}, nil
	})), "2025-11-25")
	got := send(t, c, calling("1", "x", `{}`))
	want(t, got, `"structuredContent":{"a":1,"b":"\n"}`)
	if strings.ContainsAny(got, "\r\n") {
		t.Errorf("got %q", got)
	}
}

func TestInputIsAskedForOnlyWhereTheRevisionHasIt(t *testing.T) {
	c := opened(t, serverOf(t, tool("ask", func(context.Context, *middleware.Call, map[string]any) (any, error) {
		return &result.Response{Pending: &result.Pending{
			Requests: []result.InputRequest{{Key: "k", Method: "elicitation/create", Params: map[string]any{"message": "?"}}, {Key: "l", Method: "roots/list"}},
		}}, nil
	})), "2025-11-25")
	want(t, send(t, c, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`+modernMeta+`,"name":"ask"}}`),
		`"result":{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{"message":"?"}},"l":{"method":"roots/list"}},"requestState":"`)
	want(t, send(t, c, calling("1", "ask", `{}`)), "INTERNAL")
}

func TestTheServersNameInAResultMayBeTheToolsOwn(t *testing.T) {
	c := serverOf(t, tool("x", func(context.Context, *middleware.Call, map[string]any) (any, error) {
		return &result.Response{Meta: map[string]any{serverInfoKey: map[string]any{"name": "other"}}}, nil
	})).Connect(middleware.Subject{})
	got := send(t, c, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`+modernMeta+`,"name":"x"}}`)
	want(t, got, `"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"other"}}}`)
}

func TestACallBeyondTheLimitIsOverloaded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		block, began := blocking(release)
		s := mustServer(t, catalogOf(t, block), Options{MaxInFlight: 2})
		c := opened(t, s, "2025-11-25")
		var wg sync.WaitGroup
		for _, id := range []string{"1", "2"} {
			wg.Go(func() { want(t, send(t, c, calling(id, "block", `{}`)), "done") })
			<-began
		}
		for _, wait := range []time.Duration{patience, 0} { // waiting in vain once is enough
			start := time.Now()
			want(t, send(t, c, calling("3", "block", `{}`)), `"isError":true`, `OVERLOADED`, `\"retryable\":true`)
			if took := time.Since(start); took != wait {
				t.Errorf("it took %v, want %v", took, wait)
			}
		}
		want(t, send(t, c, `{"jsonrpc":"2.0","id":3,"method":"tools/list"}`), `"code":-32603`, "busy")
		want(t, send(t, c, `{"jsonrpc":"2.0","id":3,"method":"ping"}`), `"result":{}`)
		close(release)
		wg.Wait()
		want(t, send(t, c, calling("3", "block", `{}`)), "done")
	})
}

func TestACallWaitsAMomentForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		block, began := blocking(release)
		c := opened(t, mustServer(t, catalogOf(t, block), Options{MaxInFlight: 1}), "2025-11-25")
		var wg sync.WaitGroup
		wg.Go(func() { want(t, send(t, c, calling("1", "block", `{}`)), "done") })
		<-began
		for range 2 { // also after one has waited in vain
			want(t, send(t, c, calling("2", "block", `{}`)), "OVERLOADED")
			release <- struct{}{}
			synctest.Wait()
			wg.Go(func() { want(t, send(t, c, calling("1", "block", `{}`)), "done") })
			<-began
		}
		wg.Go(func() { want(t, send(t, c, calling("2", "block", `{}`)), "done") })
		synctest.Wait()
		release <- struct{}{}
		<-began
		close(release)
		wg.Wait()
	})
}

func TestI1_ListsAndCallsRunConcurrently(t *testing.T) {
	hidden := tool("hidden", echo)
	hidden.Visible = []middleware.Visible{func(_ context.Context, call *middleware.Call) bool { return call.Subject.ID == "ada" }}
	s := serverOf(t, tool("echo", echo), hidden)
	var wg sync.WaitGroup
	for i := range 8 {
		c := opened(t, s, "2025-11-25")
		wg.Go(func() {
			for n := range 50 {
				id := string(rune('a'+i)) + string(rune('a'+n%26))
				want(t, send(t, c, calling(`"`+id+`"`, "echo", `{"n":"`+id+`"}`)), `"id":"`+id+`"`, `"structuredContent":{"n":"`+id+`"}`)
				if got := send(t, c, `{"jsonrpc":"2.0","id":0,"method":"tools/list"}`); strings.Contains(got, "hidden") {
					t.Errorf("a hidden tool is listed: %s", got)
				}
			}
		})
	}
	wg.Wait()
}

func TestErrorsAreNeverShownRaw(t *testing.T) {
	c := opened(t, serverOf(t, tool("x", func(context.Context, *middleware.Call, map[string]any) (any, error) { return nil, errBoom })), "2025-11-25")
	if got := send(t, c, calling("1", "x", `{}`)); strings.Contains(got, "10.0.0.1") || !strings.Contains(got, "INTERNAL") {
		t.Errorf("got %s", got)
	}
}

func TestTheDataOfAnErrorThatPanicsIsLeftOut(t *testing.T) {
	c := opened(t, serverOf(t, tool("x", func(context.Context, *middleware.Call, map[string]any) (any, error) {
		return nil, result.Protocol(7, "on purpose", explosive{})
	})), "2025-11-25")
	want(t, send(t, c, calling("1", "x", `{}`)), `"error":{"code":7,"message":"on purpose"}`)
}
