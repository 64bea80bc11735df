package builder

import (
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
	values := in
	if in == argsType {
		values = reflect.TypeFor[map[string]any]()
	}
	partly, err := raw.Partly()
	if err != nil {
		c.failf(c.rawSite, "the raw schema is not usable: %v", err)
		return
	}
	c.compiled.Partly = partly.Validate
	reader, problems := schema.NewReader(values)
	for _, p := range problems {
		c.failf(c.handled, "%s", p)
	}
	c.compiled.InputSchema, c.compiled.Mirrors = raw.JSON(), mirrors(raw.Mirrors())
	c.compiled.Decode = decodeRaw(in, raw, reader, !c.strict)
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

func decodeRaw(in reflect.Type, raw *schema.Raw, reader *schema.Reader, coerce bool) decoding {
	return func(args jsontext.Value) (any, []result.Field) {
		taken, problems := raw.Take(args, coerce)
		if len(problems) > 0 {
			return nil, problems
		}
		if in == argsType {
			a := &Args{raw: args}
			return a, reader.Read(taken, reflect.ValueOf(&a.values).Elem())
		}
		dst := reflect.New(in)
		return dst.Interface(), reader.Read(taken, dst.Elem())
	}
}
