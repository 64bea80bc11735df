package fusion_test

import (
	"bytes"
	"context"
	"encoding/json/jsontext"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/samber/mo"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/fusion/fusiontest"
	"github.com/mcpfusion/go/presenter"
	"github.com/mcpfusion/go/result"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// listed declares one tool and returns it as clients are told of it.
func listed(t *testing.T, declare func(f *fusion.App[deps])) fusiontest.Tool {
	t.Helper()
	f := newApp()
	declare(f)
	tools := fusiontest.New(t, f).List()
	require.Len(t, tools, 1)
	return tools[0]
}

func TestWhatTheChainSaysIsWhatClientsAreTold(t *testing.T) {
	tool := listed(t, func(f *fusion.App[deps]) {
		f.Query("orders.count").
			Title("Count").
			Describe("Counts <orders> & \"more\"").
			Instructions("First.").
			Instructions("Second.").
			Handle(nothing[deps])
	})
	assert.Equal(t, "orders_count", tool.Name)
	assert.Equal(t, "Count", tool.Title)
	assert.Equal(t, "Counts <orders> & \"more\"\n\nFirst.\n\nSecond.", tool.Description)
	assert.Equal(t, `{"type":"object","properties":{},"additionalProperties":false}`, string(tool.InputSchema))
	assert.Nil(t, tool.OutputSchema, "a Unit has no data")
}

func TestN1_AllFourHintsAreAlwaysWritten(t *testing.T) {
	hints := func(readOnly, destructive, idempotent, openWorld bool) map[string]bool {
		return map[string]bool{"readOnlyHint": readOnly, "destructiveHint": destructive, "idempotentHint": idempotent, "openWorldHint": openWorld}
	}
	cases := map[string]struct {
		declare func(f *fusion.App[deps]) *fusion.ToolBuilder[deps]
		want    map[string]bool
	}{
		"query":    {func(f *fusion.App[deps]) *fusion.ToolBuilder[deps] { return f.Query("a") }, hints(true, false, true, false)},
		"mutation": {func(f *fusion.App[deps]) *fusion.ToolBuilder[deps] { return f.Mutation("a") }, hints(false, true, false, false)},
		"action":   {func(f *fusion.App[deps]) *fusion.ToolBuilder[deps] { return f.Action("a") }, hints(false, false, false, false)},
		"C11 overrides add up": {func(f *fusion.App[deps]) *fusion.ToolBuilder[deps] {
			return f.Mutation("a").Idempotent(true).OpenWorld(true)
		}, hints(false, true, true, true)},
		"a mutation that does not destroy": {func(f *fusion.App[deps]) *fusion.ToolBuilder[deps] { return f.Mutation("a").Destructive(false) }, hints(false, false, false, false)},
		"an action that only reads":        {func(f *fusion.App[deps]) *fusion.ToolBuilder[deps] { return f.Action("a").ReadOnly(true) }, hints(true, false, false, false)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tool := listed(t, func(f *fusion.App[deps]) { tc.declare(f).Describe("d").Handle(nothing[deps]) })
			assert.Equal(t, tc.want, tool.Annotations)
		})
	}
}

func TestKeepDotsKeepsTheDotsOfIDs(t *testing.T) {
	f := fusion.New("test", "1", deps{}, &fusion.Options{KeepDots: true})
	f.Query("a.b").Describe("d").Handle(nothing[deps])
	tools := fusiontest.New(t, f)
	assert.Equal(t, "a.b", tools.List()[0].Name)
	assert.Equal(t, "OK", tools.Call("a.b", nil).Text())
}

