package e2e_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/result"
	"github.com/mcpfusion/go/transport"
)

// probe is a server with what billing has no use for: a call that lasts until it is
// cancelled, and a list that changes.
type probe struct {
	begun, cancelled atomic.Int64
	opened           atomic.Bool
}

// waits counts the calls of probe_wait.
type waits struct {
	Begun     int64 `json:"begun"`
	Cancelled int64 `json:"cancelled"`
}

func newProbe() *fusion.App[*probe] {
	state := new(probe)
	f := fusion.New("probe", "1.0.0", state, nil)
	r := f.Router("probe")
	r.Action("wait").
		Describe("Wait until the call is cancelled").
		Handle(func(ctx *fusion.Ctx[*probe], _ fusion.NoInput) result.Result[result.Unit] {
			ctx.App.begun.Add(1)
			<-ctx.Done()
			ctx.App.cancelled.Add(1)
			return result.Of(result.Unit{}, context.Cause(ctx))
		})
	r.Query("waits").
		Describe("Count the calls that waited, and those that were cancelled").
		Handle(func(ctx *fusion.Ctx[*probe], _ fusion.NoInput) result.Result[waits] {
			return result.OK(waits{ctx.App.begun.Load(), ctx.App.cancelled.Load()})
		})
	r.Action("open").
		Describe("Put the tool behind the door into the list").
		Handle(func(ctx *fusion.Ctx[*probe], _ fusion.NoInput) result.Result[result.Unit] {
			ctx.App.opened.Store(true)
			f.ListChanged(ctx)
			return result.Done()
		})
	r.Query("behind").
		Describe("Be listed once the door is open").
		Visible(func(context.Context, *fusion.Call) bool { return state.opened.Load() }).
		Handle(func(*fusion.Ctx[*probe], fusion.NoInput) result.Result[result.Unit] { return result.Done() })
	return f
}

// probeArg makes the test's program be the probe server, as [TestMain] sees it.
const probeArg = "serve-probe"

// probeArgs is the command line of a probe server.
func probeArgs(t *testing.T) []string {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	return []string{self, probeArg}
}

// serveProbe is the probe server's program, which takes the same flag as billing.
func serveProbe(args []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	flags := flag.NewFlagSet(probeArg, flag.ContinueOnError)
	addr := flags.String("http", "", "serve Streamable HTTP on this address instead of stdio")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *addr == "" {
		return transport.Stdio(ctx, newProbe(), nil)
	}
	handler, err := transport.HTTP(newProbe(), nil)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/mcp\n", listener.Addr())
	server := &http.Server{Handler: handler, ReadHeaderTimeout: patience}
	go func() {
		<-ctx.Done()
		bound, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		_ = handler.Shutdown(bound)
		_ = server.Shutdown(bound)
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// probed is what a client saw of the probe server: the counts after it cancelled a call,
// and the tools that it listed when told that they changed.
type probed struct {
	ProtocolVersion string   `json:"protocolVersion"`
	Waits           waits    `json:"waits"`
	Changed         []string `json:"changed"`
}

// checkProbed holds a client to what all of them must see.
func checkProbed(t *testing.T, got probed, revision string) {
	t.Helper()
	assert.Equal(t, revision, got.ProtocolVersion)
	assert.Equal(t, waits{Begun: 1, Cancelled: 1}, got.Waits)
	assert.ElementsMatch(t, []string{"probe_wait", "probe_waits", "probe_open", "probe_behind"}, got.Changed)
}
