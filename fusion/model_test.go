package fusion_test

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"testing"
	"time"

	"github.com/samber/mo"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/fusion/fusiontest"
	"github.com/mcpfusion/go/result"
)

// article is a model: what may be written when, and what is never shown.
type article struct {
	ID     string            `json:"id" fusion:"update" jsonschema:"Article ID"`
	Title  string            `json:"title" fusion:"create,update?" jsonschema:"The title, in one line" validate:"min=3"`
	Tags   []string          `json:"tags" fusion:"create?,update?" validate:"max=2,dive,min=1"`
	Due    mo.Option[string] `json:"due" fusion:"create" validate:"datetime=2006-01-02"`
	Status string            `json:"status" fusion:"update?" validate:"oneof=draft live,default=draft"`
	Owner  string            `json:"owner" fusion:"guarded"`
	Secret string            `json:"secret" fusion:"hidden"`
	Margin int               `json:"margin"`
}

// required are the names that a schema requires.
func required(t *testing.T, schema jsontext.Value) []string {
	t.Helper()
	var s struct {
		Required []string `json:"required"`
	}
	require.NoError(t, json.Unmarshal(schema, &s))
	return s.Required
}

func TestFromModelDeclaresTheFieldsOfAProfileAndNoOther(t *testing.T) {
	f := newApp()
	f.Mutation("create").Describe("d").FromModel[article]("create").
		Handle(func(_ *fusion.Ctx[deps], in article) result.Result[article] {
			in.ID, in.Owner, in.Secret, in.Margin = "a1", "ann", "s3cret", 40
			return result.OK(in)
		})
	f.Mutation("update").Describe("d").FromModel[article]("update").
		Handle(func(_ *fusion.Ctx[deps], in struct {
			ID     string
			Title  mo.Option[string]
			Tags   []string
			Status string
		}) result.Result[string] {
			return result.OK(in.ID + in.Title.OrElse("-") + in.Status)
		})
	f.Mutation("rename").Describe("d").FromModel[article]("update", "id", "title").
		Handle(func(_ *fusion.Ctx[deps], in fusion.Args) result.Result[string] { return result.OK(in.String("title")) })
	tools := fusiontest.New(t, f)

	list := tools.List()
	assert.Equal(t, `{"type":"object","properties":{"title":{"type":"string","description":"The title, in one line","minLength":3},"tags":{"type":"array","items":{"type":"string","minLength":1},"maxItems":2},"due":{"type":"string","format":"date"}},"required":["title"],"additionalProperties":false}`, string(list[0].InputSchema))
	assert.NotContains(t, string(list[0].OutputSchema), "secret")
	assert.Equal(t, []string{"id"}, required(t, list[1].InputSchema))
	assert.Equal(t, []string{"id"}, required(t, list[2].InputSchema))

	made := tools.Call("create", map[string]any{"title": "Hello"})
	assert.JSONEq(t, `{"id":"a1","title":"Hello","tags":[],"status":"","owner":"ann","margin":40}`, string(made.Structured()))
	for _, name := range []string{"id", "status", "owner", "secret", "margin"} {
		failure := tools.Call("create", map[string]any{"title": "Hello", name: "x"}).Failure()
		assert.Equal(t, name, failure.Fields[0].Path, "no parameter: not in the profile")
	}
	assert.Equal(t, "a1-draft", tools.Call("update", map[string]any{"id": "a1"}).Text())
	assert.Equal(t, "New", tools.Call("rename", map[string]any{"id": "a1", "title": "New"}).Text())
	assert.Len(t, tools.Call("rename", map[string]any{"id": "a1", "status": "live"}).Failure().Fields, 1)
}

func TestGuardedAndHiddenHoldWithoutAModelToo(t *testing.T) {
	type in struct {
		Name  string `json:"name"`
		Owner string `json:"owner" fusion:"guarded"`
	}
	type line struct {
		SKU  string `json:"sku"`
		Cost int    `json:"cost" fusion:"hidden"`
	}
	f := newApp()
	f.Query("a").Describe("d").Handle(func(_ *fusion.Ctx[deps], in in) result.Result[map[string][]line] {
		return result.OK(map[string][]line{in.Name + in.Owner: {{SKU: "x", Cost: 5}}})
	})
	tools := fusiontest.New(t, f)
	assert.NotContains(t, string(tools.List()[0].InputSchema)+string(tools.List()[0].OutputSchema), "owner")
	assert.Equal(t, `{"n":[{"sku":"x"}]}`, string(tools.Call("a", map[string]any{"name": "n"}).Structured()))
	assert.Equal(t, "owner", tools.Call("a", map[string]any{"name": "n", "owner": "me"}).Failure().Fields[0].Path)
}

func TestMistakesWithModelsAreBuildErrors(t *testing.T) {
	f := newApp()
	f.Query("a").Describe("d").FromModel[article]("crate").Handle(nothing[deps])
	f.Query("b").Describe("d").FromModel[article]("create", "title", "margin").
		Handle(func(*fusion.Ctx[deps], fusion.Args) result.Result[string] { return result.OK("") })
	f.Query("c").Describe("d").FromModel[string]("create").Handle(nothing[deps])
	f.Query("d").Describe("d").FromModel[article]("update").
		Handle(func(*fusion.Ctx[deps], article) result.Result[string] { return result.OK("") })
	f.Query("e").Describe("d").WithObject[int]("n", "no object").Handle(nothing[deps])
	err := f.Err()
	assert.ErrorContains(t, err, "FromModel: no field of fusion_test.article has the profile \"crate\"; add it to the tags, like `fusion:\"crate\"`")
	assert.ErrorContains(t, err, `FromModel: "margin" is no field of fusion_test.article with the profile "create"`)
	assert.ErrorContains(t, err, `FromModel: is a string, but a model is a struct`)
	assert.ErrorContains(t, err, `"title" is optional, but its field cannot be absent`)
	assert.ErrorContains(t, err, `the object "n" has the type int; use a struct or a map`)
	assert.ErrorContains(t, err, "model_test.go:")
}

func TestWithDeclaresAParameterOfAnyType(t *testing.T) {
	type window struct {
		From time.Time     `json:"from"`
		For  time.Duration `json:"for,omitempty"`
	}
	f := newApp()
	f.Query("a").Describe("d").
		With[map[string]int]("weights", "Weights", "max=2").
		WithOptional[time.Time]("at", "When").
		WithObject[window]("window", "The window").
		WithOptionalObject[map[string]string]("labels", "Labels").
		Handle(func(_ *fusion.Ctx[deps], in struct {
			Weights map[string]int
			At      mo.Option[time.Time]
			Window  window
			Labels  map[string]string
		}) result.Result[string] {
			return result.OK(in.At.OrEmpty().Format(time.DateOnly) + " " + in.Window.For.String() + " " + in.Labels["k"])
		})
	tools := fusiontest.New(t, f)
	reply := tools.Call("a", jsontext.Value(`{"weights":{"a":1},"at":"2026-01-02T00:00:00Z","window":{"from":"2026-01-01T00:00:00Z","for":"1h"},"labels":{"k":"v"}}`))
	assert.Equal(t, "2026-01-02 1h0m0s v", reply.Text())
	assert.Len(t, tools.Call("a", jsontext.Value(`{"weights":{"a":1,"b":2,"c":3},"at":"now","window":{}}`)).Failure().Fields, 3)
}
