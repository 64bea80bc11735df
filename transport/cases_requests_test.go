package transport

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json/jsontext"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

// everywhere sends a message within a session on each transport and returns the answers.
func everywhere(t *testing.T, message string, tools ...*catalog.Tool) map[string]string {
	t.Helper()
	p, s := piped(t, app{tools: tools}, nil), serving(t, nil, tools...)
	p.ask(opening)
	return map[string]string{
		"stdio": lastLine(over(t, app{tools: tools}, &StdioOptions{}, opening, message)),
		"HTTP":  s.post(message, s.open()...).body,
		"pipe":  p.ask(message),
	}
}

func TestD2_ContentIsAlwaysAnArrayOnEveryTransport(t *testing.T) {
	for name, value := range map[string]any{
		"nothing": nil, "a unit": result.Unit{}, "no response": (*result.Response)(nil), "an empty text": "", "no content": &result.Response{Content: []result.Content{}},
	} {
		empty := tool("empty", func(context.Context, *middleware.Call, map[string]any) (any, error) { return value, nil })
		empty.Present = func(_ context.Context, value any) (*result.Response, error) {
			if r, is := value.(*result.Response); is && r != nil {
				return r, nil
			}
			return &result.Response{}, nil
		}
		for transport, got := range everywhere(t, calling("1", "empty", `{}`), empty) {
			if !strings.Contains(got, `"content":[`) || strings.Contains(got, `"isError":true`) {
				t.Errorf("%s over %s: %s", name, transport, got)
			}
		}
	}
}

func TestE2_AnUnknownToolIsOneErrorOnEveryTransportAndTheSessionLives(t *testing.T) {
	for transport, got := range everywhere(t, calling("1", "no_such_tool", `{}`), tool("echo", echo)) {
		if want := `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Unknown tool: \"no_such_tool\""}}`; strings.TrimSpace(got) != want {
			t.Errorf("over %s: %s", transport, got)
		}
	}
	s := serving(t, nil, tool("echo", echo))
	id := s.open()
	for range 2 {
		if r := s.post(calling("1", "no_such_tool", `{}`), id...); r.status != 200 {
			t.Errorf("got %+v", r)
		}
		want(t, s.post(calling("1", "echo", `{}`), id...).body, `"result"`)
	}
	if r := s.post(modern("1", "no_such_tool", `{}`), modernHeaders("no_such_tool")...); r.status != 200 || !strings.Contains(r.body, "-32602") {
		t.Errorf("without a session: %+v", r)
	}
}

func TestH8_AnIDComesBackAsItWasOrIsRefusedOnEveryTransport(t *testing.T) {
	for _, id := range []string{`"1"`, `1`, `0`, `-1`, `""`, `9007199254740993`, `"ünï"`} {
		for transport, got := range everywhere(t, `{"jsonrpc":"2.0","id":`+id+`,"method":"ping"}`) {
			if want := `{"jsonrpc":"2.0","id":` + id + `,"result":{}}`; strings.TrimSpace(got) != want {
				t.Errorf("%s over %s: %s", id, transport, got)
			}
		}
	}
	for _, id := range []string{`null`, `{}`, `[]`, `true`, `1.5`} {
		for transport, got := range everywhere(t, `{"jsonrpc":"2.0","id":`+id+`,"method":"ping"}`) {
			if !strings.HasPrefix(got, `{"jsonrpc":"2.0","error":{"code":-32600`) {
				t.Errorf("%s over %s: %s", id, transport, got)
			}
		}
	}
}

func TestH9_NothingInABatchRunsOnEveryTransport(t *testing.T) {
	ran := tool("ran", func(context.Context, *middleware.Call, map[string]any) (any, error) {
		t.Error("a call in a batch ran")
		return nil, nil
	})
	one := calling("1", "ran", `{}`)
	for _, batch := range []string{"[" + one + "," + one + "]", "[" + one + "]", "[]", " [ ]", "[" + one} {
		for transport, got := range everywhere(t, batch, ran) {
			if strings.Count(got, "jsonrpc") != 1 || !strings.HasPrefix(got, `{"jsonrpc":"2.0","error":{"code":-32600`) {
				t.Errorf("%s over %s: %s", batch, transport, got)
			}
		}
	}
	stateless := serving(t, nil, ran).post("["+modern("1", "ran", `{}`)+"]", modernHeaders("ran")...)
	if stateless.status != 400 || !strings.Contains(stateless.body, "-32600") {
		t.Errorf("without a session: %+v", stateless)
	}
}

func TestH7_OneSessionsIDsAreNoOnesElse(t *testing.T) {
	release := make(chan struct{})
	block, began := blocking(release)
	s := serving(t, nil, block, tool("echo", echo))
	one, two := s.open(), s.open()
	var wg sync.WaitGroup
	wg.Go(func() { want(t, s.post(calling("1", "block", `{}`), one...).body, `"text":"done"`) })
	<-began
	if r := s.post(calling("1", "echo", `{"of":"one"}`), one...); r.status != 400 || !strings.Contains(r.body, `"code":-32600`) {
		t.Errorf("the twin gives %+v", r)
	}
	want(t, s.post(calling("1", "echo", `{"of":"two"}`), two...).body, `"of":"two"`)
	want(t, s.post(modern("1", "echo", `{"of":"none"}`), modernHeaders("echo")...).body, `"of":"none"`)
	close(release)
	wg.Wait()
	for range 3 { // a client that numbers every request 1
		want(t, s.post(calling("1", "echo", `{"of":"one"}`), one...).body, `"of":"one"`)
	}
}

