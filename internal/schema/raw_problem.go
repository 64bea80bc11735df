package schema

import (
	"encoding/json/v2"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpfusion/go/result"
)

// rawError is what one error of the library tells, such as
//
//	validating root: validating /properties/a/items: type: 5 has type "integer", want "string"
type rawError struct {
	pointer string   // to the subschema that refuses
	steps   []string // to the value: names, and "[]" for an item that is not known
	keyword string
	message string
}

func parseRawError(err error) rawError {
	var e rawError
	e.message = err.Error()
	at := ""
	for {
		where, rest, more := strings.Cut(e.message, ": ")
		place, is := strings.CutPrefix(where, "validating ")
		if !is || !more {
			break
		}
		e.message = rest
		if e.pointer = strings.TrimPrefix(place, "root"); e.pointer != "" {
			at = follow(at, e.pointer)
		}
	}
	e.steps = valueSteps(at)
	e.keyword, _, _ = strings.Cut(e.message, ":")
	return e
}

// follow is the way through the schema after one more step. A step that does not go on
// from the last one went through a reference.
func follow(at, pointer string) string {
	if at == "" || strings.HasPrefix(pointer, at+"/") {
		return pointer
	}
	if strings.HasPrefix(pointer, "/$defs/") || strings.HasPrefix(pointer, "/definitions/") {
		if parts := strings.SplitN(pointer, "/", 4); len(parts) == 4 {
			return at + "/" + parts[3]
		}
	}
	return at
}

// valueSteps is the way to the value that a way through the schema leads to.
func valueSteps(at string) (steps []string) {
	parts := strings.Split(at, "/")
	for i := 0; i < len(parts); i++ {
		switch parts[i] {
		case "properties":
			if i++; i < len(parts) {
				steps = append(steps, pointerName.Replace(parts[i]))
			}
		case "items", "prefixItems", "contains":
			steps = append(steps, "[]")
		}
	}
	return steps
}

func (e *rawError) path() string {
	path := ""
	for _, step := range e.steps {
		if step == "[]" {
			path += step
			continue
		}
		path = under(path, step)
	}
	return path
}

// received is the value that the error is about, or the nearest one around it that is
// known.
func (e *rawError) received(object map[string]any) string {
	if len(e.steps) == 0 {
		return ""
	}
	var v any = object
	for _, step := range e.steps {
		members, is := v.(map[string]any)
		if !is {
			break
		}
		v = members[step]
	}
	return excerptOf(v)
}

func excerptOf(v any) string {
	b, _ := json.Marshal(v, json.Deterministic(true))
	return excerpt(b)
}

var (
	unexpectedForm = regexp.MustCompile(`^unexpected additional properties (\[.*\])$`)
	missingForm    = regexp.MustCompile(`missing properties:? (\[.*\])$`)
	nameForm       = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
)

// names are those that an error of the library lists.
func (e *rawError) names(form *regexp.Regexp) (names []string) {
	match := form.FindStringSubmatch(e.message)
	if match == nil {
		return nil
	}
	for _, quoted := range nameForm.FindAllString(match[1], -1) {
		if name, err := strconv.Unquote(quoted); err == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// fields are the problems in words for a model.
func (e *rawError) fields(object, schema map[string]any) (fields []result.Field) {
	properties, _ := schema["properties"].(map[string]any)
	for _, name := range e.names(missingForm) {
		property, _ := properties[name].(map[string]any)
		fields = append(fields, result.Field{Path: under(e.path(), name), Problem: "is missing", Expected: wanted(property)})
	}
	for _, name := range e.names(unexpectedForm) {
		inner := rawError{steps: append(slices.Clone(e.steps), name)}
		problem, expected := unknownName(name, slices.Sorted(maps.Keys(properties)))
		fields = append(fields, result.Field{Path: inner.path(), Problem: problem, Expected: expected, Received: inner.received(object)})
	}
	if len(fields) == 0 {
		problem, expected := e.words(schema)
		fields = append(fields, result.Field{Path: e.path(), Problem: problem, Expected: expected, Received: e.received(object)})
	}
	return fields
}

// boundWords begin what a keyword with a value expects.
var boundWords = map[string]string{
	"const": "exactly ", "pattern": "text that matches the pattern ", "multipleOf": "a multiple of ",
	"minimum": "at least ", "maximum": "at most ", "exclusiveMinimum": "more than ", "exclusiveMaximum": "less than ",
	"minLength": "at least this many characters: ", "maxLength": "at most this many characters: ",
	"minItems": "at least this many items: ", "maxItems": "at most this many items: ",
	"minProperties": "at least this many members: ", "maxProperties": "at most this many members: ",
	"uniqueItems": "items that all differ: ",
}

// words tell what is wrong and what would be right. The library's own message shows values
// as Go prints them.
func (e *rawError) words(schema map[string]any) (problem, expected string) {
	switch e.keyword {
	case "type":
		return "has the wrong type", wanted(schema)
	case "enum":
		return "is not one of the allowed values", wanted(schema)
	}
	words, known := boundWords[e.keyword]
	value, is := schema[e.keyword]
	if !known || !is {
		return "does not match the schema", ""
	}
	return "does not match what the schema says of " + e.keyword, words + strings.Trim(excerptOf(value), "[]")
}

// shownTypes are the types of JSON Schema in words.
var shownTypes = map[string]string{
	"string": "a string", "integer": "an integer", "number": "a number", "boolean": "true or false",
	"array": "an array", "object": "an object", "null": "null",
}

// wanted says what values a schema takes, as far as its type and its list of values tell.
func wanted(schema map[string]any) string {
	var words []string
	if values, listed := schema["enum"].([]any); listed {
		for _, v := range values {
			words = append(words, excerptOf(v))
		}
		return "one of " + strings.Join(words, ", ")
	}
	types, several := schema["type"].([]any)
	if !several {
		types = []any{schema["type"]}
	}
	for _, t := range types {
		if name, is := t.(string); is {
			words = append(words, shownTypes[name])
		}
	}
	return strings.Join(words, " or ")
}
