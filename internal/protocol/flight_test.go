package protocol

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpfusion/go/middleware"
)

func TestAHandlerThatOutlivesItsTimeoutKeepsItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		stubborn := tool("stubborn", func(context.Context, *middleware.Call, map[string]any) (any, error) {
			<-release
			return "late", nil
		})
		stubborn.Timeout = time.Second
		e := mustServer(t, catalogOf(t, stubborn), Options{MaxInFlight: 2}).Endpoint()
		id := openedSession(t, e, "")
		call := func() string {
			return post(t.Context(), e, "", calling("1", "stubborn", `{}`), "Mcp-Session-Id", id).body
		}
		want(t, call(), "TIMEOUT")
		want(t, call(), "TIMEOUT")
		want(t, call(), "OVERLOADED")

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := e.Shutdown(ctx); err == nil || !strings.Contains(err.Error(), "stubborn") {
			t.Errorf("Shutdown says %v", err)
		}
		close(release)
		if err := e.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestAHandlerThatIsInTimeGivesItsPlaceBack(t *testing.T) {
	quick := tool("quick", echo)
	quick.Timeout = time.Minute
	c := opened(t, mustServer(t, catalogOf(t, quick), Options{MaxInFlight: 1}), "2025-11-25")
	for range 100 {
		want(t, send(t, c, calling("1", "quick", `{"a":1}`)), `"structuredContent":{"a":1}`)
	}
}
