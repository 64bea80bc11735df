package builder

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/internal/schema"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

// Prompt is a prompt being declared, whose handler will have the context C. It is a chain
// like that of a [Tool]: its methods change and return it, [Prompt.Use] gives a new stage
// and [Prompt.Handle] ends it.
//
// On the wire the arguments of a prompt are strings. They are converted to what is
// declared where nothing is lost: "42" is an integer, "TRUE" and "1" are true, and an
// empty string for a number or a boolean counts as absent.
type Prompt[C any] struct {
	chain *chain
	stage int
}

// Describe says what the prompt is for. Every prompt needs it.
func (p *Prompt[C]) Describe(text string) *Prompt[C] {
	p.chain.setDescription(p.stage, text)
	return p
}

// Title is a name for people. Without it clients show the prompt's name.
func (p *Prompt[C]) Title(title string) *Prompt[C] {
	p.chain.setTitle(p.stage, title)
	return p
}

// Icon adds a picture, see [Tool.Icon].
func (p *Prompt[C]) Icon(src, mimeType string, sizes ...string) *Prompt[C] {
	p.chain.addIcon(p.stage, src, mimeType, sizes)
	return p
}

// Meta sets a member of the definition's _meta, see [Tool.Meta].
func (p *Prompt[C]) Meta(key string, value any) *Prompt[C] {
	p.chain.addMeta(p.stage, key, value)
	return p
}

// WithString declares a required string, see [Tool.WithString] for the rules.
func (p *Prompt[C]) WithString(name, description string, rules ...string) *Prompt[C] {
	return p.with("WithString", typed[string](name, description, rules))
}

// WithOptionalString declares a string that may be absent.
func (p *Prompt[C]) WithOptionalString(name, description string, rules ...string) *Prompt[C] {
	return p.with("WithOptionalString", optional(typed[string](name, description, rules)))
}

// WithNumber declares a required number.
func (p *Prompt[C]) WithNumber(name, description string, rules ...string) *Prompt[C] {
	return p.with("WithNumber", typed[float64](name, description, rules))
}

// WithOptionalNumber declares a number that may be absent.
func (p *Prompt[C]) WithOptionalNumber(name, description string, rules ...string) *Prompt[C] {
	return p.with("WithOptionalNumber", optional(typed[float64](name, description, rules)))
}

// WithInteger declares a required integer.
func (p *Prompt[C]) WithInteger(name, description string, rules ...string) *Prompt[C] {
	return p.with("WithInteger", typed[int64](name, description, rules))
}

// WithOptionalInteger declares an integer that may be absent.
func (p *Prompt[C]) WithOptionalInteger(name, description string, rules ...string) *Prompt[C] {
	return p.with("WithOptionalInteger", optional(typed[int64](name, description, rules)))
}

// WithBoolean declares a required boolean.
func (p *Prompt[C]) WithBoolean(name, description string, rules ...string) *Prompt[C] {
	return p.with("WithBoolean", typed[bool](name, description, rules))
}

// WithOptionalBoolean declares a boolean that may be absent.
func (p *Prompt[C]) WithOptionalBoolean(name, description string, rules ...string) *Prompt[C] {
	return p.with("WithOptionalBoolean", optional(typed[bool](name, description, rules)))
}

// WithEnum declares a required string that is one of values, which are suggested to
// clients that ask for completions.
func (p *Prompt[C]) WithEnum[E ~string](name string, values []E, description string, rules ...string) *Prompt[C] {
	return p.with("WithEnum", enum(values, typed[E](name, description, rules)))
}

// WithOptionalEnum declares a string that is one of values and may be absent.
func (p *Prompt[C]) WithOptionalEnum[E ~string](name string, values []E, description string, rules ...string) *Prompt[C] {
	return p.with("WithOptionalEnum", optional(enum(values, typed[E](name, description, rules))))
}

func (p *Prompt[C]) with(method string, param schema.Param) *Prompt[C] {
	p.chain.with(p.stage, method, param)
	return p
}

