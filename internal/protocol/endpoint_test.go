package protocol

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

// answered is what an Endpoint sent.
type answered struct {
	body    string
	status  int
	session string
}

// post gives a message to an Endpoint. Headers are pairs.
func post(ctx context.Context, e *Endpoint, subject, message string, headers ...string) (a answered) {
	h := http.Header{}
	for i := 0; i < len(headers); i += 2 {
		h.Add(headers[i], headers[i+1])
	}
	e.Post(ctx, Incoming{Body: []byte(message), Header: h, Subject: middleware.Subject{ID: subject}}, inJSON(func(out Outgoing) {
		a = answered{string(out.Body), out.Status, out.Session}
	}))
	return a
}

const initializing = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`

// openedSession initializes and returns the session's id.
func openedSession(t *testing.T, e *Endpoint, subject string) string {
	t.Helper()
	a := post(t.Context(), e, subject, initializing)
	if a.status != 200 || a.session == "" {
		t.Fatalf("initialize gave %+v", a)
	}
	return a.session
}

func TestWhichRevisionAPostBelongsTo(t *testing.T) {
	e := serverOf(t, tool("echo", echo)).Endpoint()
	id := openedSession(t, e, "")
	meta := func(version string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":` + version + `,"io.modelcontextprotocol/clientCapabilities":{}}}}`
	}
	const (
		version, method = "Mcp-Protocol-Version", "Mcp-Method"
		plain           = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
		newest          = `"2026-07-28"`
	)
	tests := []struct {
		name, message string
		headers       []string
		status        int
		code          string // "" for a result
	}{
		{"a session's request", plain, []string{"Mcp-Session-Id", id, version, "2025-11-25"}, 200, ""},
		{"a session's request without a version header", plain, []string{"Mcp-Session-Id", id}, 200, ""},
		{"a session's request with another version that has sessions", plain, []string{"Mcp-Session-Id", id, version, "2025-03-26"}, 200, ""},
		{"a session's request with a bad version header", plain, []string{"Mcp-Session-Id", id, version, "bogus"}, 400, "-32600"},
		{"a session's request with two version headers", plain, []string{"Mcp-Session-Id", id, version, "2025-11-25", version, "2025-11-25"}, 400, "-32600"},
		{"a session's unknown method", `{"jsonrpc":"2.0","id":1,"method":"no/such"}`, []string{"Mcp-Session-Id", id}, 200, "-32601"},
		{"a session's discover", `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, []string{"Mcp-Session-Id", id}, 200, "-32601"},
		{"an initialize with a bad version header", initializing, []string{version, "bogus"}, 400, "-32600"},
		{"an initialize with the stateless version in its header", initializing, []string{version, "2026-07-28"}, 400, "-32602"},
		{"neither session nor version", plain, nil, 400, "-32600"},
		{"a stateless request", meta(newest), []string{version, "2026-07-28", method, "tools/list"}, 200, ""},
		{"a stateless request within a session, which is ignored", meta(newest), []string{version, "2026-07-28", method, "tools/list", "Mcp-Session-Id", "bogus"}, 200, ""},
		{"a header value between blanks", meta(newest), []string{version, " 2026-07-28\t", method, "tools/list "}, 200, ""},
		{"the version header alone", plain, []string{version, "2026-07-28", method, "tools/list"}, 400, "-32602"},
		{"the version in the body alone", meta(newest), []string{method, "tools/list"}, 400, "-32020"},
		{"two versions that differ", meta(newest), []string{version, "2025-11-25", method, "tools/list"}, 400, "-32020"},
		{"a version that is unknown", meta(`"2099-01-01"`), []string{version, "2099-01-01", method, "tools/list"}, 400, "-32022"},
		{"a version that has sessions", meta(`"2025-11-25"`), []string{version, "2025-11-25", method, "tools/list"}, 400, "-32022"},
		{"an unknown version that the header does not name", meta(`"2099-01-01"`), []string{version, "2026-07-28", method, "tools/list"}, 400, "-32020"},
		{"a version that is a number", meta(`5`), []string{version, "2026-07-28", method, "tools/list"}, 400, "-32602"},
		{"no capabilities", strings.Replace(meta(newest), "/clientCapabilities", "/x", 1), []string{version, "2026-07-28", method, "tools/list"}, 400, "-32602"},
		{"capabilities that are no object", strings.Replace(meta(newest), "{}", `[]`, 1), []string{version, "2026-07-28", method, "tools/list"}, 400, "-32602"},
		{"an unknown version before missing capabilities", strings.Replace(meta(`"x"`), "/clientCapabilities", "/x", 1), []string{version, "x", method, "tools/list"}, 400, "-32022"},
		{"missing capabilities before a missing method header", strings.Replace(meta(newest), "/clientCapabilities", "/x", 1), []string{version, "2026-07-28"}, 400, "-32602"},
		{"no method header", meta(newest), []string{version, "2026-07-28"}, 400, "-32020"},
		{"another method in the header", meta(newest), []string{version, "2026-07-28", method, "tools/call"}, 400, "-32020"},
		{"a method header in another case", meta(newest), []string{version, "2026-07-28", method, "Tools/List"}, 400, "-32020"},
		{"a wrong method header before an unknown method", strings.Replace(meta(newest), "tools/list", "no/such", 1), []string{version, "2026-07-28", method, "tools/list"}, 400, "-32020"},
		{"an unknown method", strings.Replace(meta(newest), "tools/list", "no/such", 1), []string{version, "2026-07-28", method, "no/such"}, 404, "-32601"},
		{"a stateless initialize", strings.Replace(meta(newest), "tools/list", "initialize", 1), []string{version, "2026-07-28", method, "initialize"}, 404, "-32601"},
		{"a stateless ping", strings.Replace(meta(newest), "tools/list", "ping", 1), []string{version, "2026-07-28", method, "ping"}, 404, "-32601"},
		{"a stateless discover", strings.Replace(meta(newest), "tools/list", "server/discover", 1), []string{version, "2026-07-28", method, "server/discover"}, 200, ""},
		{"a stateless bad cursor", strings.Replace(meta(newest), `"params":{`, `"params":{"cursor":"x",`, 1), []string{version, "2026-07-28", method, "tools/list"}, 200, "-32602"},
		{"not JSON", `{bad`, nil, 400, "-32700"},
		{"a batch (row H9)", `[` + plain + `]`, []string{"Mcp-Session-Id", id}, 400, "-32600"},
		{"an empty batch (row H9)", `[]`, []string{"Mcp-Session-Id", id}, 400, "-32600"},
		{"a null id", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, []string{"Mcp-Session-Id", id}, 400, "-32600"},
		{"an initialize without a version", `{"jsonrpc":"2.0","id":1,"method":"initialize"}`, nil, 200, "-32602"},
		{"a response in the stateless revision", `{"jsonrpc":"2.0","id":1,"result":{}}`, []string{version, "2026-07-28"}, 400, "-32600"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a := post(t.Context(), e, "", test.message, test.headers...)
			code := `"code":` + test.code
			if test.code == "" {
				code = `"result":`
			}
			if a.status != test.status || !strings.Contains(a.body, code) {
				t.Errorf("got %d %s, want %d %s", a.status, a.body, test.status, code)
			}
		})
	}
}

func TestTheNameHeaderMirrorsTheToolsName(t *testing.T) {
	e := serverOf(t, tool("echo", echo)).Endpoint()
	calling := func(params string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + modernMeta + params + `}}`
	}
	tests := []struct {
		name, message string
		header        []string
		status        int
		contains      string
	}{
		{"equal", calling(`,"name":"echo"`), []string{"echo"}, 200, `"result"`},
		{"equal, as base64", calling(`,"name":"echo"`), []string{"=?base64?ZWNobw==?="}, 200, `"result"`},
		{"equal, escaped in the body", calling(`,"name":"\u0065cho"`), []string{"echo"}, 200, `"result"`},
		{"of an unknown tool", calling(`,"name":"名"`), []string{"=?base64?5ZCN?="}, 200, `-32602`},
		{"missing", calling(`,"name":"echo"`), nil, 400, `-32020`},
		{"empty", calling(`,"name":"echo"`), []string{""}, 400, `-32020`},
		{"twice", calling(`,"name":"echo"`), []string{"echo", "echo"}, 400, `-32020`},
		{"another", calling(`,"name":"echo"`), []string{"Echo"}, 400, `-32020`},
		{"bad base64", calling(`,"name":"echo"`), []string{"=?base64?ZWNobw?="}, 400, `-32020`},
		{"there, but none in the body", calling(``), []string{"echo"}, 400, `-32020`},
		{"neither here nor there", calling(``), nil, 200, `-32602`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			headers := []string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call"}
			for _, value := range test.header {
				headers = append(headers, "Mcp-Name", value)
			}
			a := post(t.Context(), e, "", test.message, headers...)
			if a.status != test.status || !strings.Contains(a.body, test.contains) {
				t.Errorf("got %d %s", a.status, a.body)
			}
		})
	}
}

func TestAnUnsupportedVersionNamesThoseThatAre(t *testing.T) {
	e := serverOf(t).Endpoint()
	a := post(t.Context(), e, "", `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"1900-01-01"}}}`, "Mcp-Protocol-Version", "1900-01-01")
	want(t, a.body, `"data":{"supported":["2026-07-28","2025-11-25","2025-06-18","2025-03-26"],"requested":"1900-01-01"}`)
}

func TestG4_AnUnknownSessionIs404AndAMissingOne400(t *testing.T) {
	e := serverOf(t).Endpoint()
	id := openedSession(t, e, "")
	for _, message := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`,
	} {
		for _, test := range []struct {
			headers []string
			status  int
		}{
			{nil, 400}, {[]string{"Mcp-Session-Id", ""}, 400}, {[]string{"Mcp-Session-Id", id, "Mcp-Session-Id", id}, 400},
			{[]string{"Mcp-Session-Id", "stale"}, 404}, {[]string{"Mcp-Session-Id", id + "x"}, 404}, {[]string{"Mcp-Session-Id", "\x01é"}, 404},
		} {
			if a := post(t.Context(), e, "", message, test.headers...); a.status != test.status || !strings.Contains(a.body, "nitialize") {
				t.Errorf("%s with %q gave %+v, want %d", message, test.headers, a, test.status)
			}
		}
	}
	if a := post(t.Context(), e, "", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "Mcp-Session-Id", id); a.status != 202 || a.body != "" {
		t.Errorf("a notification gave %+v", a)
	}
	if a := post(t.Context(), e, "", `{"jsonrpc":"2.0","id":1,"result":{}}`, "Mcp-Session-Id", id); a.status != 202 || a.body != "" {
		t.Errorf("a response gave %+v", a)
	}
}

