package fusion_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"testing"

	"github.com/samber/mo"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/fusion/fusiontest"
	"github.com/mcpfusion/go/presenter"
	"github.com/mcpfusion/go/result"
)

type item struct {
	SKU  string
	Cost int
}

type patron struct {
	Name  string
	TaxID string
}

type purchase struct {
	ID       string
	Status   string
	Client   *patron
	Gift     mo.Option[patron]
	Lines    []item
	ByRegion map[string]patron
}

func anOrder(id string) purchase {
	return purchase{
		ID: id, Status: "open", Client: &patron{"Ann", "SECRET"}, Gift: mo.Some(patron{"Bob", "SECRET"}),
		Lines: []item{{"a", 1}, {"b", 2}}, ByRegion: map[string]patron{"eu": {"Cid", "SECRET"}, "as": {"Dee", "SECRET"}},
	}
}

var orders = presenter.For[purchase]("Order")

// presenting is an app with a query "a" whose value p shows, and its log.
func presenting[R any](v R, p presenter.Shows[R]) (*fusion.App[deps], *bytes.Buffer) {
	f, log := logging()
	f.Query("a").Describe("d").Returns(p).
		Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[R] { return result.OK(v) })
	return f, log
}

// listing is an app with a query "a" whose values p shows.
func listing[R any](p presenter.Shows[R], values ...R) *fusion.App[deps] {
	f, _ := logging()
	f.Query("a").Describe("d").ReturnsList(p).
		Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[[]R] { return result.OK(values) })
	return f
}

func logging() (*fusion.App[deps], *bytes.Buffer) {
	log := &bytes.Buffer{}
	return fusion.New("test", "1", deps{}, &fusion.Options{Logger: slog.New(slog.NewTextHandler(log, nil))}), log
}

// replyOf calls the tool "a", and holds the data against its schema.
func replyOf(t *testing.T, f *fusion.App[deps]) *fusiontest.Reply {
	t.Helper()
	require.NoError(t, f.Err())
	tools := fusiontest.New(t, f)
	reply := tools.Call("a", nil)
	require.NotContains(t, string(reply.Raw()), "isError")
	for _, tool := range tools.List() {
		if tool.Name == "a" {
			matches(t, tool.OutputSchema, reply.Structured())
		}
	}
	return reply
}

func TestAPresenterShowsWhatItsShapeSays(t *testing.T) {
	for want, p := range map[string]*presenter.Presenter[purchase]{
		`{"id":"1","client":{"name":"Ann"},"lines":[{"sku":"a"},{"sku":"b"}]}`: orders.Only("id", "client.name", "lines[].sku"),
		`{"id":"1","lines":[{"cost":1},{"cost":2}]}`:                           orders.Hide("status", "client", "gift", "by_region", "lines.sku"),
		`{"id":"[REDACTED]","gift":{"name":"Bob","tax_id":"[REDACTED]"}}`:      orders.Only("id").Only("gift").Redact("id", "gift.tax_id"),
	} {
		f, _ := presenting(anOrder("1"), p)
		reply := replyOf(t, f)
		assert.Equal(t, want, string(reply.Structured()))
		assert.Equal(t, want, reply.Text(), "the text is the same bytes")
	}
}

