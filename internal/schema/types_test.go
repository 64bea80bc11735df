package schema

import (
	"encoding/json/jsontext"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Types that all contain one another: written along every way they would fill megabytes.
type (
	expr struct {
		Calls []call
		Lists []exprList
		Cases []branch
		Funcs []function
		Binds []binding
		Pairs []couple
		Tests []test
	}
	call struct {
		Exprs []expr
		Lists []exprList
		Cases []branch
		Funcs []function
		Binds []binding
		Pairs []couple
		Tests []test
	}
	exprList struct {
		Exprs []expr
		Calls []call
		Cases []branch
		Funcs []function
		Binds []binding
		Pairs []couple
		Tests []test
	}
	branch struct {
		Exprs []expr
		Calls []call
		Lists []exprList
		Funcs []function
		Binds []binding
		Pairs []couple
		Tests []test
	}
	function struct {
		Exprs []expr
		Calls []call
		Lists []exprList
		Cases []branch
		Binds []binding
		Pairs []couple
		Tests []test
	}
	binding struct {
		Exprs []expr
		Calls []call
		Lists []exprList
		Cases []branch
		Funcs []function
		Pairs []couple
		Tests []test
	}
	couple struct {
		Exprs []expr
		Calls []call
		Lists []exprList
		Cases []branch
		Funcs []function
		Binds []binding
		Tests []test
	}
	test struct {
		Exprs []expr
		Calls []call
		Lists []exprList
		Cases []branch
		Funcs []function
		Binds []binding
		Pairs []couple
	}
)

func TestA12_TypesThatAllContainOneAnotherAreEachWrittenOnce(t *testing.T) {
	in := inputOf[expr](t)
	assert.Less(t, len(in.JSON()), 10_000)
	_, err := in.Schema().Resolve(nil)
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(string(in.JSON()), `"couple":{`))
	var v expr
	empty := `{"exprs":[],"lists":[],"cases":[],"funcs":[],"binds":[],"pairs":[],"tests":[{}]}`
	problems := in.Decode(jsontext.Value(`{"calls":[`+empty+`],"lists":[],"cases":[],"funcs":[],"binds":[],"pairs":[],"tests":[]}`), reflect.ValueOf(&v).Elem())
	require.Len(t, problems, 7)
	assert.Equal(t, "calls[0].tests[0].exprs", problems[0].Path)
}

type (
	wide0 struct{ A, B, C, D, E []string }
	wide1 struct{ A, B, C, D, E []wide0 }
	wide2 struct{ A, B, C, D, E []wide1 }
	wide3 struct{ A, B, C, D, E []wide2 }
	wide4 struct{ A, B, C, D, E []wide3 }
	wide5 struct{ A, B, C, D, E []wide4 }
	wide6 struct{ A, B, C, D, E []wide5 }
	wide7 struct{ A, B, C, D, E []wide6 }
)

func TestASchemaThatWouldGrowWithoutBoundIsAProblem(t *testing.T) {
	assert.Contains(t, problemOf[wide7](t), "more than 5000 parts")
	_, err := NewOutput(reflect.TypeFor[wide7]())
	assert.ErrorContains(t, err, "more than 5000 parts")
	inputOf[wide3](t)
}

// localNode are two types of one name.
func localNode() (first, second reflect.Type) {
	type node struct{ Kids []node }
	first = reflect.TypeFor[node]()
	func() {
		type node struct{ Other []node }
		second = reflect.TypeFor[node]()
	}()
	return first, second
}

