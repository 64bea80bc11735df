package protocol

import (
	"encoding/json/jsontext"
	"strconv"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

// definitions are all items of a list as one kind of revision shows them, each with a
// comma behind it, and where each begins. A run of items is one slice of the bytes.
type definitions struct {
	bytes []byte
	start []int // one more than there are items
}

// define encodes items once for a revision.
func define[T any](all []T, encode func(*encoder, T), rev revision) (definitions, error) {
	e := encoder{rev: rev}
	d := definitions{start: make([]int, 0, len(all)+1)}
	for _, one := range all {
		d.start = append(d.start, len(e.dst))
		encode(&e, one)
		e.raw(",")
	}
	d.start, d.bytes = append(d.start, len(e.dst)), e.dst
	return d, e.err
}

// span is the definitions of the items from one ordinal to another, with commas.
func (d *definitions) span(from, to int) []byte {
	return d.bytes[d.start[from]:d.start[to]]
}

// tool appends a definition, keys in this order: name, title, description, inputSchema,
// outputSchema, annotations, icons, _meta, see server/tools.
func (e *encoder) tool(t *catalog.Tool) {
	e.raw(`{"name":`)
	e.text(t.Name)
	e.head(&t.Item)
	e.raw(`,"inputSchema":`)
	e.schema(t.InputSchema)
	if t.OutputSchema != nil && e.rev.structured() {
		e.raw(`,"outputSchema":`)
		e.schema(t.OutputSchema)
	}
	if e.rev.annotated() {
		e.hints(&t.Hints)
	}
	e.finish(&t.Item)
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

// prompt appends a definition, keys in this order: name, title, description, arguments,
// icons, _meta, see server/prompts.
func (e *encoder) prompt(p *catalog.Prompt) {
	e.raw(`{"name":`)
	e.text(p.Name)
	e.head(&p.Item)
	if len(p.Arguments) > 0 {
		e.raw(`,"arguments":[`)
		for i, a := range p.Arguments {
			if i > 0 {
				e.raw(",")
			}
			e.raw(`{"name":`)
			e.text(a.Name)
			e.member("description", a.Description)
			e.raw(`,"required":`)
			e.dst = append(strconv.AppendBool(e.dst, a.Required), '}')
		}
		e.raw("]")
	}
	e.finish(&p.Item)
}

// resource appends a definition, keys in this order: uri, name, title, description,
// mimeType, size, annotations, icons, _meta, see server/resources.
func (e *encoder) resource(r *catalog.Resource) { e.resourceAs(`{"uri":`, r) }

// template appends a definition like a resource's, with uriTemplate for uri.
func (e *encoder) template(r *catalog.Resource) { e.resourceAs(`{"uriTemplate":`, r) }

func (e *encoder) resourceAs(opening string, r *catalog.Resource) {
	e.raw(opening)
	e.text(r.Name)
	e.raw(`,"name":`)
	e.text(r.Label)
	e.head(&r.Item)
	e.member("mimeType", r.MIMEType)
	if r.Size > 0 {
		e.raw(`,"size":`)
		e.dst = strconv.AppendInt(e.dst, r.Size, 10)
	}
	if r.Annotations != nil {
		e.annotations(r.Annotations)
	}
	e.finish(&r.Item)
}

// head appends the title and the description.
func (e *encoder) head(i *catalog.Item) {
	if e.rev.structured() {
		e.member("title", i.Title)
	}
	e.member("description", i.Description)
}

// finish appends what ends a definition of any kind.
func (e *encoder) finish(i *catalog.Item) {
	e.icons(i.Icons)
	if len(i.Meta) > 0 && e.rev.structured() {
		e.raw(`,"_meta":`)
		e.value(i.Meta)
	}
	e.raw("}")
}

// icons appends pictures where the revision has them.
func (e *encoder) icons(icons []result.Icon) {
	if len(icons) == 0 || !e.rev.illustrated() {
		return
	}
	e.raw(`,"icons":[`)
	for i, icon := range icons {
		if i > 0 {
			e.raw(",")
		}
		e.raw(`{"src":`)
		e.text(icon.Src)
		e.member("mimeType", icon.MIMEType)
		if len(icon.Sizes) > 0 {
			e.raw(`,"sizes":`)
			e.value(icon.Sizes)
		}
		e.member("theme", icon.Theme)
		e.raw("}")
	}
	e.raw("]")
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
