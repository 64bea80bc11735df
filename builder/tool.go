package builder

import (
	"context"
	"encoding/json/jsontext"
	"slices"
	"strings"
	"time"

	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

// Tool is a tool being declared, whose handler will have the context C. Its methods
// change and return it, so a chain may be split over several statements; [Tool.Use] and
// [Tool.Returns] give a new stage that takes its place. [Tool.Handle] ends the chain.
//
// No method panics: mistakes are collected and reported together, with their file and
// line, before anything is served. A Tool is not safe for concurrent use.
type Tool[C any] struct {
	chain *chain
	stage int
}

// Describe says what the tool does and when to use it. Every tool needs it: models
// choose tools by it.
func (t *Tool[C]) Describe(text string) *Tool[C] {
	t.chain.setDescription(t.stage, text)
	return t
}

// Title is a name for people. Without it clients show the tool's name.
func (t *Tool[C]) Title(title string) *Tool[C] {
	t.chain.setTitle(t.stage, title)
	return t
}

// Icon adds a picture that clients of 2025-11-25 and later may show: an https or data URI,
// its type such as "image/png", and sizes such as "48x48" or "any".
func (t *Tool[C]) Icon(src, mimeType string, sizes ...string) *Tool[C] {
	t.chain.addIcon(t.stage, src, mimeType, sizes)
	return t
}

// Meta sets a member of the definition's _meta, which clients of 2025-06-18 and later are
// sent. The key begins with a prefix of one's own, like "com.example/key".
func (t *Tool[C]) Meta(key string, value any) *Tool[C] {
	t.chain.addMeta(t.stage, key, value)
	return t
}

// Instructions adds advice on how to use the tool, after the description and a blank
// line. Called again, it adds a further paragraph.
func (t *Tool[C]) Instructions(text string) *Tool[C] {
	if t.chain.touch(t.stage, "Instructions") && text != "" {
		t.chain.instructions = append(t.chain.instructions, text)
	}
	return t
}

// ReadOnly overrides the hint that the tool changes nothing.
func (t *Tool[C]) ReadOnly(v bool) *Tool[C] {
	if t.chain.touch(t.stage, "ReadOnly") {
		t.chain.hints.readOnly = &v
	}
	return t
}

// Destructive overrides the hint that the tool may destroy what was there.
func (t *Tool[C]) Destructive(v bool) *Tool[C] {
	if t.chain.touch(t.stage, "Destructive") {
		t.chain.hints.destructive = &v
	}
	return t
}

// Idempotent overrides the hint that the same call twice does no more than once.
func (t *Tool[C]) Idempotent(v bool) *Tool[C] {
	if t.chain.touch(t.stage, "Idempotent") {
		t.chain.hints.idempotent = &v
	}
	return t
}

// OpenWorld overrides the hint that the tool reaches beyond the app's own data, such as
// to the web.
func (t *Tool[C]) OpenWorld(v bool) *Tool[C] {
	if t.chain.touch(t.stage, "OpenWorld") {
		t.chain.hints.openWorld = &v
	}
	return t
}

// Lenient lets arguments pass that the tool does not know.
func (t *Tool[C]) Lenient() *Tool[C] {
	if t.chain.touch(t.stage, "Lenient") {
		t.chain.lenient = true
	}
	return t
}

// Coerce says whether a string is taken for the number, boolean, list or object that it
// spells, such as "5" for 5, once the arguments as they are proved wrong. It never touches
// parameters that may be strings. The default is that of the router, which is true.
func (t *Tool[C]) Coerce(on bool) *Tool[C] {
	if t.chain.touch(t.stage, "Coerce") {
		t.chain.strict = !on
	}
	return t
}

// RawSchema takes the input's JSON Schema verbatim, for tools whose schema comes from
// elsewhere. The arguments are checked against it, and properties that are absent get its
// defaults; the handler takes [Args], a [jsontext.Value], a map or a struct, whose fields
// bind as those of other tools do, but are never required. It excludes the With methods.
func (t *Tool[C]) RawSchema(schema []byte) *Tool[C] {
	if t.chain.touch(t.stage, "RawSchema") {
		t.chain.raw, t.chain.rawSite = slices.Clone(schema), callSite()
		if t.chain.raw == nil {
			t.chain.raw = jsontext.Value{}
		}
	}
	return t
}

// Timeout bounds a call. At the deadline the caller is told TIMEOUT and the handler's
// context ends; a handler that ignores its context runs on to its own end, and what it
// does still counts. Such tools run in a goroutine of their own. It replaces the
// router's timeout; the default is none.
func (t *Tool[C]) Timeout(d time.Duration) *Tool[C] {
	t.chain.setTimeout(t.stage, d)
	return t
}

// Wrap adds around-middleware, inside that of the routers and outside of every Use. The
// first added runs outermost.
func (t *Tool[C]) Wrap(wraps ...middleware.Wrap) *Tool[C] {
	t.chain.addWraps(t.stage, wraps)
	return t
}

// Visible hides the tool from callers for whom visible returns false: it is missing from
// their list, and a call is answered exactly as for a tool that does not exist. Several
// must all agree. It is asked often, so it should be quick.
func (t *Tool[C]) Visible(visible func(context.Context, *middleware.Call) bool) *Tool[C] {
	t.chain.addVisible(t.stage, visible)
	return t
}

// Require refuses callers for whom a guard returns a failure: the tool is missing from
// their list, and a call answers with that failure.
func (t *Tool[C]) Require(guards ...middleware.Guard) *Tool[C] {
	t.chain.addGuards(t.stage, guards)
	return t
}

// Use adds typed middleware: from here on the context is D. They run in the order
// declared, after the router's, before the arguments are decoded.
func (t *Tool[C]) Use[D any](m func(*middleware.Ctx[C]) result.Result[D]) *Tool[D] {
	return &Tool[D]{chain: t.chain, stage: use(t.chain, t.stage, m)}
}

// Handle ends the chain with the tool's handler and compiles it. Its second parameter
// receives the arguments: a struct whose fields match the declared parameters, or
// declare them; [Args]; or [NoInput]. Its result may be any type that encodes as JSON,
// [result.Unit], or [result.Content] of its own.
func (t *Tool[C]) Handle[In, Out any](h func(*middleware.Ctx[C], In) result.Result[Out]) Compiled {
	if t.chain.end(t.stage, h != nil) {
		t.chain.compile(handlerOf(h), plain[Out]())
	}
	return Compiled{t.chain.id}
}

// Compiled is a finished tool.
type Compiled struct{ id string }

// Name is the tool's id, for [result.Failure.Actions] and suggestions.
func (c Compiled) Name() string { return c.id }

// use adds a step and returns the number of the stage that it begins.
func use[C, D any](c *chain, stage int, m middleware.Use[C, D]) int {
	if c.touch(stage, "Use") {
		c.stage++
		if c.usable("Use", m != nil) {
			c.policy.steps = append(c.policy.steps, erase(m))
		}
	}
	return c.stage
}

// usable complains of a nil function.
func (c *chain) usable(method string, ok bool) bool {
	if !ok {
		c.failf(callSite(), "%s was given a nil function; remove it", method)
	}
	return ok
}

// end notes where Handle was called, once.
func (c *chain) end(stage int, handler bool) bool {
	if !c.touch(stage, "Handle") {
		return false
	}
	c.handled = callSite()
	if !handler {
		c.failf(c.handled, "Handle was given a nil function; pass the handler")
	}
	return handler
}

// text is the description that clients see.
func (c *chain) text() string {
	return strings.Join(append([]string{c.description}, c.instructions...), "\n\n")
}