func TestAnEmbeddedPresenterNarrowsItsPartsAndSpeaksOfThem(t *testing.T) {
	var seen []patron
	clients := presenter.For[patron]("Client").Redact("tax_id").Rules("tax_id is secret").
		RulesFunc(func(_ context.Context, c patron) []string {
			seen = append(seen, c)
			return []string{"rule of " + c.Name}
		}).
		Suggest(func(c patron) []presenter.Next { return []presenter.Next{presenter.Call("a", "Ask "+c.Name)} }).
		UI(func(c patron) []presenter.Block { return []presenter.Block{presenter.Summary(c.Name)} }).
		SuggestAlways(presenter.Call("a", "Again"))
	lines := presenter.For[*item]("Line").Only("sku").RulesFunc(func(_ context.Context, l *item) []string {
		return []string{fmt.Sprintf("line %s %d", l.SKU, l.Cost)}
	})
	f, _ := presenting(anOrder("1"), orders.Hide("id", "status", "by_region.as").Hide().
		Embed("client", clients).Embed("gift", clients).Embed("by_region[]", clients).Embed("lines", lines))
	require.ErrorContains(t, f.Err(), "by_region", "a map's names are data, no fields")

	f, _ = presenting(anOrder("1"), orders.Hide("id", "status").
		Embed("client", clients).Embed("gift", clients).Embed("by_region[]", clients).Embed("lines", lines))
	reply := replyOf(t, f)
	const secret = `"tax_id":"[REDACTED]"}`
	assert.Equal(t, `{"client":{"name":"Ann",`+secret+`,"gift":{"name":"Bob",`+secret+`,"lines":[{"sku":"a"},{"sku":"b"}],"by_region":{"as":{"name":"Dee",`+secret+`,"eu":{"name":"Cid",`+secret+`}}`, string(reply.Structured()))
	guidance := reply.Guidance()
	assert.Equal(t, []string{"tax_id is secret", "rule of Ann", "rule of Bob", "rule of Dee", "rule of Cid", "line a 0", "line b 0"}, guidance.Rules)
	for i, name := range []string{"Ann", "Bob", "Dee", "Cid"} {
		assert.Equal(t, patron{name, "[REDACTED]"}, seen[i], "functions see what is shown")
		assert.Equal(t, "Ask "+name, guidance.Next[i].Reason)
	}
	assert.Equal(t, "Again", guidance.Next[4].Reason)
	assert.Contains(t, string(reply.Raw()), `{"type":"text","text":"Dee","annotations":{"audience":["user"]}}`)

	empty, _ := presenting(purchase{}, orders.Only("client", "gift").Embed("client", clients))
	seen = nil
	assert.Equal(t, `{}`, string(replyOf(t, empty).Structured()))
	assert.Empty(t, seen, "an absent part is not asked about")
}

func TestWhatEitherOfTwoPresentersLeavesOutStaysOut(t *testing.T) {
	clients := presenter.For[patron]("Client")
	for want, p := range map[string]*presenter.Presenter[purchase]{
		`{"client":{"name":"[REDACTED]"}}`:                       orders.Only("client").Redact("client.name").Embed("client", clients.Hide("tax_id")),
		`{"client":{}}`:                                          orders.Only("client.name").Embed("client", clients.Only("tax_id")),
		`{"client":{"name":"Ann","tax_id":"[REDACTED]"}}`:        orders.Only("client").Embed("client", clients.Redact("tax_id")).Embed("client", clients),
		`{"client":{"name":"[REDACTED]","tax_id":"[REDACTED]"}}`: orders.Only("client").Embed("client", clients.Redact("tax_id")).Embed("client", clients.Redact("name")),
	} {
		f, _ := presenting(anOrder("1"), p)
		assert.Equal(t, want, string(replyOf(t, f).Structured()))
	}
}

func TestExtendAddsWhatTheOtherSays(t *testing.T) {
	base := orders.Only("id").Rules("base").SuggestAlways(presenter.Call("a", "Base")).Limit(9)
	extended := orders.Only("status").Rules("own").Limit(5).Extend(base).Redact("id")
	f := listing(extended, anOrder("1"))
	reply := replyOf(t, f)
	assert.Equal(t, `{"items":[{"id":"[REDACTED]","status":"open"}],"shown":1,"total":1}`, string(reply.Structured()))
	assert.Equal(t, []string{"own", "base"}, reply.Guidance().Rules)
	assert.Equal(t, "Base", reply.Guidance().Next[0].Reason)
}

func TestAPresenterIsImmutableAndSafeForConcurrentUse(t *testing.T) {
	base := orders.Only("id").Rules("1").Rules("2").Rules("3")
	left, right := base.Rules("left").Only("status"), base.Rules("right").Redact("id")
	for want, p := range map[string]*presenter.Presenter[purchase]{
		`[1 2 3] {"id":"1"}`: base, `[1 2 3 left] {"id":"1","status":"open"}`: left, `[1 2 3 right] {"id":"[REDACTED]"}`: right,
	} {
		f, _ := presenting(anOrder("1"), p)
		reply := replyOf(t, f)
		assert.Equal(t, want, fmt.Sprint(reply.Guidance().Rules, " ", string(reply.Structured())))
	}
	f, _ := presenting(anOrder("1"), left)
	tools := fusiontest.New(t, f)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			_ = base.Rules("x").Hide("status").Embed("client", presenter.For[patron]("Client"))
			assert.Len(t, tools.Call("a", nil).Guidance().Rules, 4)
		})
	}
	wg.Wait()
}

