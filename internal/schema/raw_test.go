package schema

import (
	"encoding/json/jsontext"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/result"
)

func raw(t *testing.T, schema string) *Raw {
	t.Helper()
	r, err := NewRaw([]byte(schema))
	require.NoError(t, err)
	return r
}

func TestARawSchemaTravelsByteForByte(t *testing.T) {
	schema := "{ \"type\" : \"object\",\n\t\"properties\": {\"b\": true, \"a\": {\"type\":[\"string\",\"null\"],\"description\":\"\\u003c<é\"}}, \"x-own\": 1e2 }"
	given := []byte(schema)
	r, err := NewRaw(given)
	require.NoError(t, err)
	for i := range given {
		given[i] = ' '
	}
	assert.Equal(t, schema, string(r.JSON()))
}

func TestA26_RawSchemasThatClientsWouldDropAreRefusedWithThePlace(t *testing.T) {
	for part, want := range map[string]string{
		`"properties":{"a":{"type":"int"}}`:                                              `"/properties/a/type" is "int", which is no type of JSON Schema; use integer`,
		`"properties":{"a":{"anyOf":[{"type":"string"},{"type":"str"}]}}`:                `"/properties/a/anyOf/1/type"`,
		`"properties":{"a":{"type":["string",5]}}`:                                       `"/properties/a/type" is 5`,
		`"properties":{"a":5}`:                                                           `"/properties/a" must be a schema`,
		`"properties":[]`:                                                                `"/properties" must be an object of schemas`,
		`"required":"a"`:                                                                 `"/required" must be an array of strings`,
		`"required":["a",1]`:                                                             `"/required" must be an array of strings`,
		`"properties":{"a":{"enum":[]}}`:                                                 `"/properties/a/enum" must be an array of at least one value`,
		`"properties":{"a":{"minimum":"1"}}`:                                             `"/properties/a/minimum" must be a number`,
		`"properties":{"a":{"exclusiveMinimum":true}}`:                                   `must be a number`,
		`"properties":{"a":{"maxLength":-1}}`:                                            `must be a whole number from 0 on`,
		`"properties":{"a":{"multipleOf":0}}`:                                            `must be a number above 0`,
		`"properties":{"a":{"uniqueItems":1}}`:                                           `must be true or false`,
		`"properties":{"a":{"pattern":5}}`:                                               `must be a string`,
		`"properties":{"a":{"allOf":[]}}`:                                                `must be an array of at least one schema`,
		`"$schema":"http://json-schema.org/draft-04/schema#"`:                            `"/$schema" must be one of`,
		`"properties":{"a":{"$ref":"https://example.com/a.json"}}`:                       `"/properties/a/$ref" refers to "https://example.com/a.json", but only references inside`,
		`"properties":{"a":{"$ref":"#/$defs/b"}}`:                                        `refers to "#/$defs/b", where there is no schema`,
		`"properties":{"a":{"$ref":"#/properties"}}`:                                     `where there is no schema`,
		`"properties":{"a":{"$ref":"#/properties/a"}}`:                                   `"/properties/a" leads back to itself`,
		`"$defs":{"a b":{"not":{"$ref":"#/$defs/a%20b"}}}`:                               `leads back to itself`,
		`"dependentSchemas":{"a":{"$ref":"#"}}`:                                          `leads back to itself`,
		`"properties":{"a":{"$id":"x"}}`:                                                 `has an $id of its own`,
		`"$dynamicAnchor":"x"`:                                                           `is not supported`,
		`"properties":{"a":{"pattern":"(?=x)"}}`:                                         `"/properties/a/pattern" cannot be enforced`,
		`"type":"object"`:                                                                `no JSON Schema`,
		`"properties":` + strings.Repeat(`{"a":`, 100) + `{}` + strings.Repeat(`}`, 100): `nested more than`,
	} {
		_, err := NewRaw([]byte(`{"type":"object",` + part + `}`))
		require.Error(t, err, part)
		assert.Contains(t, err.Error(), want)
	}
	for _, schema := range []string{``, `null`, `true`, `[]`, `"object"`, `{"type":["object"]}`, "{\"type\":\"object\",\"description\":\"\xff\"}"} {
		_, err := NewRaw([]byte(schema))
		assert.Error(t, err, schema)
	}
}

