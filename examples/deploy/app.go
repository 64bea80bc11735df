package main

import (
	"time"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/result"
)

// App is the context of the tools: they need nothing.
type App struct{}

// confirmation is what the user is asked for.
type confirmation struct {
	OK bool `jsonschema:"Really restart?"`
}

func newApp() *fusion.App[App] {
	f := fusion.New("deploy", "1.0.0", App{}, nil)
	f.Query("jobs.wait").
		Describe("Wait for the running job").
		WithInteger("milliseconds", "How long the job takes", "min=0,max=60000").
		Handle(func(ctx *fusion.Ctx[App], in struct{ Milliseconds int }) result.Result[string] {
			ctx.Progress(0, 1, "Waiting")
			select {
			case <-time.After(time.Duration(in.Milliseconds) * time.Millisecond):
				return result.OK("The job is done")
			case <-ctx.Done():
				return result.Fail[string](result.Unavailable("The server restarts; wait for the job again"))
			}
		})
	f.Mutation("jobs.restart").
		Describe("Restart the job").
		Elicits[confirmation]().
		Handle(func(ctx *fusion.Ctx[App], _ fusion.NoInput) result.Result[string] {
			return ctx.Elicit[confirmation]("confirm", "Restart the job?").Map(func(c confirmation) string {
				if c.OK {
					return "The job was restarted"
				}
				return "The job goes on"
			})
		})
	return f
}
