package builder

import (
	"reflect"
	"regexp"
	"slices"

	"github.com/mcpfusion/go/internal/schema"
)

// The With methods declare parameters in the order in which clients see them. The rules
// are in the tag language of go-playground/validator: "min=1", "email,max=120". A rule
// "default=…" gives the value of an absent argument and makes the parameter optional.
// "header=Region" has clients repeat the argument in the HTTP header Mcp-Param-Region.
// An optional parameter binds to a field that can be absent: an mo.Option, a pointer, a
// slice or a map; or to any field when it has a default.

// WithString declares a required string.
func (t *Tool[C]) WithString(name, description string, rules ...string) *Tool[C] {
	return t.with("WithString", typed[string](name, description, rules))
}

// WithOptionalString declares a string that may be absent.
func (t *Tool[C]) WithOptionalString(name, description string, rules ...string) *Tool[C] {
	return t.with("WithOptionalString", optional(typed[string](name, description, rules)))
}

// WithNumber declares a required number.
func (t *Tool[C]) WithNumber(name, description string, rules ...string) *Tool[C] {
	return t.with("WithNumber", typed[float64](name, description, rules))
}

// WithOptionalNumber declares a number that may be absent.
func (t *Tool[C]) WithOptionalNumber(name, description string, rules ...string) *Tool[C] {
	return t.with("WithOptionalNumber", optional(typed[float64](name, description, rules)))
}

// WithInteger declares a required integer.
func (t *Tool[C]) WithInteger(name, description string, rules ...string) *Tool[C] {
	return t.with("WithInteger", typed[int64](name, description, rules))
}

// WithOptionalInteger declares an integer that may be absent.
func (t *Tool[C]) WithOptionalInteger(name, description string, rules ...string) *Tool[C] {
	return t.with("WithOptionalInteger", optional(typed[int64](name, description, rules)))
}

// WithBoolean declares a required boolean.
func (t *Tool[C]) WithBoolean(name, description string, rules ...string) *Tool[C] {
	return t.with("WithBoolean", typed[bool](name, description, rules))
}

// WithOptionalBoolean declares a boolean that may be absent.
func (t *Tool[C]) WithOptionalBoolean(name, description string, rules ...string) *Tool[C] {
	return t.with("WithOptionalBoolean", optional(typed[bool](name, description, rules)))
}

// WithEnum declares a required string that is one of values.
func (t *Tool[C]) WithEnum[E ~string](name string, values []E, description string, rules ...string) *Tool[C] {
	return t.with("WithEnum", enum(values, typed[E](name, description, rules)))
}

// WithOptionalEnum declares a string that is one of values and may be absent.
func (t *Tool[C]) WithOptionalEnum[E ~string](name string, values []E, description string, rules ...string) *Tool[C] {
	return t.with("WithOptionalEnum", optional(enum(values, typed[E](name, description, rules))))
}

// WithArray declares a required array with elements of type E.
func (t *Tool[C]) WithArray[E any](name, description string, rules ...string) *Tool[C] {
	return t.with("WithArray", typed[[]E](name, description, rules))
}

// WithOptionalArray declares an array that may be absent.
func (t *Tool[C]) WithOptionalArray[E any](name, description string, rules ...string) *Tool[C] {
	return t.with("WithOptionalArray", optional(typed[[]E](name, description, rules)))
}

// With declares a required parameter of any Go type, with the schema of that type.
func (t *Tool[C]) With[T any](name, description string, rules ...string) *Tool[C] {
	return t.with("With", typed[T](name, description, rules))
}

// WithOptional declares a parameter of any Go type that may be absent.
func (t *Tool[C]) WithOptional[T any](name, description string, rules ...string) *Tool[C] {
	return t.with("WithOptional", optional(typed[T](name, description, rules)))
}

// WithObject declares a required object with the fields of the struct T.
func (t *Tool[C]) WithObject[T any](name, description string, rules ...string) *Tool[C] {
	return t.with("WithObject", t.chain.object(typed[T](name, description, rules)))
}

// WithOptionalObject declares an object that may be absent.
func (t *Tool[C]) WithOptionalObject[T any](name, description string, rules ...string) *Tool[C] {
	return t.with("WithOptionalObject", optional(t.chain.object(typed[T](name, description, rules))))
}

// object complains of a parameter that is no object.
func (c *chain) object(p schema.Param) schema.Param {
	if kind := p.Type.Kind(); kind != reflect.Struct && kind != reflect.Map {
		c.failf(callSite(), "the object %q has the type %s; use a struct or a map, or declare it with With", p.Name, p.Type)
	}
	return p
}

// FromModel declares the fields of the struct T that have a profile in their tag, such as
// `fusion:"create,update?"`, where "?" makes the field optional in that profile. Names,
// descriptions and rules are those of the fields; fields, if there are any, narrows the
// profile to them. The handler's input may be T itself: what the profile leaves out is then
// no parameter. The word "guarded" in the tag keeps a field out of every input, "hidden" out
// of every output.
func (t *Tool[C]) FromModel[T any](profile string, fields ...string) *Tool[C] {
	t.chain.fromModel(t.stage, reflect.TypeFor[T](), profile, fields)
	return t
}

func (c *chain) fromModel(stage int, model reflect.Type, profile string, fields []string) {
	if !c.touch(stage, "FromModel") {
		return
	}
	site := callSite()
	params, problems := schema.Model(model, profile, fields...)
	for _, p := range problems {
		c.failf(site, "FromModel: %s", p)
	}
	for _, p := range params {
		c.params = append(c.params, param{p, site})
	}
}

func (t *Tool[C]) with(method string, p schema.Param) *Tool[C] {
	t.chain.with(t.stage, method, p)
	return t
}

func (c *chain) with(stage int, method string, p schema.Param) {
	if c.touch(stage, method) {
		if ruleLike.MatchString(p.Description) {
			c.failf(callSite(), "the description of %q is %q, which is a rule; give a description before the rules", p.Name, p.Description)
		}
		c.params = append(c.params, param{p, callSite()})
	}
}

// ruleLike is a description that was left out, so that a rule stands in its place.
var ruleLike = regexp.MustCompile(`^[a-z0-9_]+=\S*$`)

func typed[T any](name, description string, rules []string) schema.Param {
	return schema.Param{Name: name, Description: description, Type: reflect.TypeFor[T](), Rules: slices.Clone(rules)}
}

func optional(p schema.Param) schema.Param {
	p.Optional = true
	return p
}

func enum[E ~string](values []E, p schema.Param) schema.Param {
	p.Enum = make([]string, len(values))
	for i, v := range values {
		p.Enum[i] = string(v)
	}
	return p
}
