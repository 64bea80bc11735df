package builder

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"fmt"
	"reflect"

	"github.com/mcpfusion/go/internal/schema"
	"github.com/mcpfusion/go/result"
)

// NoInput is the input of a tool that takes no arguments.
type NoInput struct{}

// Args are the arguments of a tool whose parameters are not known at compile time. They
// were checked like any others. The getters return the zero value for an argument that
// is absent or of another type; Has and Get tell those apart.
type Args struct {
	values map[string]any
	raw    jsontext.Value
}

var argsType = reflect.TypeFor[Args]()

// Has reports whether the argument was sent or has a default.
func (a Args) Has(name string) bool { return a.values[name] != nil }

// String is a string argument.
func (a Args) String(name string) string { return a.Get[string](name).OrElse("") }

// Int is an integer argument.
func (a Args) Int(name string) int64 { return a.Get[int64](name).OrElse(0) }

// Float is a number argument.
func (a Args) Float(name string) float64 { return a.Get[float64](name).OrElse(0) }

// Bool is a boolean argument.
func (a Args) Bool(name string) bool { return a.Get[bool](name).OrElse(false) }

// Get is an argument as any Go type that its JSON decodes into, such as []string. The
// error says that the argument is absent or does not fit.
func (a Args) Get[T any](name string) result.Result[T] {
	v, found := a.values[name]
	if !found {
		return result.Err[T](fmt.Errorf("there is no argument %q", name))
	}
	if t, is := v.(T); is {
		return result.OK(t)
	}
	var out T
	b, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(b, &out)
	}
	return result.Of(out, err)
}

// Raw is the JSON object as the client sent it.
func (a Args) Raw() jsontext.Value { return a.raw }

func decodeArgs(input *schema.Input) func(jsontext.Value) (any, []result.Field) {
	return func(raw jsontext.Value) (any, []result.Field) {
		values, problems := input.DecodeMap(raw)
		if len(problems) > 0 {
			return nil, problems
		}
		return &Args{values: values, raw: raw}, nil
	}
}
