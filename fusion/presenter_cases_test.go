package fusion_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/fusion/fusiontest"
	"github.com/mcpfusion/go/presenter"
	"github.com/mcpfusion/go/result"
)

// said makes a rule, a suggestion and a block of each value.
func said() *presenter.Presenter[purchase] {
	return orders.Only("id").Rules("shared").
		RulesFunc(func(_ context.Context, p purchase) []string { return []string{"rule " + p.ID, "shared", ""} }).
		Suggest(func(p purchase) []presenter.Next {
			return []presenter.Next{presenter.Call("a", "again"), {}, presenter.Call("a", "next").With("x", p.ID)}
		}).
		UI(func(p purchase) []presenter.Block {
			return []presenter.Block{presenter.Summary("all"), {}, presenter.Summary(p.ID)}
		})
}

// listingBy is listing with a tool that takes an argument.
func listingBy(p presenter.Shows[purchase], n int) *fusion.App[deps] {
	f := newApp()
	f.Query("a").Describe("d").WithOptionalString("x", "d").ReturnsList(p).
		Handle(func(*fusion.Ctx[deps], fusion.Args) result.Result[[]purchase] {
			all := make([]purchase, n)
			for i := range all {
				all[i] = anOrder(strconv.Itoa(i + 1))
			}
			return result.OK(all)
		})
	return f
}

// guidanceText is the block for the model as it travels; "" for none.
func guidanceText(r *fusiontest.Reply) string {
	const begin = `{"type":"text","text":"{\"`
	_, text, _ := strings.Cut(string(r.Raw()), begin)
	_, text, found := strings.Cut(text, begin)
	if !found {
		return ""
	}
	text, _, _ = strings.Cut(text, `","annotations":{"audience":["assistant"]}`)
	return `{"` + strings.ReplaceAll(text, `\"`, `"`)
}

func TestD16_EachItemIsAskedAboutAndWhatIsSaidTwiceIsSentOnce(t *testing.T) {
	for n, want := range map[int]string{
		0: "",
		1: `{"rules":["shared","rule 1"],"nextActions":[{"tool":"a","reason":"again"},{"tool":"a","reason":"next","arguments":{"x":"1"}}]}`,
		3: `{"rules":["shared","rule 1","rule 2","rule 3"],"nextActions":[{"tool":"a","reason":"again"},{"tool":"a","reason":"next","arguments":{"x":"1"}},{"tool":"a","reason":"next","arguments":{"x":"2"}},{"tool":"a","reason":"next","arguments":{"x":"3"}}]}`,
	} {
		reply := replyOf(t, listingBy(said(), n))
		assert.Equal(t, want, guidanceText(reply), "%d items", n)
		assert.Equal(t, min(n, 1), strings.Count(string(reply.Raw()), `{"type":"text","text":"all","annotations":{"audience":["user"]}}`))
		assert.Equal(t, n+min(n, 1), strings.Count(string(reply.Raw()), `"audience":["user"]`))
	}
	assert.Equal(t, `{"nextActions":[{"tool":"a","reason":"wider"}]}`, guidanceText(replyOf(t, listingBy(said().SuggestAlways(presenter.Call("a", "wider")), 0))), "what is always suggested is so without items")
}

func TestD18_EveryFunctionSeesWhatIsShown(t *testing.T) {
	var perItem, whole []string
	p := orders.Only("id").Limit(2).
		RulesFunc(func(_ context.Context, o purchase) []string { perItem = append(perItem, o.ID); return nil }).
		ListUI(func(shown []purchase) []presenter.Block {
			for _, o := range shown {
				whole = append(whole, o.ID+o.Status)
			}
			return nil
		})
	reply := replyOf(t, listingBy(p, 5))
	assert.Equal(t, []string{"1", "2"}, perItem)
	assert.Equal(t, []string{"1", "2"}, whole)
	assert.Equal(t, `{"items":[{"id":"1"},{"id":"2"}],"shown":2,"total":5}`, string(reply.Structured()))
	assert.Equal(t, []string{"Shown: 2 of 5. Left out: 3. Parameters that narrow the search: x."}, reply.Guidance().Notices)
}

func TestD12_D13_ACutListKeepsWhatItsSchemaPromisesAndSaysSoOnce(t *testing.T) {
	for n, notices := range map[int]int{0: 0, 1: 0, 2: 0, 3: 1, 50: 1} {
		reply := replyOf(t, listingBy(orders.Only("id", "lines").Limit(2), n)) // held against its schema there
		assert.Len(t, reply.Guidance().Notices, notices, "%d items", n)
		assert.Contains(t, string(reply.Structured()), fmt.Sprintf(`"shown":%d,"total":%d`, min(n, 2), n))
	}
}

// essay has the members of a framework's result.
type essay struct {
	Content           []string `json:"content"`
	IsError           bool     `json:"isError"`
	StructuredContent string   `json:"structuredContent"`
	Data              string   `json:"data"`
}

