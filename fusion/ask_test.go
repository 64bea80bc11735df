package fusion_test

import (
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/samber/mo"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/fusion/fusiontest"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

// sessions and no sessions: one handler serves both.
var askRevisions = []string{"2025-06-18", "2025-11-25", "2026-07-28"}

type shade string

func (s shade) Title() string { return strings.ToUpper(string(s)) }

type order struct {
	Name   string            `jsonschema:"Your name" validate:"min=2"`
	Email  mo.Option[string] `validate:"email"`
	Count  int               `validate:"min=1,max=9"`
	Colour shade             `validate:"oneof=red green"`
	Gift   bool              `json:"gift,omitempty"`
}

type confirm struct {
	OK bool `json:"ok"`
}

func errorOf[T any](r result.Result[T]) error {
	_, err := r.Get()
	return err
}

// asking has one tool, ask, with the handler; trace gets what it does.
func asking(t *testing.T, h func(ctx *fusion.Ctx[struct{}]) result.Result[string]) *fusiontest.Tester {
	t.Helper()
	f := fusion.New("asks", "1", struct{}{}, &fusion.Options{Logger: slog.New(slog.DiscardHandler)})
	f.Mutation("ask").Describe("Asks").Handle(func(ctx *fusion.Ctx[struct{}], _ fusion.NoInput) result.Result[string] { return h(ctx) })
	return fusiontest.New(t, f)
}

// inEachRevision calls ask by each revision.
func inEachRevision(tools *fusiontest.Tester, answers fusiontest.Answers) iter.Seq2[string, *fusiontest.Reply] {
	return func(yield func(string, *fusiontest.Reply) bool) {
		for _, revision := range askRevisions {
			if !yield(revision, tools.Revision(revision).Answering(answers).Call("ask", nil)) {
				return
			}
		}
	}
}

func TestAFormThatIsFilledInIsATypedValue(t *testing.T) {
	tools := asking(t, func(ctx *fusion.Ctx[struct{}]) result.Result[string] {
		return ctx.Elicit[order]("order", "What do you want?").Map(func(o order) string { return fmt.Sprintf("%+v", o) })
	})
	answers := fusiontest.Answers{"order": map[string]any{"name": "Ada", "count": 2, "colour": "red", "more": 1}}
	for revision, reply := range inEachRevision(tools, answers) {
		assert.Equal(t, "{Name:Ada Email:{isPresent:false value:} Count:2 Colour:red Gift:false}", reply.Data[string](), revision)
		asked := reply.Questions()
		require.Len(t, asked, 1)
		assert.Equal(t, "order", asked[0].Key)
		assert.Equal(t, "elicitation/create", asked[0].Method)
	}
}

func TestAFormIsAskedForInTheWordsOfTheRevision(t *testing.T) {
	tools := asking(t, func(ctx *fusion.Ctx[struct{}]) result.Result[string] {
		return ctx.Elicit[order]("order", "What do you want?").Map(func(o order) string { return o.Name })
	})
	answers := fusiontest.Answers{"order": fusiontest.Decline}
	shown := func(revision string) string {
		return string(tools.Revision(revision).Answering(answers).Call("ask", nil).Questions()[0].Params)
	}
	fields := `"name":{"type":"string","description":"Your name","minLength":2},"email":{"type":"string","format":"email"},"count":{"type":"integer","minimum":1,"maximum":9},`
	end := `,"gift":{"type":"boolean"}},"required":["name","count","colour"]}`
	titled := `"colour":{"type":"string","oneOf":[{"const":"red","title":"RED"},{"const":"green","title":"GREEN"}]}`
	assert.Equal(t, `{"message":"What do you want?","requestedSchema":{"type":"object","properties":{`+fields+titled+end+`}`, shown("2026-07-28"))
	assert.Equal(t, `{"_meta":{"com.mcpfusion/key":"order"},"message":"What do you want?","requestedSchema":{"type":"object","properties":{`+fields+titled+end+`}`, shown("2025-11-25"))
	named := `"colour":{"type":"string","enum":["red","green"],"enumNames":["RED","GREEN"]}`
	assert.Contains(t, shown("2025-06-18"), named)
}

func TestAnAnswerThatIsWrongIsAskedForAgainWithTheReason(t *testing.T) {
	tools := asking(t, func(ctx *fusion.Ctx[struct{}]) result.Result[string] {
		return ctx.Elicit[order]("order", "What do you want?").Map(func(o order) string { return o.Name })
	})
	for name, wrong := range map[string]any{
		"a value out of bounds": map[string]any{"name": "Ada", "count": 0, "colour": "red"},
		"a field missing":       map[string]any{"name": "Ada", "colour": "red"},
		"a wrong type":          map[string]any{"name": 5, "count": 1, "colour": "red"},
		"no object":             "yes",
	} {
		t.Run(name, func(t *testing.T) {
			for _, revision := range askRevisions {
				reply := tools.In(t).Revision(revision).Answering(fusiontest.Answers{
					"order": fusiontest.InTurn(wrong, map[string]any{"name": "Ada", "count": 1, "colour": "red"}),
				}).Call("ask", nil)
				assert.Equal(t, "Ada", reply.Data[string]())
				require.Len(t, reply.Questions(), 2)
				assert.Contains(t, string(reply.Questions()[1].Params), `What do you want?\n\n`)
			}
		})
	}
}

func TestAQuestionIsAskedTenTimesAtMost(t *testing.T) {
	runs := 0
	tools := asking(t, func(ctx *fusion.Ctx[struct{}]) result.Result[string] {
		runs++
		return ctx.Elicit[order]("order", "What do you want?").Map(func(o order) string { return o.Name })
	})
	for revision, reply := range inEachRevision(tools, fusiontest.Answers{"order": map[string]any{}}) {
		assert.ErrorIs(t, reply.Failure(), result.NoAnswer(""))
		assert.Len(t, reply.Questions(), 10, revision)
	}
	assert.Equal(t, 1+1+11, runs)
}

func TestAUserWhoSaysNoIsAnOutcome(t *testing.T) {
	tools := asking(t, func(ctx *fusion.Ctx[struct{}]) result.Result[string] {
		_, err := ctx.Elicit[confirm]("sure", "Sure?").Get()
		switch {
		case errors.Is(err, result.Declined("")):
			return result.OK("declined")
		case errors.Is(err, result.Dismissed("")):
			return result.OK("dismissed")
		}
		return result.Err[string](err)
	})
	for revision, reply := range inEachRevision(tools, fusiontest.Answers{"sure": fusiontest.Decline}) {
		assert.Equal(t, "declined", reply.Data[string](), revision)
	}
	for revision, reply := range inEachRevision(tools, fusiontest.Answers{"sure": fusiontest.Cancel}) {
		assert.Equal(t, "dismissed", reply.Data[string](), revision)
	}
}

func TestSeveralQuestionsGoOutInOneRoundAndLaterOnesInTheNext(t *testing.T) {
	var runs int
	tools := asking(t, func(ctx *fusion.Ctx[struct{}]) result.Result[string] {
		runs++
		sure, model, roots := middleware.Form[confirm]("sure", "Sure?"), middleware.Sampling("model", middleware.SampleRequest{
			Messages: []result.Message{result.User("Hi")}, MaxTokens: 5,
		}), middleware.Roots("roots")
		if err := ctx.Ask(sure, model, roots); err != nil {
			return result.Err[string](err)
		}
		page := ctx.ElicitURL("page", "Pay here", "https://pay.example.com/1")
		if _, err := page.Get(); err != nil {
			return result.Err[string](err)
		}
		said, _ := model.Answer().Get()
		dirs, _ := roots.Answer().Get()
		return result.OK(said.Text() + " " + said.Model + " " + dirs[0].URI)
	})
	answers := fusiontest.Answers{
		"sure": confirm{true}, "page": fusiontest.Accept,
		"model": middleware.Sample{Content: []result.Content{result.Text{Text: "Hello"}}, Model: "m1"},
		"roots": []middleware.Root{{URI: "file:///a", Name: "a"}},
	}
	for revision, want := range map[string]int{"2025-11-25": 1, "2026-07-28": 3} {
		runs = 0
		reply := tools.Revision(revision).Answering(answers).Call("ask", nil)
		assert.Equal(t, "Hello m1 file:///a", reply.Data[string]())
		assert.Len(t, reply.Questions(), 4)
		assert.Equal(t, want, runs, revision)
		page := string(reply.Questions()[3].Params)
		assert.Equal(t, revision == "2025-11-25", strings.Contains(page, "elicitationId"), page)
		assert.Contains(t, page, `"mode":"url","url":"https://pay.example.com/1"}`)
	}
}

func TestWorkInsideOnceRunsInTheFirstRoundAlone(t *testing.T) {
	var worked, runs int
	tools := asking(t, func(ctx *fusion.Ctx[struct{}]) result.Result[string] {
		runs++
		id, err := ctx.Once("charge", func() (string, error) { worked++; return fmt.Sprintf("ch_%d", worked), nil }).Get()
		if err != nil {
			return result.Err[string](err)
		}
		again, _ := ctx.Once("charge", func() (string, error) { worked++; return "never", nil }).Get()
		return ctx.Elicit[confirm]("a", "A?").Then(func(confirm) result.Result[confirm] {
			return ctx.Elicit[confirm]("b", "B?")
		}).Map(func(confirm) string { return id + again })
	})
	for _, revision := range askRevisions {
		worked, runs = 0, 0
		reply := tools.Revision(revision).Answering(fusiontest.Answers{"a": confirm{}, "b": confirm{}}).Call("ask", nil)
		assert.Equal(t, "ch_1ch_1", reply.Data[string](), revision)
		assert.Equal(t, 1, worked, revision)
	}
	assert.Equal(t, 3, runs)
}

func TestWhateverAHandlerReturnsAfterAnUnansweredQuestionItIsAsked(t *testing.T) {
	for name, h := range map[string]func(ctx *fusion.Ctx[struct{}], err error) result.Result[string]{
		"a success": func(*fusion.Ctx[struct{}], error) result.Result[string] { return result.OK("done") },
		"a failure": func(*fusion.Ctx[struct{}], error) result.Result[string] {
			return result.Fail[string](result.NotFound("x"))
		},
		"the error": func(_ *fusion.Ctx[struct{}], err error) result.Result[string] { return result.Err[string](err) },
		"an error":  func(*fusion.Ctx[struct{}], error) result.Result[string] { return result.Err[string](errors.New("x")) },
		"a protocol error": func(*fusion.Ctx[struct{}], error) result.Result[string] {
			return result.Err[string](result.Protocol(7, "x", nil))
		},
	} {
		t.Run(name, func(t *testing.T) {
			tools := asking(t, func(ctx *fusion.Ctx[struct{}]) result.Result[string] {
				_, err := ctx.Elicit[confirm]("sure", "Sure?").Get()
				if err != nil {
					assert.ErrorIs(t, err, middleware.ErrUnanswered)
					return h(ctx, err)
				}
				return result.OK("answered")
			}).In(t)
			reply := tools.Answering(fusiontest.Answers{"sure": confirm{}}).Call("ask", nil)
			assert.Equal(t, "answered", reply.Data[string]())
		})
	}
}

func TestAHandlerThatPanicsAfterAQuestionHasFailed(t *testing.T) {
	tools := asking(t, func(ctx *fusion.Ctx[struct{}]) result.Result[string] {
		_ = ctx.Elicit[confirm]("sure", "Sure?")
		panic("x")
	})
	assert.Equal(t, result.CodeInternal, tools.Answering(fusiontest.Answers{"sure": confirm{}}).Call("ask", nil).Failure().Code)
}

func TestAClientThatCannotBeAskedIsAnsweredWithWhatItLacks(t *testing.T) {
	tools := asking(t, func(ctx *fusion.Ctx[struct{}]) result.Result[string] {
		assert.False(t, ctx.Supports("elicitation"))
		return result.Err[string](ctx.Ask(middleware.Form[confirm]("sure", "Sure?"), middleware.Roots("roots")))
	})
	for _, revision := range askRevisions {
		fault := tools.Revision(revision).Call("ask", nil).Fault()
		assert.Equal(t, -32021, fault.Code)
		assert.Equal(t, map[string]any{"requiredCapabilities": map[string]any{
			"elicitation": map[string]any{"form": map[string]any{}}, "roots": map[string]any{},
		}}, fault.Data)
	}
}

func TestMistakesInQuestionsAreTheDevelopersAndHidden(t *testing.T) {
	type nested struct{ In struct{ A string } }
	type secret struct{ Password string }
	for name, ask := range map[string]func(ctx *fusion.Ctx[struct{}]) error{
		"no key": func(ctx *fusion.Ctx[struct{}]) error { return errorOf(ctx.Elicit[confirm]("", "?")) },
		"a key too long": func(ctx *fusion.Ctx[struct{}]) error {
			return errorOf(ctx.Elicit[confirm](strings.Repeat("k", 129), "?"))
		},
		"a nested form":  func(ctx *fusion.Ctx[struct{}]) error { return errorOf(ctx.Elicit[nested]("k", "?")) },
		"a secret":       func(ctx *fusion.Ctx[struct{}]) error { return errorOf(ctx.Elicit[secret]("k", "?")) },
		"no struct":      func(ctx *fusion.Ctx[struct{}]) error { return errorOf(ctx.Elicit[string]("k", "?")) },
		"http elsewhere": func(ctx *fusion.Ctx[struct{}]) error { return errorOf(ctx.ElicitURL("k", "?", "http://example.com")) },
		"a user in the URL": func(ctx *fusion.Ctx[struct{}]) error {
			return errorOf(ctx.ElicitURL("k", "?", "https://a:b@example.com"))
		},
		"no URL": func(ctx *fusion.Ctx[struct{}]) error { return errorOf(ctx.ElicitURL("k", "?", "pay")) },
		"no messages": func(ctx *fusion.Ctx[struct{}]) error {
			return errorOf(ctx.Sample("k", middleware.SampleRequest{MaxTokens: 1}))
		},
		"a schema that is none": func(ctx *fusion.Ctx[struct{}]) error { return ctx.Ask(middleware.RawForm("k", "?", []byte("[]"))) },
		"one key, two messages": func(ctx *fusion.Ctx[struct{}]) error {
			return ctx.Ask(middleware.Form[confirm]("k", "Delete A?"), middleware.Form[confirm]("k", "Delete all?"))
		},
		"one key, a form and a page": func(ctx *fusion.Ctx[struct{}]) error {
			return ctx.Ask(middleware.Form[confirm]("k", "?"), middleware.Link("k", "?", "https://example.com"))
		},
		"a key that is no text": func(ctx *fusion.Ctx[struct{}]) error { return errorOf(ctx.Elicit[confirm]("\xff", "?")) },
		"a port without a host": func(ctx *fusion.Ctx[struct{}]) error { return errorOf(ctx.ElicitURL("k", "?", "https://:443/")) },
		"a priority out of bounds": func(ctx *fusion.Ctx[struct{}]) error {
			return errorOf(ctx.Sample("k", middleware.SampleRequest{MaxTokens: 1, Messages: []result.Message{result.User("x")}, CostPriority: 2}))
		},
		"work with no key": func(ctx *fusion.Ctx[struct{}]) error {
			return errorOf(ctx.Once("", func() (int, error) { t.Error("ran"); return 1, nil }))
		},
		"work that cannot be kept": func(ctx *fusion.Ctx[struct{}]) error {
			return errorOf(ctx.Once("k", func() (chan int, error) { t.Error("ran"); return nil, nil }))
		},
		"one key for two questions": func(ctx *fusion.Ctx[struct{}]) error {
			return ctx.Ask(middleware.Form[confirm]("k", "?"), middleware.Roots("k"))
		},
		"work with a result too long": func(ctx *fusion.Ctx[struct{}]) error {
			return errorOf(ctx.Once("k", func() (string, error) { return strings.Repeat("x", 17<<10), nil }))
		},
	} {
		t.Run(name, func(t *testing.T) {
			tools := asking(t, func(ctx *fusion.Ctx[struct{}]) result.Result[string] { return result.Err[string](ask(ctx)) }).In(t)
			got := tools.Revision("2025-11-25").Answering(fusiontest.Answers{"k": confirm{}}).Call("ask", nil).Failure()
			assert.Equal(t, result.CodeInternal, got.Code)
		})
	}
}

func TestRequiresAndElicitsAreCheckedAtBuild(t *testing.T) {
	type login struct {
		User, Password string
		Tags           []string
	}
	f := fusion.New("x", "1", struct{}{}, nil)
	f.Query("a").Describe("A").Requires("telepathy").Elicits[login]().
		Handle(func(*fusion.Ctx[struct{}], fusion.NoInput) result.Result[string] { return result.OK("") })
	err := f.Err()
	assert.ErrorContains(t, err, `ask_test.go`)
	assert.ErrorContains(t, err, `Requires("telepathy") names no capability of clients; use one of elicitation,`)
	assert.ErrorContains(t, err, `"password" asks for a secret`)
	assert.ErrorContains(t, err, `"tags" is a list of anything`)
}

func TestAToolThatRequiresACapabilityIsRefusedBeforeItsHandler(t *testing.T) {
	f := fusion.New("x", "1", struct{}{}, nil)
	f.Query("a").Describe("A").Requires("sampling").
		Handle(func(*fusion.Ctx[struct{}], fusion.NoInput) result.Result[string] { return result.OK("ran") })
	tools := fusiontest.New(t, f)
	fault := tools.Call("a", nil).Fault()
	assert.Equal(t, -32021, fault.Code)
	assert.Equal(t, map[string]any{"requiredCapabilities": map[string]any{"sampling": map[string]any{}}}, fault.Data)
	assert.Equal(t, "ran", tools.Answering(nil).Call("a", nil).Data[string]())
}

func TestPromptsAndResourcesMayAskToo(t *testing.T) {
	f := fusion.New("x", "1", struct{}{}, nil)
	ask := func(ctx *fusion.Ctx[struct{}]) result.Result[string] {
		return ctx.Elicit[confirm]("sure", "Sure?").Map(func(c confirm) string { return strconv.FormatBool(c.OK) })
	}
	f.Prompt("p").Describe("P").Handle(func(ctx *fusion.Ctx[struct{}], _ fusion.NoInput) result.Result[string] { return ask(ctx) })
	f.Resource("test://{id}").Describe("R").Handle(func(ctx *fusion.Ctx[struct{}], in struct{ ID string }) result.Result[string] {
		return ask(ctx).Map(func(s string) string { return in.ID + s })
	})
	for _, revision := range askRevisions {
		tools := fusiontest.New(t, f).Revision(revision).Answering(fusiontest.Answers{"sure": confirm{true}})
		assert.Equal(t, "true", tools.Prompt("p", nil).Text())
		assert.Equal(t, "7true", tools.Resource("test://7").Text())
	}
}

func TestARoundOfOnceHasWhatLaterRoundsHave(t *testing.T) {
	type work struct {
		Took   time.Duration
		Any    any
		hidden int
	}
	tools := asking(t, func(ctx *fusion.Ctx[struct{}]) result.Result[string] {
		w, err := ctx.Once("k", func() (work, error) { return work{time.Second, int64(5), 7}, nil }).Get()
		if err != nil {
			return result.Err[string](err)
		}
		return result.OK(fmt.Sprintf("%v %T %d", w.Took, w.Any, w.hidden))
	})
	assert.Equal(t, "1s float64 0", tools.Call("ask", nil).Data[string]())
}

func TestAQuestionAfterTheHandlerIsTheDevelopersMistake(t *testing.T) {
	tools := asking(t, func(ctx *fusion.Ctx[struct{}]) result.Result[string] {
		ctx.Defer(func() {
			_, err := ctx.Elicit[confirm]("late", "?").Get()
			assert.ErrorContains(t, err, "only by a handler or a Use middleware while it runs")
		})
		return result.OK("done")
	})
	for _, reply := range inEachRevision(tools, fusiontest.Answers{}) {
		assert.Equal(t, "done", reply.Data[string]())
	}
}

func TestNoWorkIsDoneWhileAQuestionIsOpen(t *testing.T) {
	worked := 0
	tools := asking(t, func(ctx *fusion.Ctx[struct{}]) result.Result[string] {
		sure := ctx.Elicit[confirm]("sure", "Sure?").OrElse(confirm{}) // the error is forgotten
		return ctx.Once("work", func() (string, error) { worked++; return strconv.FormatBool(sure.OK), nil })
	})
	for revision, reply := range inEachRevision(tools, fusiontest.Answers{"sure": confirm{true}}) {
		assert.Equal(t, "true", reply.Data[string](), revision)
	}
	assert.Equal(t, len(askRevisions), worked)
}

func TestAClientThatFailsOnceIsNotAskedTheRest(t *testing.T) {
	tools := asking(t, func(ctx *fusion.Ctx[struct{}]) result.Result[string] {
		return result.Err[string](ctx.Ask(middleware.Form[order]("a", "A?"), middleware.Form[confirm]("b", "B?")))
	})
	reply := tools.Revision("2025-11-25").Answering(fusiontest.Answers{"a": map[string]any{}}).Call("ask", nil)
	assert.ErrorIs(t, reply.Failure(), result.NoAnswer(""))
	for _, q := range reply.Questions() {
		assert.Equal(t, "a", q.Key)
	}
}

func TestNothingIsAskedWhenOneOfTheQuestionsCannotBe(t *testing.T) {
	type several struct {
		Tags []string `validate:"dive,oneof=a b"`
	}
	tools := asking(t, func(ctx *fusion.Ctx[struct{}]) result.Result[string] {
		return result.Err[string](ctx.Ask(middleware.Form[confirm]("a", "A?"), middleware.Form[several]("b", "B?")))
	})
	reply := tools.Revision("2025-06-18").Answering(fusiontest.Answers{}).Call("ask", nil)
	assert.Contains(t, reply.Failure().Message, "cannot ask for tags")
	assert.Empty(t, reply.Questions())
}