func TestASessionIsForWhoOpenedIt(t *testing.T) {
	e := serverOf(t).Endpoint()
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	adas, nobodys := openedSession(t, e, "ada"), openedSession(t, e, "")
	stranger := post(t.Context(), e, "bob", ping, "Mcp-Session-Id", adas)
	unknown := post(t.Context(), e, "bob", ping, "Mcp-Session-Id", "none")
	if stranger.status != 404 || stranger != unknown {
		t.Errorf("someone else's is %+v, an unknown one is %+v", stranger, unknown)
	}
	for subject, id := range map[string]string{"": adas, "ada": nobodys} {
		if a := post(t.Context(), e, subject, ping, "Mcp-Session-Id", id); a.status != 404 {
			t.Errorf("%q got %+v", subject, a)
		}
	}
	if a := post(t.Context(), e, "ada", ping, "Mcp-Session-Id", adas); a.status != 200 {
		t.Errorf("its owner got %+v", a)
	}
}

func TestInitializingOverAnOldSessionOpensANewOne(t *testing.T) {
	e := serverOf(t).Endpoint()
	id := openedSession(t, e, "")
	if a := post(t.Context(), e, "", initializing, "Mcp-Session-Id", id); a.status != 200 || a.session == "" || a.session == id {
		t.Errorf("got %+v", a)
	}
}

