package schema

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// checkSchema finds what is wrong with a schema, with the place of it: one invalid schema
// makes clients drop every tool. It returns the subschemas by their JSON pointers.
func checkSchema(document any) (places map[string]map[string]any, err error) {
	root, is := document.(map[string]any)
	if !is {
		return nil, errors.New("it is no object, as a JSON Schema must be")
	}
	c := schemaChecker{places: map[string]map[string]any{}}
	if err := c.schema(root, ""); err != nil {
		return nil, err
	}
	return c.places, c.loops()
}

// schemaChecker walks through a schema.
type schemaChecker struct {
	places map[string]map[string]any // by JSON pointer, each subschema
}

// shape is what must stand behind a keyword.
type shape uint8

const (
	unsupported shape = iota
	aType
	aReference
	aVersion
	aString
	aPattern
	aNumber
	aPositive
	aCount
	aBoolean
	someStrings
	someValues
	aSchema
	someSchemas
	namedSchemas
	aSchemaOrSome
)

// keywords are those that are looked at; others are left as they are.
var keywords = map[string]shape{
	"type": aType, "$ref": aReference, "$schema": aVersion, "required": someStrings, "enum": someValues, "uniqueItems": aBoolean,
	"pattern": aPattern, "format": aString, "title": aString, "description": aString, "multipleOf": aPositive,
	"minimum": aNumber, "maximum": aNumber, "exclusiveMinimum": aNumber, "exclusiveMaximum": aNumber,
	"minLength": aCount, "maxLength": aCount, "minItems": aCount, "maxItems": aCount, "minProperties": aCount,
	"maxProperties": aCount, "minContains": aCount, "maxContains": aCount,
	"properties": namedSchemas, "patternProperties": namedSchemas, "$defs": namedSchemas, "definitions": namedSchemas,
	"dependentSchemas": namedSchemas, "additionalProperties": aSchema, "propertyNames": aSchema, "items": aSchemaOrSome,
	"additionalItems": aSchema, "contains": aSchema, "not": aSchema, "if": aSchema, "then": aSchema, "else": aSchema,
	"unevaluatedItems": aSchema, "unevaluatedProperties": aSchema, "allOf": someSchemas, "anyOf": someSchemas,
	"oneOf": someSchemas, "prefixItems": someSchemas,
	"$dynamicRef": unsupported, "$dynamicAnchor": unsupported, "$recursiveRef": unsupported, "dependencies": unsupported,
}

// shownPointer is a place in words.
func shownPointer(pointer string) string {
	if pointer == "" {
		return "its root"
	}
	return strconv.Quote(pointer)
}

func escapePointer(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

func (c *schemaChecker) schema(v any, pointer string) error {
	s, is := v.(map[string]any)
	if _, boolean := v.(bool); boolean && pointer != "" {
		return nil
	}
	if !is {
		return fmt.Errorf("%s must be a schema, which is an object", shownPointer(pointer))
	}
	if s["$id"] != nil && pointer != "" {
		return fmt.Errorf("%s has an $id of its own, which is not supported; only the root may have one", shownPointer(pointer))
	}
	c.places["#"+pointer] = s
	for _, name := range slices.Sorted(maps.Keys(s)) {
		if want, known := keywords[name]; known {
			if err := c.keyword(want, s[name], pointer+"/"+escapePointer(name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// keyword checks what stands behind a keyword.
func (c *schemaChecker) keyword(want shape, v any, pointer string) error {
	switch want {
	case unsupported:
		return fmt.Errorf("%s is not supported; use $ref and $defs", shownPointer(pointer))
	case aType:
		return checkType(v, pointer)
	case aReference:
		return checkReference(v, pointer)
	case aPattern:
		return checkPattern(v, pointer)
	case aSchemaOrSome:
		if _, several := v.([]any); several {
			return c.list(v, pointer)
		}
		return c.schema(v, pointer)
	case aSchema:
		return c.schema(v, pointer)
	case someSchemas:
		return c.list(v, pointer)
	case namedSchemas:
		return c.named(v, pointer)
	}
	if words, good := plainShape(want, v); !good {
		return fmt.Errorf("%s must be %s", shownPointer(pointer), words)
	}
	return nil
}

func (c *schemaChecker) named(v any, pointer string) error {
	named, is := v.(map[string]any)
	if !is {
		return fmt.Errorf("%s must be an object of schemas", shownPointer(pointer))
	}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		if err := c.schema(named[name], pointer+"/"+escapePointer(name)); err != nil {
			return err
		}
	}
	return nil
}

func (c *schemaChecker) list(v any, pointer string) error {
	all, is := v.([]any)
	if !is || len(all) == 0 {
		return fmt.Errorf("%s must be an array of at least one schema", shownPointer(pointer))
	}
	for i, s := range all {
		if err := c.schema(s, pointer+"/"+strconv.Itoa(i)); err != nil {
			return err
		}
	}
	return nil
}

// versions are those that jsonschema-go validates by.
var versions = []string{
	"", "https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft-07/schema#",
}

// plainShape checks a value that holds no schema, and says what it must be.
func plainShape(want shape, v any) (words string, good bool) {
	text, isText := v.(string)
	number, isNumber := v.(float64)
	all, isList := v.([]any)
	switch want {
	case aString:
		return "a string", isText
	case aVersion:
		return "one of " + strings.Join(versions[1:], ", "), isText && slices.Contains(versions, text)
	case aNumber:
		return "a number", isNumber
	case aPositive:
		return "a number above 0", isNumber && number > 0
	case aCount:
		return "a whole number from 0 on", isNumber && number >= 0 && number == math.Trunc(number)
	case someValues:
		return "an array of at least one value", len(all) > 0
	case someStrings:
		return "an array of strings", isList && !slices.ContainsFunc(all, func(v any) bool { _, is := v.(string); return !is })
	}
	_, isBoolean := v.(bool)
	return "true or false", isBoolean
}

var jsonTypes = []string{"object", "array", "string", "number", "integer", "boolean", "null"}

func checkType(v any, pointer string) error {
	all, several := v.([]any)
	if !several {
		all = []any{v}
	}
	for _, t := range all {
		name, _ := t.(string)
		if slices.Contains(jsonTypes, name) {
			continue
		}
		like := "one of " + strings.Join(jsonTypes, ", ")
		if at := slices.IndexFunc(jsonTypes, func(t string) bool { return len(name) > 2 && strings.HasPrefix(t, name) }); at >= 0 {
			like = jsonTypes[at]
		}
		return fmt.Errorf("%s is %s, which is no type of JSON Schema; use %s", shownPointer(pointer), literal(t), like)
	}
	return nil
}

func checkPattern(v any, pointer string) error {
	pattern, is := v.(string)
	if !is {
		return fmt.Errorf("%s must be a string", shownPointer(pointer))
	}
	if _, err := regexp.Compile(pattern); err != nil {
		return fmt.Errorf("%s cannot be enforced: %w", shownPointer(pointer), err)
	}
	return nil
}

func checkReference(v any, pointer string) error {
	ref, is := v.(string)
	if is && (ref == "#" || strings.HasPrefix(ref, "#/")) {
		return nil
	}
	return fmt.Errorf("%s refers to %s, but only references inside the schema, which begin with #/, are followed; copy what it refers to into $defs",
		shownPointer(pointer), literal(v))
}
