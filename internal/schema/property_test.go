package schema

import (
	"encoding/json/v2"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// TestWhatIsAdvertisedIsWhatIsEnforced draws input types with rules, and for each of them
// arguments that are right and arguments that are wrong in one thing. The written schema,
// as jsonschema-go reads it, and the decoder judge all of them alike, but for the
// leniencies, and the handler sees what was sent.
func TestWhatIsAdvertisedIsWhatIsEnforced(t *testing.T) {
	want, least := 10_000, 50
	if testing.Short() || raceEnabled {
		want, least = 1_000, 3
	}
	seen := map[string]int{}
	for seen["cases"] < want || seen["cases"] < 5*want && seenTooSeldom(seen, least) {
		rapid.Check(t, func(rt *rapid.T) {
			check := rapid.Custom(func(rt *rapid.T) string { return checkDrawn(rt, seen) }) // its draws are not logged
			if problem := check.Draw(rt, "found"); problem != "" {
				rt.Fatal(problem)
			}
		})
		if t.Failed() {
			return
		}
	}
	t.Logf("%d types, %d cases, of which %d right and %d wrong", seen["types"], seen["cases"], seen["right"], seen["cases"]-seen["right"])
	for _, name := range drawnNames() {
		assert.GreaterOrEqual(t, seen[name], least, "%s was drawn", name)
	}
}

func seenTooSeldom(seen map[string]int, least int) bool {
	return slices.ContainsFunc(drawnNames(), func(name string) bool { return seen[name] < least })
}

// drawnNames are all that must have been drawn.
func drawnNames() []string {
	names := []string{
		"depth 3", "struct", "slice", "array", "map", "bytes", "pointer", "pointer in a list", "mo.Option", "embedded",
		"json -", "json name", "json omitempty", "json omitzero", "json string", "right",
		"wrong: a field left out", "wrong: an unknown name", "wrong: wrong type", "wrong: null", "wrong: a name twice", "wrong: a fraction",
		"wrong: one below a bound", "wrong: one above a bound", "wrong: above the width", "lenient: " + nullForAbsent, "lenient: " + formats,
		"rule keys", "rule dive", "rule unique", "rule required", "rule default", "rule example", "rule deprecated", "rule header",
	}
	for _, name := range append(ruleNames, textRuleNames...) {
		names = append(names, "rule "+name)
	}
	for _, p := range fieldPairs {
		name, _, _ := strings.Cut(p.rule, "=")
		names = append(names, "rule "+name)
	}
	for _, t := range append(simpleTypes, optionTypes...) {
		names = append(names, t.String())
	}
	return names
}

// drawn is an input type that was drawn, with who judges its arguments.
type drawn struct {
	typ    reflect.Type
	in     *Input
	schema *jsonschema.Resolved
	model  *model
}

// checkDrawn says what is wrong with one drawn type; "" if nothing is.
func checkDrawn(rt *rapid.T, seen map[string]int) string {
	d := drawn{typ: (&typeDraw{rt, seen}).input(), model: &model{}}
	in, problems := NewInput(d.typ, nil, Config{})
	if len(problems) > 0 {
		return fmt.Sprintf("%s\ndoes not compile: %v", d.typ, problems)
	}
	var s jsonschema.Schema
	err := json.Unmarshal(in.JSON(), &s)
	if err == nil {
		d.schema, err = s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	}
	if err != nil {
		return fmt.Sprintf("%s\nhas a schema that is not usable: %v\n%s", d.typ, err, in.JSON())
	}
	d.in = in
	arguments := d.model.place(d.typ, nil, false)
	seen["types"]++
	for range 2 {
		if problem := d.judge(arguments.right(&pen{rt, 5}), mistake{}, seen); problem != "" {
			return problem
		}
	}
	for range 3 {
		text, w := arguments.wrong(&pen{rt, 5})
		if text == "null" { // which stands for no arguments
			continue
		}
		if problem := d.judge(text, w, seen); problem != "" {
			return problem
		}
	}
	return ""
}

// judge lets the schema and the decoder judge arguments that are wrong in one way, or in none.
func (d *drawn) judge(text string, w mistake, seen map[string]int) string {
	var sent any
	err := json.Unmarshal([]byte(text), &sent) // a name twice is an error
	if err == nil {
		err = d.schema.Validate(sent)
	}
	v := reflect.New(d.typ).Elem()
	fields := d.in.Decode([]byte(text), v)
	schemaTakes, decoderTakes := w.name == "", w.name == ""
	switch seen["cases"]++; {
	case w.name == "":
		seen["right"]++
	case w.leniency != "":
		seen["lenient: "+w.leniency]++
		decoderTakes = leniencyNamed(w.leniency).TakenBy == byDecoder
		schemaTakes = !decoderTakes
	default:
		seen["wrong: "+w.name]++
	}
	if (err == nil) != schemaTakes || (len(fields) == 0) != decoderTakes {
		return fmt.Sprintf("%s\nwrong in: %q, a leniency: %q\nof type %s\nwith the schema %s\nthe schema says: %v\nthe decoder says: %+v", text, w.name, w.leniency, d.typ, d.in.JSON(), err, fields)
	}
	if schemaTakes && decoderTakes {
		if problem := d.model.sees(v, sent); problem != "" {
			return fmt.Sprintf("%s\nof type %s\nis seen as %s: %s", text, d.typ, fmt.Sprintf("%+v", v), problem)
		}
	}
	return ""
}
