package protocol

import (
	"fmt"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/middleware"
)

// collection is what one list shows, in its order.
type collection struct {
	key    string          // of the list in a result
	kind   middleware.Kind // of its items
	items  []*catalog.Item
	print  uint32 // for cursors
	steady bool   // the same for every caller at every moment

	encoded [len(revisions)]definitions // once for each kind of revision
}

// collect encodes all that a list may show. The error is what has no JSON.
func collect[T any](key string, kind middleware.Kind, all []T, item func(T) *catalog.Item, encode func(*encoder, T)) (*collection, error) {
	c := &collection{key: key, kind: kind, steady: true}
	for _, one := range all {
		i := item(one)
		c.items = append(c.items, i)
		c.steady = c.steady && i.Steady()
	}
	c.print = fingerprint(key, c.items)
	for rev := revision(1); rev <= rev20251125; rev++ {
		d, err := define(all, encode, rev)
		if err != nil {
			return nil, fmt.Errorf("encoding the %s: %w", key, err)
		}
		c.encoded[rev] = d
	}
	return c, nil
}

// definitions are the items as the revision lists them. The later ones list them alike.
func (c *collection) definitions(rev revision) *definitions {
	return &c.encoded[min(rev, rev20251125)]
}

// collect encodes all lists of the catalog.
func (s *Server) collect() (err error) {
	c := s.catalog
	if s.tools, err = collect("tools", middleware.KindTool, c.Tools(), func(t *catalog.Tool) *catalog.Item { return &t.Item }, (*encoder).tool); err != nil {
		return err
	}
	if s.prompts, err = collect("prompts", middleware.KindPrompt, c.Prompts(), func(p *catalog.Prompt) *catalog.Item { return &p.Item }, (*encoder).prompt); err != nil {
		return err
	}
	ofResource := func(r *catalog.Resource) *catalog.Item { return &r.Item }
	if s.resources, err = collect("resources", middleware.KindResource, c.Resources(), ofResource, (*encoder).resource); err != nil {
		return err
	}
	s.templates, err = collect("resourceTemplates", middleware.KindResource, c.Templates(), ofResource, (*encoder).template)
	return err
}