func TestReferencesThatGoIntoTheValueAreNoLoops(t *testing.T) {
	r := raw(t, `{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#"}},"n":{"$ref":"#/$defs/n"}},"required":["n"],"$defs":{"n":{"type":"integer"}}}`)
	assert.Empty(t, r.Validate(jsontext.Value(`{"n":1,"kids":[{"n":2}]}`)))
	assert.NotEmpty(t, r.Validate(jsontext.Value(`{"n":1,"kids":[{}]}`)))
}

func TestRawArgumentsAreRefusedWithAllProblemsAndTheirPaths(t *testing.T) {
	r := raw(t, `{"type":"object","properties":{"id":{"type":"string","minLength":2},"n":{"type":"integer","maximum":9},"at":{"type":"object","properties":{"x":{"$ref":"#/$defs/point"}}},"list":{"type":"array","items":{"type":"boolean"}}},"required":["id","n"],"additionalProperties":false,"$defs":{"point":{"type":"object","properties":{"lat":{"type":"number"}},"required":["lat"]}}}`)
	assert.Empty(t, r.Validate(jsontext.Value(`{"id":"ab","n":5,"at":{"x":{"lat":1}},"list":[true]}`)))
	problems := r.Validate(jsontext.Value(`{"id":"a","n":10,"at":{"x":{"lat":"1"}},"list":[1],"more":"<x>"}`))
	assert.Equal(t, []string{"at.x.lat", "id", "list[]", "more", "n"}, paths(problems))
	assert.Equal(t, result.Field{Path: "more", Problem: "is not known here", Expected: "one of at, id, list, n", Received: `"<x>"`}, problems[3])
	assert.Equal(t, result.Field{Path: "at.x.lat", Problem: "has the wrong type", Expected: "a number", Received: `"1"`}, problems[0])
	assert.Equal(t, result.Field{Path: "n", Problem: "does not match what the schema says of maximum", Expected: "at most 9", Received: "10"}, problems[4])
	for _, p := range problems {
		assert.NotContains(t, p.Problem+p.Expected, "validating", "only words that help")
		assert.NotContains(t, p.Problem+p.Expected, "map[", "E13")
	}
	assert.Equal(t, []result.Field{{Path: "id", Problem: "is missing", Expected: "a string"}, {Path: "n", Problem: "is missing", Expected: "an integer"}}, r.Validate(nil))
	assert.Equal(t, []string{"at.x.lat"}, paths(r.Validate(jsontext.Value(`{"id":"ab","n":1,"at":{"x":{}}}`))))
	problems = r.Validate(jsontext.Value(`{"id":{"a":1},"n":1}`))
	assert.Equal(t, []result.Field{{Path: "id", Problem: "has the wrong type", Expected: "a string", Received: `{"a":1}`}}, problems)
}

func TestRawArgumentsThatAreNoObjectAreRefused(t *testing.T) {
	r := raw(t, `{"type":"object","properties":{"n":{"type":"integer"}}}`)
	for _, args := range []string{"", "null", "{}", `{"n":9007199254740993}`, `{"n":5.0}`} {
		assert.Empty(t, r.Validate(jsontext.Value(args)), args)
	}
	for _, args := range []string{`[]`, `5`, `"{}"`, `{`, `{"n":1,"n":1}`, "{\"n\":\"\xff\"}", strings.Repeat(`{"n":`, 20_000), `{"n":1.5}`, `{"n":1e400}`} {
		problems := r.Validate(jsontext.Value(args))
		require.Len(t, problems, 1, args)
		assert.Less(t, len(problems[0].Received), 100)
	}
}

func TestB1_RawBoundsSeeExactIntegers(t *testing.T) {
	r := raw(t, `{"type":"object","properties":{"n":{"enum":[9007199254740992]}}}`)
	assert.Empty(t, r.Validate(jsontext.Value(`{"n":9007199254740992}`)))
	assert.NotEmpty(t, r.Validate(jsontext.Value(`{"n":9007199254740993}`)))
}
