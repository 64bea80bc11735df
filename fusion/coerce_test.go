package fusion_test

import (
	"encoding/json/jsontext"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/fusion/fusiontest"
	"github.com/mcpfusion/go/result"
)

// switched are tools that take numbers, with coercion switched in every place.
func switched(app, tool *bool) *fusion.App[deps] {
	f := newApp()
	if app != nil {
		f.Coerce(*app)
	}
	t := f.Query("a").Describe("d").WithInteger("n", "n")
	if tool != nil {
		t.Coerce(*tool)
	}
	t.Handle(func(_ *fusion.Ctx[deps], in struct{ N int }) result.Result[int] { return result.OK(in.N) })
	return f
}

func TestB7_CoercionIsOnAndCanBeSwitchedByAppAndByTool(t *testing.T) {
	on, off := true, false
	for name, tc := range map[string]struct {
		app, tool *bool
		taken     bool
	}{
		"by default":                 {nil, nil, true},
		"off for the app":            {&off, nil, false},
		"off for the tool":           {nil, &off, false},
		"off for the app but for it": {&off, &on, true},
		"on for the app but for it":  {&on, &off, false},
	} {
		t.Run(name, func(t *testing.T) {
			reply := fusiontest.New(t, switched(tc.app, tc.tool)).Call("a", jsontext.Value(`{"n":"5"}`))
			if tc.taken {
				assert.Equal(t, 5, reply.Data[int]())
			} else {
				assert.ErrorIs(t, reply.Failure(), result.InvalidArguments())
			}
		})
	}
}

func TestB7_ARoutersCoercionIsForItsToolsAlone(t *testing.T) {
	f := newApp()
	handler := func(_ *fusion.Ctx[deps], in struct{ N int }) result.Result[int] { return result.OK(in.N) }
	f.Router("strict").Coerce(false).Query("a").Describe("d").WithInteger("n", "n").Handle(handler)
	f.Query("b").Describe("d").WithInteger("n", "n").Handle(handler)
	tools := fusiontest.New(t, f)
	assert.ErrorIs(t, tools.Call("strict.a", jsontext.Value(`{"n":"5"}`)).Failure(), result.InvalidArguments())
	assert.Equal(t, 5, tools.Call("b", jsontext.Value(`{"n":"5"}`)).Data[int]())
}

func TestB21_TheTruthTableOfBooleans(t *testing.T) {
	f := newApp()
	f.Query("a").Describe("d").WithBoolean("yes", "d").
		Handle(func(_ *fusion.Ctx[deps], in struct{ Yes bool }) result.Result[bool] { return result.OK(in.Yes) })
	tools := fusiontest.New(t, f)
	for value, want := range map[string]bool{`"true"`: true, `"TRUE"`: true, `"True"`: true, `"1"`: true, `"false"`: false, `"0"`: false} {
		assert.Equal(t, want, tools.Call("a", jsontext.Value(`{"yes":`+value+`}`)).Data[bool](), value)
	}
}

func TestB5_ListsAndObjectsInsideStringsAreTaken(t *testing.T) {
	f := newApp()
	f.Query("a").Describe("d").Handle(func(_ *fusion.Ctx[deps], in struct {
		IDs    []string       `json:"ids"`
		Filter map[string]int `json:"filter"`
	}) result.Result[int] {
		return result.OK(len(in.IDs) + in.Filter["k"])
	})
	tools := fusiontest.New(t, f)
	assert.Equal(t, 3, tools.Call("a", jsontext.Value(`{"ids":"[\"a\",\"b\"]","filter":"{\"k\":1}"}`)).Data[int]())
}
