package protocol

import (
	"encoding/json/jsontext"
	"strconv"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/middleware"
)

// definitions are all tools of a catalog as one kind of revision lists them, each with a
// comma behind it, and where each begins. A run of tools is one slice of the bytes.
type definitions struct {
	bytes []byte
	start []int // one more than there are tools
}

// define encodes tools once for a revision.
func define(tools []*catalog.Tool, rev revision) (definitions, error) {
	e := encoder{rev: rev}
	d := definitions{start: make([]int, 0, len(tools)+1)}
	for _, t := range tools {
		d.start = append(d.start, len(e.dst))
		e.tool(t)
		e.raw(",")
	}
	d.start, d.bytes = append(d.start, len(e.dst)), e.dst
	return d, e.err
}

// span is the definitions of the tools from one ordinal to another, with commas.
func (d *definitions) span(from, to int) []byte {
	return d.bytes[d.start[from]:d.start[to]]
}

// tool appends a definition, keys in this order: name, title, description, inputSchema,
// outputSchema, annotations, see server/tools.
func (e *encoder) tool(t *catalog.Tool) {
	e.raw(`{"name":`)
	e.text(t.Name)
	if e.rev.structured() {
		e.member("title", t.Title)
	}
	e.member("description", t.Description)
	e.raw(`,"inputSchema":`)
	e.schema(t.InputSchema)
	if t.OutputSchema != nil && e.rev.structured() {
		e.raw(`,"outputSchema":`)
		e.schema(t.OutputSchema)
	}
	if e.rev.annotated() {
		e.hints(&t.Hints)
	}
	e.raw("}")
}

func (e *encoder) hints(h *middleware.Hints) {
	e.raw(`,"annotations":{"readOnlyHint":`)
	e.dst = strconv.AppendBool(e.dst, h.ReadOnly)
	e.raw(`,"destructiveHint":`)
	e.dst = strconv.AppendBool(e.dst, h.Destructive)
	e.raw(`,"idempotentHint":`)
	e.dst = strconv.AppendBool(e.dst, h.Idempotent)
	e.raw(`,"openWorldHint":`)
	e.dst = strconv.AppendBool(e.dst, h.OpenWorld)
	e.raw("}")
}

// schema appends a JSON Schema. A tool without one takes nothing: null would make clients
// drop the whole list.
func (e *encoder) schema(raw jsontext.Value) {
	if raw == nil {
		e.raw(`{"type":"object","properties":{}}`)
		return
	}
	if err := e.json(raw); err != nil {
		e.fail(err)
		e.raw("{}")
	}
}
