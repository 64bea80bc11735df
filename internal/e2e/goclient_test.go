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
	// changed receives when the client is told that the list of tools changed.
	changed() <-chan struct{}
	// close ends the connection. It waits for a server process to end, which must be in order.
	close() error
}

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

// probedBy has a client cancel a call and wait for news of the list. That the server hears
// of the cancellation is waited for only if it should.
func probedBy(t *testing.T, c goClient, cancels bool) probed {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	saw := probed{ProtocolVersion: c.revision()}

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
	_, err := c.call(ctx, call{"probe_open", jsontext.Value(`{}`)})
	require.NoError(t, err)
	select {
	case <-c.changed():
	case <-time.After(20 * time.Second):
		t.Fatal("no news of the list within 20 s")
	}
	tools, err := c.tools(ctx)
	require.NoError(t, err)
	for _, tool := range tools {
		saw.Changed = append(saw.Changed, tool.Name)
	}
	saw.Waits = waitsSeenBy(ctx, t, c)
	require.NoError(t, c.close())
	return saw
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
