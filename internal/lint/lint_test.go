package lint

import (
	"encoding/json/jsontext"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the findings' texts, and the table in the docs")

// object is an input schema with some properties.
func object(properties string) string { return `{"type":"object","properties":{` + properties + `}}` }

// chained is an input schema with a chain of objects, n levels in all.
func chained(n int) string {
	return strings.Repeat(`{"type":"object","properties":{"a":`, n-1) + `{"type":"string"}` + strings.Repeat(`}}`, n-1)
}

// cases are schemas with the rules that they are against, and a part of the first text.
var cases = []struct {
	name  string
	input string
	rules []Rule
	text  string
}{
	{"nothing to complain of", object(`"a":{"type":"array","items":{"type":"string","enum":["x"]}},"b":{"type":"object","additionalProperties":{"type":"integer"}}`), nil, ""},
	{"alternatives at the root", `{"type":"object","properties":{"a":{"type":"string"}},"allOf":[{"required":["a"]}],"anyOf":[{"required":["a"]}]}`,
		[]Rule{RootCombinator}, "has at its root anyOf, allOf;"},
	{"not at the root", `{"type":"object","properties":{},"not":{"required":["a"]}}`, []Rule{RootCombinator}, "at its root not"},
	{"enum at the root", `{"type":"object","properties":{},"enum":[{}]}`, []Rule{RootCombinator}, "at its root enum"},
	{"alternatives below the root", object(`"a":{"anyOf":[{"type":"string"},{"type":"integer"}]},"b":{"type":"object","properties":{},"allOf":[{"minProperties":1}]}`), nil, ""},
	{"an array without items", object(`"a":{"type":"object","properties":{"b/c":{"type":"array"}}}`), []Rule{ArrayItems}, `"/properties/a/properties/b~1c"`},
	{"items without items", object(`"a":{"type":"array","items":{"type":"array"}}`), []Rule{ArrayItems}, `"/properties/a/items"`},
	{"only prefixItems", object(`"a":{"type":"array","prefixItems":[{"type":"string"}]}`), []Rule{ArrayItems}, `"/properties/a"`},
	{"an optional array without items", object(`"a":{"type":["array","null"]}`), []Rule{ArrayItems, TypeUnion}, `"/properties/a"`},
	{"a property that is true", object(`"a":true,"b":{"type":"array","items":{"type":"object","properties":{"c":false}}}`),
		[]Rule{BooleanSchema}, `"/properties/a", "/properties/b/items/properties/c"`},
	{"booleans that clients know", object(`"a":{"type":"object","additionalProperties":false},"b":{"type":"array","prefixItems":[{"type":"string"}],"items":false}`), nil, ""},
	{"names of parameters", object(`"a.b-c_D9":{"type":"string"},"größe":{"type":"string"},"` + strings.Repeat("x", 65) + `":{"type":"string"}`),
		[]Rule{ParameterName}, `"größe", "xxx`},
	{"names further in", object(`"a":{"type":"object","properties":{"größe":{"type":"string"}}}`), nil, ""},
	{"a reference", `{"type":"object","properties":{"a":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/n"}}}}}}`,
		[]Rule{References}, `"/properties/a", "/$defs/n/properties/kids/items"`},
	{"no type", object(`"a":{"description":"any"},"b":{"type":"array","items":{}},"c":{"type":"object","additionalProperties":{}},"d":{"enum":["x"]}`),
		[]Rule{MissingType}, `"/properties/a", "/properties/b/items", "/properties/c/additionalProperties", "/properties/d"`},
	{"an alternative without a type", object(`"a":{"anyOf":[{"type":"string"},{}]}`), []Rule{MissingType}, `"/properties/a/anyOf/1"`},
	{"what adds to a type", object(`"a":{"type":"object","properties":{},"anyOf":[{"required":["b"]},{"properties":{"c":{"minLength":1}}}],"allOf":[{"oneOf":[{"minProperties":1}]}]}`), nil, ""},
	{"a list of types", object(`"a":{"type":["string","null"]},"b":{"type":"array","items":{"type":["object","null"],"properties":{}}}`),
		[]Rule{TypeUnion}, `"/properties/a", "/properties/b/items"`},
	{"null as an alternative", object(`"a":{"oneOf":[{"type":"string"},{"type":"null"}]}`), []Rule{TypeUnion}, `"/properties/a"`},
	{"an enum of numbers", object(`"a":{"type":"integer","enum":[1,2]}`), []Rule{EnumValues}, `"/properties/a"`},
	{"an enum with null", object(`"a":{"type":"string","enum":["x",null]}`), []Rule{EnumValues}, `"/properties/a"`},
	{"an enum on an array", object(`"a":{"type":"array","items":{"type":"string"},"enum":["x"]}`), []Rule{EnumValues}, `"/properties/a"`},
	{"no properties", `{"type":"object"}`, []Rule{MissingProperties}, "at its root; add \"properties\":{}"},
	{"ten levels", chained(10), nil, ""},
	{"eleven levels", chained(11), []Rule{SchemaDepth}, "it has 11 levels"},
	{"the same everywhere", object(`"a":{},"b":{},"c":{},"d":{},"e":{},"f":{},"g":{}`), []Rule{MissingType}, `"/properties/e" and 2 more;`},
}

func TestSchemasAreHeldAgainstEachRule(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			found := CheckTool(Tool{Name: "x", Description: "d", Input: jsontext.Value(c.input)})
			var rules []Rule
			for _, f := range found {
				rules = append(rules, f.Rule)
				assert.True(t, f.Schema)
			}
			require.Equal(t, c.rules, rules)
			if len(found) > 0 {
				assert.Contains(t, found[0].String(), c.text)
			}
		})
	}
}

