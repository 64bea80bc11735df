package fusion_test

import (
	"encoding/json/jsontext"
	"fmt"
	"math/big"
	"testing"
	"time"

	"github.com/samber/mo"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/fusion/fusiontest"
	"github.com/mcpfusion/go/result"
)

const foreign = `{"type":"object","properties":{
	"id":{"type":"integer"},
	"deep":{"type":"object","properties":{"n":{"type":"integer"},"on":{"type":"boolean","default":true}}},
	"ids":{"type":"array","items":{"type":"integer"}},
	"limit":{"type":"integer","default":9007199254740993},
	"tags":{"type":"array","items":{"type":"string"},"default":["a"]},
	"color":{"enum":["red","green"]},
	"text":{"type":"string"},
	"either":{"type":["string","integer"]},
	"maybe":{"type":["integer","null"]},
	"point":{"$ref":"#/$defs/point"}},
	"additionalProperties":false,
	"$defs":{"point":{"type":"object","properties":{"lat":{"type":"number"}},"required":["lat"],"additionalProperties":false}}}`

// foreignTester has one tool for each type that takes the arguments of a raw schema. All
// say what they were given.
func foreignTester(t *testing.T, schema string) *fusiontest.Tester {
	t.Helper()
	f := newApp()
	f.Query("args").Describe("d").RawSchema([]byte(schema)).Handle(func(_ *fusion.Ctx[deps], in fusion.Args) result.Result[string] {
		return result.OK(fmt.Sprint(in.Int("id"), " ", in.Int("limit"), " ", in.Get[[]string]("tags").OrElse(nil), " ", in.Get[[]int64]("ids").OrElse(nil)))
	})
	f.Query("map").Describe("d").RawSchema([]byte(schema)).Handle(func(_ *fusion.Ctx[deps], in map[string]jsontext.Value) result.Result[map[string]jsontext.Value] {
		return result.OK(in)
	})
	f.Query("any").Describe("d").RawSchema([]byte(schema)).Handle(func(_ *fusion.Ctx[deps], in any) result.Result[any] { return result.OK(in) })
	f.Query("value").Describe("d").RawSchema([]byte(schema)).Handle(func(_ *fusion.Ctx[deps], in jsontext.Value) result.Result[jsontext.Value] {
		return result.OK(in)
	})
	return fusiontest.New(t, f)
}

func TestB1_IntegersOfARawSchemaAreExactForEveryType(t *testing.T) {
	tools := foreignTester(t, foreign)
	args := jsontext.Value(`{"id":9007199254740993,"ids":[9223372036854775807,-9223372036854775808],"deep":{"n":9007199254740993,"on":false},"limit":1,"tags":[]}`)
	assert.Equal(t, "9007199254740993 1 [] [9223372036854775807 -9223372036854775808]", tools.Call("args", args).Text())
	for _, name := range []string{"map", "any", "value"} {
		reply := string(tools.Call(name, args).Structured())
		assert.Contains(t, reply, `"id":9007199254740993`, name)
		assert.Contains(t, reply, `"ids":[9223372036854775807,-9223372036854775808]`, name)
		assert.Contains(t, reply, `"n":9007199254740993`, name)
	}
}

func TestB13_TheDefaultsOfARawSchemaAreForAbsenceOnly(t *testing.T) {
	tools := foreignTester(t, foreign)
	for range 2 {
		assert.Equal(t, "0 9007199254740993 [a] []", tools.Call("args", nil).Text(), "B17: no arguments")
		assert.Equal(t, `{"limit":9007199254740993,"tags":["a"]}`, string(tools.Call("map", jsontext.Value(`{}`)).Structured()))
	}
	assert.Equal(t, "0 0 [] []", tools.Call("args", jsontext.Value(`{"limit":0,"tags":[]}`)).Text())
	assert.JSONEq(t, `{"limit":1,"tags":["b"],"deep":{"n":1,"on":true}}`, string(tools.Call("map", jsontext.Value(`{"limit":1,"tags":["b"],"deep":{"n":1}}`)).Structured()))
	assert.Equal(t, `{"limit":1,"tags":[]}`, string(tools.Call("map", jsontext.Value(`{"limit":1,"tags":[]}`)).Structured()), "what is absent as a whole stays absent")
	assert.Equal(t, result.CodeInvalidArguments, tools.Call("args", jsontext.Value(`{"limit":"five"}`)).Failure().Code, "B8")

	f := newApp()
	f.Query("a").Describe("d").RawSchema([]byte(`{"type":"object","properties":{"a":{"type":"string","default":5}}}`)).
		Handle(func(*fusion.Ctx[deps], fusion.Args) result.Result[string] { return result.OK("") })
	assert.ErrorContains(t, f.Err(), "the raw schema is not usable")
}

