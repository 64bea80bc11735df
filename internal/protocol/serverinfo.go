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
	e.raw("}")
	return e.dst
}

// capabilities are what is served, no more and no less. That the list changes is not told
const capabilities = `"capabilities":{"tools":{"listChanged":true}}`

// initializeResult answers initialize, see basic/lifecycle of revision 2025-11-25.
func initializeResult(info *catalog.Info, rev revision) []byte {
	e := encoder{rev: rev}
	e.raw(`{"protocolVersion":"` + rev.String() + `",` + capabilities + `,"serverInfo":`)
	e.dst = append(e.dst, serverInfo(info, rev)...)
	e.member("instructions", info.Instructions)
	e.raw("}")
	return e.dst
}

// discoverResult answers server/discover, without what depends on the caller, see
// server/discover of revision 2026-07-28.
func discoverResult(info *catalog.Info, rev revision) []byte {
	e := encoder{rev: rev}
	e.raw(`{"resultType":"complete","supportedVersions":[`)
	for i, version := range supported {
		if i > 0 {
			e.raw(",")
		}
		e.text(version)
	}
	e.raw("]," + capabilities)
	e.member("instructions", info.Instructions)
	return e.dst
}
