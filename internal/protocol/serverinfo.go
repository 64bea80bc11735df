package protocol

import "github.com/mcpfusion/go/internal/catalog"

// serverInfo is what the server says of itself, with what the revision has for it.
func serverInfo(info *catalog.Info, rev revision) []byte {
	e := encoder{rev: rev}
	e.raw(`{"name":`)
	e.text(info.Name)
	if rev.structured() {
		e.member("title", info.Title)
	}
	e.raw(`,"version":`)
	e.text(info.Version)
	if rev.illustrated() {
		e.member("websiteUrl", info.WebsiteURL)
	}
	e.icons(info.Icons)
	e.raw("}")
	return e.dst
}

// capabilities are what is served, no more and no less.
func capabilities(c *catalog.Catalog) string {
	all := `"capabilities":{"logging":{},"tools":{"listChanged":true}`
	if len(c.Prompts()) > 0 {
		all += `,"prompts":{"listChanged":true}`
	}
	if servesResources(c) {
		all += `,"resources":{"subscribe":true,"listChanged":true}`
	}
	if completes(c) {
		all += `,"completions":{}`
	}
	return all + "}"
}

// changing are the lists that are served.
func changing(c *catalog.Catalog) catalog.Change {
	lists := catalog.ToolsChanged
	if len(c.Prompts()) > 0 {
		lists |= catalog.PromptsChanged
	}
	if servesResources(c) {
		lists |= catalog.ResourcesChanged
	}
	return lists
}

func servesResources(c *catalog.Catalog) bool { return len(c.Resources())+len(c.Templates()) > 0 }

// completes reports that there are suggestions to ask for.
func completes(c *catalog.Catalog) bool {
	for _, p := range c.Prompts() {
		if len(p.Complete) > 0 {
			return true
		}
	}
	for _, t := range c.Templates() {
		if len(t.Complete) > 0 {
			return true
		}
	}
	return false
}

// initializeResult answers initialize, see basic/lifecycle of revision 2025-11-25.
func initializeResult(c *catalog.Catalog, rev revision) []byte {
	e := encoder{rev: rev}
	e.raw(`{"protocolVersion":"` + rev.String() + `",` + capabilities(c) + `,"serverInfo":`)
	e.dst = append(e.dst, serverInfo(&c.Info, rev)...)
	e.member("instructions", c.Info.Instructions)
	e.raw("}")
	return e.dst
}

// discoverResult answers server/discover, without what depends on the caller, see
// server/discover of revision 2026-07-28.
func discoverResult(c *catalog.Catalog, rev revision) []byte {
	e := encoder{rev: rev}
	e.raw(`{"resultType":"complete","supportedVersions":[`)
	for i, version := range supported {
		if i > 0 {
			e.raw(",")
		}
		e.text(version)
	}
	e.raw("]," + capabilities(c))
	e.member("instructions", c.Info.Instructions)
	return e.dst
}
