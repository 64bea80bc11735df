// Package lint finds what MCP allows and known clients or the APIs of model vendors
// refuse.
package lint

import (
	"bytes"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
)

// Tool is what clients are told of a tool.
type Tool struct {
	Name        string // as on the wire
	Description string
	Input       jsontext.Value
	Output      jsontext.Value // nil for none
}

// Finding is one rule that a tool or a server is against, with every place of it.
type Finding struct {
	About

	// Problem says what is wrong, and where.
	Problem string
	// Param is the parameter that the first place belongs to; "" for none.
	Param string
	// Schema says that the problem is in a schema, and not in the name or the description.
	Schema bool
}

// String is the problem and what to do.
func (f Finding) String() string { return f.Problem + "; " + f.Mend }

// CheckTool finds what is wrong with a tool, in the order of [Rules].
func CheckTool(t Tool) []Finding {
	c := collector{}
	if strings.ContainsAny(t.Name[:min(len(t.Name), 1)], "-0123456789") {
		c.add(NameStart, "the name begins with %s", t.Name[:1])
	}
	if n := characters(t.Description); n > maxText {
		c.add(DescriptionLength, "the description has %d characters, which is more than %d", n, maxText)
	}
	c.schema("input", t.Input)
	if mayHaveBooleans(t.Output) {
		c.schema("output", t.Output)
	}
	return c.sorted()
}

// mayHaveBooleans is false of most of what Fusion writes, which spares reading it: of what
// comes out, only properties that are true or false are of interest.
func mayHaveBooleans(schema jsontext.Value) bool {
	closed := bytes.Count(schema, []byte(`"additionalProperties":false`))
	return bytes.Count(schema, []byte("false")) > closed || bytes.Contains(schema, []byte("true"))
}

// CheckNames holds a tool's name together with its server's.
func CheckNames(server, tool string) []Finding {
	c := collector{}
	if n := len(server) + len(tool); n > maxTogether {
		c.add(NameTogether, "the name and that of the server, %q, have %d characters together, which is more than %d", server, n, maxTogether)
	}
	return c.findings
}

// CheckServer finds what is wrong with a server as a whole.
func CheckServer(instructions string, tools []Tool) []Finding {
	c := collector{}
	if n := characters(instructions); n > maxText {
		c.add(DescriptionLength, "the server's instructions have %d characters, which is more than %d", n, maxText)
	}
	if at := slices.IndexFunc(tools, func(t Tool) bool { return strings.Contains(t.Name, ".") }); at >= 0 {
		c.add(NameDots, "names of tools have dots, such as %q", tools[at].Name)
	}
	if n := len(tools); n > maxTools {
		c.add(ToolCount, "the server has %d tools, which is more than %d", n, maxTools)
	}
	size := 0
	for _, t := range tools {
		size += len(t.Name) + len(t.Description) + len(t.Input)
	}
	if size > maxDefinitions {
		c.add(DefinitionsSize, "the tools' definitions have %d bytes, which is more than %d", size, maxDefinitions)
	}
	return c.sorted()
}

// characters counts as JavaScript does, in which the clients that cut are written.
func characters(text string) int { return len(utf16.Encode([]rune(text))) }

// collector gathers findings.
type collector struct{ findings []Finding }

func (c *collector) add(rule Rule, format string, args ...any) *Finding {
	about, _ := Find(rule)
	c.findings = append(c.findings, Finding{About: about, Problem: fmt.Sprintf(format, args...)})
	return &c.findings[len(c.findings)-1]
}

func (c *collector) sorted() []Finding {
	order := func(f Finding) int {
		return slices.IndexFunc(rules, func(a About) bool { return a.Rule == f.Rule })
	}
	slices.SortStableFunc(c.findings, func(a, b Finding) int { return order(a) - order(b) })
	return c.findings
}

// schema adds what is wrong with a schema, one finding a rule.
func (c *collector) schema(part string, text jsontext.Value) {
	var document any
	if json.Unmarshal(text, &document) != nil { // there is none, or it is refused already
		return
	}
	w := walker{input: part == "input", places: map[Rule][]place{}}
	w.root(document)
	for _, about := range rules {
		if places := w.places[about.Rule]; len(places) > 0 {
			f := c.add(about.Rule, "the %s schema %s %s", part, problems[about.Rule], listed(places))
			f.Param, f.Schema = places[0].param, true
		}
	}
}

// problems is what the places of a rule have in common.
var problems = map[Rule]string{
	RootCombinator:    "has at its root",
	ArrayItems:        "has an array without items at",
	BooleanSchema:     "has true or false for a property's schema at",
	ParameterName:     "has parameters with characters other than A-Z a-z 0-9 _ . - in their names, or too many:",
	References:        "has a $ref at",
	MissingType:       "says no type at",
	TypeUnion:         "has several types at",
	EnumValues:        "has an enum that is not one of strings at",
	MissingProperties: "has no properties at",
	SchemaDepth:       "is too deep:",
}

// maxPlaces are listed, since one kind of mistake is often made everywhere.
const maxPlaces = 5

func listed(places []place) string {
	words := make([]string, 0, maxPlaces)
	for _, p := range places[:min(len(places), maxPlaces)] {
		words = append(words, p.words)
	}
	text := strings.Join(words, ", ")
	if more := len(places) - maxPlaces; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