func TestAFindingKnowsTheParameterOfItsFirstPlace(t *testing.T) {
	found := CheckTool(Tool{Name: "x", Input: jsontext.Value(object(`"a/b":{"type":"object","properties":{"c":{}}},"d":{}`))})
	assert.Equal(t, "a/b", found[0].Param)
	found = CheckTool(Tool{Name: "x", Input: jsontext.Value(`{"type":"object"}`)})
	assert.Empty(t, found[0].Param)
}

func TestOfWhatComesOutOnlyClientsAreConcerned(t *testing.T) {
	output := jsontext.Value(`{"type":"object","properties":{"a":true,"b":{"type":"array"},"c":{"$ref":"#"},"d":{"type":["string","null"]}},"required":["e"],"anyOf":[{}]}`)
	found := CheckTool(Tool{Name: "x", Input: jsontext.Value(object("")), Output: output})
	require.Len(t, found, 1)
	assert.Equal(t, `the output schema has true or false for a property's schema at "/properties/a"; write an object that says the property's type`, found[0].String())

	closed := jsontext.Value(`{"type":"object","properties":{"a":{"type":"object","additionalProperties":false}},"additionalProperties":false}`)
	assert.Empty(t, CheckTool(Tool{Name: "x", Input: jsontext.Value(object("")), Output: closed}))
	closed = jsontext.Value(strings.Replace(string(closed), `"a":{`, `"b":false,"a":{`, 1))
	assert.Len(t, CheckTool(Tool{Name: "x", Input: jsontext.Value(object("")), Output: closed}), 1)
}

func TestNamesAndTextsHaveLimits(t *testing.T) {
	empty := jsontext.Value(object(""))
	for name, found := range map[string][]Finding{
		"name-start":    CheckTool(Tool{Name: "2fa", Input: empty}),
		"name-together": CheckNames("inventory-service", strings.Repeat("x", 43)),
		"description-length 2049 characters": append(
			CheckTool(Tool{Name: "x", Description: strings.Repeat("é", 2049), Input: empty}), CheckServer(strings.Repeat("😀", 1025), nil)...),
		"name-dots":        CheckServer("", []Tool{{Name: "a"}, {Name: "b.c"}}),
		"tool-count":       CheckServer("", make([]Tool, 81)),
		"definitions-size": CheckServer("", []Tool{{Name: "x", Description: strings.Repeat("d", 60_000), Input: jsontext.Value(strings.Repeat(" ", 40_000))}}),
	} {
		rule, _, _ := strings.Cut(name, " ")
		require.NotEmpty(t, found, name)
		for _, f := range found {
			assert.Equal(t, Rule(rule), f.Rule)
			assert.False(t, f.Schema)
		}
	}
	assert.Empty(t, CheckTool(Tool{Name: "_x", Description: strings.Repeat("é", 2048), Input: empty}))
	assert.Empty(t, CheckNames("inventory-service", strings.Repeat("x", 42)))
	assert.Empty(t, CheckServer(strings.Repeat("😀", 1024), make([]Tool, 80)))
	assert.Empty(t, CheckTool(Tool{}), "of what is no tool nothing is said")
}

func TestTheTextsOfAllRules(t *testing.T) {
	var b strings.Builder
	seen := map[Rule]bool{}
	note := func(found []Finding) {
		for _, f := range found {
			if !seen[f.Rule] {
				seen[f.Rule] = true
				fmt.Fprintf(&b, "%s: %s [%s]\n", f.Rule, f, f.Clients)
			}
		}
	}
	for _, c := range cases {
		note(CheckTool(Tool{Name: "x", Input: jsontext.Value(c.input)}))
	}
	note(CheckTool(Tool{Name: "2fa", Description: strings.Repeat("d", 3000)}))
	note(CheckNames("inventory-service", strings.Repeat("x", 50)))
	note(CheckServer("", make([]Tool, 100)))
	note(CheckServer("", []Tool{{Name: "billing.refund"}}))
	note(CheckServer("", []Tool{{Description: strings.Repeat("d", 200_000)}}))
	assert.Len(t, seen, len(rules), "each rule has a text")
	golden(t, "testdata/findings.txt", b.String())
}

func golden(t *testing.T, file, text string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	known, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(known), text, "%s is stale: go test ./internal/lint -update", file)
}

// table is where the docs have the rules.
var table = regexp.MustCompile(`(?s)(<!-- rules -->\n).*?(<!-- end of rules -->)`)

func TestTheDocsHaveAllRules(t *testing.T) {
	const page = "../../docs/lint.md"
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	var b strings.Builder
	for _, about := range Rules() {
		level := "warning"
		if about.Fatal {
			level = "error"
		}
		links := make([]string, 0, len(about.Sources))
		for i, source := range about.Sources {
			links = append(links, fmt.Sprintf("[%d](%s)", i+1, source))
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", about.Rule, level, about.What, sentence(about.Clients), sentence(about.Mend), strings.Join(links, " "))
	}
	require.True(t, table.Match(text))
	fresh := table.ReplaceAllString(string(text), "${1}| rule | makes | what it finds | whom it protects, from what | what to do | sources |\n|---|---|---|---|---|---|\n"+strings.ReplaceAll(b.String(), "$", "$$")+"$2")
	golden(t, page, fresh)
}

func sentence(words string) string { return strings.ToUpper(words[:1]) + words[1:] + "." }
