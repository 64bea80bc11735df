package schema

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/samber/mo"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// takenBy is who takes arguments that the other one refuses.
type takenBy string

const (
	byDecoder takenBy = "the tool"
	bySchema  takenBy = "the schema"
)

// leniency is a case in which the written schema and the tool judge arguments differently.
// They agree in all cases that are not listed here.
type leniency struct {
	Name    string
	What    string  // what differs, and why
	Type    any     // a value of an input type that shows it
	Example string  // arguments that only one of both takes
	TakenBy takenBy // that one
	Coerce  bool    // it is so only for tools that coerce, as tools do unless told not to
}

const (
	nullForAbsent           = "null for an argument that may be absent"
	noArguments             = "no arguments"
	spelledValues           = "strings for what they spell"
	formats                 = "formats"
	rulesWithoutKeyword     = "rules without a keyword"
	customRules             = "rules of an app's own"
	rulesBetweenFields      = "rules between fields"
	lengthsOfBytes          = "lengths of bytes"
	limitsOfDurations       = "limits of durations"
	numbersInStrings        = "limits of numbers in strings"
	uniqueParts             = "unique for items of several forms"
	namesOfMaps             = "names of maps"
	typesThatReadThemselves = "types that read themselves"
	largeNumbers            = "numbers beyond 2^53"
	deepNesting             = "deep nesting"
)

// leniencies are all of them; the table in the docs is made from this one.
var leniencies = []leniency{
	{nullForAbsent, "null is taken for an argument that may be absent and means that it is: models send it so. The schema does not offer it.",
		struct{ Reason mo.Option[string] }{}, `{"reason":null}`, byDecoder, false},
	{noArguments, "Absent arguments, and null in their place, are an empty object: clients send no arguments to a tool that needs none.",
		struct {
			Limit int `validate:"default=10"`
		}{}, `null`, byDecoder, false},
	{spelledValues, "A string is taken for the number, boolean, list or object that it spells, when the arguments as they are proved wrong: models quote values.",
		struct{ Count int }{}, `{"count":"5"}`, byDecoder, true},
	{formats, "The form of a string (a date-time, a URL, an address, base64) is a format or a description in the schema, which validators of JSON Schema take as a hint. The tool demands it.",
		struct{ At time.Time }{}, `{"at":"yesterday"}`, bySchema, false},
	{rulesWithoutKeyword, "Rules for which JSON Schema has no keyword, such as ip, lowercase, timezone or a layout of datetime, are checked by the tool alone.",
		struct {
			Host string `validate:"ip"`
		}{}, `{"host":"here"}`, bySchema, false},
	{customRules, "A rule of an app's own is checked by the tool; the schema says what the app wrote for it.",
		struct {
			Code string `validate:"even"`
		}{}, `{"code":"abc"}`, bySchema, false},
	{rulesBetweenFields, "Of the rules that look at other fields the schema says required_with, and required_with_all of one field; the tool checks all.",
		struct {
			From int
			To   int `validate:"gtefield=From"`
		}{}, `{"from":2,"to":1}`, bySchema, false},
	{lengthsOfBytes, "A limit of []byte, and the length of an array of bytes, counts bytes; JSON Schema could count only the characters of the base64.",
		struct {
			Data []byte `validate:"max=2"`
		}{}, `{"data":"YWJj"}`, bySchema, false},
	{limitsOfDurations, "The schema has the form of a duration, not its limits, nor that it ends at about 290 years.",
		struct {
			Wait time.Duration `validate:"max=1h"`
		}{}, `{"wait":"2h"}`, bySchema, false},
	{numbersInStrings, "With the json option string the schema has the form of the number, not its limits.",
		struct {
			Count int8 `json:"count,string" validate:"max=9"`
		}{}, `{"count":"10"}`, bySchema, false},
	{uniqueParts, "unique is written for lists of integers, float64, booleans and strings. For lists of others, of which two items may be one value, for the values of maps, and for one field of the items the tool checks it.",
		struct {
			Lines []struct{ SKU string } `validate:"unique=SKU"`
		}{}, `{"lines":[{"sku":"a"},{"sku":"a"}]}`, bySchema, false},
	{namesOfMaps, "The schema says that names are whole numbers, not how large they may be, and nothing of names that a type reads itself.",
		struct{ By map[int8]bool }{}, `{"by":{"128":true}}`, bySchema, false},
	{typesThatReadThemselves, "A type with UnmarshalJSON may refuse what its JSONSchema allows; without JSONSchema the schema says nothing of it.",
		struct{ Self poolSelf }{}, `{"self":"no"}`, bySchema, false},
	{largeNumbers, "Integers of 64 bits are exact in the tool, up to their ends; validators round numbers beyond 2^53, and the schema does not name the ends.",
		struct{ N int64 }{}, `{"n":9223372036854775808}`, bySchema, false},
	{deepNesting, "Arguments nest at most 64 levels deep.",
		struct{ Any any }{}, `{"any":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`, bySchema, false},
}

func leniencyNamed(name string) *leniency {
	for i := range leniencies {
		if leniencies[i].Name == name {
			return &leniencies[i]
		}
	}
	panic("no leniency " + name)
}

func TestEachLeniencyIsAsTheTableSays(t *testing.T) {
	rules := &Rules{}
	require.NoError(t, rules.Add(CustomRule{
		Name: "even", Type: reflect.TypeFor[string](), Problem: "is odd", Expected: "an even number of letters",
		Holds: func(v reflect.Value) bool { return v.Len()%2 == 0 },
	}))
	for _, l := range leniencies {
		t.Run(l.Name, func(t *testing.T) {
			in, problems := NewInput(reflect.TypeOf(l.Type), nil, Config{Rules: rules, Coerce: l.Coerce})
			require.Empty(t, problems)
			var sent any
			require.NoError(t, json.Unmarshal([]byte(l.Example), &sent))
			err := referee(t, in).Validate(sent)
			fields := in.Decode(jsontext.Value(l.Example), reflect.New(reflect.TypeOf(l.Type)).Elem())
			assert.Equal(t, l.TakenBy == bySchema, err == nil, "the schema says %v", err)
			assert.Equal(t, l.TakenBy == byDecoder, len(fields) == 0, "the tool says %v", fields)
			if l.Coerce {
				strict, _ := NewInput(reflect.TypeOf(l.Type), nil, Config{Rules: rules})
				assert.NotEmpty(t, strict.Decode(jsontext.Value(l.Example), reflect.New(reflect.TypeOf(l.Type)).Elem()), "without coercion both refuse")
			}
		})
	}
}