// allParameters has one of each kind.
func allParameters(f *fusion.App[deps], seen *any) {
	type color string
	f.Query("all").Describe("d").
		WithString("z", "a string", "min=2,max=5").
		WithInteger("count", "an integer", "min=1").
		WithNumber("ratio", "a number", "gt=0,lt=1").
		WithBoolean("yes", "a boolean").
		WithEnum("color", []color{"red", "green"}, "an enum").
		WithArray[string]("tags", "an array", "max=2").
		WithOptionalString("email", "an address", "email").
		WithOptionalInteger("limit", "how many", "default=20,max=100").
		WithOptionalNumber("scale", "a factor").
		WithOptionalBoolean("loud", "a flag").
		WithOptionalEnum("shade", []string{"dark", "light"}, "an optional enum").
		WithOptionalArray[int]("ids", "an optional array").
		Handle(func(_ *fusion.Ctx[deps], in struct {
			Z     string
			Count int
			Ratio float64
			Yes   bool
			Color color
			Tags  []string
			Email mo.Option[string]
			Limit int
			Scale *float64
			Loud  mo.Option[bool]
			Shade mo.Option[string]
			IDs   []int
		}) result.Result[result.Unit] {
			*seen = in
			return result.Done()
		})
}

func TestEachParameterMethodIsInTheSchemaInItsOrder(t *testing.T) {
	var seen any
	tool := listed(t, func(f *fusion.App[deps]) { allParameters(f, &seen) })
	want := `{"type":"object","properties":{` +
		`"z":{"type":"string","description":"a string","minLength":2,"maxLength":5},` +
		`"count":{"type":"integer","description":"an integer","minimum":1},` +
		`"ratio":{"type":"number","description":"a number","exclusiveMinimum":0,"exclusiveMaximum":1},` +
		`"yes":{"type":"boolean","description":"a boolean"},` +
		`"color":{"type":"string","description":"an enum","enum":["red","green"]},` +
		`"tags":{"type":"array","description":"an array","items":{"type":"string"},"maxItems":2},` +
		`"email":{"type":"string","description":"an address","format":"email"},` +
		`"limit":{"type":"integer","description":"how many","maximum":100,"default":20},` +
		`"scale":{"type":"number","description":"a factor"},` +
		`"loud":{"type":"boolean","description":"a flag"},` +
		`"shade":{"type":"string","description":"an optional enum","enum":["dark","light"]},` +
		`"ids":{"type":"array","description":"an optional array","items":{"type":"integer"}}},` +
		`"required":["z","count","ratio","yes","color","tags"],"additionalProperties":false}`
	assert.JSONEq(t, want, string(tool.InputSchema))
	var places []int
	for _, name := range []string{"z", "count", "ratio", "yes", "color", "tags", "email", "limit", "scale", "loud", "shade", "ids"} {
		places = append(places, bytes.Index(tool.InputSchema, []byte(`"`+name+`":{`)))
	}
	assert.IsIncreasing(t, places)
}

func TestArgumentsArriveInTheFieldsThatTheirNamesFoldTo(t *testing.T) {
	var seen any
	f := newApp()
	allParameters(f, &seen)
	tools := fusiontest.New(t, f)
	reply := tools.Call("all", jsontext.Value(`{"z":"ab","count":2,"ratio":0.5,"yes":false,"color":"green","tags":[],"email":"a@example.com","scale":0,"ids":[1]}`))
	assert.Equal(t, "OK", reply.Text())
	text := fmt.Sprintf("%+v", seen)
	assert.Contains(t, text, "Z:ab Count:2 Ratio:0.5 Yes:false Color:green Tags:[]")
	assert.Contains(t, text, "Limit:20")
	assert.Contains(t, text, "IDs:[1]")

	failure := tools.Call("all", jsontext.Value(`{"z":"a","count":0,"ratio":1,"color":"blue","tags":["a","b","c"],"email":"nobody","limit":101,"shade":"x","unknown":1}`)).Failure()
	assert.Equal(t, result.CodeInvalidArguments, failure.Code)
	var paths []string
	for _, field := range failure.Fields {
		paths = append(paths, field.Path)
	}
	assert.ElementsMatch(t, []string{"z", "count", "ratio", "color", "tags", "email", "limit", "shade", "unknown", "yes"}, paths, "every problem at once")
}

