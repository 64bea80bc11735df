// Package e2e_test runs real MCP clients against the billing example, and against a server
// that shows what lasts longer than a call with its reply. It has them list the tools of the
// other examples.
package e2e_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mcpfusion/go/examples/billing/invoices"
	"github.com/mcpfusion/go/examples/billing/toolset"
	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/transport"
)

// patience bounds a whole session with a client.
const patience = time.Minute

// examples is the folder with the programs of the examples.
var examples string

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && served[os.Args[1]] != nil {
		if err := serve(served[os.Args[1]](), os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	code, err := withExamples(m.Run)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(code)
}

// withExamples builds the examples from the module that they are a part of.
func withExamples(run func() int) (code int, err error) {
	examples, err = os.MkdirTemp("", "fusion-e2e-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(examples)
	build := exec.Command("go", "build", "-o", examples, "./examples/billing", "./examples/conformance", "./examples/quickstart")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("build the examples: %w\n%s", err, out)
	}
	return run(), nil
}

// billingArgs is the command line of a billing server with fresh invoices.
func billingArgs(t *testing.T) []string {
	t.Helper()
	return []string{filepath.Join(examples, "billing"), "-data", filepath.Join(t.TempDir(), "invoices.json")}
}

// stdioCommand is a server of its own for a client to start.
func stdioCommand(t *testing.T, server []string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(server[0], server[1:]...)
	cmd.Stderr = logged(t)
	return cmd
}

// endpoint is what the server prints for people to paste.
var endpoint = regexp.MustCompile(`http://[^"\s]+`)

// startHTTP starts a server on a free port and returns its URL. When the test ends the
// server is told to stop, and must.
func startHTTP(t *testing.T, server []string) string {
	t.Helper()
	cmd := stdioCommand(t, append(server, "-http", "127.0.0.1:0"))
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	stopAtEnd(t, cmd)
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		if url := endpoint.FindString(lines.Text()); url != "" {
			return url
		}
	}
	t.Fatal("the server printed no URL")
	return ""
}

// stopAtEnd tells a server to stop when the test ends.
func stopAtEnd(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
		require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
		require.NoError(t, cmd.Wait(), "the server must stop when told to")
	})
}

// newBilling is the billing app with fresh invoices.
func newBilling(t *testing.T) *fusion.App[toolset.Deps] {
	t.Helper()
	store, err := invoices.OpenStore(filepath.Join(t.TempDir(), "invoices.json"))
	require.NoError(t, err)
	return toolset.New(toolset.Deps{Invoices: store}, nil)
}

// pipe is the client's end of a connection to a server in this process, which must leave no
// goroutine behind.
func pipe(t *testing.T, app transport.App) io.ReadWriteCloser {
	t.Helper()
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, before) })
	conn, err := transport.Pipe(t.Context(), app, nil)
	require.NoError(t, err)
	return conn
}

// logged collects what a process writes and shows it if the test fails.
func logged(t *testing.T) *bytes.Buffer {
	t.Helper()
	var b bytes.Buffer
	t.Cleanup(func() {
		if t.Failed() && b.Len() > 0 {
			t.Logf("what the process wrote:\n%s", &b)
		}
	})
	return &b
}
