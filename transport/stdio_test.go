package transport

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json/jsontext"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/middleware"
)

// serveStdio is the process that the tests below start: a server whose tools print.
func serveStdio() {
	printer := tool("print", func(context.Context, *middleware.Call, map[string]any) (any, error) {
		fmt.Println("a stray print")
		slog.Info("a stray log") // by the package log
		print("a stray builtin\n")
		_, _ = fmt.Fprintln(os.Stdout, `{"jsonrpc":"2.0"}`)
		return "printed", nil
	})
	go func() { // a goroutine of the app's own does not keep the process alive
		for {
			time.Sleep(time.Hour)
		}
	}()
	slow := tool("slow", func(ctx context.Context, _ *middleware.Call, _ map[string]any) (any, error) {
		<-ctx.Done()
		fmt.Fprintln(os.Stderr, "slow ended:", context.Cause(ctx))
		return nil, ctx.Err()
	})
	if err := Stdio(context.Background(), app{tools: []*catalog.Tool{printer, tool("echo", echo), slow}}, nil); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("stdout is restored")
}

// run starts this test's program as a server, gives it the whole input and waits.
func run(t *testing.T, input string) (stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), "TRANSPORT_TEST_SERVER=1")
	cmd.Stdin = strings.NewReader(input)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, &errs)
	}
	return out.String(), errs.String()
}

func TestH1_WhatAHandlerPrintsDoesNotReachTheClient(t *testing.T) {
	stdout, stderr := run(t, opening+"\n"+calling("1", "print", `{}`)+"\n"+calling("2", "echo", `{}`)+"\n")
	answers, rest, _ := strings.Cut(stdout, "stdout is restored\n")
	if strings.Count(answers, "\n") != 3 || rest != "" {
		t.Errorf("stdout is %q", stdout)
	}
	for line := range strings.Lines(answers) {
		if !jsontext.Value(line).IsValid() || !strings.Contains(line, `"id":`) {
			t.Errorf("this is no answer: %q", line)
		}
	}
	want(t, stderr, "a stray print", "a stray log", "a stray builtin", `{"jsonrpc":"2.0"}`)
	want(t, answers, `"text":"printed"`)
}

func TestH4H5_TheProcessAnswersAllAndEndsWithItsInput(t *testing.T) {
	stdout, _ := run(t, opening+"\n"+calling("1", "echo", `{}`)+"\n"+calling("2", "echo", `{}`)+"\n"+calling("3", "echo", `{}`))
	want(t, stdout, `"id":1,"result"`, `"id":2,"result"`, `"id":3,"result"`)
	run(t, "") // while it is idle
}

// over serves one stream and returns the answers.
func over(t *testing.T, a app, o *StdioOptions, lines ...string) string {
	t.Helper()
	var out bytes.Buffer
	o.Reader, o.Writer = strings.NewReader(strings.Join(lines, "\n")), &out
	if err := Stdio(t.Context(), a, o); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestStdioReadsAndWritesWhatItIsGiven(t *testing.T) {
	before := os.Stdout
	a := app{tools: []*catalog.Tool{tool("look", func(context.Context, *middleware.Call, map[string]any) (any, error) {
		if os.Stdout != before {
			return nil, errors.New("standard output was taken for another writer")
		}
		return "untouched", nil
	})}}
	want(t, over(t, a, &StdioOptions{}, opening, calling("1", "look", `{}`)), "untouched")
}

func TestStdioKnowsTheClientAsTheSubject(t *testing.T) {
	a := app{tools: []*catalog.Tool{tool("who", who)}}
	want(t, over(t, a, &StdioOptions{Subject: middleware.Subject{ID: "ada"}}, opening, calling("1", "who", `{}`)), `"caller:ada"`)
}

func TestStdioBoundsAMessage(t *testing.T) {
	got := over(t, app{}, &StdioOptions{MaxMessageBytes: 200}, opening, strings.Repeat(" x", 200), pinging)
	want(t, got, "larger than 200 bytes", `"id":1,"result":{}`)
	want(t, over(t, app{}, &StdioOptions{}, strings.Repeat("x", 4<<20), strings.Repeat("x", 4<<20+1)), `"code":-32700`, "larger than 4194304 bytes")
}

func TestStdioBoundsWhatRunsAtOnce(t *testing.T) {
	block, _ := blocking(nil)
	got := over(t, app{tools: []*catalog.Tool{block}}, &StdioOptions{MaxInFlight: 1, DrainTimeout: time.Millisecond},
		opening, calling("1", "block", `{}`), calling("2", "block", `{}`))
	if strings.Count(got, "OVERLOADED") != 1 {
		t.Errorf("got %s", got)
	}
}

func TestStdioBoundsTheDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block, _ := blocking(nil)
		for _, wait := range []time.Duration{0, 3 * time.Second} {
			start := time.Now()
			want(t, over(t, app{tools: []*catalog.Tool{block}}, &StdioOptions{DrainTimeout: wait}, opening, calling("1", "block", `{}`)), `"id":1,"result"`)
			if took := time.Since(start); took != wait && (wait != 0 || took != 10*time.Second) {
				t.Errorf("with %v it took %v", wait, took)
			}
		}
	})
}

func TestStdioEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- Stdio(ctx, app{}, &StdioOptions{Reader: r, Writer: io.Discard}) }()
		_, _ = io.WriteString(w, opening+"\n")
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		_ = w.Close()
	})
}

func TestAnAppWithBuildErrorsIsNotServed(t *testing.T) {
	broken := app{err: errBuild}
	if err := Stdio(t.Context(), broken, nil); !errors.Is(err, errBuild) {
		t.Errorf("Stdio: %v", err)
	}
	if _, err := HTTP(broken, nil); !errors.Is(err, errBuild) {
		t.Errorf("HTTP: %v", err)
	}
	if _, err := Pipe(t.Context(), broken, nil); !errors.Is(err, errBuild) {
		t.Errorf("Pipe: %v", err)
	}
}

func TestStandardOutputIsServedOnce(t *testing.T) {
	before := os.Stdout
	file, restore, err := takeStdout()
	if err != nil || file != before || os.Stdout != os.Stderr {
		t.Errorf("took %v, %v; os.Stdout is %v", file, err, os.Stdout)
	}
	if err := Stdio(t.Context(), app{}, &StdioOptions{Reader: strings.NewReader("")}); !errors.Is(err, errStdoutTaken) {
		t.Errorf("the second got %v", err)
	}
	restore()
	if os.Stdout != before {
		t.Error("it was not restored")
	}
}

// pipeClient is a client on a Pipe.
type pipeClient struct {
	t    *testing.T
	pipe io.ReadWriteCloser
	in   *bufio.Reader
}

func piped(t *testing.T, a app, o *PipeOptions) *pipeClient {
	t.Helper()
	p, err := Pipe(t.Context(), a, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return &pipeClient{t, p, bufio.NewReader(p)}
}

func (c *pipeClient) write(message string) {
	c.t.Helper()
	if _, err := io.WriteString(c.pipe, message+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

func (c *pipeClient) ask(message string) string {
	c.t.Helper()
	c.write(message)
	line, err := c.in.ReadString('\n')
	if err != nil {
		c.t.Fatal(err)
	}
	return strings.TrimSuffix(line, "\n")
}

func TestAClientThatIsGoneDoesNotCutOffTheCallsThatRun(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "TRANSPORT_TEST_SERVER=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
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
	_, _ = io.WriteString(in, opening+"\n"+calling("1", "slow", `{}`)+"\n")
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	_ = out.Close()
	_, _ = io.WriteString(in, calling("2", "echo", `{}`)+"\n")
	err = cmd.Wait()
	if exit, is := errors.AsType[*exec.ExitError](err); !is || exit.ExitCode() != 1 {
		t.Errorf("the server ended with %v", err)
	}
	for _, want := range []string{"slow ended: writing to the client", "broken pipe"} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("the log is %q", stderr.String())
		}
	}
}
