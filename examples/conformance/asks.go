package main

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"fmt"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

type (
	named   struct{ Name string }
	account struct {
		Username string `jsonschema:"User's response"`
		Email    string `jsonschema:"User's email address"`
	}
	profile struct {
		Name     string  `validate:"default=John Doe"`
		Age      int     `validate:"default=30"`
		Score    float64 `validate:"default=95.5"`
		Status   string  `validate:"oneof=active inactive pending,default=active"`
		Verified bool    `validate:"default=true"`
	}
	colour  struct{ Color string }
	agreed  struct{ OK bool }
	subject struct{ Context string }
)

// text is the outcome of a question as a text block.
func text[T any](answer result.Result[T], format string) result.Result[result.Text] {
	return answer.Map(func(v T) result.Text { return result.Text{Text: fmt.Sprintf(format, v)} })
}

// elicits asks the user to fill in a form and says what came of it.
func elicits[T any](f *fusion.App[App], id, message string) {
	f.Query(id).Describe("Asks the user").Elicits[T]().
		Handle(func(ctx *fusion.Ctx[App], _ fusion.NoInput) result.Result[result.Text] {
			return outcome(ctx.Elicit[T]("form", message))
		})
}

// outcome is what a user did with a form, in words.
func outcome[T any](answer result.Result[T]) result.Result[result.Text] {
	v, err := answer.Get()
	said := func(action string, content any) result.Result[result.Text] {
		b, failed := json.Marshal(content)
		return result.Of(result.Text{Text: "Elicitation completed: action=" + action + ", content=" + string(b)}, failed)
	}
	switch {
	case err == nil:
		return said("accept", v)
	case errors.Is(err, result.Declined("")):
		return said("decline", nil)
	case errors.Is(err, result.Dismissed("")):
		return said("cancel", nil)
	}
	return result.Err[result.Text](err)
}

// asks has the tools that ask their client something.
func asks(f *fusion.App[App]) {
	elicits[profile](f, "test_elicitation_sep1034_defaults", "Please check your profile")
	elicits[agreed](f, "test_streaming_elicitation", "Please confirm")

	f.Query("test_elicitation").Describe("Asks the user").WithString("message", "What to ask").
		Handle(func(ctx *fusion.Ctx[App], in struct{ Message string }) result.Result[result.Text] {
			return outcome(ctx.Elicit[account]("account", in.Message))
		})
	f.Query("test_elicitation_sep1330_enums").Describe("Asks the user to choose").
		Handle(func(ctx *fusion.Ctx[App], _ fusion.NoInput) result.Result[result.Text] {
			q := middleware.RawForm("choices", "Please choose", jsontext.Value(choices))
			_ = ctx.Ask(q)
			return outcome(q.Answer())
		})
	f.Query("test_sampling").Describe("Asks the client's model").WithString("prompt", "What to ask").
		Handle(func(ctx *fusion.Ctx[App], in struct{ Prompt string }) result.Result[result.Text] {
			return text(ctx.Sample("prompt", sampling(in.Prompt, 100)).Map(middleware.Sample.Text), "LLM response: %s")
		})
	f.Query("test_missing_capability").Describe("Needs a model of the client").Requires("sampling").
		Handle(func(*fusion.Ctx[App], fusion.NoInput) result.Result[result.Unit] { return result.Done() })
}

func sampling(prompt string, most int) middleware.SampleRequest {
	return middleware.SampleRequest{Messages: []result.Message{result.User(prompt)}, MaxTokens: most}
}

// choices has each kind of choice that a form knows.
const choices = `{"type":"object","properties":{` +
	`"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},` +
	`"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},` +
	`"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},` +
	`"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},` +
	`"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}}}`

// rounds has the tools and the prompt that end in the middle to ask.
func rounds(f *fusion.App[App]) {
	tool := func(name string, h func(ctx *fusion.Ctx[App]) result.Result[result.Text]) {
		f.Query("test_input_required_result_" + name).Describe("Asks in the middle").
			Handle(func(ctx *fusion.Ctx[App], _ fusion.NoInput) result.Result[result.Text] { return h(ctx) })
	}
	whoAreYou := func() *middleware.Question[named] { return middleware.Form[named]("user_name", "What is your name?") }
	confirmed := func(ctx *fusion.Ctx[App]) result.Result[result.Text] {
		return text(ctx.Elicit[agreed]("confirm", "Please confirm"), "state-ok %v")
	}

	tool("elicitation", func(ctx *fusion.Ctx[App]) result.Result[result.Text] {
		return text(ctx.Elicit[named]("user_name", "What is your name?").Map(func(n named) string { return n.Name }), "Hello, %s!")
	})
	tool("sampling", func(ctx *fusion.Ctx[App]) result.Result[result.Text] {
		return text(ctx.Sample("capital_question", sampling("What is the capital of France?", 100)).Map(middleware.Sample.Text), "%s")
	})
	tool("list_roots", func(ctx *fusion.Ctx[App]) result.Result[result.Text] { return text(ctx.Roots("client_roots"), "%v") })
	tool("request_state", confirmed)
	tool("tampered_state", confirmed)
	tool("multiple_inputs", func(ctx *fusion.Ctx[App]) result.Result[result.Text] {
		name, greeting, roots := whoAreYou(), middleware.Sampling("greeting", sampling("Generate a greeting", 50)), middleware.Roots("client_roots")
		if err := ctx.Ask(name, greeting, roots); err != nil {
			return result.Err[result.Text](err)
		}
		return text(name.Answer().Map(func(n named) string { return n.Name }), "All there, %s.")
	})
	tool("multi_round", func(ctx *fusion.Ctx[App]) result.Result[result.Text] {
		return ctx.Elicit[named]("step1", "Step 1: What is your name?").Then(func(n named) result.Result[result.Text] {
			return text(ctx.Elicit[colour]("step2", "Step 2: What is your favorite color?"), n.Name+" likes %v.")
		})
	})
	tool("capabilities", func(ctx *fusion.Ctx[App]) result.Result[result.Text] {
		var questions []middleware.Questioner
		if ctx.Supports("elicitation.form") {
			questions = append(questions, whoAreYou())
		}
		if ctx.Supports("sampling") {
			questions = append(questions, middleware.Sampling("greeting", sampling("Generate a greeting", 50)))
		}
		if err := ctx.Ask(questions...); err != nil {
			return result.Err[result.Text](err)
		}
		return result.OK(result.Text{Text: "Thank you."})
	})

	f.Prompt("test_input_required_result_prompt").Describe("Asks in the middle").
		Handle(func(ctx *fusion.Ctx[App], _ fusion.NoInput) result.Result[string] {
			return ctx.Elicit[subject]("user_context", "What context should the prompt use?").Map(func(s subject) string { return s.Context })
		})
}