// Complete suggests values of an argument that go on from prefix, at most 100 of which
// are sent. It has the context of this stage; ctx.Call.Arguments are the arguments that
// the client already has. Who may not get the prompt gets no suggestions.
func (p *Prompt[C]) Complete(argument string, suggest func(ctx *middleware.Ctx[C], prefix string) []string) *Prompt[C] {
	complete(p.chain, p.stage, argument, suggest)
	return p
}

// Timeout bounds the handler, see [Tool.Timeout].
func (p *Prompt[C]) Timeout(d time.Duration) *Prompt[C] {
	p.chain.setTimeout(p.stage, d)
	return p
}

// Wrap adds around-middleware, see [Tool.Wrap].
func (p *Prompt[C]) Wrap(wraps ...middleware.Wrap) *Prompt[C] {
	p.chain.addWraps(p.stage, wraps)
	return p
}

// Visible hides the prompt from callers for whom visible returns false, see [Tool.Visible].
func (p *Prompt[C]) Visible(visible func(context.Context, *middleware.Call) bool) *Prompt[C] {
	p.chain.addVisible(p.stage, visible)
	return p
}

// Require refuses callers for whom a guard returns a failure, see [Tool.Require].
func (p *Prompt[C]) Require(guards ...middleware.Guard) *Prompt[C] {
	p.chain.addGuards(p.stage, guards)
	return p
}

// Use adds typed middleware, see [Tool.Use].
func (p *Prompt[C]) Use[D any](m func(*middleware.Ctx[C]) result.Result[D]) *Prompt[D] {
	return &Prompt[D]{chain: p.chain, stage: use(p.chain, p.stage, m)}
}

// Handle ends the chain with the prompt's handler. Its second parameter receives the
// arguments, as a tool's does. It returns []result.Message, one result.Message, or a
// string, which is one message of the user. A failure is a JSON-RPC error to the client.
func (p *Prompt[C]) Handle[In, Out any](h func(*middleware.Ctx[C], In) result.Result[Out]) {
	if p.chain.end(p.stage, h != nil) {
		p.chain.compilePrompt(handlerOf(h), reflect.TypeFor[Out]())
	}
}

func (c *chain) compilePrompt(h handler, out reflect.Type) {
	p := &catalog.Prompt{Item: c.item(h)}
	c.entry = p
	if out != reflect.TypeFor[string]() && out != reflect.TypeFor[result.Message]() && out != reflect.TypeFor[[]result.Message]() {
		c.failf(c.handled, "returns a %s; return a []result.Message, a result.Message or a string", out)
	}
	p.Present = presentMessages
	input, decode := c.input(h.in)
	if input == nil {
		return
	}
	var w words
	p.Arguments, w = c.arguments(input)
	p.Decode = w.before(decode)
	p.Complete = c.suggestions(func(name string) bool { return w[name] != "" }, "argument")
	c.suggestEnums(input, p.Complete)
}

// arguments are the compiled parameters as clients are told of them, and what each is
// converted to.
func (c *chain) arguments(input *schema.Input) ([]catalog.Argument, words) {
	s := input.Schema()
	w := make(words, len(s.PropertyOrder))
	arguments := make([]catalog.Argument, 0, len(s.PropertyOrder))
	for _, name := range s.PropertyOrder {
		property := s.Properties[name]
		if w[name] = property.Type; !convertible(property.Type) {
			c.failf(c.paramSite(name), "parameter %q: takes more than a %s can be given as text; use a string, a number, a boolean or an enum", name, c.kind)
		}
		arguments = append(arguments, catalog.Argument{
			Name: name, Description: property.Description, Required: slices.Contains(s.Required, name),
		})
	}
	return arguments, w
}

// presentMessages shapes what a prompt's handler returned.
func presentMessages(_ context.Context, v any) (*result.Response, error) {
	messages := []result.Message{}
	switch v := v.(type) {
	case string:
		messages = append(messages, result.User(v))
	case result.Message:
		messages = append(messages, v)
	case []result.Message:
		messages = append(messages, v...)
	}
	for _, m := range messages {
		if m.Role != result.RoleUser && m.Role != result.RoleAssistant {
			return nil, fmt.Errorf("the role of a message is %q, not user or assistant", m.Role)
		}
	}
	return &result.Response{Data: messages}, nil
}