func TestATaggedStructIsTheDeclaration(t *testing.T) {
	type line struct {
		SKU string `json:"sku" validate:"min=3"`
		Qty int    `validate:"min=1"`
	}
	type order struct {
		Lines    []line `jsonschema:"What is ordered, each \"line\", with quantities" validate:"min=1"`
		Customer struct{ LastName string }
		Note     mo.Option[string]
		Express  bool `validate:"default=false"`
	}
	var seen order
	f := newApp()
	f.Action("order").Describe("d").Handle(func(_ *fusion.Ctx[deps], in order) result.Result[result.Unit] {
		seen = in
		return result.Done()
	})
	tools := fusiontest.New(t, f)
	schema := string(tools.List()[0].InputSchema)
	assert.Contains(t, schema, `"last_name"`)
	assert.Contains(t, schema, `"required":["lines","customer"]`)
	assert.Contains(t, schema, `What is ordered, each \"line\", with quantities`)

	assert.Equal(t, "OK", tools.Call("order", jsontext.Value(`{"lines":[{"sku":"abc","qty":1}],"customer":{"last_name":"x"}}`)).Text())
	assert.Equal(t, "abc", seen.Lines[0].SKU)
	assert.Equal(t, "x", seen.Customer.LastName)

	failure := tools.Call("order", jsontext.Value(`{"lines":[{"sku":"abc","qty":1},{"sku":"a","qty":0,"qyt":1}],"customer":{}}`)).Failure()
	var paths []string
	for _, field := range failure.Fields {
		paths = append(paths, field.Path)
	}
	assert.ElementsMatch(t, []string{"lines[1].sku", "lines[1].qty", "lines[1].qyt", "customer.last_name"}, paths)
}

func TestWithRefinesAFieldOfATaggedStruct(t *testing.T) {
	f := newApp()
	f.Query("a").Describe("d").
		WithString("id", "The order's id", "min=3").
		Handle(func(_ *fusion.Ctx[deps], in struct {
			ID   string
			Note string `json:"note,omitempty"`
		}) result.Result[string] {
			return result.OK(in.ID + in.Note)
		})
	tools := fusiontest.New(t, f)
	assert.Contains(t, string(tools.List()[0].InputSchema), `"note":{"type":"string"}`)
	assert.Equal(t, "abcx", tools.Call("a", map[string]any{"id": "abc", "note": "x"}).Text())
	assert.Equal(t, "id", tools.Call("a", map[string]any{"id": "a"}).Failure().Fields[0].Path)
}

func TestA1_APointerInputIsTheSameAsItsStruct(t *testing.T) {
	type in struct{ ID string }
	f := newApp()
	f.Query("value").Describe("d").Handle(func(_ *fusion.Ctx[deps], in in) result.Result[string] { return result.OK(in.ID) })
	f.Query("pointer").Describe("d").Handle(func(_ *fusion.Ctx[deps], in *in) result.Result[string] { return result.OK(in.ID) })
	tools := fusiontest.New(t, f)
	list := tools.List()
	assert.Equal(t, string(list[0].InputSchema), string(list[1].InputSchema))
	assert.Equal(t, "x", tools.Call("pointer", map[string]any{"id": "x"}).Data[string]())
}

func TestArgsServeParametersThatAreNotKnownAtCompileTime(t *testing.T) {
	f := newApp()
	f.Query("a").Describe("d").
		WithString("name", "d").WithOptionalInteger("n", "d", "default=7").WithOptionalNumber("x", "d").
		WithOptionalBoolean("b", "d").WithOptionalArray[string]("list", "d").
		Handle(func(_ *fusion.Ctx[deps], in fusion.Args) result.Result[string] {
			return result.OK(fmt.Sprintln(in.String("name"), in.Int("n"), in.Has("x"), in.Float("x"), in.Bool("b"), in.Get[[]string]("list").OrElse(nil), string(in.Raw())))
		})
	tools := fusiontest.New(t, f)
	assert.Equal(t, `ann 7 false 0 true [p q] {"name":"ann","b":true,"list":["p","q"]}`+"\n",
		tools.Call("a", jsontext.Value(`{"name":"ann","b":true,"list":["p","q"]}`)).Text())
	assert.Equal(t, "name", tools.Call("a", nil).Failure().Fields[0].Path)
}

