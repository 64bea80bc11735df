package transport

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/mcpfusion/go/internal/protocol"
	"github.com/mcpfusion/go/middleware"
)

// StdioOptions change how Stdio serves. The zero value has the defaults.
type StdioOptions struct {
	// Reader is where messages come from; nil means standard input.
	Reader io.Reader
	// Writer is where answers go; nil means standard output, which is then guarded: while
	// Stdio serves, os.Stdout is standard error, so that a stray print cannot break the
	// stream.
	Writer io.Writer
	// Subject is who the client is, such as the owner of a token in the environment. The
	// zero Subject is anonymous.
	Subject middleware.Subject
	// MaxMessageBytes bounds one message; 0 means 4 MiB. A larger one is answered with an
	// error, and the stream goes on.
	MaxMessageBytes int
	// MaxInFlight bounds the requests that run at once; 0 means 1024. A call beyond that is
	// answered OVERLOADED.
	MaxInFlight int
	// AskTimeout is how long the client may take to answer what a handler asks it; 0 means 2
	// minutes.
	AskTimeout time.Duration
	// DrainTimeout is how long running calls may go on after the end of the input; 0 means
	// 10 seconds.
	DrainTimeout time.Duration
}

func (o *StdioOptions) limits() protocol.Options {
	return protocol.Options{
		MaxMessageBytes: o.MaxMessageBytes,
		MaxInFlight:     o.MaxInFlight,
		AskTimeout:      o.AskTimeout,
		DrainTimeout:    o.DrainTimeout,
	}
}

// Stdio serves app to the client that started this process, one JSON message per line on
// standard input and output. Calls run concurrently.
//
// It returns nil when the input has ended and the running calls are answered. When ctx
// ends first, it cancels the calls and returns the context's cause. It fails at once if
// the app has build errors.
//
// Start it before goroutines that print: it points os.Stdout elsewhere.
func Stdio(ctx context.Context, app App, options *StdioOptions) error {
	o := StdioOptions{}
	if options != nil {
		o = *options
	}
	server, err := serverOf(app, o.limits())
	if err != nil {
		return err
	}
	if o.Reader == nil {
		o.Reader = os.Stdin
	}
	if o.Writer == nil {
		stdout, restore, err := takeStdout()
		if err != nil {
			return err
		}
		defer restore()
		o.Writer = stdout
	}
	return server.Connect(o.Subject).Serve(ctx, o.Reader, o.Writer)
}

// stdout is held by the one Stdio that writes to it.
var stdout sync.Mutex

var errStdoutTaken = errors.New("transport: standard output is already served")

// takeStdout returns the process's standard output and points os.Stdout at standard error.
// Until restore, writing to a client that has gone fails and does not end the process,
// which would cut off the calls that still run.
func takeStdout() (file *os.File, restore func(), err error) {
	if !stdout.TryLock() {
		return nil, nil, errStdoutTaken
	}
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	file = os.Stdout
	os.Stdout = os.Stderr
	return file, func() {
		os.Stdout = file
		signal.Stop(broken)
		stdout.Unlock()
	}, nil
}
