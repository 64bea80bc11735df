package fusion_test

import (
	"encoding/json/jsontext"
	"strings"
	"testing"
	"time"

	"github.com/samber/mo"
	"github.com/stretchr/testify/assert"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/fusion/fusiontest"
	"github.com/mcpfusion/go/result"
)

type sku string

func withRules() *fusion.App[deps] {
	f := newApp()
	f.Rule("sku", func(s string) bool { return strings.HasPrefix(s, "AB-") && s != "AB-13" }, fusion.RuleText{
		Problem: "is no SKU", Expected: "a SKU such as AB-12", Schema: `{"pattern":"^AB-","maxLength":9}`,
	})
	f.Rule("even", func(n int) bool { return n%2 == 0 }, fusion.RuleText{Problem: "is odd", Expected: "an even number"})
	f.Rule("half", func(f float64) bool { return f == float64(int(f*2))/2 }, fusion.RuleText{Problem: "is no half", Expected: "a multiple of 0.5"})
	f.Rule("weekday", func(t time.Time) bool { return t.Weekday() != time.Sunday }, fusion.RuleText{Problem: "is a Sunday", Expected: "no Sunday"})
	f.Rule("sorted", func(s []string) bool { return len(s) < 2 || s[0] < s[1] }, fusion.RuleText{Problem: "is not sorted", Expected: "sorted items"})
	f.Rule("broken", func(string) bool { panic("x") }, fusion.RuleText{Problem: "is broken", Expected: "nothing"})
	return f
}

func TestRulesOfAnAppsOwnHoldEverywhere(t *testing.T) {
	f := withRules()
	f.Query("tags").Describe("d").Handle(func(_ *fusion.Ctx[deps], in struct {
		SKU   sku              `validate:"sku"`
		Many  []mo.Option[sku] `json:"many,omitempty" validate:"max=2,dive,sku"`
		Count int              `json:"count,omitempty" validate:"even"`
		Price float64          `json:"price,omitempty" validate:"half"`
		On    time.Time        `json:"on,omitzero" validate:"weekday"`
		Names []string         `json:"names,omitempty" validate:"sorted"`
		Odd   *string          `json:"odd" validate:"broken"`
	}) result.Result[string] {
		return result.OK(string(in.SKU))
	})
	f.Query("with").Describe("d").WithString("id", "ID", "sku").WithOptionalInteger("n", "N", "even").
		Handle(func(_ *fusion.Ctx[deps], in fusion.Args) result.Result[string] { return result.OK(in.String("id")) })
	tools := fusiontest.New(t, f)
	assert.Contains(t, string(tools.List()[0].InputSchema), `"sku":{"type":"string","maxLength":9,"pattern":"^AB-"}`)
	assert.Equal(t, "AB-12", tools.Call("tags", jsontext.Value(`{"sku":"AB-12","many":["AB-1"],"count":2,"price":1.5,"on":"2026-11-30T00:00:00Z","names":["a","b"]}`)).Text())
	failure := tools.Call("tags", jsontext.Value(`{"sku":"AB-13","many":["x"],"count":3,"price":1.3,"on":"2026-11-29T00:00:00Z","names":["b","a"],"odd":""}`)).Failure()
	var problems []string
	for _, field := range failure.Fields {
		problems = append(problems, field.Path+" "+field.Problem)
	}
	assert.Equal(t, []string{"sku is no SKU", "many[0] is no SKU", "count is odd", "price is no half", "on is a Sunday", "names is not sorted", "odd is broken"}, problems)
	assert.Equal(t, "a SKU such as AB-12", failure.Fields[0].Expected)
	assert.Len(t, tools.Call("with", map[string]any{"id": "x", "n": 1}).Failure().Fields, 2)
}

func TestRulesAreOfOneApp(t *testing.T) {
	handler := func(*fusion.Ctx[deps], struct {
		Code string `validate:"sku"`
	}) result.Result[string] {
		return result.OK("")
	}
	with := withRules()
	with.Query("a").Describe("d").Handle(handler)
	assert.NoError(t, with.Err())
	without := newApp()
	without.Query("a").Describe("d").Handle(handler)
	assert.ErrorContains(t, without.Err(), `"code" has the rule "sku": it is not known for this type`)
}

func TestMistakesInRulesAreBuildErrors(t *testing.T) {
	text := fusion.RuleText{Problem: "p", Expected: "e"}
	holds := func(string) bool { return true }
	f := newApp()
	f.Rule("min", holds, text)
	f.Rule("email", holds, text)
	f.Rule("required_if", holds, text)
	f.Rule("Bad Name", holds, text)
	f.Rule[string]("none", nil, text)
	f.Rule("silent", holds, fusion.RuleText{})
	f.Rule("twice", holds, text).Rule("twice", holds, text)
	f.Rule("worded", holds, fusion.RuleText{Problem: "p", Expected: "e", Schema: `{"oneOf":[]}`})
	f.Rule("jsonish", holds, fusion.RuleText{Problem: "p", Expected: "e", Schema: `{`})
	f.Rule("regex", holds, fusion.RuleText{Problem: "p", Expected: "e", Schema: `{"pattern":"("}`})
	f.Query("a").Describe("d").WithString("s", "S", "twice=1").WithInteger("n", "N", "twice").
		Handle(func(*fusion.Ctx[deps], fusion.Args) result.Result[string] { return result.OK("") })
	f.Rule("late", holds, text)
	err := f.Err()
	for _, part := range []string{
		`the rule "min" is there already`, `the rule "email" is there already`, `the rule "required_if" is there already`,
		`the rule "Bad Name" has no legal name`, `Rule("none") was given a nil function`, `the rule "silent" needs texts`,
		`the rule "twice" is declared twice`, `the keyword "oneOf" is none that a rule may say`, `the schema of the rule "jsonish"`, `the schema of the rule "regex"`,
		`"s" has the rule "twice": it takes no parameter`, `"n" has the rule "twice": it does not fit the type`,
		`Rule("late") after the first declaration`, "rule_test.go:",
	} {
		assert.ErrorContains(t, err, part)
	}
}

func TestExamplesAndDeprecationsAreToldAndChecked(t *testing.T) {
	f := newApp()
	f.Query("a").Describe("d").
		WithInteger("n", "N", "min=2,example=5,example=7").
		WithOptionalString("old", "Old", "deprecated,example=x0x2Cy").
		WithArray[int]("l", "L", "example=[1,2],max=3").
		Handle(func(*fusion.Ctx[deps], fusion.Args) result.Result[string] { return result.OK("") })
	schema := string(fusiontest.New(t, f).List()[0].InputSchema)
	assert.Contains(t, schema, `"n":{"type":"integer","description":"N","examples":[5,7],"minimum":2`)
	assert.Contains(t, schema, `"old":{"type":"string","description":"Old","examples":["x,y"],"deprecated":true}`)
	assert.Contains(t, schema, `"examples":[[1,2]]`)

	wrong := newApp()
	wrong.Query("a").Describe("d").WithInteger("n", "N", "min=2,example=1").WithInteger("m", "M", "example=x").
		Handle(func(*fusion.Ctx[deps], fusion.Args) result.Result[string] { return result.OK("") })
	assert.ErrorContains(t, wrong.Err(), `"n" has the example 1, which its own rules refuse: it must be at least 2`)
	assert.ErrorContains(t, wrong.Err(), `"m" has the example x, which its own rules refuse`)
}