func TestARawSchemaIsPassedThroughAndEnforced(t *testing.T) {
	raw := `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"n":{"type":"integer","multipleOf":5}},"required":["n"],"additionalProperties":false}`
	f := newApp()
	f.Query("args").Describe("d").RawSchema([]byte(raw)).
		Handle(func(_ *fusion.Ctx[deps], in fusion.Args) result.Result[int64] { return result.OK(in.Int("n")) })
	f.Query("struct").Describe("d").RawSchema([]byte(raw)).
		Handle(func(_ *fusion.Ctx[deps], in struct {
			N int `json:"n"`
		}) result.Result[int] {
			return result.OK(in.N)
		})
	f.Query("value").Describe("d").RawSchema([]byte(raw)).
		Handle(func(_ *fusion.Ctx[deps], in jsontext.Value) result.Result[string] { return result.OK(string(in)) })
	tools := fusiontest.New(t, f)
	assert.Equal(t, raw, string(tools.List()[0].InputSchema))
	assert.Equal(t, 10, tools.Call("args", map[string]any{"n": 10}).Data[int]())
	assert.Equal(t, 10, tools.Call("struct", map[string]any{"n": 10}).Data[int]())
	assert.Equal(t, `{"n":10}`, tools.Call("value", map[string]any{"n": 10}).Text())
	for _, name := range []string{"args", "struct", "value"} {
		assert.Equal(t, result.CodeInvalidArguments, tools.Call(name, map[string]any{"n": 11}).Failure().Code)
		assert.Equal(t, result.CodeInvalidArguments, tools.Call(name, nil).Failure().Code)
	}
}

func TestLenientLetsUnknownArgumentsPass(t *testing.T) {
	f := newApp()
	f.Query("a").Describe("d").Lenient().WithString("id", "d").
		Handle(func(_ *fusion.Ctx[deps], in struct{ ID string }) result.Result[string] { return result.OK(in.ID) })
	tools := fusiontest.New(t, f)
	assert.NotContains(t, string(tools.List()[0].InputSchema), "additionalProperties")
	assert.Equal(t, "x", tools.Call("a", map[string]any{"id": "x", "more": 1}).Text())
}

func TestUseDerivesTheContextInTheOrderDeclared(t *testing.T) {
	type second struct {
		derived
		trace string
	}
	f := newApp()
	f.Router("r").Use(derive).
		Query("a").Describe("d").
		Use(func(ctx *fusion.Ctx[derived]) result.Result[second] {
			return result.OK(second{ctx.App, ctx.App.greeting + " then"})
		}).
		WithString("id", "d").
		Handle(func(ctx *fusion.Ctx[second], in struct{ ID string }) result.Result[string] {
			return result.OK(ctx.App.trace + " " + in.ID)
		})
	assert.Equal(t, "hello then x", fusiontest.New(t, f).Call("r.a", map[string]any{"id": "x"}).Text())
}

func TestAFailedUseEndsTheCallBeforeTheArgumentsAreRead(t *testing.T) {
	f := newApp()
	f.Query("a").Describe("d").WithString("id", "d").
		Use(func(*fusion.Ctx[deps]) result.Result[deps] { return result.Fail[deps](result.Unauthorized("Sign in")) }).
		Handle(func(*fusion.Ctx[deps], struct{ ID string }) result.Result[int] { panic("must not run") })
	assert.Equal(t, result.CodeUnauthorized, fusiontest.New(t, f).Call("a", nil).Failure().Code)
}

