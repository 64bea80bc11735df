package e2e_test

import (
	"context"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// goClient is a connected client written in Go, in the words of these tests.
type goClient interface {
	// revision is what was agreed with the server.
	revision() string
	// tools lists all tools.
	tools(ctx context.Context) ([]tool, error)
	// call makes a call. A JSON-RPC error is a reply; an error is that there was none.
	call(ctx context.Context, c call) (reply, error)
	// told is what the client heard of the server beside replies.
	told() hearing
	// close ends the connection. It waits for a server process to end, which must be in order.
	close() error
}

// hearing has what a client is told: that the list of tools changed, and reports of calls.
type hearing struct {
	changed  chan struct{}
	progress chan progress
}

func newHearing() hearing { return hearing{make(chan struct{}, 1), make(chan progress, len(reports))} }

// sessionOf has a client list the tools and make all calls.
func sessionOf(t *testing.T, c goClient) session {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	s := session{ProtocolVersion: c.revision()}
	var err error
	s.Tools, err = c.tools(ctx)
	require.NoError(t, err)
	for _, call := range calls() {
		r, err := c.call(ctx, call)
		require.NoError(t, err)
		s.Replies = append(s.Replies, r)
	}
	require.NoError(t, c.close())
	return s
}

// probedBy has a client do all that the probe server is for. That the server hears of a
// cancellation is waited for only if it should.
func probedBy(t *testing.T, c goClient, cancels bool) probed {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	saw := probed{ProtocolVersion: c.revision()}

	cancelCall(ctx, t, c, cancels)
	saw.Changed = hearOfChange(ctx, t, c)
	saw.Progress = letCount(ctx, t, c)
	saw.Accepted = ask(ctx, t, c, "accept")
	saw.Declined = ask(ctx, t, c, "decline")
	saw.Waits = waitsSeenBy(ctx, t, c)
	require.NoError(t, c.close())
	return saw
}

func cancelCall(ctx context.Context, t *testing.T, c goClient, cancels bool) {
	t.Helper()
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	answered := make(chan error, 1)
	go func() {
		_, err := c.call(waiting, call{"probe_wait", jsontext.Value(`{}`)})
		answered <- err
	}()
	require.Eventually(t, func() bool { return waitsSeenBy(ctx, t, c).Begun == 1 }, patience, time.Millisecond)
	stop()
	require.Error(t, <-answered, "a cancelled call is not answered")
	if cancels {
		require.Eventually(t, func() bool { return waitsSeenBy(ctx, t, c).Cancelled == 1 }, patience, time.Millisecond)
	}
}

func hearOfChange(ctx context.Context, t *testing.T, c goClient) (names []string) {
	t.Helper()
	must(ctx, t, c, "probe_open", `{}`)
	hear(t, c.told().changed)
	tools, err := c.tools(ctx)
	require.NoError(t, err)
	for _, tool := range tools {
		names = append(names, tool.Name)
	}
	return names
}

// letCount lets a call go on after each report, so that a report must not wait for the reply.
func letCount(ctx context.Context, t *testing.T, c goClient) (got []progress) {
	t.Helper()
	ended := make(chan error, 1)
	go func() {
		_, err := c.call(ctx, call{"probe_count", jsontext.Value(`{}`)})
		ended <- err
	}()
	for range reports {
		got = append(got, hear(t, c.told().progress))
		must(ctx, t, c, "probe_step", `{}`)
	}
	require.NoError(t, hear(t, ended))
	return got
}

func ask(ctx context.Context, t *testing.T, c goClient, message string) toolResult {
	t.Helper()
	return must(ctx, t, c, "probe_ask", `{"message":"`+message+`"}`)
}

// hear waits within a bound.
func hear[T any](t *testing.T, from <-chan T) (heard T) {
	t.Helper()
	select {
	case heard = <-from:
	case <-time.After(20 * time.Second):
		require.Fail(t, "heard nothing within 20 s")
	}
	return heard
}

// must makes a call that has a result.
func must(ctx context.Context, t *testing.T, c goClient, name, arguments string) toolResult {
	t.Helper()
	r, err := c.call(ctx, call{name, jsontext.Value(arguments)})
	require.NoError(t, err)
	require.NotNil(t, r.Result, "%+v", r.Error)
	return *r.Result
}

func waitsSeenBy(ctx context.Context, t *testing.T, c goClient) (counts waits) {
	t.Helper()
	r, err := c.call(ctx, call{"probe_waits", jsontext.Value(`{}`)})
	if err != nil || r.Result == nil {
		t.Errorf("probe_waits: %v, %+v", err, r)
		return waits{}
	}
	if err := json.Unmarshal(r.Result.StructuredContent, &counts); err != nil {
		t.Errorf("probe_waits: %v", err)
	}
	return counts
}

// as goes by way of JSON from one type to another.
func as[T any](v any) (to T, err error) {
	b, err := json.Marshal(v)
	if err != nil {
		return to, err
	}
	err = json.Unmarshal(b, &to)
	return to, err
}

// replyOf is the reply that a result or the code of a JSON-RPC error stands for.
func replyOf(result any, code int) (reply, error) {
	if code != 0 {
		return as[reply](map[string]any{"error": map[string]any{"code": code}})
	}
	return as[reply](map[string]any{"result": result})
}
