package builder

import (
	"cmp"
	"context"
	"encoding/json/jsontext"
	"reflect"
	"time"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/internal/schema"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

// Resource is a resource being declared, or a template that stands for many, whose handler
// will have the context C. It is a chain like that of a [Tool]: its methods change and
// return it, [Resource.Use] gives a new stage and [Resource.Handle] ends it.
//
// A URI with variables, like "orders://{id}/lines", is a template. The handler's input
// struct has a field for each, and text is converted to its type where nothing is lost. A
// variable stands for one or more characters but "/", "?" and "#", and is percent-decoded;
// a value that would lead out of a folder, such as "..", belongs to no resource.
type Resource[C any] struct {
	chain *chain
	stage int
}

// newResource begins the chain of a resource. URIs are global: a router's prefix is none
// of theirs.
func newResource(r *router, site, uri string) *chain {
	c := r.chain(site, uri, middleware.KindResource, middleware.Query)
	t, err := parseTemplate(uri)
	if err != nil {
		c.failf(site, "the URI %v", err)
	} else {
		c.uri, c.wire = t, t.shape
	}
	r.reg.declare(c)
	return c
}

// Name is the resource's name for programs; default the URI.
func (r *Resource[C]) Name(name string) *Resource[C] {
	if r.chain.touch(r.stage, "Name") {
		r.chain.label = name
	}
	return r
}

// Title is a name for people. Without it clients show the name.
func (r *Resource[C]) Title(title string) *Resource[C] {
	r.chain.setTitle(r.stage, title)
	return r
}

// Describe says what the resource holds. Every resource needs it.
func (r *Resource[C]) Describe(text string) *Resource[C] {
	r.chain.setDescription(r.stage, text)
	return r
}

// MIMEType is the type of what the resource holds, such as "text/plain".
func (r *Resource[C]) MIMEType(mimeType string) *Resource[C] {
	if r.chain.touch(r.stage, "MIMEType") {
		r.chain.mimeType = mimeType
	}
	return r
}

// Size is how large the resource is, in bytes. A template has none.
func (r *Resource[C]) Size(bytes int64) *Resource[C] {
	if r.chain.touch(r.stage, "Size") {
		if r.chain.size = bytes; bytes <= 0 || r.chain.uri != nil && len(r.chain.uri.variables) > 0 {
			r.chain.failf(callSite(), "Size(%d) is for one resource of at least one byte; remove it", bytes)
		}
	}
	return r
}

// Annotations are hints to clients: for whom the resource is, how important it is, and
// when it last changed.
func (r *Resource[C]) Annotations(a result.Annotations) *Resource[C] {
	if r.chain.touch(r.stage, "Annotations") {
		if p := a.Priority; p != nil && (*p < 0 || *p > 1) {
			r.chain.failf(callSite(), "the priority %v is not from 0 to 1", *p)
		}
		r.chain.annotations = &a
	}
	return r
}

// Icon adds a picture, see [Tool.Icon].
func (r *Resource[C]) Icon(src, mimeType string, sizes ...string) *Resource[C] {
	r.chain.addIcon(r.stage, src, mimeType, sizes)
	return r
}

// Meta sets a member of the definition's _meta, see [Tool.Meta].
func (r *Resource[C]) Meta(key string, value any) *Resource[C] {
	r.chain.addMeta(r.stage, key, value)
	return r
}

// Complete suggests values of a variable, see [Prompt.Complete].
func (r *Resource[C]) Complete(variable string, suggest func(ctx *middleware.Ctx[C], prefix string) []string) *Resource[C] {
	complete(r.chain, r.stage, variable, suggest)
	return r
}

// Timeout bounds the handler, see [Tool.Timeout].
func (r *Resource[C]) Timeout(d time.Duration) *Resource[C] {
	r.chain.setTimeout(r.stage, d)
	return r
}

// Wrap adds around-middleware, see [Tool.Wrap].
func (r *Resource[C]) Wrap(wraps ...middleware.Wrap) *Resource[C] {
	r.chain.addWraps(r.stage, wraps)
	return r
}

// Visible hides the resource from callers for whom visible returns false, see
// [Tool.Visible].
func (r *Resource[C]) Visible(visible func(context.Context, *middleware.Call) bool) *Resource[C] {
	r.chain.addVisible(r.stage, visible)
	return r
}

// Require refuses callers for whom a guard returns a failure, see [Tool.Require].
func (r *Resource[C]) Require(guards ...middleware.Guard) *Resource[C] {
	r.chain.addGuards(r.stage, guards)
	return r
}

// Use adds typed middleware, see [Tool.Use].
func (r *Resource[C]) Use[D any](m func(*middleware.Ctx[C]) result.Result[D]) *Resource[D] {
	return &Resource[D]{chain: r.chain, stage: use(r.chain, r.stage, m)}
}

// Handle ends the chain with the handler that reads the resource. Its second parameter is
// [NoInput], or a struct with the variables of a template. It returns a string, a []byte,
// which travels as base64, one result.ResourceContents or several; their URI and type are
// those of the request and of the resource where they say nothing. A failure is a JSON-RPC
// error to the client; result.NotFound says that there is no such resource.
func (r *Resource[C]) Handle[In, Out any](h func(*middleware.Ctx[C], In) result.Result[Out]) {
	if r.chain.end(r.stage, h != nil) {
		r.chain.compileResource(handlerOf(h), reflect.TypeFor[Out]())
	}
}

func (c *chain) compileResource(h handler, out reflect.Type) {
	r := &catalog.Resource{
		Item:  c.item(h),
		Label: cmp.Or(c.label, c.id), MIMEType: c.mimeType, Size: c.size, Annotations: c.annotations,
	}
	r.Name = c.id
	c.entry = r
	switch out {
	case reflect.TypeFor[string](), reflect.TypeFor[[]byte](), reflect.TypeFor[result.ResourceContents](), reflect.TypeFor[[]result.ResourceContents]():
	default:
		c.failf(c.handled, "returns a %s; return a string, a []byte, a result.ResourceContents or a slice of these", out)
	}
	r.Present = presentContents(c.mimeType)
	input, decode := c.input(h.in)
	if input == nil || c.uri == nil {
		return
	}
	c.compileVariables(r, input, decode)
}

// compileVariables binds what a template's URIs say to the handler's input.
func (c *chain) compileVariables(r *catalog.Resource, input *schema.Input, decode decoding) {
	arguments, w := c.arguments(input)
	fields := make([]string, len(arguments))
	for i, a := range arguments {
		fields[i] = a.Name
	}
	names, problems := c.uri.bind(fields)
	for _, problem := range problems {
		c.failf(c.handled, "%s", problem)
	}
	known := make(map[string]bool, len(c.uri.variables))
	for _, v := range c.uri.variables {
		known[v] = true
	}
	r.Decode, r.Variables = w.before(decode), c.uri.variables
	r.Complete = c.suggestions(func(name string) bool { return known[name] }, "variable")
	if len(c.uri.variables) > 0 && len(problems) == 0 {
		r.Match = func(uri string) (jsontext.Value, bool) { return c.uri.match(uri, names) }
	}
}

// presentContents shapes what a resource's handler returned.
func presentContents(mimeType string) func(context.Context, any) (*result.Response, error) {
	return func(_ context.Context, v any) (*result.Response, error) {
		var contents []result.ResourceContents
		switch v := v.(type) {
		case string:
			contents = append(contents, result.ResourceContents{Text: v})
		case []byte:
			contents = append(contents, result.ResourceContents{Blob: append([]byte{}, v...)})
		case result.ResourceContents:
			contents = append(contents, v)
		case []result.ResourceContents:
			contents = append(contents, v...)
		}
		if len(contents) == 0 { // a client could not tell it from one that is there and empty
			return nil, result.NotFound("Resource not found")
		}
		for i := range contents {
			contents[i].MIMEType = cmp.Or(contents[i].MIMEType, mimeType)
		}
		return &result.Response{Data: contents}, nil
	}
}