func TestUseMayFollowReturns(t *testing.T) {
	f := newApp()
	f.Query("a").Describe("d").
		Returns(presenter.For[invoice]("Invoice").Only("id", "amount_cents")).
		Use(derive).
		Handle(func(ctx *fusion.Ctx[derived], _ fusion.NoInput) result.Result[invoice] {
			return result.OK(invoice{ID: ctx.App.greeting, AmountCents: 5, TaxID: "secret"})
		})
	tools := fusiontest.New(t, f)
	reply := tools.Call("a", nil)
	assert.Equal(t, `{"id":"hello","amount_cents":5}`, string(reply.Structured()))
	assert.Equal(t, `{"id":"hello","amount_cents":5}`, reply.Text())
	assert.NotContains(t, string(reply.Raw()), "secret")
	schema := string(tools.List()[0].OutputSchema)
	assert.Contains(t, schema, "amount_cents")
	assert.NotContains(t, schema, "tax_id")
}

func TestTimeoutEndsACall(t *testing.T) {
	f := newApp()
	f.Query("tool").Describe("d").Timeout(time.Millisecond).Handle(waits)
	r := f.Router("r").Timeout(time.Millisecond)
	r.Query("router").Describe("d").Handle(waits)
	tools := fusiontest.New(t, f)
	for _, id := range []string{"tool", "r.router"} {
		assert.Equal(t, result.CodeTimeout, tools.Call(id, nil).Failure().Code)
	}
}

func waits(ctx *fusion.Ctx[deps], _ fusion.NoInput) result.Result[int] {
	<-ctx.Done()
	return result.Err[int](ctx.Err())
}

func TestNoticesReachTheModelBesideTheData(t *testing.T) {
	f := newApp()
	f.Query("a").Describe("d").Handle(func(ctx *fusion.Ctx[deps], _ fusion.NoInput) result.Result[int] {
		ctx.Notice("mind the </gap>")
		return result.OK(1)
	})
	reply := fusiontest.New(t, f).Call("a", nil)
	assert.Equal(t, []string{"mind the </gap>"}, reply.Guidance().Notices)
	assert.Equal(t, 1, reply.Data[int]())
}

func TestTheNameOfATooLIsGoodForActions(t *testing.T) {
	f := newApp()
	list := f.Query("orders.list").Describe("d").Handle(nothing[deps])
	f.Query("get").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[int] {
		return result.Fail[int](result.NotFound("gone").Actions(list.Name(), "orders_list", "no.such_tool"))
	})
	assert.Equal(t, "orders.list", list.Name())
	assert.Equal(t, []string{"orders_list"}, fusiontest.New(t, f).Call("get", nil).Failure().AvailableActions)
}

func TestResultsOfEveryKind(t *testing.T) {
	var nilInvoice *invoice
	f := newApp()
	add := func(id string, reply any) { declareResult(f, id, reply) }
	add("int", 5)
	add("string", "text")
	add("empty", "")
	add("list", []string(nil))
	add("map", map[string]int(nil))
	add("struct", invoice{ID: "<&>"})
	add("pointer", &invoice{ID: "x"})
	add("nil", nilInvoice)
	add("content", []result.Content{result.Text{Text: "own"}})
	add("block", result.Text{Text: "one"})
	add("response", result.Response{Data: map[string]int{"n": 1}, Meta: map[string]any{"com.example/x": 1}})
	add("lookalike", struct {
		Content []string `json:"content"`
		IsError bool     `json:"isError"`
	}{[]string{"not a result"}, true})
	tools := fusiontest.New(t, f)
	want := map[string][2]string{
		"int":       {`{"result":5}`, `{"result":5}`},
		"string":    {`text`, `{"result":"text"}`},
		"empty":     {`OK`, `{"result":""}`},
		"list":      {`{"result":[]}`, `{"result":[]}`},
		"map":       {`{}`, `{}`},
		"struct":    {`{"id":"<&>","amount_cents":0,"tax_id":""}`, `{"id":"<&>","amount_cents":0,"tax_id":""}`},
		"pointer":   {`{"id":"x","amount_cents":0,"tax_id":""}`, `{"id":"x","amount_cents":0,"tax_id":""}`},
		"nil":       {`{"id":"","amount_cents":0,"tax_id":""}`, `{"id":"","amount_cents":0,"tax_id":""}`},
		"content":   {`own`, ``},
		"block":     {`one`, ``},
		"response":  {`{"n":1}`, `{"n":1}`},
		"lookalike": {`{"content":["not a result"],"isError":true}`, `{"content":["not a result"],"isError":true}`},
	}
	for id, texts := range want {
		reply := tools.Call(id, nil)
		assert.Equal(t, texts[0], reply.Text(), id)
		assert.Equal(t, texts[1], string(reply.Structured()), id)
	}
	assert.Contains(t, string(tools.Call("response", nil).Raw()), `"com.example/x":1`)
}