func TestH7_OverHTTPTheSameIDTwiceIsRefusedWithinOneSessionOnly(t *testing.T) {
	release := make(chan struct{})
	block, began := blocking(release)
	e := serverOf(t, block).Endpoint()
	one, two := openedSession(t, e, ""), openedSession(t, e, "")
	stateless := []string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "block"}
	var wg sync.WaitGroup
	for _, headers := range [][]string{{"Mcp-Session-Id", one}, {"Mcp-Session-Id", two}, stateless, stateless} {
		message := calling("1", "block", `{}`)
		if len(headers) > 2 {
			message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + modernMeta + `,"name":"block"}}`
		}
		wg.Go(func() {
			if a := post(t.Context(), e, "", message, headers...); a.status != 200 || !strings.Contains(a.body, "done") {
				t.Errorf("%v gave %+v", headers, a)
			}
		})
		<-began
	}
	if a := post(t.Context(), e, "", calling("1", "block", `{}`), "Mcp-Session-Id", one); a.status != 400 || !strings.Contains(a.body, "-32600") {
		t.Errorf("the twin got %+v", a)
	}
	close(release)
	wg.Wait()
	if a := post(t.Context(), e, "", calling("1", "block", `{}`), "Mcp-Session-Id", one); a.status != 200 {
		t.Errorf("the id cannot be used again: %+v", a)
	}
}

