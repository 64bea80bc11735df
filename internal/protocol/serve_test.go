package protocol

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpfusion/go/middleware"
)

const opening = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}` + "\n"

// served runs a whole stream and returns the answers, by their line.
func served(t *testing.T, s *Server, stream string) []string {
	t.Helper()
	var out bytes.Buffer
	if err := s.Connect(middleware.Subject{}).Serve(t.Context(), strings.NewReader(stream), &out); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

func TestH3_ABadLineDoesNotEndTheStream(t *testing.T) {
	s := serverOf(t, tool("echo", echo))
	good := `{"jsonrpc":"2.0","id":"good","method":"ping"}`
	tests := []struct{ name, line, want string }{
		{"broken", "{bad\n", `"code":-32700`},
		{"blank", " \n", ``},
		{"a byte order mark", "\uFEFF" + `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n", `"id":1,"result":{}`},
		{"CRLF", `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\r\n", `"id":1,"result":{}`},
		{"null params", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":null}` + "\n", `"id":1,"error":{"code":-32602`},
		{"no tool name", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}` + "\n", `"id":1,"error":{"code":-32602`},
		{"unknown method", `{"jsonrpc":"2.0","id":1,"method":"no/such"}` + "\n", `"id":1,"error":{"code":-32601`},
		{"binary", "\x00\xff\n", `"code":-32700`},
		{"not UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}\n", `"code":-32700`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := served(t, s, opening+test.line+good)
			all := strings.Join(got, "\n")
			want(t, all, test.want, `"id":"good","result":{}`)
			if test.want == "" && len(got) != 2 {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestALineOverTheLimitIsAnsweredAndTheStreamGoesOn(t *testing.T) {
	s := mustServer(t, catalogOf(t), Options{MaxMessageBytes: 200})
	got := served(t, s, opening+`{"jsonrpc":"2.0","id":1,"method":"`+strings.Repeat("x", 100_000)+`"}`+"\n"+pinging+"\n")
	if len(got) != 3 || got[1] != `{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: the message is larger than 200 bytes"}}` || got[2] != `{"jsonrpc":"2.0","id":1,"result":{}}` {
		t.Errorf("got %q", got)
	}
}

func TestH4_TheRunningCallsAreAnsweredAfterTheEndOfTheInput(t *testing.T) {
	slow := tool("slow", func(_ context.Context, _ *middleware.Call, args map[string]any) (any, error) {
		time.Sleep(20 * time.Millisecond)
		return args, nil
	})
	got := strings.Join(served(t, serverOf(t, slow), opening+calling("1", "slow", `{}`)+"\n"+calling("2", "slow", `{}`)+"\n"+calling("3", "slow", `{}`)), "\n")
	want(t, got, `"id":1,"result"`, `"id":2,"result"`, `"id":3,"result"`)
}

// stream is a running Serve with its two ends.
type stream struct {
	in    *io.PipeWriter
	out   *bytes.Buffer
	ended chan error
}

func serving(ctx context.Context, s *Server) *stream {
	r, w := io.Pipe()
	st := &stream{in: w, out: &bytes.Buffer{}, ended: make(chan error, 1)}
	go func() { st.ended <- s.Connect(middleware.Subject{}).Serve(ctx, r, st.out) }()
	return st
}

func (s *stream) write(t *testing.T, text string) {
	t.Helper()
	if _, err := io.WriteString(s.in, text); err != nil {
		t.Error(err)
	}
}

func TestH5_ServeEndsAfterTheEndOfTheInputEvenIfAHandlerDoesNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release, began := make(chan struct{}), make(chan context.Context, 1)
		s := mustServer(t, catalogOf(t, tool("stubborn", func(ctx context.Context, _ *middleware.Call, _ map[string]any) (any, error) {
			began <- ctx
			<-release
			return "late", nil
		})), Options{DrainTimeout: 3 * time.Second})
		st := serving(t.Context(), s)
		st.write(t, opening+calling("1", "stubborn", `{}`)+"\n")
		ctx := <-began
		start := time.Now()
		_ = st.in.Close()
		if err := <-st.ended; err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took != 3*time.Second+settleTime {
			t.Errorf("it took %v", took)
		}
		if cause := context.Cause(ctx); !errors.Is(cause, errClosing) {
			t.Errorf("the handler's context ended with %v", cause)
		}
		close(release)
		synctest.Wait()
	})
}

func TestServeEndsWithItsContextAndAnswersWhatItCancels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block, began := blocking(nil)
		cause := errors.New("the process was told to stop")
		ctx, cancel := context.WithCancelCause(t.Context())
		st := serving(ctx, serverOf(t, block))
		st.write(t, opening+calling("1", "block", `{}`)+"\n")
		<-began
		cancel(cause)
		if err := <-st.ended; !errors.Is(err, cause) {
			t.Errorf("got %v", err)
		}
		want(t, st.out.String(), `"id":1,"result":`, `"isError":true`)
		written := st.out.Len()
		_, _ = io.WriteString(st.in, pinging+"\n") // what comes late is dropped
		synctest.Wait()
		if st.out.Len() != written {
			t.Errorf("after the end it wrote %s", st.out.String()[written:])
		}
	})
}

func TestServeEndsWhenItCannotWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block, began := blocking(nil)
		broken := errors.New("broken pipe")
		r, w := io.Pipe()
		ended := make(chan error, 1)
		go func() {
			ended <- serverOf(t, block).Connect(middleware.Subject{}).Serve(t.Context(), r, writerFunc(func(b []byte) (int, error) {
				if bytes.Contains(b, []byte(`"id":0`)) {
					return len(b), nil
				}
				return 0, broken
			}))
			_ = r.Close()
		}()
		_, _ = io.WriteString(w, opening+calling("1", "block", `{}`)+"\n")
		ctx := <-began
		_, _ = io.WriteString(w, pinging+"\n")
		if err := <-ended; !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
		if ctx.Err() == nil {
			t.Error("the call runs on for a client that is gone")
		}
	})
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

func TestAReadThatFailsIsReported(t *testing.T) {
	broken := errors.New("broken")
	r, w := io.Pipe()
	_ = w.CloseWithError(broken)
	if err := serverOf(t).Connect(middleware.Subject{}).Serve(t.Context(), r, io.Discard); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

func TestCallsOnAStreamRunConcurrently(t *testing.T) {
	var both sync.WaitGroup
	both.Add(2)
	meet := tool("meet", func(context.Context, *middleware.Call, map[string]any) (any, error) {
		both.Done()
		both.Wait() // for the other call
		return "met", nil
	})
	got := strings.Join(served(t, serverOf(t, meet), opening+calling("1", "meet", `{}`)+"\n"+calling("2", "meet", `{}`)), "\n")
	want(t, got, `"id":1,"result"`, `"id":2,"result"`)
}

func TestEachAnswerIsOneWrite(t *testing.T) {
	var writes []string // unguarded: only one write may run at a time
	s := serverOf(t, tool("echo", echo))
	var stream strings.Builder
	stream.WriteString(opening)
	for range 50 {
		stream.WriteString(calling(`"`+strings.Repeat("i", stream.Len()%97)+time.Duration(stream.Len()).String()+`"`, "echo", `{"text":"`+strings.Repeat("long ", 1000)+`"}`) + "\n")
	}
	err := s.Connect(middleware.Subject{}).Serve(t.Context(), strings.NewReader(stream.String()), writerFunc(func(b []byte) (int, error) {
		writes = append(writes, string(b))
		return len(b), nil
	}))
	if err != nil || len(writes) != 51 {
		t.Fatal(err, len(writes))
	}
	for _, line := range writes {
		if strings.Count(line, "\n") != 1 || !strings.HasSuffix(line, "}\n") {
			t.Errorf("%q", line)
		}
	}
}

func TestACancellationIsReadWhileTheStreamIsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block, began := blocking(nil)
		s := mustServer(t, catalogOf(t, block), Options{MaxInFlight: 1})
		st := serving(t.Context(), s)
		st.write(t, opening+calling("1", "block", `{}`)+"\n")
		<-began
		st.write(t, calling("2", "block", `{}`)+"\n"+calling("3", "block", `{}`)+"\n")
		st.write(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`+"\n")
		_ = st.in.Close()
		if err := <-st.ended; err != nil {
			t.Error(err)
		}
		if got := st.out.String(); strings.Count(got, "OVERLOADED") != 2 || strings.Contains(got, `"id":1`) {
			t.Errorf("got %s", got)
		}
	})
}

func TestOnAStreamAHandlerThatEndsItsGoroutineIsAnswered(t *testing.T) {
	got := strings.Join(served(t, serverOf(t, tool("exit", func(context.Context, *middleware.Call, map[string]any) (any, error) {
		runtime.Goexit()
		return nil, nil
	})), opening+calling("1", "exit", `{}`)+"\n"), "\n")
	want(t, got, `"id":1,"result"`, `INTERNAL`)
}

func TestServeInterruptsAReadWhereItCan(t *testing.T) {
	client, server := net.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- serverOf(t).Connect(middleware.Subject{}).Serve(ctx, server, server) }()
	if _, err := io.WriteString(client, opening); err != nil {
		t.Fatal(err)
	}
	_, _ = client.Read(make([]byte, 1000))
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	// Neither end is closed: TestMain sees the reader if it is left behind.
}

func TestARequestThatPanicsOutsideOfAToolIsAnInternalError(t *testing.T) {
	c := opened(t, serverOf(t), "2025-11-25")
	x := c.accept(t.Context(), []byte(pinging))
	x.method.run = func(*exchange, []byte) ([]byte, *fault) { panic("secret") }
	x.run(sinkFunc(func(out Outgoing) {
		if got := string(out.Body); got != `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error"}}` {
			t.Errorf("got %s", got)
		}
	}))
}

func TestTheLogNamesRequests(t *testing.T) {
	var list, call message
	list.decode([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`), 9)
	call.decode([]byte(calling("1", "a", `{}`)), 9)
	if got := names([]*flight{{msg: &list}, {msg: &call}}); strings.Join(got, ", ") != `tools/list, tools/call "a"` {
		t.Errorf("got %q", got)
	}
}