func TestAResponseThatAHandlerKeepsIsNotChanged(t *testing.T) {
	notices := make([]string, 0, 8)
	kept := &result.Response{Data: 1, Guidance: result.Guidance{Notices: notices}, Meta: map[string]any{"com.example/a": 1}}
	f := newApp()
	f.Wrap(func(ctx context.Context, call *fusion.Call, next fusion.Next) *result.Response {
		resp := next(ctx, call)
		resp.Meta["com.example/b"] = 2
		return resp
	})
	f.Query("a").Describe("d").Handle(func(ctx *fusion.Ctx[deps], _ fusion.NoInput) result.Result[*result.Response] {
		ctx.Notice("once")
		return result.OK(kept)
	})
	tools := fusiontest.New(t, f)
	for range 2 {
		assert.Equal(t, []string{"once"}, tools.Call("a", nil).Guidance().Notices)
	}
	assert.Empty(t, kept.Guidance.Notices)
	assert.Empty(t, notices[:1][0], "nothing was written behind the slice's end")
	assert.Len(t, kept.Meta, 1)
}

// declareResult declares a tool that returns v as a value of its own type.
func declareResult(f *fusion.App[deps], id string, v any) {
	tool := f.Query(id).Describe("d")
	switch v := v.(type) {
	case int:
		returns(tool, v)
	case string:
		returns(tool, v)
	case []string:
		returns(tool, v)
	case map[string]int:
		returns(tool, v)
	case invoice:
		returns(tool, v)
	case *invoice:
		returns(tool, v)
	case []result.Content:
		returns(tool, v)
	case result.Text:
		returns(tool, v)
	case result.Response:
		returns(tool, v)
	case struct {
		Content []string `json:"content"`
		IsError bool     `json:"isError"`
	}:
		returns(tool, v)
	default:
		panic(fmt.Sprintf("%T", v))
	}
}

func returns[T any](tool *fusion.ToolBuilder[deps], v T) {
	tool.Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[T] { return result.OK(v) })
}

func TestAWrapOfTheAppSeesToolsThatDoNotExist(t *testing.T) {
	var calls atomic.Int64
	f := newApp()
	f.Wrap(func(ctx context.Context, call *fusion.Call, next fusion.Next) *result.Response {
		calls.Add(1)
		return next(ctx, call)
	})
	f.Query("a").Describe("d").Handle(nothing[deps])
	tools := fusiontest.New(t, f)
	tools.Call("a", nil)
	assert.Equal(t, -32602, tools.Call("b", nil).Fault().Code)
	assert.EqualValues(t, 2, calls.Load())
}

func TestAProtocolErrorIsAJSONRPCError(t *testing.T) {
	f := newApp()
	f.Query("a").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[int] {
		return result.Err[int](fmt.Errorf("wrapped: %w", result.Protocol(42, "on purpose", map[string]any{"x": "y"})))
	})
	fault := fusiontest.New(t, f).Call("a", nil).Fault()
	assert.Equal(t, &result.ProtocolError{Code: 42, Message: "on purpose", Data: map[string]any{"x": "y"}}, fault)
}

var errSecret = errors.New("password=hunter2")

func TestOrdinaryErrorsAreMasked(t *testing.T) {
	f := newApp()
	f.Query("a").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[int] {
		return result.Of(1, errSecret)
	})
	reply := fusiontest.New(t, f).Call("a", nil)
	assert.Equal(t, result.CodeInternal, reply.Failure().Code)
	assert.NotEmpty(t, reply.Failure().Reference)
	assert.NotContains(t, string(reply.Raw()), "hunter2")
}