func TestJ1_OverHTTPASessionsRequestIsCancelledByAnotherPost(t *testing.T) {
	block, began := blocking(nil)
	e := serverOf(t, block).Endpoint()
	id, other := openedSession(t, e, ""), openedSession(t, e, "")
	answer := make(chan answered)
	go func() {
		answer <- post(context.Background(), e, "", calling("7", "block", `{}`), "Mcp-Session-Id", id)
	}()
	ctx := <-began
	cancelling := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"bored"}}`
	if a := post(t.Context(), e, "", cancelling, "Mcp-Session-Id", other); a.status != 202 || ctx.Err() != nil {
		t.Errorf("another session's cancellation gave %+v, %v", a, ctx.Err())
	}
	post(t.Context(), e, "", cancelling, "Mcp-Session-Id", id)
	if a := <-answer; a.body != "" || a.status != 202 {
		t.Errorf("the cancelled request was answered %+v", a)
	}
	want(t, context.Cause(ctx).Error(), "bored")
}

func TestALostConnectionCancelsStatelessRequestsOnly(t *testing.T) {
	release := make(chan struct{})
	block, began := blocking(release)
	e := serverOf(t, block).Endpoint()
	id := openedSession(t, e, "")
	lost, lose := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { post(lost, e, "", calling("1", "block", `{}`), "Mcp-Session-Id", id) })
	session := <-began
	wg.Go(func() {
		post(lost, e, "", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`+modernMeta+`,"name":"block"}}`,
			"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "block")
	})
	stateless := <-began
	lose()
	<-stateless.Done()
	if session.Err() != nil {
		t.Error("a session's request was cancelled")
	}
	close(release)
	wg.Wait()
}

