package fusion_test

import (
	"encoding/json/jsontext"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/fusion/fusiontest"
	"github.com/mcpfusion/go/result"
)

// echoing is an app with one tool that returns its input.
func echoing[In any]() *fusion.App[deps] {
	f := newApp()
	f.Query("a").Describe("d").Handle(func(_ *fusion.Ctx[deps], in In) result.Result[In] { return result.OK(in) })
	return f
}

func TestA5_AnInputIsAnObjectOrRefusedAtBuildTime(t *testing.T) {
	const open = `{"type":"object","properties":{},"additionalProperties":{"description":"Any JSON value"}}`
	for name, tc := range map[string]struct {
		app  *fusion.App[deps]
		want string
	}{
		"a struct without fields":     {echoing[struct{}](), `{"type":"object","properties":{},"additionalProperties":false}`},
		"a pointer to it":             {echoing[*struct{}](), `{"type":"object","properties":{},"additionalProperties":false}`},
		"no input":                    {echoing[fusion.NoInput](), `{"type":"object","properties":{},"additionalProperties":false}`},
		"a map of anything":           {echoing[map[string]any](), open},
		"anything":                    {echoing[any](), open},
		"a map of numbers":            {echoing[map[string]int8](), `{"type":"object","properties":{},"additionalProperties":{"type":"integer","minimum":-128,"maximum":127}}`},
		"a map with numbers as names": {echoing[map[uint8]bool](), `{"type":"object","properties":{},"additionalProperties":{"type":"boolean"},"propertyNames":{"pattern":"^(0|[1-9]\\d*)$"}}`},
		"a pointer to a map":          {echoing[*map[string]any](), open},
	} {
		require.NoError(t, tc.app.Err(), name)
		assert.Equal(t, tc.want, string(fusiontest.New(t, tc.app).List()[0].InputSchema), name)
	}
	for name, app := range map[string]*fusion.App[deps]{
		"a string": echoing[string](), "a list": echoing[[]string](), "a number": echoing[int](), "a boolean": echoing[*bool](),
		"a time": echoing[time.Time](), "raw JSON": echoing[jsontext.Value](), "a struct that a time makes a string": echoing[struct {
			time.Time

			ID string
		}](), "a map with names that are none": echoing[map[float64]int](), "pointers to pointers": echoing[**struct{}](),
	} {
		assert.ErrorContains(t, app.Err(), `tool "a"`, name)
		assert.ErrorContains(t, app.Err(), "cases_schema_test.go:", name)
	}
}

func TestA5_AnOpenInputTakesAnyNames(t *testing.T) {
	for name, app := range map[string]*fusion.App[deps]{"map": echoing[map[string]any](), "any": echoing[any]()} {
		tools := fusiontest.New(t, app)
		reply := string(tools.Call("a", jsontext.Value(`{"b":9007199254740993,"a":[null]}`)).Structured())
		assert.Contains(t, reply, `{"a":[null],"b":9007199254740993}`, name)
		assert.Equal(t, result.CodeInvalidArguments, tools.Call("a", jsontext.Value(`{"a":1e400}`)).Failure().Code, name)
	}
	f := newApp()
	f.Query("a").Describe("d").Handle(func(_ *fusion.Ctx[deps], in map[string]int) result.Result[map[string]int] {
		in["more"] = 1 // a map that nothing was sent for can be written to
		return result.OK(in)
	})
	tools := fusiontest.New(t, f)
	for _, args := range []any{nil, jsontext.Value("null"), jsontext.Value("{}")} {
		assert.Equal(t, `{"more":1}`, tools.Call("a", args).Text())
	}
	assert.Equal(t, `{"a":5,"more":1}`, tools.Call("a", jsontext.Value(`{"a":"5"}`)).Text())
	assert.Equal(t, result.Field{Path: "a", Problem: "has the wrong type", Expected: "an integer, such as 5", Received: "true"}, problem(t, tools.Call("a", jsontext.Value(`{"a":true}`))))

	f = newApp()
	f.Query("a").Describe("d").WithString("x", "d").Handle(func(_ *fusion.Ctx[deps], in map[string]any) result.Result[any] { return result.OK[any](in) })
	assert.ErrorContains(t, f.Err(), "use a struct, fusion.Args or fusion.NoInput")
}
