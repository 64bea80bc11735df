package transport

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/mcpfusion/go/internal/protocol"
	"github.com/mcpfusion/go/middleware"
)

// PipeOptions change how Pipe serves. The zero value has the defaults.
type PipeOptions struct {
	// Subject is who the client is. The zero Subject is anonymous.
	Subject middleware.Subject
	// MaxMessageBytes bounds one message; 0 means 4 MiB.
	MaxMessageBytes int
	// MaxInFlight bounds the requests that run at once; 0 means 1024. A call beyond that is
	// answered OVERLOADED.
	MaxInFlight int
}

// Pipe serves app in memory and returns the client's end, which speaks as over Stdio: one
// JSON message per line. Like a pipe of the operating system it buffers a little, so that a
// client may write some messages before it reads.
//
// The server runs until the client closes its end or ctx ends; running calls are then
// cancelled. Close waits for them, within a bound.
func Pipe(ctx context.Context, app App, options *PipeOptions) (io.ReadWriteCloser, error) {
	o := PipeOptions{}
	if options != nil {
		o = *options
	}
	server, err := serverOf(app, protocol.Options{MaxMessageBytes: o.MaxMessageBytes, MaxInFlight: o.MaxInFlight})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	p := &pipe{requests: newConduit(), replies: newConduit(), cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		defer p.hangUp()
		_ = server.Connect(o.Subject).Serve(ctx, p.requests, p.replies)
	}()
	return p, nil
}

// pipe is the client's end.
type pipe struct {
	requests, replies *conduit
	cancel            context.CancelCauseFunc
	done              chan struct{} // closed when the server has ended
}

// closeWait is how long Close waits for calls that ignore their context.
const closeWait = 2 * time.Second

var errPipeClosed = fmt.Errorf("the client closed the pipe: %w", context.Canceled)

func (p *pipe) Read(b []byte) (int, error)  { return p.replies.Read(b) }
func (p *pipe) Write(b []byte) (int, error) { return p.requests.Write(b) }

// Close ends the server. It may be called again.
func (p *pipe) Close() error {
	p.cancel(errPipeClosed)
	p.hangUp()
	timer := time.NewTimer(closeWait)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
	}
	return nil
}

// hangUp ends both directions.
func (p *pipe) hangUp() {
	p.requests.Close()
	p.replies.Close()
}