func TestErrorsOnPurposeTravelWithTheStatusOfTheirCode(t *testing.T) {
	for code, status := range map[int]int{1234: 200, codeInvalidParams: 200, codeNoMethod: 200, codeCapability: 400} {
		e := serverOf(t, tool("x", func(context.Context, *middleware.Call, map[string]any) (any, error) {
			return nil, result.Protocol(code, "m", map[string]any{"a": 1})
		})).Endpoint()
		a := post(t.Context(), e, "", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`+modernMeta+`,"name":"x"}}`,
			"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "x")
		if a.status != status || !strings.Contains(a.body, `"data":{"a":1}`) {
			t.Errorf("%d gave %+v", code, a)
		}
	}
}

func TestAnErrorOnPurposeWithDataThatHasNoJSONIsStillSent(t *testing.T) {
	c := opened(t, serverOf(t, tool("x", func(context.Context, *middleware.Call, map[string]any) (any, error) {
		return nil, result.Protocol(7, "m", make(chan int))
	})), "2025-11-25")
	if got := send(t, c, calling("1", "x", `{}`)); got != `{"jsonrpc":"2.0","id":1,"error":{"code":7,"message":"m"}}` {
		t.Errorf("got %s", got)
	}
}

func TestOverHTTPAHandlerThatEndsItsGoroutineIsAnswered(t *testing.T) {
	e := serverOf(t, tool("exit", func(context.Context, *middleware.Call, map[string]any) (any, error) {
		runtime.Goexit()
		return nil, nil
	})).Endpoint()
	id := openedSession(t, e, "")
	answer := make(chan Outgoing, 1)
	go e.Post(t.Context(), Incoming{Body: []byte(calling("1", "exit", `{}`)), Header: http.Header{headerSession: {id}}}, inJSON(func(out Outgoing) {
		out.Body = []byte(string(out.Body))
		answer <- out
	}))
	out := <-answer
	want(t, string(out.Body), `"isError":true`, `INTERNAL`)
}

func TestShutdownWaitsForRunningCallsAndRefusesNewOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		block, began := blocking(release)
		e := serverOf(t, block).Endpoint()
		id := openedSession(t, e, "")
		var wg sync.WaitGroup
		wg.Go(func() {
			if a := post(t.Context(), e, "", calling("1", "block", `{}`), "Mcp-Session-Id", id); !strings.Contains(a.body, "done") {
				t.Errorf("the running call got %+v", a)
			}
		})
		<-began
		ended := make(chan error, 2)
		for range 2 { // twice at once is no more than once
			go func() { ended <- e.Shutdown(context.Background()) }()
		}
		synctest.Wait()
		for _, message := range []string{calling("2", "block", `{}`), initializing, `{"jsonrpc":"2.0","id":2,"method":"ping"}`} {
			if a := post(t.Context(), e, "", message, "Mcp-Session-Id", id); a.status != 503 {
				t.Errorf("%s gave %+v", message, a)
			}
		}
		select {
		case err := <-ended:
			t.Errorf("it did not wait: %v", err)
		default:
		}
		close(release)
		if err := errors.Join(<-ended, <-ended, e.Shutdown(t.Context())); err != nil {
			t.Error(err)
		}
		wg.Wait()
	})
}

func TestShutdownCancelsAtItsDeadlineAndNamesWhatWillNotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		block, began := blocking(nil)
		e := serverOf(t, block, tool("stubborn", func(ctx context.Context, _ *middleware.Call, _ map[string]any) (any, error) {
			began <- ctx
			<-release
			return "late", nil
		})).Endpoint()
		id := openedSession(t, e, "")
		var wg sync.WaitGroup
		wg.Go(func() {
			want(t, post(t.Context(), e, "", calling("1", "block", `{}`), "Mcp-Session-Id", id).body, "CANCELLED")
		})
		first := <-began
		wg.Go(func() {
			want(t, post(t.Context(), e, "", calling("2", "stubborn", `{}`), "Mcp-Session-Id", id).body, "late")
		})
		<-began
		ctx, cancel := context.WithTimeout(t.Context(), shutdownGrace)
		defer cancel()
		err := e.Shutdown(ctx)
		if err == nil || !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), `tools/call "stubborn"`) || strings.Contains(err.Error(), "block") {
			t.Errorf("got %v", err)
		}
		if cause := context.Cause(first); !errors.Is(cause, errClosing) || !errors.Is(cause, context.Canceled) {
			t.Errorf("the cause is %v", cause)
		}
		close(release)
		wg.Wait()
	})
}

func TestOverHTTPACallBeyondTheLimitIsOverloadedAtOnce(t *testing.T) {
	release := make(chan struct{})
	block, began := blocking(release)
	e := mustServer(t, catalogOf(t, block), Options{MaxInFlight: 1}).Endpoint()
	id, other := openedSession(t, e, ""), openedSession(t, e, "")
	var wg sync.WaitGroup
	wg.Go(func() { post(t.Context(), e, "", calling("1", "block", `{}`), "Mcp-Session-Id", id) })
	<-began
	if a := post(t.Context(), e, "", calling("1", "block", `{}`), "Mcp-Session-Id", other); a.status != 200 || !strings.Contains(a.body, "OVERLOADED") {
		t.Errorf("got %+v", a)
	}
	close(release)
	wg.Wait()
}

func TestAStatelessNotificationIsAcceptedAndForgotten(t *testing.T) {
	block, began := blocking(nil)
	e := serverOf(t, block).Endpoint()
	id := openedSession(t, e, "")
	answer := make(chan answered)
	go func() {
		answer <- post(context.Background(), e, "", calling("7", "block", `{}`), "Mcp-Session-Id", id)
	}()
	ctx := <-began
	cancelling := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`
	a := post(t.Context(), e, "", cancelling, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Session-Id", id)
	if a.status != 202 || a.body != "" || ctx.Err() != nil {
		t.Errorf("got %+v, %v", a, ctx.Err())
	}
	if err := shutDownNow(e); err != nil {
		t.Error(err)
	}
	<-answer
}

// shutDownNow cancels what runs.
func shutDownNow(e *Endpoint) error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return e.Shutdown(ctx)
}
