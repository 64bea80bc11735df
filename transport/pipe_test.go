package transport

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/middleware"
)

func TestAPipeSpeaksAsStdioDoes(t *testing.T) {
	c := piped(t, app{tools: []*catalog.Tool{tool("who", who)}}, &PipeOptions{Subject: middleware.Subject{ID: "ada"}})
	want(t, c.ask(opening), `"protocolVersion":"2025-11-25"`)
	want(t, c.ask(listing), `"name":"who"`)
	want(t, c.ask(calling("1", "who", `{}`)), `"caller:ada"`)
}

func TestAClientMayWriteSomeMessagesBeforeItReads(t *testing.T) {
	c := piped(t, app{}, nil)
	c.write(opening)
	for range 100 {
		c.write(pinging)
	}
	for range 101 {
		if _, err := c.in.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAPipeBoundsAMessage(t *testing.T) {
	c := piped(t, app{}, &PipeOptions{MaxMessageBytes: 200})
	want(t, c.ask(strings.Repeat("x", 100_000)), "larger than 200 bytes")
	want(t, c.ask(opening), `"id":0,"result"`)
}

func TestAPipeBoundsWhatRunsAtOnce(t *testing.T) {
	block, began := blocking(nil)
	c := piped(t, app{tools: []*catalog.Tool{block}}, &PipeOptions{MaxInFlight: 1})
	c.ask(opening)
	c.write(calling("1", "block", `{}`))
	<-began
	want(t, c.ask(calling("2", "block", `{}`)), `"id":2`, "OVERLOADED")
}

func TestJ1_OverAPipeARequestIsCancelled(t *testing.T) {
	block, began := blocking(nil)
	c := piped(t, app{tools: []*catalog.Tool{block}}, nil)
	c.ask(opening)
	c.write(calling("1", "block", `{}`))
	ctx := <-began
	c.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"enough"}}`)
	<-ctx.Done()
	want(t, context.Cause(ctx).Error(), "enough")
	if got := c.ask(pinging); got != `{"jsonrpc":"2.0","id":1,"result":{}}` {
		t.Errorf("got %s", got)
	}
}

func TestClosingAPipeEndsItsServerAndItsCallsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block, began := blocking(nil)
		c := piped(t, app{tools: []*catalog.Tool{block}}, nil)
		c.ask(opening)
		c.write(calling("1", "block", `{}`))
		ctx := <-began
		start := time.Now()
		for range 2 {
			if err := c.pipe.Close(); err != nil {
				t.Error(err)
			}
		}
		if took := time.Since(start); took != 0 {
			t.Errorf("it took %v", took)
		}
		if !errors.Is(context.Cause(ctx), errPipeClosed) || !errors.Is(context.Cause(ctx), context.Canceled) {
			t.Errorf("the call ended with %v", context.Cause(ctx))
		}
		if _, err := io.WriteString(c.pipe, pinging+"\n"); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("writing gives %v", err)
		}
	})
}

func TestCloseDoesNotWaitForeverForAHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release, began := make(chan struct{}), make(chan struct{})
		c := piped(t, app{tools: []*catalog.Tool{tool("stubborn", func(context.Context, *middleware.Call, map[string]any) (any, error) {
			close(began)
			<-release
			return "late", nil
		})}}, nil)
		c.ask(opening)
		c.write(calling("1", "stubborn", `{}`))
		<-began
		start := time.Now()
		_ = c.pipe.Close()
		if took := time.Since(start); took == 0 || took > closeWait {
			t.Errorf("it took %v", took)
		}
		close(release)
	})
}

func TestAPipeEndsWithItsContextAndAnswersWhatItCancels(t *testing.T) {
	block, began := blocking(nil)
	ctx, cancel := context.WithCancel(t.Context())
	p, err := Pipe(ctx, app{tools: []*catalog.Tool{block}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(p, modern("1", "block", `{}`)+"\n")
	<-began
	cancel()
	rest, err := io.ReadAll(p)
	if err != nil {
		t.Error(err)
	}
	want(t, string(rest), `"id":1,"result"`, "CANCELLED")
	_ = p.Close()
}

func TestG2_AbandonedPipesLeaveNothingBehind(t *testing.T) {
	for range 200 { // TestMain looks for goroutines
		c := piped(t, app{}, nil)
		c.write(opening)
		_ = c.pipe.Close()
	}
}
