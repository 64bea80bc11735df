package catalog

import (
	"context"

	"github.com/mcpfusion/go/internal/scope"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

// Question asks for suggestions.
type Question struct {
	// Kind is that of what has the argument: a prompt or a resource template.
	Kind middleware.Kind
	// Argument is the one to complete, and Prefix what is there of it.
	Argument, Prefix string
}

// asked is a question on its way, with what it is about; nil for what does not exist.
type asked struct {
	Question
	item    *Item
	known   bool // the argument exists
	suggest Complete
}

type askedKey struct{}

// Complete answers a question about the prompt or the template that the call names. It runs
// as a call does, within all policies.
func (c *Catalog) Complete(ctx context.Context, call *middleware.Call, q Question) *Reply {
	a := c.ask(call.Name, q)
	if a.item != nil {
		call.Tool = &a.item.Tool
	}
	ctx = context.WithValue(ctx, askedKey{}, a)
	return c.render(ctx, call, a.item, c.answer(ctx, call))
}

// ask finds what a question is about.
func (c *Catalog) ask(name string, q Question) *asked {
	a := &asked{Question: q}
	if q.Kind == middleware.KindPrompt {
		if p := c.promptByName[name]; p != nil {
			a.item = &p.Item
			for _, argument := range p.Arguments {
				a.known = a.known || argument.Name == q.Argument
			}
			a.suggest = p.Complete[q.Argument]
		}
		return a
	}
	for _, t := range c.templates {
		if t.Name == name {
			a.item = &t.Item
			a.suggest = t.Complete[q.Argument]
			for _, variable := range t.Variables {
				a.known = a.known || variable == q.Argument
			}
		}
	}
	return a
}

// complete goes from the server's wraps to the item's.
func (c *Catalog) complete(ctx context.Context, call *middleware.Call) *result.Response {
	a, _ := ctx.Value(askedKey{}).(*asked)
	switch {
	case a == nil || a.item == nil || c.hides(ctx, call, a.item):
		what := "Unknown prompt"
		if a != nil && a.Kind == middleware.KindResource {
			what = "Unknown resource template"
		}
		return result.FromError(unknownNamed(what, call.Name))
	case !a.known:
		return result.FromError(unknownNamed("Unknown argument", a.Argument))
	}
	return middleware.Chain(a.item.Wraps, c.completer(a))(ctx, call)
}

// completer is what the wraps go around.
func (c *Catalog) completer(a *asked) middleware.Next {
	return func(ctx context.Context, call *middleware.Call) *result.Response {
		if f := forbidden(ctx, call, a.item); f != nil {
			return result.FromError(f)
		}
		if f := shut(ctx, call, a.item); f != nil {
			return result.FromError(f)
		}
		values := []string{}
		if a.suggest == nil {
			return &result.Response{Data: values}
		}
		s := scope.New(c.Log, a.item.ID)
		defer s.Close(ctx)
		values, err := a.suggest(ctx, call, s, a.Prefix)
		if err != nil {
			return result.FromError(err)
		}
		return &result.Response{Data: values}
	}
}
