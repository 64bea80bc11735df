package fusion_test

import (
	"encoding/json/jsontext"
	"testing"

	"github.com/samber/mo"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/fusion/fusiontest"
	"github.com/mcpfusion/go/result"
)

// The tests in the cases files are named after faults that users of other frameworks
// reported.

// echo returns its arguments.
type echo struct {
	Count int               `json:"count" validate:"default=10"`
	Name  mo.Option[string] `json:"name" validate:"max=5"`
	Color string            `json:"color" validate:"oneof=red green,default=red"`
	Tags  []string          `json:"tags,omitempty"`
}

func echoTester(t *testing.T) *fusiontest.Tester {
	t.Helper()
	f := newApp()
	f.Query("echo").Describe("d").Handle(func(_ *fusion.Ctx[deps], in echo) result.Result[echo] { return result.OK(in) })
	f.Query("need").Describe("d").WithString("id", "d").
		Handle(func(_ *fusion.Ctx[deps], in struct{ ID string }) result.Result[string] { return result.OK(in.ID) })
	f.Query("none").Describe("d").Handle(nothing[deps])
	return fusiontest.New(t, f)
}

func TestB3_AbsentNullAndEmptyArgumentsAreAllTheSame(t *testing.T) {
	tools := echoTester(t)
	for _, args := range []any{nil, jsontext.Value("null"), jsontext.Value("{}")} {
		assert.Equal(t, "OK", tools.Call("none", args).Text())
		assert.Equal(t, 10, tools.Call("echo", args).Data[echo]().Count)
		failure := tools.Call("need", args).Failure()
		assert.Equal(t, result.CodeInvalidArguments, failure.Code)
		assert.Equal(t, []result.Field{{Path: "id", Problem: "is missing", Expected: "a string"}}, failure.Fields)
	}
}

func TestB4_ArgumentsThatAreNoObjectAreAClientError(t *testing.T) {
	tools := echoTester(t)
	for _, args := range []string{`"{\"count\":1}"`, `[]`, `5`, `true`} {
		assert.Equal(t, -32602, tools.Call("echo", jsontext.Value(args)).Fault().Code, args)
	}
	failure := tools.Call("echo", jsontext.Value(`{"{\"count\":1}":""}`)).Failure()
	assert.Equal(t, result.CodeInvalidArguments, failure.Code, "the object as one key is an unknown name")
}

func TestB7_B8_B21_AWrongTypeIsAProblemAndNeverTheDefault(t *testing.T) {
	tools := echoTester(t)
	for _, value := range []string{`"five"`, `"5"`, `""`, `" 7 "`, `true`, `[]`, `{}`, `5.5`} {
		failure := tools.Call("echo", jsontext.Value(`{"count":`+value+`}`)).Failure()
		require.Len(t, failure.Fields, 1, value)
		assert.Equal(t, "count", failure.Fields[0].Path)
		assert.Equal(t, value, failure.Fields[0].Received)
		assert.Contains(t, failure.Fields[0].Expected, "an integer")
	}
}

func TestB12_TheTextNullIsText(t *testing.T) {
	tools := echoTester(t)
	in := tools.Call("echo", jsontext.Value(`{"name":"null","tags":["null"]}`)).Data[echo]()
	assert.Equal(t, []string{"null"}, in.Tags)
	assert.Contains(t, string(tools.Call("echo", jsontext.Value(`{"name":"null"}`)).Structured()), `"name":"null"`)
}

func TestB13_TheHandlerGetsTheDefaultForAnAbsentArgumentOnly(t *testing.T) {
	tools := echoTester(t)
	assert.Equal(t, 10, tools.Call("echo", nil).Data[echo]().Count)
	assert.Equal(t, 0, tools.Call("echo", jsontext.Value(`{"count":0}`)).Data[echo]().Count)
	assert.NotContains(t, string(tools.List()[0].InputSchema), `"required"`)
}

func TestB16_WhatIsAdvertisedIsEnforcedAndToldInTheProblem(t *testing.T) {
	tools := echoTester(t)
	failure := tools.Call("echo", jsontext.Value(`{"color":"blue","name":"toolong"}`)).Failure()
	assert.Equal(t, []result.Field{
		{Path: "color", Problem: "is not one of the allowed values", Expected: `one of "red", "green"`, Received: `"blue"`},
		{Path: "name", Problem: "must have at most 5 characters", Expected: "at most 5 characters", Received: `"toolong"`},
	}, failure.Fields)
}

func TestB17_DefaultsOnNothingDoNotPanic(t *testing.T) {
	type in struct {
		Inner *struct {
			N int `validate:"default=3"`
		}
		Map map[string]struct {
			N int `validate:"default=4"`
		} `json:"map,omitempty"`
	}
	var seen in
	f := newApp()
	f.Query("a").Describe("d").Handle(func(_ *fusion.Ctx[deps], in in) result.Result[result.Unit] {
		seen = in
		return result.Done()
	})
	tools := fusiontest.New(t, f)
	for _, args := range []any{nil, jsontext.Value(`{"inner":null,"map":null}`)} {
		assert.Equal(t, "OK", tools.Call("a", args).Text())
		assert.Nil(t, seen.Inner)
	}
	assert.Equal(t, "OK", tools.Call("a", jsontext.Value(`{"inner":{},"map":{"k":{}}}`)).Text())
	assert.Equal(t, 3, seen.Inner.N)
	assert.Equal(t, 4, seen.Map["k"].N)
}

func TestTS_ParametersMayHaveAnyNameOfJavaScript(t *testing.T) {
	f := newApp()
	f.Query("a").Describe("d").WithString("toString", "d").WithString("constructor", "d").WithString("__proto__", "d").
		Handle(func(_ *fusion.Ctx[deps], in fusion.Args) result.Result[string] {
			return result.OK(in.String("__proto__"))
		})
	assert.Equal(t, "p", fusiontest.New(t, f).Call("a", map[string]any{"toString": "t", "constructor": "c", "__proto__": "p"}).Text())
}

func TestTS_AToolWithoutParametersRefusesArguments(t *testing.T) {
	assert.Equal(t, "x", echoTester(t).Call("none", map[string]any{"x": 1}).Failure().Fields[0].Path)
}

func TestA28_OnlyParametersAreInTheSchema(t *testing.T) {
	f := newApp()
	f.Query("a").Describe("d").Use(derive).WithString("id", "d").
		Handle(func(_ *fusion.Ctx[derived], in struct{ ID string }) result.Result[string] { return result.OK(in.ID) })
	assert.JSONEq(t, `{"type":"object","properties":{"id":{"type":"string","description":"d"}},"required":["id"],"additionalProperties":false}`,
		string(fusiontest.New(t, f).List()[0].InputSchema))
}
