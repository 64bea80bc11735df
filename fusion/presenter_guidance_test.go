package fusion_test

import (
	"context"
	"encoding/json/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/presenter"
	"github.com/mcpfusion/go/result"
)

// targets declares tools that may be suggested.
func targets(f *fusion.App[deps]) {
	f.Query("t.get").Describe("d").WithString("id", "d", "min=2").WithOptionalEnum("kind", []string{"x", "y"}, "d").
		WithOptionalInteger("n", "d").WithOptionalString("tag", "d", "required_with=n").
		Handle(nothingOf)
	f.Query("t.raw").Describe("d").
		RawSchema([]byte(`{"type":"object","properties":{"id":{"type":"string"},"at":{"type":"object","properties":{"x":{"type":"integer"},"y":{"type":"integer"}},"oneOf":[{"required":["x"]},{"required":["y"]}]}},"required":["id","at"],"additionalProperties":false}`)).
		Handle(nothingOf)
	f.Query("t.open").Describe("d").Lenient().Handle(nothing[deps])
	f.Query("t.closed").Describe("d").
		Require(func(context.Context, *fusion.Call) *result.Failure { return result.Forbidden("no") }).Handle(nothing[deps])
	f.Query("t.hidden").Describe("d").
		Visible(func(context.Context, *fusion.Call) bool { return false }).Handle(nothing[deps])
}

func TestSuggestionsAreHeldAgainstWhatTheirToolTakes(t *testing.T) {
	get, raw := presenter.Call("t.get", ""), presenter.Call("t.raw", "")
	for _, tc := range []struct {
		name string
		next presenter.Next
		want string // the suggestion; empty: it is left out and the log says why
		log  string
	}{
		{"missing arguments are fine", get, `{"tool":"t_get"}`, ""},
		{"a reason and arguments in the order of their names", presenter.Call("t.get", "a<b").With("kind", "x").With("id", "i1"), `{"tool":"t_get","reason":"a<b","arguments":{"id":"i1","kind":"x"}}`, ""},
		{"by its wire name", presenter.Call("t_get", ""), `{"tool":"t_get"}`, ""},
		{"an integer of any Go type", get.With("n", uint8(3)), `{"tool":"t_get","arguments":{"n":3}}`, ""},
		{"an unknown name", get.With("idd", "i1"), "", "idd is not known here"},
		{"a wrong type", get.With("n", "3"), "", "problem=\"n "},
		{"against a rule", get.With("id", "i"), "", "problem=\"id "},
		{"no value of an enum", get.With("kind", "z"), "", "problem=\"kind "},
		{"what cannot be encoded", get.With("id", make(chan int)), "", "cannot be encoded"},
		{"an unknown tool", presenter.Call("t.gone", ""), "", "action=t.gone"},
		{"a raw schema", raw.With("id", "i"), `{"tool":"t_raw","arguments":{"id":"i"}}`, ""},
		{"a raw schema, in part at each depth", raw.With("at", map[string]any{"x": 1}), `{"tool":"t_raw","arguments":{"at":{"x":1}}}`, ""},
		{"a choice of a raw schema that is still open", raw.With("at", map[string]any{}), `{"tool":"t_raw","arguments":{"at":{}}}`, ""},
		{"against a raw schema", raw.With("at", map[string]any{"x": "1"}), "", "action=t.raw"},
		{"unknown to a raw schema", raw.With("idd", "1"), "", "action=t.raw"},
		{"a lenient tool", presenter.Call("t.open", "").With("any", 1), `{"tool":"t_open","arguments":{"any":1}}`, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f, log := presenting(anOrder("1"), orders.Only("id").Suggest(func(purchase) []presenter.Next {
				return []presenter.Next{tc.next, presenter.Call("t.closed", "may not"), presenter.Call("t.hidden", "may not see")}
			}))
			targets(f)
			text := guidanceText(replyOf(t, f))
			if tc.want != "" {
				assert.Equal(t, `{"nextActions":[`+tc.want+`]}`, text)
				assert.NotContains(t, log.String(), "a next action")
				return
			}
			assert.Empty(t, text)
			assert.Contains(t, log.String(), tc.log)
			assert.NotContains(t, log.String(), "i1", "the log has no values")
		})
	}
}

func TestWhatIsAlwaysSuggestedIsCheckedWhenTheAppIsBuilt(t *testing.T) {
	build := func(next ...presenter.Next) error {
		child := presenter.For[patron]("C").SuggestAlways(next...)
		f, _ := presenting(anOrder("1"), orders.Embed("client", child))
		targets(f)
		return f.Err()
	}
	require.NoError(t, build(presenter.Call("t.get", "").With("kind", "y"), presenter.Call("t_raw", "")))
	for want, next := range map[string]presenter.Next{
		`always suggests "t.gone", which is no tool`:                               presenter.Call("t.gone", ""),
		`always suggests "t.get", with arguments that it does not take: idd is no`: presenter.Call("t.get", "").With("idd", 1),
	} {
		err := build(next)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "presenter_test.go:")
		require.ErrorContains(t, err, `tool "a"`)
	}
}

