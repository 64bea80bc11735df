package catalog

import (
	"context"
	"encoding/json/jsontext"
	"time"

	"github.com/mcpfusion/go/internal/scope"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

// Item is what a tool, a prompt and a resource have in common: all that the dispatch path
// needs to know of them. It does not change once it is in a catalog.
type Item struct {
	middleware.Tool

	Title       string
	Description string
	Icons       []result.Icon
	// Meta is the definition's _meta; nil for none.
	Meta map[string]any

	// Wraps are the router's and the item's, outermost first.
	Wraps []middleware.Wrap
	// Visible must all hold, or the item does not exist for the caller.
	Visible []middleware.Visible
	// Guards must all pass, or the call is FORBIDDEN and the item unlisted.
	Guards []middleware.Guard
	// Requires are capabilities that the client must declare, of [scope.Capabilities].
	Requires []string
	// Timeout bounds a call; 0 means no bound.
	Timeout time.Duration

	// Derive runs the Use chain and returns the handler's context.
	Derive func(ctx context.Context, call *middleware.Call, s *scope.Scope) (any, error)
	// Decode reads the arguments into the handler's input.
	Decode func(args jsontext.Value) (any, []result.Field)
	// Invoke runs the handler.
	Invoke func(app, in any) (any, error)
	// Present turns the handler's value into a response.
	Present func(ctx context.Context, value any) (*result.Response, error)

	tool *Tool // what only tools have; nil for others
	run  middleware.Next
}

// Steady reports that the same is shown to every caller at every moment.
func (i *Item) Steady() bool {
	return len(i.Visible) == 0 && len(i.Guards) == 0 && i.gate() == nil
}

// gate is the state that the item depends on. Only tools have one.
func (i *Item) gate() Gate {
	if i.tool == nil {
		return nil
	}
	return i.tool.Gate
}

// Tool is one compiled tool.
type Tool struct {
	Item

	// InputSchema and OutputSchema are JSON; OutputSchema is nil where none is told.
	InputSchema  jsontext.Value
	OutputSchema jsontext.Value
	// Partly finds what is wrong with arguments of which some may still be missing.
	Partly func(args jsontext.Value) []result.Field
	// Mirrors are the arguments that clients repeat in HTTP headers.
	Mirrors []Mirror
	// Gate is the state that the tool depends on; nil for none.
	Gate Gate
	// Encode appends the JSON of a response's data, an object. Nil takes data of any type.
	Encode func(dst []byte, data any) ([]byte, error)
}

// Mirror is an argument that clients repeat in an HTTP header.
type Mirror struct {
	Header string   // in canonical form
	Path   []string // the names that lead to the argument
}

// Complete suggests values of an argument that go on from prefix. The call's arguments are
// those that the client already has.
type Complete func(ctx context.Context, call *middleware.Call, s *scope.Scope, prefix string) ([]string, error)

// Prompt is one compiled prompt. Its handler's response has []result.Message as its data.
type Prompt struct {
	Item

	// Arguments are in the order in which clients see them.
	Arguments []Argument
	// Complete has the arguments that have suggestions.
	Complete map[string]Complete
}

// Argument is an argument of a prompt as clients are told of it.
type Argument struct {
	Name        string
	Description string
	Required    bool
}

// Resource is one compiled resource, or a template that stands for many. The Name of its
// Item is the URI. Its handler's response has []result.ResourceContents as its data.
type Resource struct {
	Item

	// Label is the name that clients are told.
	Label       string
	MIMEType    string
	Size        int64 // in bytes; 0 is not told
	Annotations *result.Annotations
	// Match is nil for a resource, and for a template reads the variables of a URI as a
	// JSON object, if the URI is one of the template's.
	Match func(uri string) (variables jsontext.Value, ok bool)
	// Variables are the template's.
	Variables []string
	// Complete has the variables that have suggestions.
	Complete map[string]Complete
}

// Entry is a prompt or a resource, for [New].
type Entry interface{ enter(c *Catalog) *Item }

func (p *Prompt) enter(c *Catalog) *Item {
	c.prompts = append(c.prompts, p)
	c.promptByName[p.Name] = p
	return &p.Item
}

func (r *Resource) enter(c *Catalog) *Item {
	if r.Match != nil {
		c.templates = append(c.templates, r)
		return &r.Item
	}
	c.resources = append(c.resources, r)
	c.resourceByURI[r.Name] = r
	return &r.Item
}

// find returns what a call is for, or nil. A call for one of a template's resources gets
// the variables as its arguments.
func (c *Catalog) find(call *middleware.Call) *Item {
	switch call.Kind {
	case middleware.KindPrompt:
		if p := c.promptByName[call.Name]; p != nil {
			return &p.Item
		}
		return nil
	case middleware.KindResource:
		r, variables := c.Locate(call.Name)
		if r == nil {
			return nil
		}
		call.Arguments = variables
		return &r.Item
	}
	if t := c.byName[call.Name]; t != nil {
		return &t.Item
	}
	return nil
}

// Knows reports that what a call is for exists and that the caller is shown it.
func (c *Catalog) Knows(ctx context.Context, call *middleware.Call) bool {
	i := c.find(call)
	return i != nil && c.Shows(ctx, call)(i)
}

// Locate returns the resource or the template that a URI belongs to, with the template's
// variables; nil if there is none.
func (c *Catalog) Locate(uri string) (*Resource, jsontext.Value) {
	if r := c.resourceByURI[uri]; r != nil {
		return r, nil
	}
	for _, t := range c.templates {
		if variables, ok := t.Match(uri); ok {
			return t, variables
		}
	}
	return nil, nil
}

// Prompts are all prompts in the order of their declaration, whoever asks.
func (c *Catalog) Prompts() []*Prompt { return c.prompts }

// Resources are all resources that are no templates, in the order of their declaration.
func (c *Catalog) Resources() []*Resource { return c.resources }

// Templates are all templates in the order of their declaration.
func (c *Catalog) Templates() []*Resource { return c.templates }
