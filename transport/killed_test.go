package transport

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/middleware"
)

// TestKilledPair is no test: it is the two processes of the test below. The client starts
// the server, leaves it in the state that it is told and waits to be killed.
func TestKilledPair(t *testing.T) {
	switch os.Getenv("TRANSPORT_TEST_KILLED") {
	case "":
	case "server":
		block, _ := blocking(nil)
		err := Stdio(t.Context(), app{tools: []*catalog.Tool{tool("echo", echo), block}}, &StdioOptions{DrainTimeout: 100 * time.Millisecond})
		fmt.Fprintln(os.Stderr, "the server has ended:", err)
	default:
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilledPair$")
		cmd.Env = append(os.Environ(), "TRANSPORT_TEST_KILLED=server")
		cmd.Stderr = os.Stderr
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(in, opening+"\n")
		_, _ = bufio.NewReaderSize(out, 16).ReadString('\n')
		_, _ = io.WriteString(in, os.Getenv("TRANSPORT_TEST_SENDS"))
		fmt.Println("ready")
		select {}
	}
}

func TestAStdioServerEndsWhenItsClientIsKilled(t *testing.T) {
	large := `{"text":"` + strings.Repeat("x", 30_000) + `"}`
	unread := strings.Join([]string{calling("1", "echo", large), calling("2", "echo", large), calling("3", "echo", large), ""}, "\n")
	for name, sends := range map[string]string{
		"while it is idle":                   "",
		"while a call runs":                  calling("0", "block", `{}`) + "\n",
		"in the middle of a message":         calling("0", "echo", `{"text":"`),
		"while answers wait to be read":      unread,
		"while a call runs and answers wait": calling("0", "block", `{}`) + "\n" + unread,
	} {
		t.Run(name, func(t *testing.T) {
			log, logged, err := os.Pipe() // at its end when both processes have ended
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = log.Close() }()
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilledPair$")
			cmd.Env = append(os.Environ(), "TRANSPORT_TEST_KILLED=client", "TRANSPORT_TEST_SENDS="+sends)
			cmd.Stderr = logged
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			_ = logged.Close()
			if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
				t.Fatalf("the client said %q, %v", line, err)
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Error(err)
			}
			_ = cmd.Wait()
			_ = log.SetReadDeadline(time.Now().Add(5 * time.Second))
			said, err := io.ReadAll(log)
			if err != nil || !strings.Contains(string(said), "the server has ended") {
				t.Errorf("the server said %q, %v", said, err)
			}
		})
	}
}

// connection is a client that a test can break off as the operating system does.
type connection struct {
	*net.TCPConn
	in *bufio.Reader
}

// dial sends a request on a connection of its own.
func (s *site) dial(method, body string, headers ...string) *connection {
	s.t.Helper()
	conn, err := new(net.Dialer).DialContext(s.t.Context(), "tcp", s.http.Listener.Addr().String())
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = conn.Close() })
	if err := s.request(s.t.Context(), method, body, append(takesStreams, headers...)...).Write(conn); err != nil {
		s.t.Fatal(err)
	}
	return &connection{conn.(*net.TCPConn), bufio.NewReader(conn)}
}

// reset ends the connection as a process does that is killed with data unread.
func (c *connection) reset(t *testing.T) {
	t.Helper()
	if err := c.SetLinger(0); err != nil {
		t.Error(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// until reads up to a line that begins so and returns the rest of it.
func (c *connection) until(t *testing.T, prefix string) string {
	t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
	for {
		line, err := c.in.ReadString('\n')
		if err != nil {
			t.Fatalf("the stream ended without %q: %v", prefix, err)
		}
		if rest, found := strings.CutPrefix(line, prefix); found {
			return strings.TrimSpace(rest)
		}
	}
}

func TestAnHTTPClientIsKilledInTheMiddleOfACall(t *testing.T) {
	for name, keepAlive := range map[string]time.Duration{"before anything was answered": 0, "while it reads a stream": 5 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			release := make(chan struct{})
			began, done := make(chan context.Context, 2), make(chan error, 2)
			block := tool("block", func(ctx context.Context, _ *middleware.Call, _ map[string]any) (any, error) {
				began <- ctx
				select {
				case <-release:
				case <-ctx.Done():
				}
				done <- ctx.Err()
				return "done", ctx.Err()
			})
			s := serving(t, &HTTPOptions{KeepAlive: keepAlive}, block, tool("echo", echo))
			id := s.open()
			stateless := s.dial(http.MethodPost, modern("1", "block", `{}`), modernHeaders("block")...)
			<-began
			session := s.dial(http.MethodPost, calling("1", "block", `{}`), id...)
			<-began
			last := ""
			if keepAlive > 0 {
				last = session.until(t, "id: ")
				stateless.until(t, ":")
			}
			stateless.reset(t)
			if err := <-done; err == nil {
				t.Error("the stateless call went on")
			}
			session.reset(t)
			for range 20 { // others are served, in the same session too
				want(t, s.post(calling("2", "echo", `{"a":1}`), id...).body, `"structuredContent":{"a":1}`)
				want(t, s.post(modern("2", "echo", `{"a":1}`), modernHeaders("echo")...).body, `"structuredContent":{"a":1}`)
			}
			close(release)
			if err := <-done; err != nil {
				t.Errorf("the session's call ended with %v", err)
			}
			if last != "" {
				again := s.dial(http.MethodGet, "", append(id, "Last-Event-ID", last)...)
				want(t, again.until(t, "data: "), `"id":1`, "done")
			}
		})
	}
}
