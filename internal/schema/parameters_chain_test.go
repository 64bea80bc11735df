package schema_test

import (
	"encoding/json/jsontext"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/builder"
	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/fusion/fusiontest"
	"github.com/mcpfusion/go/internal/schema"
	"github.com/mcpfusion/go/result"
)

type (
	nothing struct{}
	tool    = builder.Tool[nothing]
	// parcel has a field that no input takes, and one that only some do.
	parcel struct {
		ID    string `json:"id" fusion:"update"`
		To    string `json:"to" fusion:"create,update?" validate:"min=2"`
		Owner string `json:"owner" fusion:"guarded"`
	}
)

// chain is a line of the table of what chains declare.
type chain struct {
	declared string // as Go code
	declare  func(*tool)
	taken    []string // arguments, and behind each what the handler gets
	refused  []string
}

// gets has the handler return what it gets.
func gets[T any](t *tool) {
	t.Handle(func(_ *fusion.Ctx[nothing], in T) result.Result[T] { return result.OK(in) })
}

var chains = []chain{
	{`WithEnum("x", []string{"a", "b"}, "…")`, func(t *tool) { gets[struct{ X string }](t.WithEnum("x", []string{"a", "b"}, "X")) },
		[]string{`{"x":"a"}`, `{"x":"a"}`}, []string{`{"x":"c"}`, `{}`}},
	{`WithOptionalEnum("x", []string{"a", "b"}, "…", "default=b")`, func(t *tool) {
		gets[struct{ X string }](t.WithOptionalEnum("x", []string{"a", "b"}, "X", "default=b"))
	}, []string{`{}`, `{"x":"b"}`}, []string{`{"x":""}`}},
	{`WithArray[int]("x", "…", "min=1")`, func(t *tool) { gets[struct{ X []int }](t.WithArray[int]("x", "X", "min=1")) },
		[]string{`{"x":[1]}`, `{"x":[1]}`}, []string{`{"x":[]}`}},
	{`WithString("x", "…", "sku")`, func(t *tool) { gets[struct{ X string }](t.WithString("x", "X", "sku")) },
		[]string{`{"x":"AB-12"}`, `{"x":"AB-12"}`}, []string{`{"x":"AB-13"}`}},
	{`WithInteger("x", "…")`, func(t *tool) { gets[struct{ X int }](t.WithInteger("x", "X")) },
		[]string{`{"x":5}`, `{"x":5}`, `{"x":"5"}`, `{"x":5}`}, []string{`{"x":"five"}`, `{"x":5,"y":1}`}},
	{`WithInteger("x", "…").Coerce(false)`, func(t *tool) { gets[struct{ X int }](t.WithInteger("x", "X").Coerce(false)) },
		[]string{`{"x":5}`, `{"x":5}`}, []string{`{"x":"5"}`}},
	{`WithInteger("x", "…").Lenient()`, func(t *tool) { gets[struct{ X int }](t.WithInteger("x", "X").Lenient()) },
		[]string{`{"x":5,"y":1}`, `{"x":5}`}, []string{`{"y":1}`}},
	{`Handle(func(_, in map[string]int) …)`, gets[map[string]int],
		[]string{`{"a":1}`, `{"a":1}`, `{}`, `{}`}, []string{`{"a":"b"}`}},
	{`Handle(func(_, in any) …)`, func(t *tool) {
		t.LintOff(fusion.LintMissingType).Handle(func(_ *fusion.Ctx[nothing], in any) result.Result[map[string]any] {
			return result.OK(in.(map[string]any))
		})
	}, []string{`{"a":["b"]}`, `{"a":["b"]}`}, nil},
	{`FromModel[parcel]("create")`, func(t *tool) { gets[parcel](t.FromModel[parcel]("create")) },
		[]string{`{"to":"Bonn"}`, `{"id":"","to":"Bonn","owner":""}`}, []string{`{"to":"B"}`, `{"to":"Bonn","owner":"eve"}`}},
	{`FromModel[parcel]("update")`, func(t *tool) {
		gets[struct {
			ID string
			To *string
		}](t.FromModel[parcel]("update"))
	}, []string{`{"id":"p"}`, `{"id":"p"}`}, []string{`{"to":"Bonn"}`}},
	{`RawSchema(…{"x":{"type":"integer","default":5}}…)`, func(t *tool) {
		gets[struct{ X int }](t.RawSchema([]byte(`{"type":"object","properties":{"x":{"type":"integer","default":5}},"additionalProperties":false}`)))
	}, []string{`{}`, `{"x":5}`, `{"x":"7"}`, `{"x":7}`}, []string{`{"x":"a"}`, `{"y":1}`}},
}

func TestEachLineOfTheTableOfChainsIsProvedByCalls(t *testing.T) {
	lines := []string{"| declaration | arguments → what the handler gets | refused |", "|---|---|---|"}
	for _, c := range chains {
		f := fusion.New("chains", "1.0.0", nothing{}, nil)
		f.Rule("sku", func(s string) bool { return s != "AB-13" }, fusion.RuleText{Problem: "is no SKU", Expected: "a SKU"})
		c.declare(f.Query("chain").Describe("Return what arrives"))
		tools := fusiontest.New(t, f)
		var taken, refused []string
		for i := 0; i < len(c.taken); i += 2 {
			got := tools.Call("chain", jsontext.Value(c.taken[i])).Text()
			assert.JSONEq(t, c.taken[i+1], got, "%s %s", c.declared, c.taken[i])
			taken = append(taken, schema.CodeCell(c.taken[i])+" → "+schema.CodeCell(c.taken[i+1]))
		}
		for _, arguments := range c.refused {
			failure := tools.Call("chain", jsontext.Value(arguments)).Failure()
			require.NotEmpty(t, failure.Fields, "%s %s", c.declared, arguments)
			refused = append(refused, fmt.Sprintf("%s %s", schema.CodeCell(arguments), failure.Fields[0].Problem))
		}
		lines = append(lines, "| "+strings.Join([]string{schema.CodeCell(c.declared), strings.Join(taken, "<br>"), strings.Join(refused, "<br>")}, " | ")+" |")
	}
	schema.Page(t, "chains", strings.Join(lines, "\n"))
}
