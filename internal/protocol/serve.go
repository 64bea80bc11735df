package protocol

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// settleTime is how long requests may go on after they were cancelled.
const settleTime = time.Second

// Serve reads messages from r, one per line, and writes the answers to w until the input
// ends, ctx ends or w fails. A Conn serves once. Requests run concurrently, and each line is written at once.
//
// At the end of the input, running requests are answered before Serve returns nil. They
// have the drain timeout for it, after which they are cancelled. When ctx ends, they are
// cancelled at once and Serve returns the cause. In any case it returns within a bound; a
// read that nothing can interrupt is then left behind and what it reads is dropped.
func (c *Conn) Serve(ctx context.Context, r io.Reader, w io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	out := newLineWriter(w, func(err error) {
		cancel(fmt.Errorf("writing to the client: %w, %w", err, context.Canceled))
	})
	c.lines = out
	defer c.hangUp()
	read := make(chan error, 1)
	go func() { read <- c.readAll(ctx, r, out) }()

	var err error
	select {
	case err = <-read:
		c.listens.quit(errClosing)
		err = c.drain(ctx, err)
	case <-ctx.Done():
		err = context.Cause(ctx)
		interrupt(r)
	}
	c.settle(cancel)
	c.listens.quit(errClosing)
	bound, done := context.WithTimeout(context.Background(), settleTime)
	defer done()
	out.flush(bound.Done())
	return err
}

// readAll answers messages until the input ends.
func (c *Conn) readAll(ctx context.Context, r io.Reader, out *lineWriter) error {
	lines := newLineReader(r, c.srv.options.MaxMessageBytes)
	for {
		line, err := lines.next()
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, errLineTooLong):
			x := &exchange{srv: c.srv, ctx: ctx, fault: tooLarge(c.srv.options.MaxMessageBytes)}
			x.run(out)
		case err != nil:
			return err
		default:
			c.take(ctx, line, out)
		}
	}
}

// take answers a message or a batch of them.
func (c *Conn) take(ctx context.Context, line []byte, out *lineWriter) {
	b := c.batch(ctx, line)
	switch {
	case b == nil:
		c.answer(c.accept(ctx, line), out)
	case b.quick():
		b.run(out)
	default:
		go b.run(out)
	}
}

func (c *Conn) answer(x *exchange, out *lineWriter) {
	x.lines = out
	if x.quick() {
		x.run(out)
		return
	}
	go x.run(out)
}

// tooLarge answers a message over the limit, of which nothing was read.
func tooLarge(limit int) *fault {
	return &fault{
		code:    codeInvalidRequest,
		message: fmt.Sprintf("Invalid request: the message is larger than %d bytes", limit),
		status:  http.StatusRequestEntityTooLarge,
	}
}

// drain waits for the running requests after the end of the input.
func (c *Conn) drain(ctx context.Context, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) {
		err = nil
	}
	timer := time.NewTimer(c.srv.options.DrainTimeout)
	defer timer.Stop()
	select {
	case <-c.calls.close():
	case <-timer.C:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	return err
}

// hangUp ends the session.
func (c *Conn) hangUp() {
	if s := c.current(); s != nil {
		s.end(c.srv)
	}
}

// settle cancels what still runs and waits a moment for it.
func (c *Conn) settle(cancel context.CancelCauseFunc) {
	done := c.calls.close()
	select {
	case <-done:
		return
	default:
	}
	cancel(errClosing)
	timer := time.NewTimer(settleTime)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
		c.srv.log.Warn("requests did not end with their connection", "requests", names(c.calls.running()))
	}
}

func names(flights []*flight) []string {
	all := make([]string, len(flights))
	for i, f := range flights {
		all[i] = f.String()
	}
	return all
}

// interrupt ends a read, where the reader lets one do it without closing.
func interrupt(r io.Reader) {
	if d, ok := r.(interface{ SetReadDeadline(time.Time) error }); ok {
		_ = d.SetReadDeadline(time.Unix(1, 0))
	}
}