func TestB5_B7_StringsAreTakenForWhatARawSchemaSays(t *testing.T) {
	tools := foreignTester(t, foreign)
	args := `{"id":"9007199254740993","ids":"[1,\"2\"]","deep":"{\"n\":\"3\",\"on\":\"FALSE\"}","text":"5","either":"6","maybe":"7","point":"{\"lat\":\"1.5\"}","limit":1,"tags":"[\"7\"]"}`
	assert.JSONEq(t, `{"id":9007199254740993,"ids":[1,2],"deep":{"n":3,"on":false},"text":"5","either":"6","maybe":7,"point":{"lat":1.5},"limit":1,"tags":["7"]}`,
		string(tools.Call("map", jsontext.Value(args)).Structured()), "what may be text stays text")
	for _, wrong := range []string{`{"id":"abc"}`, `{"id":""}`, `{"id":"5.5"}`, `{"ids":"1,2"}`, `{"ids":"[1"}`, `{"deep":"[]"}`, `{"deep":"{\"x\":{\"on\":"}`, `{"point":"{}"}`, `{"text":5}`} {
		assert.Equal(t, result.CodeInvalidArguments, tools.Call("map", jsontext.Value(wrong)).Failure().Code, wrong)
	}
	f := newApp()
	f.Query("a").Describe("d").Coerce(false).RawSchema([]byte(foreign)).
		Handle(func(*fusion.Ctx[deps], fusion.Args) result.Result[string] { return result.OK("must not run") })
	field := problem(t, fusiontest.New(t, f).Call("a", jsontext.Value(`{"id":"5"}`)))
	assert.Equal(t, result.Field{Path: "id", Problem: "has the wrong type", Expected: "an integer", Received: `"5"`}, field)
}

func TestB9_B16_ProblemsWithARawSchemaTellWhatIsLegal(t *testing.T) {
	tools := foreignTester(t, foreign)
	for args, want := range map[string]result.Field{
		`{"ide":1}`:                  {Path: "ide", Problem: `is not known here; did you mean "id"?`, Expected: "one of color, deep, either, id, ids, limit, maybe, point, tags, text", Received: "1"},
		`{"point":{"lat":1,"lt":2}}`: {Path: "point.lt", Problem: `is not known here; did you mean "lat"?`, Expected: "one of lat", Received: "2"},
		`{"point":{}}`:               {Path: "point.lat", Problem: "is missing", Expected: "a number"},
		`{"color":"blue"}`:           {Path: "color", Problem: "is not one of the allowed values", Expected: `one of "red", "green"`, Received: `"blue"`},
		`{"either":true}`:            {Path: "either", Problem: "has the wrong type", Expected: "a string or an integer", Received: "true"},
		`{"text":null}`:              {Path: "text", Problem: "has the wrong type", Expected: "a string", Received: "null"},
	} {
		assert.Equal(t, want, problem(t, tools.Call("args", jsontext.Value(args))), args)
	}
}

func TestAStructTakesWhatARawSchemaAllows(t *testing.T) {
	type in struct {
		ID          int64
		AmountCents *int64
		Wait        time.Duration
		At          mo.Option[time.Time]
		Size        big.Int `json:"SIZE"`
		Lines       []struct{ SKUCode string }
	}
	var seen in
	f := newApp()
	f.Query("a").Describe("d").RawSchema([]byte(`{"type":"object","properties":{"id":{"type":"number"},"wait":{"type":["string","null"]}}}`)).
		Handle(func(_ *fusion.Ctx[deps], in in) result.Result[result.Unit] { seen = in; return result.Done() })
	tools := fusiontest.New(t, f)
	reply := tools.Call("a", jsontext.Value(`{"id":5.0,"amountCents":1e3,"wait":"1h","at":"2026-01-31T09:30:00Z","SIZE":123456789012345678901234567890,"lines":[{"sku_code":"x","more":1}],"more":2}`))
	require.Equal(t, "OK", reply.Text())
	assert.Equal(t, int64(5), seen.ID)
	assert.Equal(t, int64(1000), *seen.AmountCents)
	assert.Equal(t, time.Hour, seen.Wait)
	assert.Equal(t, 2026, seen.At.MustGet().Year())
	assert.Equal(t, "123456789012345678901234567890", seen.Size.String())
	assert.Equal(t, "x", seen.Lines[0].SKUCode)

	require.Equal(t, "OK", tools.Call("a", jsontext.Value(`{"wait":null,"size":5}`)).Text(), "nothing is required, null is nothing, a tagged name is exact")
	assert.Zero(t, seen.Wait)
	assert.Zero(t, seen.Size.Sign())
	assert.Equal(t, result.Field{Path: "id", Problem: "is not a whole number", Expected: "an integer, such as 5", Received: "5.5"}, problem(t, tools.Call("a", jsontext.Value(`{"id":5.5}`))))

	f = newApp()
	f.Query("a").Describe("d").RawSchema([]byte(`{"type":"object"}`)).
		Handle(func(*fusion.Ctx[deps], struct{ C chan int }) result.Result[result.Unit] { return result.Done() })
	assert.ErrorContains(t, f.Err(), "cannot travel as JSON")
}
