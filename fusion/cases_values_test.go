package fusion_test

import (
	"context"
	"encoding/json/jsontext"
	jsonv2 "encoding/json/v2"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/samber/mo"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/fusion/fusiontest"
	"github.com/mcpfusion/go/result"
)

// returning is an app with a tool "a" that returns v.
func returning[T any](v T) *fusion.App[deps] {
	f := newApp()
	f.Query("a").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[T] { return result.OK(v) })
	return f
}

func TestD1_NothingFoundIsAnEmptyListAtEveryPositionInEveryRevision(t *testing.T) {
	type inner struct {
		List []string
		Map  map[string][]int
	}
	type Embedded struct{ Deep []inner }
	type out struct {
		*Embedded
		inner
		Rows  [][]string
		Ptr   *[]string
		Nils  []*inner
		Opts  []mo.Option[[]int]
		Any   any
		Array [1][]int
		By    map[string]*inner
		Value any
	}
	const empty = `{"list":[],"map":{}}`
	_, structured := sent(t, out{
		Embedded: &Embedded{Deep: []inner{{}}}, Rows: [][]string{nil}, Ptr: new([]string), Nils: []*inner{nil, {}},
		Opts: []mo.Option[[]int]{mo.None[[]int](), mo.Some[[]int](nil)}, Any: []inner(nil), By: map[string]*inner{"k": nil},
		Value: map[string]any{"in": inner{}, "nil": map[int]int(nil), "ptr": (*inner)(nil)},
	})
	assert.JSONEq(t, `{"deep":[`+empty+`],"list":[],"map":{},"rows":[[]],"ptr":[],"nils":[`+empty+`,`+empty+`],"opts":[[],[]],"any":[],"array":[[]],"by":{"k":`+empty+`},"value":{"in":`+empty+`,"nil":{},"ptr":null}}`, structured)

	f := returning[[]string](nil)
	for _, revision := range revisions {
		reply := fusiontest.New(t, f).Revision(revision).Call("a", nil)
		assert.Equal(t, `{"result":[]}`, reply.Text(), revision)
		if revision >= "2025-06-18" {
			assert.Equal(t, `{"result":[]}`, string(reply.Structured()), revision)
		}
	}
}

func TestD4_D5_WhatIsNoObjectIsWrappedInBothChannelsInEveryRevision(t *testing.T) {
	for want, tc := range map[string]struct {
		app  *fusion.App[deps]
		text string
	}{
		`{"result":["a"]}`:                          {returning([]string{"a"}), ""},
		`{"result":[[1]]}`:                          {returning([1][]int{{1}}), ""},
		`{"result":"a<b"}`:                          {returning("a<b"), "a<b"},
		`{"result":""}`:                             {returning(""), "OK"},
		`{"result":5}`:                              {returning(5), ""},
		`{"result":9007199254740993}`:               {returning(uint64(9007199254740993)), ""},
		`{"result":true}`:                           {returning(true), ""},
		`{"result":1.5}`:                            {returning(new(1.5)), ""},
		`{"result":null}`:                           {returning[any](nil), ""},
		`{"result":"2026-01-31T09:30:00Z"}`:         {returning(time.Date(2026, 1, 31, 9, 30, 0, 0, time.UTC)), ""},
		`{"result":{"a":1}}`:                        {returning[any](map[string]int{"a": 1}), ""},
		`{"a":1}`:                                   {returning(map[string]int{"a": 1}), ""},
		`{"result":{"x":1}}` + " in one of its own": {returning(struct{ Result map[string]int }{map[string]int{"x": 1}}), ""},
	} {
		want, _, _ = strings.Cut(want, " in ")
		for _, revision := range revisions {
			tools := fusiontest.New(t, tc.app).Revision(revision)
			reply := tools.Call("a", nil)
			if tc.text == "" {
				assert.Equal(t, want, reply.Text(), revision)
			} else {
				assert.Equal(t, tc.text, reply.Text(), revision)
			}
			schema := tools.List()[0].OutputSchema
			if revision < "2025-06-18" {
				assert.Nil(t, reply.Structured(), revision)
				assert.Nil(t, schema, revision)
				continue
			}
			assert.Equal(t, want, string(reply.Structured()), revision)
			matches(t, schema, reply.Structured())
		}
	}
}

// matches holds data against its schema, as clients do.
func matches(t *testing.T, schema, data jsontext.Value) {
	t.Helper()
	var s jsonschema.Schema
	require.NoError(t, jsonv2.Unmarshal(schema, &s))
	resolved, err := s.Resolve(nil)
	require.NoError(t, err)
	assert.Equal(t, "object", s.Type, "A5")
	var v any
	require.NoError(t, jsonv2.Unmarshal(data, &v))
	assert.NoError(t, resolved.Validate(v))
}

func TestD6_ANilPointerIsTheZeroValueWhereverItStands(t *testing.T) {
	type out struct{ N int }
	for _, row := range []struct {
		want string
		app  *fusion.App[deps]
	}{
		{`{"n":0}`, returning[*out](nil)},
		{`{"n":0}`, returning(mo.None[out]())},
		{`{"result":0}`, returning[*int](nil)},
		{`{"result":[{"n":0}]}`, returning([]*out{nil})},
		{`{"k":{"n":0}}`, returning(map[string]*out{"k": nil})},
		{`{}`, returning[*map[string]int](nil)},
	} {
		tools := fusiontest.New(t, row.app)
		reply := tools.Call("a", nil)
		assert.Equal(t, row.want, string(reply.Structured()))
		matches(t, tools.List()[0].OutputSchema, reply.Structured())
	}
}

// cents are never negative, as they say themselves.
type cents int64

