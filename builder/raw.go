package builder

import (
	"bytes"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"reflect"

	"github.com/mcpfusion/go/internal/schema"
	"github.com/mcpfusion/go/result"
)

// compileRaw takes the schema from elsewhere: it alone says what is legal, and the
// arguments are then decoded without further demands.
func (c *chain) compileRaw(in reflect.Type) {
	if len(c.params) > 0 {
		c.failf(c.params[0].site, "RawSchema and With methods exclude one another; declare the parameters in one of them")
		return
	}
	raw, err := schema.NewRaw(c.raw)
	if err != nil {
		c.failf(c.rawSite, "the raw schema is not usable: %v", err)
		return
	}
	if !holdsObject(in) {
		c.failf(c.handled, "takes a %s, but arguments are an object; use a struct, a map, fusion.Args or fusion.NoInput", in)
		return
	}
	c.compiled.InputSchema, c.compiled.Mirrors = raw.JSON(), mirrors(raw.Mirrors())
	c.compiled.Decode = func(args jsontext.Value) (any, []result.Field) {
		if len(bytes.TrimSpace(args)) == 0 || args.Kind() == 'n' {
			args = jsontext.Value("{}")
		}
		if problems := raw.Validate(args); len(problems) > 0 {
			return nil, problems
		}
		return decodeRaw(in, args)
	}
}

// holdsObject reports whether JSON objects decode into a type, as far as the type tells.
func holdsObject(t reflect.Type) bool {
	pointer := reflect.PointerTo(t)
	if pointer.Implements(reflect.TypeFor[json.Unmarshaler]()) || pointer.Implements(reflect.TypeFor[json.UnmarshalerFrom]()) {
		return true
	}
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return true
	case reflect.Interface:
		return t.NumMethod() == 0
	case reflect.Pointer:
		return t.Elem().Kind() != reflect.Pointer && holdsObject(t.Elem())
	}
	return false
}

func decodeRaw(in reflect.Type, args jsontext.Value) (any, []result.Field) {
	if in == argsType {
		a := &Args{raw: args}
		return a, misfit(json.Unmarshal(args, &a.values))
	}
	dst := reflect.New(in)
	return dst.Interface(), misfit(json.Unmarshal(args, dst.Interface()))
}

// misfit is what a model is told of arguments that the schema allows and the handler's
// type does not.
func misfit(err error) []result.Field {
	if err == nil {
		return nil
	}
	return []result.Field{{Problem: "the arguments do not fit what the tool can take"}}
}
