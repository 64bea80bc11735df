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
// cancelled, a list that changes, progress and questions.
type probe struct {
	begun, cancelled atomic.Int64
	opened           atomic.Bool
	steps            chan struct{}
}

// waits counts the calls of probe_wait.
type waits struct {
	Begun     int64 `json:"begun"`
	Cancelled int64 `json:"cancelled"`
}

// progress is one report of a running call.
type progress struct {
	Progress float64 `json:"progress"`
	Total    float64 `json:"total"`
	Message  string  `json:"message"`
}

// reports are those of probe_count.
var reports = []progress{{1, 3, "one"}, {2, 3, "two"}, {3, 3, "three"}}

// guest is the form of probe_ask.
type guest struct {
	Name   string
	Visits int64
	Colour string `validate:"oneof=red green"`
}

// answer is what the user of a Go client says to a question.
func answer(message string) (action string, content map[string]any) {
	if message == "decline" {
		return "decline", nil
	}
	return "accept", map[string]any{"name": "Ada", "visits": 2, "colour": "green"}
}

func newProbe() *fusion.App[*probe] {
	state := &probe{steps: make(chan struct{})}
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
	declareDialog(r)
	return f
}

func declareDialog(r *fusion.Router[*probe]) {
	r.Action("count").
		Describe("Count to three, a step for each call of probe_step").
		Handle(func(ctx *fusion.Ctx[*probe], _ fusion.NoInput) result.Result[result.Unit] {
			for _, p := range reports {
				ctx.Progress(p.Progress, p.Total, p.Message)
				select {
				case <-ctx.App.steps:
				case <-ctx.Done():
					return result.Of(result.Unit{}, context.Cause(ctx))
				}
			}
			return result.Done()
		})
	r.Action("step").
		Describe("Let probe_count go on").
		Handle(func(ctx *fusion.Ctx[*probe], _ fusion.NoInput) result.Result[result.Unit] {
			select {
			case ctx.App.steps <- struct{}{}:
				return result.Done()
			case <-ctx.Done():
				return result.Of(result.Unit{}, context.Cause(ctx))
			}
		})
	r.Action("ask").
		Describe("Ask the user to fill in a form").
		WithString("message", "What to say to the user").
		Handle(func(ctx *fusion.Ctx[*probe], in struct{ Message string }) result.Result[guest] {
			return ctx.Elicit[guest]("guest", in.Message)
		})
}

// probeArg and tourArg make the test's program be a server, as [TestMain] sees them.
const (
	probeArg = "serve-probe"
	tourArg  = "serve-tour"
)

// served are the apps of those servers.
var served = map[string]func() transport.App{
	probeArg: func() transport.App { return newProbe() },
	tourArg:  func() transport.App { return newTour() },
}

// probeArgs is the command line of a probe server.
func probeArgs(t *testing.T) []string {
	t.Helper()
	return selfArgs(t, probeArg)
}

func selfArgs(t *testing.T, arg string) []string {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	return []string{self, arg}
}

// serve is the program of such a server, which takes the same flag as billing.
func serve(app transport.App, args []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	addr := flags.String("http", "", "serve Streamable HTTP on this address instead of stdio")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *addr == "" {
		return transport.Stdio(ctx, app, nil)
	}
	handler, err := transport.HTTP(app, nil)
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
// the tools that it listed when told that they changed, the reports of a call that it let go
// on after each, and the replies after its user filled in a form and refused to.
type probed struct {
	ProtocolVersion string     `json:"protocolVersion"`
	Waits           waits      `json:"waits"`
	Changed         []string   `json:"changed"`
	Progress        []progress `json:"progress"`
	Accepted        toolResult `json:"accepted"`
	Declined        toolResult `json:"declined"`
}

// checkProbed holds a client to what all of them must see.
func checkProbed(t *testing.T, got probed, revision string) {
	t.Helper()
	assert.Equal(t, revision, got.ProtocolVersion)
	assert.Equal(t, waits{Begun: 1, Cancelled: 1}, got.Waits)
	assert.Len(t, got.Changed, 7)
	assert.Contains(t, got.Changed, "probe_behind")
	assert.Equal(t, reports, got.Progress)
	assert.JSONEq(t, `{"name":"Ada","visits":2,"colour":"green"}`, string(got.Accepted.StructuredContent))
	checkFailure(t, got.Declined, "DECLINED", nil, nil)
}