func TestFromPresentsAnotherType(t *testing.T) {
	type row struct{ Key int }
	converted := 0
	p := orders.Only("id").Limit(2).From(func(r row) purchase {
		converted++
		return anOrder(strconv.Itoa(r.Key))
	})
	f, _ := presenting(row{7}, p)
	assert.Equal(t, `{"id":"7"}`, string(replyOf(t, f).Structured()))
	assert.Equal(t, 1, converted, "a function never runs twice for one call")

	converted = 0
	assert.Equal(t, `{"items":[{"id":"1"},{"id":"2"}],"shown":2,"total":3}`, string(replyOf(t, listing(p, row{1}, row{2}, row{3})).Structured()))
	assert.Equal(t, 2, converted, "what is not shown is not converted")
}

func TestPagesHaveACursorUnlessTheyAreTheLast(t *testing.T) {
	page := func(p presenter.Page[purchase]) *fusiontest.Reply {
		f := newApp()
		f.Query("a").Describe("d").WithOptionalString("status", "s").WithOptionalString("city", "c").
			ReturnsPage(orders.Only("id").Limit(2)).
			Handle(func(*fusion.Ctx[deps], fusion.Args) result.Result[presenter.Page[purchase]] { return result.OK(p) })
		return replyOf(t, f)
	}
	three := []purchase{anOrder("1"), anOrder("2"), anOrder("3")}
	reply := page(presenter.Page[purchase]{Items: three, Total: 9, NextCursor: "c<3"})
	assert.Equal(t, `{"items":[{"id":"1"},{"id":"2"}],"shown":2,"total":9,"nextCursor":"c<3"}`, string(reply.Structured()))
	assert.Equal(t, []string{"Shown: 2 of 3 on this page. Left out: 1. Parameters that narrow the search: status, city."}, reply.Guidance().Notices)

	reply = page(presenter.Page[purchase]{Items: three[:2], Total: 2})
	assert.Equal(t, `{"items":[{"id":"1"},{"id":"2"}],"shown":2,"total":2}`, string(reply.Structured()))
	assert.Empty(t, reply.Guidance().Notices)
	assert.Equal(t, `{"items":[],"shown":0,"total":0}`, string(page(presenter.Page[purchase]{}).Structured()))
	assert.Equal(t, `{"items":[{"id":"1"}],"shown":1,"total":1}`, string(page(presenter.Page[purchase]{Items: three[:1]}).Structured()), "a store that does not count")
}

// twig contains itself.
type twig struct {
	Name string
	Kids []twig `json:"kids,omitempty"`
}

func TestTheSchemaOfAListSaysExactlyWhatTravels(t *testing.T) {
	for want, f := range map[string]*fusion.App[deps]{
		`{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"}},"required":["id"],"additionalProperties":false}},"shown":{"type":"integer","minimum":0},"total":{"type":"integer","minimum":0}},"required":["items","shown","total"],"additionalProperties":false}`:                                                                                                      listing(orders.Only("id"), anOrder("1")),
		`{"$defs":{"twig":{"type":"object","properties":{"name":{"type":"string"},"kids":{"type":"array","items":{"$ref":"#/$defs/twig"}}},"required":["name"],"additionalProperties":false}},"type":"object","properties":{"items":{"type":"array","items":{"$ref":"#/$defs/twig"}},"shown":{"type":"integer","minimum":0},"total":{"type":"integer","minimum":0}},"required":["items","shown","total"],"additionalProperties":false}`: listing(presenter.For[twig]("Branch"), twig{"a", []twig{{"b", nil}}}),
	} {
		replyOf(t, f)
		assert.JSONEq(t, want, string(fusiontest.New(t, f).List()[0].OutputSchema))
	}
}

func TestAWrapMayAnswerWithTheHandlersType(t *testing.T) {
	f := newApp()
	f.Wrap(func(context.Context, *fusion.Call, fusion.Next) *result.Response {
		return &result.Response{Data: []purchase{anOrder("1"), anOrder("2")}}
	})
	f.Query("a").Describe("d").ReturnsList(orders.Only("id").Limit(1)).
		Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[[]purchase] { panic("must not run") })
	assert.Equal(t, `{"items":[{"id":"1"}],"shown":1,"total":2}`, string(replyOf(t, f).Structured()), "the shape holds on that way, too")
}
