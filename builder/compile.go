package builder

import (
	"encoding/json/jsontext"
	"reflect"
	"strings"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/internal/schema"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

// handler is a handler without its types. This is the only place where they are erased.
type handler struct {
	in, out reflect.Type
	invoke  func(ctx, in any) (any, error) // in is a pointer to the input type
}

func handlerOf[C, In, Out any](h func(*middleware.Ctx[C], In) result.Result[Out]) handler {
	return handler{reflect.TypeFor[In](), reflect.TypeFor[Out](), func(ctx, in any) (any, error) {
		return h(ctx.(*middleware.Ctx[C]), *in.(*In)).Get()
	}}
}

// call is invoke, with one difference: where the type of the result leaves it open, a value
// that is an error fails the call as one.
func (h handler) call() func(ctx, in any) (any, error) {
	if h.out.Kind() != reflect.Interface {
		return h.invoke
	}
	return func(ctx, in any) (any, error) {
		v, err := h.invoke(ctx, in)
		if failed, is := v.(error); is && err == nil {
			return nil, failed
		}
		return v, err
	}
}

// errorType is the type of errors, which are no data.
var errorType = reflect.TypeFor[error]()

// isError reports that values of type t, or pointers to them, are errors.
func isError(t reflect.Type) bool {
	return t.Implements(errorType) || reflect.PointerTo(t).Implements(errorType)
}

// compile makes the catalog's tool out of the chain. What is wrong is noted; a tool that
// was compiled in spite of mistakes is never served.
func (c *chain) compile(h handler, out output) {
	c.compiled = &catalog.Tool{Item: c.item(h)}
	c.compiled.Hints = c.resolve()
	c.compileInput(h.in)
	c.compileOutput(h.out, out)
	c.lint()
}

// item is what tools, prompts and resources have in common.
func (c *chain) item(h handler) catalog.Item {
	if strings.TrimSpace(c.description) == "" {
		c.failf(c.site, "there is no description; say with Describe what the %s does and when to use it", c.kind)
	}
	if isError(h.out) {
		c.failf(c.handled, "the handler's result is a %s, which is an error and no data; return it with result.Fail or result.Err", h.out)
	}
	return catalog.Item{
		ID: c.id, Name: c.wire, Verb: c.verb,
		Hints:       middleware.Hints{ReadOnly: true, Idempotent: true},
		Title:       c.title,
		Description: c.text(),
		Icons:       c.icons,
		Meta:        c.meta,
		Wraps:       c.policy.wraps,
		Visible:     c.policy.visible,
		Guards:      c.policy.guards,
		Requires:    c.requires,
		Timeout:     c.timeout,
		Derive:      c.policy.derive,
		Invoke:      h.call(),
	}
}

func (c *chain) compileInput(in reflect.Type) {
	if c.raw != nil && in != reflect.PointerTo(argsType) {
		c.compileRaw(in)
		return
	}
	input, decode := c.input(in)
	if input == nil {
		return
	}
	c.compiled.InputSchema, c.compiled.Decode, c.compiled.Partly = input.JSON(), decode, input.Partly
	c.compiled.Mirrors = mirrors(input.Mirrors())
}

func mirrors(all []schema.Mirror) (mirrors []catalog.Mirror) {
	for _, m := range all {
		mirrors = append(mirrors, catalog.Mirror(m))
	}
	return mirrors
}

// input compiles what the handler takes; nil if that cannot be.
func (c *chain) input(in reflect.Type) (*schema.Input, decoding) {
	if in == reflect.PointerTo(argsType) {
		c.failf(c.handled, "takes *fusion.Args; take fusion.Args")
		return nil, nil
	}
	params := make([]schema.Param, 0, len(c.params))
	for _, p := range c.params {
		params = append(params, p.Param)
	}
	bound := in
	if in == argsType {
		bound, params = nil, append(params, c.uri.params()...)
	}
	input, problems := schema.NewInput(deref(bound), params, schema.Config{Lenient: c.lenient, Coerce: !c.strict, Rules: c.reg.rules})
	for _, p := range problems {
		c.failf(c.paramSite(p.Name), "%s", p)
	}
	switch {
	case len(problems) > 0:
		return nil, nil
	case c.kind != middleware.KindTool && len(input.Mirrors()) > 0:
		name := input.Mirrors()[0].Path[0]
		c.failf(c.paramSite(name), "%q has the rule header, which is for tools; remove it", name)
		return nil, nil
	case in == argsType:
		return input, decodeArgs(input)
	}
	return input, decodeInto(in, input.Decode)
}

// paramSite is where the parameter that a problem is about was declared.
func (c *chain) paramSite(name string) string {
	for _, p := range c.params {
		if p.Name == name {
			return p.site
		}
	}
	return c.handled
}

// decodeInto reads the arguments into a new value of the handler's input type, which may
// be a pointer to it.
func decodeInto(in reflect.Type, decode func(jsontext.Value, reflect.Value) []result.Field) func(jsontext.Value) (any, []result.Field) {
	return func(args jsontext.Value) (any, []result.Field) {
		dst := reflect.New(in)
		target := dst.Elem()
		if in.Kind() == reflect.Pointer {
			target.Set(reflect.New(in.Elem()))
			target = target.Elem()
		}
		if problems := decode(args, target); len(problems) > 0 {
			return nil, problems
		}
		return dst.Interface(), nil
	}
}

func deref(t reflect.Type) reflect.Type {
	if t != nil && t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// compileOutput settles how values of the handler become responses.
func (c *chain) compileOutput(t reflect.Type, out output) {
	if out.err != nil {
		c.failf(c.handled, "%v", out.err)
		return
	}
	c.compiled.OutputSchema = out.schema
	c.compiled.Present = out.present
	c.compiled.Encode = out.encode
	if out.view != nil {
		c.compiled.Present = presentBy(out.view, t, schema.Names(c.compiled.InputSchema))
		c.suggested = out.view.Suggested()
	}
}