func TestMistakesOfPresentersAreBuildErrors(t *testing.T) {
	clients := presenter.For[patron]("Client")
	var none *presenter.Presenter[purchase]
	for want, p := range map[string]presenter.Shows[purchase]{
		"Only and Hide exclude one another":                      orders.Only("id").Hide("status"),
		"Only and Hide exclude one another; Only names all":      orders.Only("id").Extend(orders.Hide("status")),
		`"Order": "stat" is no field`:                            orders.Hide("stat"),
		`"Order": "lines.skuu" is no field of the type; did you`: orders.Only("id", "lines.skuu"),
		`Embed("lines[]") of "Client": "lines[]" is a`:           orders.Embed("lines[]", clients),
		`"clientt" is no field of the type; did you mean`:        orders.Embed("clientt", clients),
		`"gone" is no field`:                                     orders.Embed("client", clients.Only("gone")),
		`"client" is no field`:                                   orders.Only("id").Embed("client", clients),
		"limit below 1":                                          orders.Limit(0),
		"RulesFunc was given a nil function":                     orders.RulesFunc(nil),
		"Suggest was given a nil function":                       orders.Suggest(nil),
		"UI was given a nil function":                            orders.UI(nil),
		"ListUI was given a nil function":                        orders.ListUI(nil),
		"From was given a nil function":                          orders.From[purchase](nil),
		"is a nil presenter":                                     none.Only("id"),
		"is a nil presenter; begin":                              none.From(func(p purchase) purchase { return p }),
		`"nil" is a nil presenter`:                               orders.Embed("client", (*presenter.Presenter[patron])(nil)),
		"is a nil presenter; begin with presenter.For":           orders.Extend(nil),
	} {
		f, _ := presenting(anOrder("1"), p)
		require.ErrorContains(t, f.Err(), want)
		require.ErrorContains(t, f.Err(), `tool "a"`)
	}
	f, _ := presenting([]purchase{}, presenter.For[[]purchase]("Orders").Limit(3))
	require.ErrorContains(t, f.Err(), "Limit is for ReturnsList")
	f = newApp()
	f.Query("a").Describe("d").ReturnsPage(none).
		Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[presenter.Page[purchase]] { panic("x") })
	require.ErrorContains(t, f.Err(), "ReturnsPage was given a nil presenter")
}

func TestBlocksForPeopleAreEscaped(t *testing.T) {
	for want, block := range map[string]presenter.Block{
		"# As *given*": presenter.Markdown("# As *given*"),
		"| a\\|b | c |\n| --- | --- |\n| \\<b\\>\\[x\\](y) 1\\_2 | \uFFFDl2 |\n| only one |  |": presenter.Table([]string{"a|b", "c"}, [][]string{{"<b>[x](y)\n1_2", "\x00l2"}, {"only one"}}),
		"|  |\n| --- |\n| more |":          presenter.Table(nil, [][]string{{"more"}}),
		"```mermaid\ngraph TD; A-->B\n```": presenter.Mermaid("graph TD; A-->B"),
		"````go\nx := \"```\"\n````":       presenter.Code("go\n```", "x := \"```\"\n"),
		"\\*\\*one\\*\\* line, \\`code\\`": presenter.Summary("**one**\n line, `code`"),
	} {
		f, _ := presenting(anOrder("1"), orders.Only("id").UI(func(purchase) []presenter.Block { return []presenter.Block{block, presenter.Table(nil, nil)} }))
		var blocks struct {
			Content []struct {
				Text        string
				Annotations struct{ Audience []string }
			}
		}
		require.NoError(t, json.Unmarshal(replyOf(t, f).Raw(), &blocks, json.MatchCaseInsensitiveNames(true)))
		require.Len(t, blocks.Content, 2, "an empty block is left out")
		assert.Equal(t, want, blocks.Content[1].Text)
		assert.Equal(t, []string{"user"}, blocks.Content[1].Annotations.Audience)
	}
}

func TestADiagramCannotCloseItsFence(t *testing.T) {
	f, _ := presenting(anOrder("1"), orders.Only("id").UI(func(purchase) []presenter.Block {
		return []presenter.Block{presenter.Mermaid("graph\n```\n# forged\n``````")}
	}))
	assert.Equal(t, 2, strings.Count(string(replyOf(t, f).Raw()), "```````"), "one fence more than any in the text")
}