func TestTwoRecursiveTypesOfOneNameHaveReferencesOfTheirOwn(t *testing.T) {
	first, second := localNode()
	in, problems := NewInput(nil, []Param{{Name: "a", Type: first, Description: "First"}, {Name: "b", Type: second}, {Name: "c", Type: first}}, Config{})
	require.Empty(t, problems)
	assert.Equal(t, `{"type":"object","properties":{"a":{"$ref":"#/$defs/node","description":"First"},"b":{"$ref":"#/$defs/node2"},"c":{"$ref":"#/$defs/node"}},`+
		`"$defs":{"node":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/node"}}},"required":["kids"],"additionalProperties":false},`+
		`"node2":{"type":"object","properties":{"other":{"type":"array","items":{"$ref":"#/$defs/node2"}}},"required":["other"],"additionalProperties":false}},`+
		`"required":["a","b","c"],"additionalProperties":false}`, string(in.JSON()))
	_, fields := in.DecodeMap(jsontext.Value(`{"a":{"kids":[]},"b":{"kids":[]},"c":{"other":[]}}`))
	assert.Equal(t, []string{"b.kids", "b.other", "c.other", "c.kids"}, paths(fields))
}

func TestARecursiveTypeKeepsItsTreeWhateverElseIsCompiled(t *testing.T) {
	type loop struct {
		Name string
		Next *loop
	}
	before := string(inputOf[loop](t).JSON())
	_, problems := NewInput(nil, []Param{{Name: "l", Type: reflect.TypeFor[[]loop](), Description: "d", Rules: []string{"max=1,dive"}}, {Name: "n", Type: reflect.TypeFor[loop](), Rules: []string{`default={"name":"x"}`}}}, Config{})
	require.Empty(t, problems)
	_, problems = NewInput(reflect.TypeFor[struct {
		L loop `jsonschema:"another"`
	}](), nil, Config{Lenient: true})
	require.Empty(t, problems)
	c := compiler{}
	_, again, err := rootOf(c.slot(reflect.TypeFor[loop](), "").node, false, false)
	require.NoError(t, err)
	assert.Equal(t, before, string(again))
}

type reachless struct{ ID string }

type without struct{ hidden int }

func TestFieldsBehindAPointerThatCannotBeAllocatedAreAProblem(t *testing.T) {
	_ = without{hidden: 0}
	message := problemOf[struct {
		*reachless
		X int
	}](t)
	assert.Equal(t, `"reachless" embeds a pointer to the unexported schema.reachless, which cannot be allocated; embed it without the pointer, or export it`, message)
	_, problems := NewInput(reflect.TypeFor[struct{ *reachless }](), []Param{param[string]("id")}, Config{})
	assert.Len(t, problems, 2, "%v", problems)
	v, fields := decodeInto[struct {
		reachless
		*without
		Without int
	}](t, `{"id":"x","without":1}`)
	require.Empty(t, fields)
	assert.Equal(t, "x", v.ID)
}

func TestNamesOfTagsAreReadAsJSONv2ReadsThem(t *testing.T) {
	type in struct {
		A int `json:"'a,b'"`
		B int `json:"b.c,omitempty"`
	}
	v, fields := decodeInto[in](t, `{"a,b":1,"b.c":2}`)
	require.Empty(t, fields)
	assert.Equal(t, in{1, 2}, v)
	assert.Equal(t, `{"a,b":1,"b.c":2}`, encoded(t, v))
	assert.Contains(t, problemOf[struct {
		L []struct {
			B int `json:"b c"`
		}
	}](t), `"l[].B" has the name "b c", which is not readable`)
}

func TestPathsTellNamesFromTheWayToThem(t *testing.T) {
	type in struct {
		M map[string]map[string]int
	}
	for name, want := range map[string]string{
		"a": `m.a.x`, "a b": `m.a b.x`, "a.b": `m["a.b"].x`, "a[0]": `m["a[0]"].x`, "": `m[""].x`, `a\"b`: `m["a\"b"].x`, `a\nb`: `m["a\nb"].x`, "é": `m.é.x`,
	} {
		_, fields := decodeInto[in](t, `{"m":{"`+name+`":{"x":true}}}`)
		assert.Equal(t, []string{want}, paths(fields))
	}
	r := raw(t, `{"type":"object","properties":{"a.b":{"type":"object","properties":{"c":{"type":"string"}}}}}`)
	assert.Equal(t, []string{`["a.b"].c`}, paths(r.Validate(jsontext.Value(`{"a.b":{"c":1}}`))))
}
