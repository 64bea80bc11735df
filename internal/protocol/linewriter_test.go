package protocol

import (
	"bufio"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

// stuck is a writer whose reader stands still until it is let go.
type stuck struct {
	free chan struct{}
	got  strings.Builder
}

func (s *stuck) Write(b []byte) (int, error) {
	<-s.free
	return s.got.Write(b)
}

func TestTellingNeverWaitsForAReaderAndKeepsTheOrder(t *testing.T) {
	w := &stuck{free: make(chan struct{})}
	l := newLineWriter(w, func(error) { t.Error("it did not break") })
	told := 0
	for i := range 1000 {
		if l.tell([]byte(strconv.Itoa(i))) {
			told++
		}
	}
	if told < maxQueued || told > 2*maxQueued {
		t.Errorf("%d messages wait", told)
	}
	close(w.free)
	l.flush(nil)
	lines := strings.Fields(w.got.String())
	last := -1
	for _, line := range lines {
		n, _ := strconv.Atoi(line)
		if n <= last {
			t.Fatalf("%d comes behind %d", n, last)
		}
		last = n
	}
	if len(lines) != told {
		t.Errorf("%d of %d were written", len(lines), told)
	}
	if l.send([]byte("answer")); !strings.HasSuffix(w.got.String(), "\nanswer\n") {
		t.Error(w.got.String())
	}
}

func TestAMessageThatIsLargeAloneIsWritten(t *testing.T) {
	w := &stuck{free: make(chan struct{})}
	close(w.free)
	l := newLineWriter(w, nil)
	if !l.tell(make([]byte, 2*maxQueuedBytes)) {
		t.Error("it was dropped")
	}
	l.flush(nil)
}

// TestAClientThatStopsReadingHoldsNoHandler: neither its progress nor its questions wait for
// the pipe, and the end of the stream ends all.
func TestAClientThatStopsReadingHoldsNoHandler(t *testing.T) {
	ended := make(chan struct{}, 2)
	busy := asker("busy", middleware.Action, func(ctx *middleware.Ctx[struct{}]) result.Result[string] {
		defer func() { ended <- struct{}{} }()
		for i := range 1000 {
			ctx.Progress(float64(i+1), 0, strings.Repeat("x", 1000))
		}
		return ctx.Elicit[consent]("sure", "?").Map(func(consent) string { return "" })
	})
	s := mustServer(t, catalogOf(t, []*catalog.Tool{busy}...), Options{AskTimeout: 50 * time.Millisecond, DrainTimeout: 100 * time.Millisecond})
	in, feed := io.Pipe()
	reader, out := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- s.Connect(middleware.Subject{}).Serve(t.Context(), in, out) }()
	_, _ = io.WriteString(feed, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}}}`+"\n")
	if _, err := bufio.NewReaderSize(reader, 1000).ReadString('\n'); err != nil { // and no more from here on
		t.Fatal(err)
	}
	for _, id := range []string{"1", "2"} {
		_, _ = io.WriteString(feed, `{"jsonrpc":"2.0","id":`+id+`,"method":"tools/call","params":{"_meta":{"progressToken":1},"name":"busy"}}`+"\n")
	}
	for range 2 {
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			t.Fatal("a handler waits for the reader")
		}
	}
	_ = feed.Close()
	if err := <-served; err != nil {
		t.Error(err)
	}
	_ = reader.Close()
}
