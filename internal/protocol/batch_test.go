package protocol

import (
	"context"
	"encoding/json/jsontext"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpfusion/go/middleware"
)

const cancelling = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`

func TestABatchOf20250326IsAnsweredByOneArray(t *testing.T) {
	s := serverOf(t, tool("echo", echo), tool("exit", func(context.Context, *middleware.Call, map[string]any) (any, error) {
		runtime.Goexit()
		return nil, nil
	}))
	batch := " [" + strings.Join([]string{
		calling("1", "echo", `{"a":1}`), cancelling, pinging2, calling("3", "exit", `{}`), `1`, initializing, calling("1", "echo", `{}`),
	}, ",") + "] "
	check := func(t *testing.T, got string) {
		t.Helper()
		if !jsontext.Value(got).IsValid() || strings.Count(got, `"jsonrpc"`) != 6 || strings.Contains(got, "protocolVersion") {
			t.Errorf("got %s", got)
		}
		want(t, got, `[{"jsonrpc":"2.0","id":1,"result":`, `{"jsonrpc":"2.0","id":2,"result":{}}`, `"isError":true`,
			`{"jsonrpc":"2.0","error":{"code":-32600`, `cannot be part of a batch`, `with this id is still running`)
	}
	t.Run("in memory", func(t *testing.T) {
		c := opened(t, s, "2025-03-26")
		check(t, send(t, c, batch))
		if got := send(t, c, "["+cancelling+"]"); got != "" {
			t.Errorf("notifications are answered %s", got)
		}
	})
	t.Run("on a stream", func(t *testing.T) {
		opening := strings.Replace(initializing, "2025-11-25", "2025-03-26", 1)
		lines := served(t, s, opening+"\n"+batch+"\n["+pinging2+"]\n")
		at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, `[{"jsonrpc":"2.0","id":1`) })
		check(t, lines[max(at, 0)])
	})
	t.Run("over HTTP", func(t *testing.T) {
		e := s.Endpoint()
		id := post(t.Context(), e, "", strings.Replace(initializing, "2025-11-25", "2025-03-26", 1)).session
		check(t, post(t.Context(), e, "", batch, headerSession, id).body)
		if a := post(t.Context(), e, "", "["+cancelling+"]", headerSession, id); a.status != 202 || a.body != "" {
			t.Errorf("notifications are answered %+v", a)
		}
		for _, body := range []string{"[]", "[" + pinging2, "[" + pinging2 + ",]", "[" + strings.Repeat("1,", maxBatch) + "1]"} {
			if a := post(t.Context(), e, "", body, headerSession, id); a.status != 400 || !strings.Contains(a.body, "-32600") {
				t.Errorf("%.20s is answered %+v", body, a)
			}
		}
	})
}

const pinging2 = `{"jsonrpc":"2.0","id":2,"method":"ping"}`

func TestABatchIsAnsweredAlsoAfterTheEndOfTheInput(t *testing.T) {
	s := serverOf(t, tool("slow", func(context.Context, *middleware.Call, map[string]any) (any, error) {
		time.Sleep(10 * time.Millisecond)
		return "ok", nil
	}))
	opening := strings.Replace(initializing, "2025-11-25", "2025-03-26", 1)
	lines := served(t, s, opening+"\n["+calling("5", "slow", `{}`)+","+calling("6", "slow", `{}`)+"]")
	want(t, strings.Join(lines, "\n"), `[{"jsonrpc":"2.0","id":5,`, `{"jsonrpc":"2.0","id":6,`)
}

func TestTheFirstRevisionIsSpokenOnStreamsAlone(t *testing.T) {
	s := serverOf(t, tool("echo", echo))
	c := opened(t, s, "2024-11-05")
	if got := send(t, c, listing2); strings.Contains(got, "annotations") || strings.Contains(got, "outputSchema") || !strings.Contains(got, `"name":"echo"`) {
		t.Errorf("got %s", got)
	}
	want(t, send(t, c, "["+pinging2+"]"), "-32600")
	over := post(t.Context(), s.Endpoint(), "", strings.Replace(initializing, "2025-11-25", "2024-11-05", 1))
	want(t, over.body, `"protocolVersion":"2025-11-25"`)
}

const listing2 = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`

func FuzzSplit(f *testing.F) {
	for _, seed := range []string{"[]", "[1]", `[{"a":[1]},2]`, "[1,]", "[1", "[1] 2", "\uFEFF[1]"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if !isBatch(body) {
			return
		}
		messages, ok := split(body, 16)
		if !ok {
			return
		}
		if !jsontext.Value(strings.TrimPrefix(string(body), "\uFEFF")).IsValid(jsontext.AllowDuplicateNames(true)) {
			t.Errorf("%q is no JSON", body)
		}
		for _, m := range messages {
			if !jsontext.Value(m).IsValid(jsontext.AllowDuplicateNames(true)) {
				t.Errorf("%q is no JSON", m)
			}
		}
	})
}

func TestWhatABatchsCallsTellGoesOutBeforeItsAnswer(t *testing.T) {
	s := serverOf(t, progressing(), refundOnce())
	e := s.Endpoint()
	id := post(t.Context(), e, "", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`).session
	batch := `[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":"p"},"name":"work"}},` + pinging2 + `]`

	streamed := &reader{}
	e.Post(t.Context(), Incoming{Body: []byte(batch), Header: http.Header{headerSession: {id}}}, streamed)
	events := strings.Split(strings.TrimPrefix(streamed.read(), ":\n"), "\n")
	if len(events) != 7 {
		t.Fatalf("got %d events: %s", len(events), events)
	}
	want(t, events[0], `notifications/progress`, `"progress":0`)
	want(t, events[6], `[{"jsonrpc":"2.0","id":1,"result":`, `{"jsonrpc":"2.0","id":2,"result":{}}]`)

	inOne := post(t.Context(), e, "", batch, headerSession, id)
	want(t, inOne.body, `[{"jsonrpc":"2.0","id":1,"result":`)
}
