// Package catalog holds an app's compiled, type-erased tools, prompts and resources and the one path on which
// every call to them runs, whatever transport it came by.
package catalog

import (
	"crypto/rand"
	"encoding/hex"
	"log/slog"

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
	Icons        []result.Icon
	// PageSize is how many items one page of a list has.
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
	items  map[*middleware.Tool]*Item // by what a Call has of them
	static bool
	enter  middleware.Next

	prompts       []*Prompt
	promptByName  map[string]*Prompt
	resources     []*Resource
	resourceByURI map[string]*Resource
	templates     []*Resource

	changes changes
}

// New freezes tools, prompts and resources into a catalog. Names and ids of a kind must be
// unique.
func New(info Info, log *slog.Logger, wraps []middleware.Wrap, tools []*Tool, others ...Entry) *Catalog {
	if log == nil {
		log = slog.Default()
	}
	c := &Catalog{
		Info: info, Log: log, tools: tools, static: true,
		byName: make(map[string]*Tool, len(tools)),
		byID:   make(map[string]*Tool, len(tools)),
		items:  make(map[*middleware.Tool]*Item, len(tools)+len(others)),

		promptByName:  make(map[string]*Prompt),
		resourceByURI: make(map[string]*Resource),
	}
	for _, t := range tools {
		c.byName[t.Name], c.byID[t.ID] = t, t
		t.tool = t
		c.items[&t.Tool] = &t.Item
		t.run = middleware.Chain(t.Wraps, c.runner(&t.Item))
		c.static = c.static && t.Steady()
	}
	for _, o := range others {
		i := o.enter(c)
		c.items[&i.Tool] = i
		i.run = middleware.Chain(i.Wraps, c.runner(i))
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
