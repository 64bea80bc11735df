package builder

import (
	"bytes"
	"encoding/json/jsontext"
	"strconv"

	"github.com/mcpfusion/go/internal/schema"
	"github.com/mcpfusion/go/result"
)

// words are the JSON types of arguments that come as strings, by name.
type words map[string]string

// convertible reports whether a string on the wire can stand for a value of a JSON type.
func convertible(jsonType string) bool {
	switch jsonType {
	case "string", "integer", "number", "boolean":
		return true
	}
	return false
}

// decoding reads arguments into a handler's input.
type decoding = func(jsontext.Value) (any, []result.Field)

// before converts the strings and goes on to decode.
func (w words) before(decode decoding) decoding {
	return func(args jsontext.Value) (any, []result.Field) { return decode(w.convert(args)) }
}

// convert gives the members of an object their types where nothing is lost by it. All else
// is left for the decoder to complain of.
func (w words) convert(args jsontext.Value) jsontext.Value {
	if args.Kind() != jsontext.KindBeginObject {
		return args
	}
	d := jsontext.NewDecoder(bytes.NewReader(args), jsontext.AllowDuplicateNames(true))
	_, _ = d.ReadToken()
	out := append(make([]byte, 0, len(args)), '{')
	for d.PeekKind() == jsontext.KindString {
		name, err := d.ReadToken()
		if err != nil {
			return args
		}
		key := name.String() // before the decoder goes on
		value, err := d.ReadValue()
		if err != nil {
			return args
		}
		if value = convertWord(w[key], value); value == nil {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out, _ = jsontext.AppendQuote(out, key)
		out = append(append(out, ':'), value...)
	}
	return append(out, '}')
}

// convertWord converts one value; nil stands for an absent one.
func convertWord(jsonType string, value jsontext.Value) jsontext.Value {
	if value.Kind() != jsontext.KindString || jsonType == "string" || jsonType == "" {
		return value
	}
	text, err := jsontext.AppendUnquote(nil, value)
	switch {
	case err != nil:
		return value
	case len(text) == 0:
		return nil
	case jsonType != "boolean":
		if number := jsontext.Value(text); number.IsValid() && number.Kind() == jsontext.KindNumber {
			return number
		}
		return value
	}
	if truth, spelt := schema.Truth(string(text)); spelt {
		return strconv.AppendBool(nil, truth)
	}
	return value
}