func TestD14_ADomainValueWithContentIsPresentedLikeAnyOther(t *testing.T) {
	f, _ := presenting(essay{Content: []string{"x"}, IsError: true, Data: "secret"}, presenter.For[essay]("Article").Only("content", "isError"))
	tools := fusiontest.New(t, f)
	assert.Equal(t, `{"content":["x"],"isError":true}`, string(tools.Call("a", nil).Structured()))
	assert.NotContains(t, string(tools.Call("a", nil).Raw()), `"isError":true}]`)
}

func TestD17_WhatCannotBeRedactedIsABuildErrorAndNeverSent(t *testing.T) {
	type odd struct {
		Any    any
		Number int
		Own    talkative
		Loop   *twig
		Text   string
	}
	for path, want := range map[string]string{
		"any": "only texts", "number": "only texts", "own": "only texts", "loop.name": "contains itself", "any.x": "no field", "txt": "did you mean",
	} {
		f, _ := presenting(odd{}, presenter.For[odd]("Odd").Redact("text", path))
		assert.ErrorContains(t, f.Err(), want, path)
		_, err := f.Catalog()
		assert.Error(t, err, "nothing is served")
	}
}

func TestD20_NothingIsLostOnTheWayFromThePresenterToTheWire(t *testing.T) {
	f := newApp()
	f.Query("a").Describe("d").WithOptionalString("x", "d").
		Wrap(func(ctx context.Context, call *fusion.Call, next fusion.Next) *result.Response {
			resp := next(ctx, call)
			resp.UI = append(resp.UI, result.Image{Data: []byte("i"), MIMEType: "image/png"})
			resp.Guidance.Rules = append(resp.Guidance.Rules, "of the wrap")
			resp.Meta = map[string]any{"com.example/k": "v"}
			return resp
		}).
		Returns(said()).
		Handle(func(ctx *fusion.Ctx[deps], _ fusion.Args) result.Result[purchase] {
			ctx.Notice("of the handler")
			return result.OK(anOrder("1"))
		})
	reply := replyOf(t, f)
	assert.Equal(t, `{"id":"1"}`, string(reply.Structured()))
	assert.Equal(t, `{"rules":["shared","rule 1","of the wrap"],"nextActions":[{"tool":"a","reason":"again"},{"tool":"a","reason":"next","arguments":{"x":"1"}}],"notices":["of the handler"]}`, guidanceText(reply))
	for _, part := range []string{`"text":"all"`, `"mimeType":"image/png"`, `"com.example/k":"v"`} {
		assert.Contains(t, string(reply.Raw()), part)
	}
}

func TestAPresentersStringIsBareText(t *testing.T) {
	for value, text := range map[string]string{"a<b": "a<b", "": "OK"} {
		f, _ := presenting(value, presenter.For[string]("Text").Rules("r"))
		reply := replyOf(t, f)
		assert.Equal(t, text, reply.Text())
		assert.Equal(t, []string{"r"}, reply.Guidance().Rules)
	}
}

func TestAFailureInAFunctionIsOneCleanErrorAndNoFunctionRunsTwice(t *testing.T) {
	calls := 0
	count := func() { calls++; panic("S3CR3T in a panic") }
	for name, p := range map[string]presenter.Shows[purchase]{
		"rules":       orders.RulesFunc(func(context.Context, purchase) []string { count(); return nil }),
		"suggestions": orders.Suggest(func(purchase) []presenter.Next { count(); return nil }),
		"UI":          orders.UI(func(purchase) []presenter.Block { count(); return nil }),
		"embedded":    orders.Embed("client", presenter.For[patron]("C").UI(func(patron) []presenter.Block { count(); return nil })),
		"From":        orders.From(func(p purchase) purchase { count(); return p }),
	} {
		for _, mutation := range []bool{false, true} {
			calls = 0
			f, log := logging()
			verb := f.Query
			if mutation {
				verb = f.Mutation
			}
			verb("a").Describe("d").Returns(p).
				Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[purchase] { return result.OK(anOrder("1")) })
			reply := fusiontest.New(t, f).Call("a", nil)
			failure := reply.Failure()
			assert.Equal(t, 1, calls, name)
			assert.Equal(t, result.CodeInternal, failure.Code, name)
			assert.Equal(t, mutation, strings.Contains(failure.Message, "was carried out"), name)
			assert.False(t, failure.Retryable)
			assert.NotContains(t, string(reply.Raw()), "S3CR3T")
			assert.NotContains(t, string(reply.Raw()), "structuredContent")
			assert.Contains(t, log.String(), failure.Reference)
		}
	}
}

// unsendablePart cannot be encoded.
type unsendablePart struct{ X unsent }

type unsent struct{}

func (unsent) MarshalJSON() ([]byte, error) { return nil, errors.New("S3CR3T") }

func TestWhatCannotBeSentAsksNoFunctions(t *testing.T) {
	asked := false
	f, _ := presenting(unsendablePart{}, presenter.For[unsendablePart]("U").RulesFunc(func(context.Context, unsendablePart) []string {
		asked = true
		return nil
	}))
	reply := fusiontest.New(t, f).Call("a", nil)
	assert.Equal(t, result.CodeInternal, reply.Failure().Code)
	assert.NotContains(t, string(reply.Raw()), "S3CR3T")
	assert.False(t, asked)
	require.NoError(t, f.Err())
}
