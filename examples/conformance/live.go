package main

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/result"
)

// step is the pause between two things that a client should see one after the other.
const step = 50 * time.Millisecond

// pause waits, or less if the call ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// live has the tools that tell their client something while they run.
func live(f *fusion.App[App]) {
	f.Query("test_tool_with_progress").Describe("Tells how far it is").
		Handle(func(ctx *fusion.Ctx[App], _ fusion.NoInput) result.Result[result.Text] {
			ctx.Progress(0, 100, "")
			pause(ctx, step)
			ctx.Progress(50, 100, "")
			pause(ctx, step)
			ctx.Progress(100, 100, "")
			return result.OK(result.Text{Text: "Done."})
		})
	logs := func(ctx *fusion.Ctx[App], _ fusion.NoInput) result.Result[result.Text] {
		ctx.Log().Info("Tool execution started")
		pause(ctx, step)
		ctx.Log().Info("Tool processing data")
		pause(ctx, step)
		ctx.Log().Info("Tool execution completed")
		return result.OK(result.Text{Text: "Done."})
	}
	f.Query("test_tool_with_logging").Describe("Logs").Handle(logs)
	f.Query("test_logging_tool").Describe("Logs").Handle(logs)

	f.Query("test_reconnection").Describe("Takes longer than one connection lasts").
		Handle(func(ctx *fusion.Ctx[App], _ fusion.NoInput) result.Result[result.Text] {
			pause(ctx, reconnectAfter+4*step) // so that the reply waits for the client
			return result.OK(result.Text{Text: "Reconnected."})
		})
}

// changes has a tool and a prompt that come and go.
func changes(f *fusion.App[App]) {
	var tool, prompt atomic.Bool
	toggle := func(shown *atomic.Bool) func(*fusion.Ctx[App], fusion.NoInput) result.Result[result.Unit] {
		return func(ctx *fusion.Ctx[App], _ fusion.NoInput) result.Result[result.Unit] {
			shown.Store(!shown.Load())
			f.ListChanged(ctx)
			return result.Done()
		}
	}
	f.Action("test_trigger_tool_change").Describe("Changes the list of tools").Handle(toggle(&tool))
	f.Action("test_trigger_prompt_change").Describe("Changes the list of prompts").Handle(toggle(&prompt))

	f.Query("test_dynamic_tool").Describe("Comes and goes").
		Visible(func(context.Context, *fusion.Call) bool { return tool.Load() }).
		Handle(func(*fusion.Ctx[App], fusion.NoInput) result.Result[result.Unit] { return result.Done() })
	f.Prompt("test_dynamic_prompt").Describe("Comes and goes").
		Visible(func(context.Context, *fusion.Call) bool { return prompt.Load() }).
		Handle(func(*fusion.Ctx[App], fusion.NoInput) result.Result[string] { return result.OK("Here.") })
}
