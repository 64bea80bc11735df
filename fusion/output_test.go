package fusion_test

import (
	"context"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"fmt"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/fusion/fusiontest"
	"github.com/mcpfusion/go/result"
)

type color string

// loud has the kind of a string but travels as something else.
type loud string

func (l loud) MarshalJSON() ([]byte, error) { return []byte(`{"loud":true}`), nil }

// sent calls a tool that returns v, and holds the data against the schema that is told.
func sent[T any](t *testing.T, v T) (text, structured string) {
	t.Helper()
	f := newApp()
	f.Mutation("x").Describe("x").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[T] { return result.OK(v) })
	tools := fusiontest.New(t, f)
	reply := tools.Call("x", nil)
	require.NotContains(t, string(reply.Raw()), "isError")

	var schema jsonschema.Schema
	require.NoError(t, json.Unmarshal(tools.List()[0].OutputSchema, &schema))
	resolved, err := schema.Resolve(nil)
	require.NoError(t, err)
	var data any
	require.NoError(t, json.Unmarshal(reply.Structured(), &data))
	require.NoError(t, resolved.Validate(data))
	return reply.Text(), string(reply.Structured())
}

func TestAnInterfaceHoldsValuesOfAnyType(t *testing.T) {
	for want, v := range map[string]any{
		`{"result":{"a":1}}`: struct{ A int }{1},
		`{"result":5}`:       5,
		`{"result":true}`:    true,
		`{"result":[1]}`:     []int{1},
		`{"result":[]}`:      []int(nil),
		`{"result":{}}`:      map[string]int(nil),
		`{"result":null}`:    nil,
	} {
		text, structured := sent(t, v)
		assert.Equal(t, want, structured)
		assert.Equal(t, want, text)
	}
	_, structured := sent[fmt.Stringer](t, time.May)
	assert.Equal(t, `{"result":5}`, structured)
}

func TestRawDataIsWrappedAsItsSchemaSays(t *testing.T) {
	for want, raw := range map[string]string{
		`{"result":5}`:       `5`,
		`{"result":{"a":1}}`: "{\n\"a\": 1}",
		`{"result":"x"}`:     `"x"`,
	} {
		_, structured := sent(t, jsontext.Value(raw))
		assert.Equal(t, want, structured)
		_, structured = sent[any](t, jsontext.Value(raw))
		assert.Equal(t, want, structured)
	}
}

func TestAStringOfAnyTypeIsBareText(t *testing.T) {
	text, structured := sent(t, color("red"))
	assert.Equal(t, "red", text)
	assert.Equal(t, `{"result":"red"}`, structured)

	text, _ = sent(t, loud("x"))
	assert.NotEqual(t, "x", text)
}

func TestAWrapMayAnswerInJSONIfItIsAnObject(t *testing.T) {
	answer := jsontext.Value("{\"greeting\":\n\"hello\"}")
	f := newApp()
	f.Wrap(func(context.Context, *fusion.Call, fusion.Next) *result.Response {
		return &result.Response{Data: answer}
	})
	f.Query("x").Describe("x").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[map[string]string] {
		panic("must not run")
	})
	tools := fusiontest.New(t, f)
	for _, tool := range []string{"x", "unknown"} {
		reply := tools.Call(tool, nil)
		assert.Equal(t, `{"greeting":"hello"}`, string(reply.Structured()))
		assert.Equal(t, `{"greeting":"hello"}`, reply.Text(), "the text is the same bytes")
	}
	answer = jsontext.Value("5")
	assert.Equal(t, result.CodeInternal, tools.Call("x", nil).Failure().Code)
}