func (c cents) MarshalJSON() ([]byte, error)  { return fmt.Appendf(nil, "%d", int64(c)), nil }
func (c *cents) UnmarshalJSON(b []byte) error { return jsonv2.Unmarshal(b, (*int64)(c)) }
func (cents) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", Minimum: new(0.0)}
}

// failing cannot be written.
type failing struct{ X int }

func (failing) MarshalJSON() ([]byte, error) { return nil, errors.New("secret of the database") }

func TestE13_WhatCannotBeSentIsAnInternalErrorAndNothingOfItIsSent(t *testing.T) {
	nan := 0.0
	nan /= nan
	for name, app := range map[string]*fusion.App[deps]{
		"its own schema refuses it":       returning(cents(-1)),
		"deep inside":                     returning(map[string]any{"a": []cents{1, -1}}),
		"a marshaler fails":               returning(struct{ F failing }{}),
		"a number that is not finite":     returning([]float64{1, nan}),
		"JSON that is none":               returning(jsontext.Value(`{"a":`)),
		"a channel in an interface":       returning[any](make(chan int)),
		"a name twice":                    returning(struct{ R jsontext.Value }{jsontext.Value(`{"a":1,"a":2}`)}),
		"an error in place of data":       returning[any](errors.New("secret of the database")),
		"a number that is no JSON number": returning(struct{ T time.Time }{time.Date(-5, 1, 1, 0, 0, 0, 0, time.UTC)}),
	} {
		for _, revision := range revisions {
			reply := fusiontest.New(t, app).Revision(revision).Call("a", nil)
			failure := reply.Failure()
			assert.Equal(t, result.CodeInternal, failure.Code, name)
			assert.NotEmpty(t, failure.Reference, name)
			assert.Nil(t, reply.Structured(), name)
			assert.NotContains(t, string(reply.Raw()), "secret", name)
			assert.NotContains(t, string(reply.Raw()), "schema", name)
		}
	}
	assert.Equal(t, `{"result":5}`, fusiontest.New(t, returning(cents(5))).Call("a", nil).Text())
}

func TestD9_D10_TextIsLiteralAndValidInDataFailuresAndSchemas(t *testing.T) {
	const text = "a<b && c>d \u2028 'é'"
	type out struct {
		S string            `json:"s" jsonschema:"a<b && c>d"`
		M map[string]string `json:"m"`
		A any               `json:"a"`
		R jsontext.Value    `json:"r"`
	}
	f := newApp()
	f.Query("a").Describe(text).Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[out] {
		return result.OK(out{text, map[string]string{text: text, "\xff": "\xfe", "\xfe": "half \xe2\x82"}, []any{text}, jsontext.Value(`"a<b"`)})
	})
	f.Query("b").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[out] {
		return result.Fail[out](result.NotFound(text + "\xff").Suggest(text).Details(map[string]string{text: "\xff"}))
	})
	for _, revision := range revisions {
		for name, route := range routes {
			data, failure := route(t, f, calling(revision, "a", "{}")), route(t, f, calling(revision, "b", "{}"))
			for _, reply := range []string{data, failure} {
				assert.True(t, jsontext.Value(strings.TrimPrefix(reply, "data: ")).IsValid(), "%s %s %s", revision, name, reply)
				assert.Contains(t, reply, "a<b && c>d")
				assert.NotContains(t, reply, `\u003c`)
				assert.Contains(t, reply, "\uFFFD")
				assert.Contains(t, reply, `"id":9`)
			}
		}
	}
	assert.Contains(t, string(fusiontest.New(t, f).List()[0].OutputSchema), `"a<b && c>d"`)
}

func TestD20_NothingIsLostOnTheWayFromAHandlerToTheClient(t *testing.T) {
	f := newApp()
	f.Query("a").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[result.Response] {
		half := 0.5
		return result.OK(result.Response{
			Content: []result.Content{
				result.Text{Text: "t", Annotations: &result.Annotations{Priority: &half}, Meta: map[string]any{"com.example/t": 1}},
				result.Image{Data: []byte("i"), MIMEType: "image/png"},
				result.Audio{Data: []byte("a"), MIMEType: "audio/wav"},
				result.ResourceLink{URI: "r://x", Name: "x", Size: 7},
				result.EmbeddedResource{Resource: result.ResourceContents{URI: "r://y", Text: "y"}},
			},
			UI:       []result.Content{result.Text{Text: "ui"}},
			Guidance: result.Guidance{Rules: []string{"rule"}, Notices: []string{"notice"}},
			Meta:     map[string]any{"com.example/k": true},
		})
	})
	reply := string(fusiontest.New(t, f).Call("a", nil).Raw())
	for _, part := range []string{
		`"priority":0.5`, `"com.example/t":1`, `"type":"image"`, `"type":"audio"`, `"type":"resource_link"`, `"type":"resource"`, `"size":7`,
		`"text":"ui"`, `\"rules\":[\"rule\"]`, `\"notices\":[\"notice\"]`, `"com.example/k":true`,
	} {
		assert.Contains(t, reply, part)
	}
	g := newApp()
	g.Wrap(func(ctx context.Context, call *fusion.Call, next fusion.Next) *result.Response {
		r := next(ctx, call)
		r.Meta = map[string]any{"com.example/wrapped": 1}
		return r
	})
	g.Query("a").Describe("d").Handle(func(ctx *fusion.Ctx[deps], _ fusion.NoInput) result.Result[crate] {
		ctx.Notice("mind")
		return result.OK(crate{Name: "x"})
	})
	wrapped := fusiontest.New(t, g).Call("a", nil)
	assert.Equal(t, `{"name":"x","tags":[]}`, string(wrapped.Structured()))
	assert.Equal(t, []string{"mind"}, wrapped.Guidance().Notices)
	assert.Contains(t, string(wrapped.Raw()), `"com.example/wrapped":1`)
}
