// Package catalog holds an app's compiled, type-erased tools and the one path on which
// every call to them runs, whatever transport it came by.
package catalog

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json/jsontext"
	"log/slog"
	"time"

	"github.com/mcpfusion/go/internal/scope"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

// Info is what a server says of itself.
type Info struct {
	Name         string
	Version      string
	Title        string
	WebsiteURL   string
	Instructions string
	// PageSize is how many tools one page of a list has.
	PageSize int
}

// Catalog is a frozen set of tools. It is safe for concurrent use.
type Catalog struct {
	Info Info
	// Log receives what the model is not shown. Never nil after New.
	Log *slog.Logger

	tools  []*Tool
	byName map[string]*Tool
	byID   map[string]*Tool
	static bool
	enter  middleware.Next

	changes changes
}

// Tool is one compiled tool. It does not change once it is in a catalog.
type Tool struct {
	middleware.Tool

	Title       string
	Description string
	// InputSchema and OutputSchema are JSON; OutputSchema is nil where none is told.
	InputSchema  jsontext.Value
	OutputSchema jsontext.Value

	// Wraps are the router's and the tool's, outermost first.
	Wraps []middleware.Wrap
	// Visible must all hold, or the tool does not exist for the caller.
	Visible []middleware.Visible
	// Guards must all pass, or the call is FORBIDDEN and the tool unlisted.
	Guards []middleware.Guard
	// Gate is the state that the tool depends on; nil for none.
	Gate Gate
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
	// Encode appends the JSON of a response's data, an object. Nil takes data of any type.
	Encode func(dst []byte, data any) ([]byte, error)

	run middleware.Next
}

// New freezes tools into a catalog. Names and ids must be unique.
func New(info Info, log *slog.Logger, wraps []middleware.Wrap, tools []*Tool) *Catalog {
	if log == nil {
		log = slog.Default()
	}
	c := &Catalog{
		Info: info, Log: log, tools: tools, static: true,
		byName: make(map[string]*Tool, len(tools)),
		byID:   make(map[string]*Tool, len(tools)),
	}
	for _, t := range tools {
		c.byName[t.Name], c.byID[t.ID] = t, t
		t.run = middleware.Chain(t.Wraps, c.runner(t))
		c.static = c.static && len(t.Visible) == 0 && len(t.Guards) == 0 && t.Gate == nil
	}
	c.enter = middleware.Chain(wraps, c.dispatch)
	return c
}

// Tools are all tools in the order of their declaration, whoever asks.
func (c *Catalog) Tools() []*Tool { return c.tools }

// Static reports that every caller sees every tool at every moment.
func (c *Catalog) Static() bool { return c.static }

// Find returns the tool with a wire name, or nil.
func (c *Catalog) Find(name string) *Tool { return c.byName[name] }

func newReference() string {
	var b [8]byte
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}
