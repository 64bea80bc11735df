package fusion_test

import (
	"encoding/json/jsontext"
	"strings"
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

func TestB1_IntegersPast2To53AreExact(t *testing.T) {
	type exact struct {
		ID    int64
		Max   uint64
		Limit int `validate:"default=5"`
	}
	f := newApp()
	f.Query("struct").Describe("d").Handle(func(_ *fusion.Ctx[deps], in exact) result.Result[exact] { return result.OK(in) })
	f.Query("args").Describe("d").WithInteger("id", "d").WithOptionalInteger("limit", "d", "default=5").
		Handle(func(_ *fusion.Ctx[deps], in fusion.Args) result.Result[[]int64] {
			return result.OK([]int64{in.Int("id"), in.Get[int64]("id").OrElse(0), in.Int("limit")})
		})
	tools := fusiontest.New(t, f)
	const limit = `,"limit":5}`
	for _, id := range []string{"9007199254740993", "9223372036854775807", "-9223372036854775808"} {
		for _, rest := range []string{`,"max":18446744073709551615}`, `,"max":18446744073709551615` + limit} {
			reply := tools.Call("struct", jsontext.Value(`{"id":`+id+rest))
			assert.Equal(t, `{"id":`+id+`,"max":18446744073709551615`+limit, string(reply.Structured()))
			assert.Equal(t, string(reply.Structured()), reply.Text())
		}
		assert.Equal(t, `{"result":[`+id+`,`+id+`,5]}`, tools.Call("args", jsontext.Value(`{"id":`+id+`}`)).Text())
	}
	for args, path := range map[string]string{
		`{"id":9223372036854775808,"max":0}`:  "id",
		`{"id":-9223372036854775809,"max":0}`: "id",
		`{"id":1e400,"max":0}`:                "id",
		`{"id":0,"max":18446744073709551616}`: "max",
		`{"id":0,"max":-1}`:                   "max",
	} {
		assert.Equal(t, path, problem(t, tools.Call("struct", jsontext.Value(args))).Path, args)
	}
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

// problem is the one problem of a call.
func problem(t *testing.T, reply *fusiontest.Reply) result.Field {
	t.Helper()
	failure := reply.Failure()
	require.Equal(t, result.CodeInvalidArguments, failure.Code)
	require.Len(t, failure.Fields, 1)
	return failure.Fields[0]
}

func TestB5_AListInsideAStringIsNeverTakenForItsText(t *testing.T) {
	tools := echoTester(t)
	field := problem(t, tools.Call("echo", jsontext.Value(`{"tags":"a,b"}`)))
	assert.Equal(t, result.Field{Path: "tags", Problem: "has the wrong type", Expected: "an array, each item a string", Received: `"a,b"`}, field)
}

func TestB7_AWholeNumberHasManySpellingsAndNoOtherIsTaken(t *testing.T) {
	tools := echoTester(t)
	for args, want := range map[string]int{`{"count":5.0}`: 5, `{"count":1e3}`: 1000, `{"count":-0}`: 0} {
		assert.Equal(t, want, tools.Call("echo", jsontext.Value(args)).Data[echo]().Count)
	}
	for _, value := range []string{`5.5`, `"abc"`, `""`, `true`, `[]`, `{}`} {
		field := problem(t, tools.Call("echo", jsontext.Value(`{"count":`+value+`}`)))
		assert.Equal(t, "count", field.Path)
		assert.Equal(t, value, field.Received)
		assert.Contains(t, field.Expected, "an integer")
	}
}

func TestB8_AWrongTypeNeverBecomesTheDefault(t *testing.T) {
	assert.Equal(t, `"five"`, problem(t, echoTester(t).Call("echo", jsontext.Value(`{"count":"five"}`))).Received)
}

func TestB9_AnUnknownNameIsRefusedAtEveryDepthWithTheNearestOne(t *testing.T) {
	f := newApp()
	f.Query("a").Describe("d").Handle(func(*fusion.Ctx[deps], struct {
		Quantity int `validate:"default=1"`
		Item     struct {
			Name string `json:"name,omitempty"`
		}
	}) result.Result[string] {
		return result.OK("must not run")
	})
	tools := fusiontest.New(t, f)
	field := problem(t, tools.Call("a", jsontext.Value(`{"qunatity":3,"item":{}}`)))
	assert.Equal(t, "qunatity", field.Path)
	assert.Contains(t, field.Problem, `did you mean "quantity"?`)
	field = problem(t, tools.Call("a", jsontext.Value(`{"item":{"nam":"x"}}`)))
	assert.Equal(t, "item.nam", field.Path)
	assert.Contains(t, field.Problem, `did you mean "name"?`)
}

func TestB11_NullIsAbsentAnEmptyTextIsNotAndAnEmptyListIsThere(t *testing.T) {
	type filled struct {
		Price mo.Option[float64]
		Tags  mo.Option[[]string]
	}
	var seen filled
	f := newApp()
	f.Query("a").Describe("d").Handle(func(_ *fusion.Ctx[deps], in filled) result.Result[result.Unit] {
		seen = in
		return result.Done()
	})
	tools := fusiontest.New(t, f)
	assert.Equal(t, "OK", tools.Call("a", jsontext.Value(`{"price":null,"tags":null}`)).Text())
	assert.False(t, seen.Price.IsPresent())
	assert.False(t, seen.Tags.IsPresent())
	assert.Equal(t, "OK", tools.Call("a", jsontext.Value(`{"tags":[]}`)).Text())
	assert.True(t, seen.Tags.IsPresent())
	assert.Empty(t, seen.Tags.MustGet())
	assert.Equal(t, "price", problem(t, tools.Call("a", jsontext.Value(`{"price":""}`))).Path)
}

func TestB12_TheTextNullIsText(t *testing.T) {
	tools := echoTester(t)
	in := tools.Call("echo", jsontext.Value(`{"name":"null","tags":["null"]}`)).Data[echo]()
	assert.Equal(t, []string{"null"}, in.Tags)
	assert.Contains(t, string(tools.Call("echo", jsontext.Value(`{"name":"null"}`)).Structured()), `"name":"null"`)
	assert.Contains(t, problem(t, tools.Call("echo", jsontext.Value(`{"count":"null"}`))).Expected, "leave the name out")
}

func TestB13_ADefaultIsOnlyForAbsence(t *testing.T) {
	type in struct {
		N    int    `validate:"default=10"`
		Flag bool   `validate:"default=true"`
		Text string `validate:"default=x"`
	}
	f := newApp()
	f.Query("a").Describe("d").Handle(func(_ *fusion.Ctx[deps], in in) result.Result[in] { return result.OK(in) })
	tools := fusiontest.New(t, f)
	assert.Equal(t, `{"n":10,"flag":true,"text":"x"}`, tools.Call("a", nil).Text())
	assert.Equal(t, `{"n":0,"flag":false,"text":""}`, tools.Call("a", jsontext.Value(`{"n":0,"flag":false,"text":""}`)).Text())
	schema := string(tools.List()[0].InputSchema)
	assert.NotContains(t, schema, `"required"`)
	assert.Contains(t, schema, `"default":10`)
}

func TestB15_ADefaultIsFreshForEachCall(t *testing.T) {
	f := newApp()
	f.Query("a").Describe("d").WithOptionalArray[string]("list", "d", `default=["a"]`).
		Handle(func(_ *fusion.Ctx[deps], in struct{ List []string }) result.Result[[]string] {
			in.List[0] += "!"
			return result.OK(append(in.List, "b"))
		})
	tools := fusiontest.New(t, f)
	for range 2 {
		assert.Equal(t, []string{"a!", "b"}, tools.Call("a", nil).Data[[]string]())
	}
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

func TestB21_WhatSpellsNoBooleanIsNone(t *testing.T) {
	f := newApp()
	f.Query("a").Describe("d").WithBoolean("yes", "d").
		Handle(func(_ *fusion.Ctx[deps], in struct{ Yes bool }) result.Result[bool] { return result.OK(in.Yes) })
	tools := fusiontest.New(t, f)
	assert.True(t, tools.Call("a", jsontext.Value(`{"yes":true}`)).Data[bool]())
	assert.False(t, tools.Call("a", jsontext.Value(`{"yes":false}`)).Data[bool]())
	for _, value := range []string{`1`, `0`, `""`, `"yes"`, `[true]`} {
		field := problem(t, tools.Call("a", jsontext.Value(`{"yes":`+value+`}`)))
		assert.Equal(t, result.Field{Path: "yes", Problem: "has the wrong type", Expected: "true or false", Received: value}, field)
	}
}

func TestB23_HostileDepthIsBoundedAndTheSessionLives(t *testing.T) {
	f := newApp()
	f.Query("a").Describe("d").Lenient().Handle(nothing[deps])
	deep := strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000)
	messages := calling("2025-11-25", "a", `{"x":`+deep+`}`)
	assert.Contains(t, overPipe(t, f, messages), `"error":{"code":-32600`)
	for name, route := range routes {
		assert.Contains(t, route(t, f, append(messages[:2:2], strings.Replace(messages[2], `"id":9`, `"id":8`, 1), calling("2025-11-25", "a", "{}")[2])), `"result"`, name)
	}
}

func TestB24_MarkupReachesTheHandlerAndComesBackUntouchedOnEveryRoute(t *testing.T) {
	const text = `<h2>a & b</h2>`
	f := newApp()
	f.Query("a").Describe("d").WithString("text", "d").
		Handle(func(_ *fusion.Ctx[deps], in struct{ Text string }) result.Result[string] {
			assert.Equal(t, text, in.Text)
			return result.OK(in.Text)
		})
	for _, revision := range revisions {
		for name, route := range routes {
			reply := route(t, f, calling(revision, "a", `{"text":"`+text+`"}`))
			assert.Contains(t, reply, `"content":[{"type":"text","text":"<h2>a & b</h2>"}]`, "%s %s", revision, name)
		}
	}
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