func TestJ1_J3_OverHTTPACancelledCallEndsWithTheReason(t *testing.T) {
	var log bytes.Buffer
	block, began := blocking(nil)
	s := servingApp(t, app{tools: []*catalog.Tool{block}, log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))}, nil)
	id := s.open()
	answer := make(chan reply, 1)
	go func() { answer <- s.post(calling(`"a"`, "block", `{}`), id...) }()
	ctx := <-began
	for _, unknown := range []string{`"b"`, `1`, `null`} {
		s.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+unknown+`}}`, id...)
	}
	if ctx.Err() != nil || log.Len() > 0 {
		t.Errorf("an unknown id: %v, logged %s", ctx.Err(), &log)
	}
	start := time.Now()
	s.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a","reason":"the user left"}}`, id...)
	<-ctx.Done()
	if took := time.Since(start); took > time.Second {
		t.Errorf("it took %v", took)
	}
	want(t, context.Cause(ctx).Error(), "the user left")
	if r := <-answer; r.status != 202 || r.body != "" {
		t.Errorf("the cancelled call is answered %+v", r)
	}
	want(t, log.String(), "level=DEBUG", "the user left")
}

func TestJ4_AHandlerThatWaitsForItsInputStopsAtOnce(t *testing.T) {
	var listening net.ListenConfig
	silent, err := listening.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = silent.Close() }()
	began := make(chan struct{})
	fetch := tool("fetch", func(ctx context.Context, _ *middleware.Call, _ map[string]any) (any, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+silent.Addr().String(), http.NoBody)
		if err != nil {
			return nil, err
		}
		close(began)
		resp, err := (&http.Client{Transport: &http.Transport{}}).Do(req)
		if err == nil {
			err = resp.Body.Close()
		}
		return nil, err
	})
	s := serving(t, nil, fetch)
	id := s.open()
	answer := make(chan reply, 1)
	go func() { answer <- s.post(calling("1", "fetch", `{}`), id...) }()
	<-began
	s.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, id...)
	select {
	case r := <-answer:
		if r.body != "" {
			t.Errorf("it is answered %+v", r)
		}
	case <-time.After(10 * time.Second):
		t.Error("the handler runs on")
	}
}

func TestJ8_CallsBeyondTheLimitAreOverloadedAndMayComeAgain(t *testing.T) {
	release := make(chan struct{})
	block, began := blocking(release)
	s := serving(t, &HTTPOptions{MaxInFlight: 2}, block)
	id := s.open()
	var wg sync.WaitGroup
	for _, n := range []string{"1", "2"} {
		wg.Go(func() { want(t, s.post(calling(n, "block", `{}`), id...).body, "done") })
		<-began
	}
	for range 3 {
		r := s.post(calling("3", "block", `{}`), id...)
		want(t, r.body, `"isError":true`, "OVERLOADED", `\"retryable\":true`)
	}
	close(release)
	wg.Wait()
	want(t, s.post(calling("3", "block", `{}`), id...).body, "done")
}

func TestTS_ABodyOverTheLimitIs413AndItsConnectionIsDropped(t *testing.T) {
	s := serving(t, &HTTPOptions{MaxBodyBytes: 200})
	for name, request := range map[string]string{
		"a length over it": "Content-Length: 100000\r\n\r\n",
		"a stream over it": "Transfer-Encoding: chunked\r\n\r\n1000\r\n" + strings.Repeat(" ", 0x1000) + "\r\n",
	} {
		var d net.Dialer
		conn, err := d.DialContext(t.Context(), "tcp", s.http.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
		_, _ = io.WriteString(conn, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"+request)
		r, err := http.ReadResponse(bufio.NewReader(conn), nil) // the rest of the body never comes
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		body, _ := io.ReadAll(r.Body)
		_ = r.Body.Close()
		want(t, string(body), `{"jsonrpc":"2.0","error":{"code":-32600,"message":"The body is larger than 200 bytes"}}`)
		if r.StatusCode != http.StatusRequestEntityTooLarge || !r.Close {
			t.Errorf("%s: status %d, the connection ends: %v", name, r.StatusCode, r.Close)
		}
		_ = conn.Close()
	}
}

func TestH3_AProcessAnswersWhatIsRightAmongWhatIsWrong(t *testing.T) {
	stdout, _ := run(t, strings.Join([]string{
		"\uFEFF" + opening + "\r", "{bad", "", "   ", `[]`, `"x"`, "null", "\x00\xff",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":null}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{}}`,
		`{"jsonrpc":"2.0","id":3,"method":"no/such"}`,
		`{"jsonrpc":"1.0","id":4,"method":"ping"}`,
		`{"jsonrpc":"2.0","method":"no/such"}`,
		calling("5", "echo", `{"fine":true}`) + "\r",
	}, "\n"))
	answers, _, _ := strings.Cut(stdout, "stdout is restored\n")
	for line := range strings.Lines(answers) {
		if !jsontext.Value(line).IsValid() {
			t.Errorf("this is no answer: %q", line)
		}
	}
	want(t, answers, `"id":0,"result"`, `"id":1,"error":{"code":-32602`, `"id":2,"error":{"code":-32602`,
		`"id":3,"error":{"code":-32601`, `"id":4,"error":{"code":-32600`, `"fine":true`)
	if broken, invalid := strings.Count(answers, "-32700"), strings.Count(answers, "-32600"); broken != 2 || invalid != 4 {
		t.Errorf("%d broken and %d invalid lines in %s", broken, invalid, answers)
	}
}
