package protocol

import (
	"encoding/base64"
	"errors"
	"strconv"
	"time"

	"github.com/mcpfusion/go/result"
)

// encoder appends the JSON of results for one revision. Keys come in a fixed order.
type encoder struct {
	dst []byte
	rev revision
	err error // the first value that could not be encoded
}

func (e *encoder) raw(s string) { e.dst = append(e.dst, s...) }

func (e *encoder) text(s string) { e.dst = appendString(e.dst, s) }

// member appends a text member behind others. An empty one is left out.
func (e *encoder) member(key, value string) {
	if value == "" {
		return
	}
	e.raw(`,"` + key + `":`)
	e.text(value)
}

// block appends one content block: type first, then what the kind has, then annotations
// and _meta, see server/tools.
func (e *encoder) block(c result.Content) {
	switch c := value(c).(type) {
	case result.Text:
		e.raw(`{"type":"text","text":`)
		e.text(c.Text)
		e.tail(c.Annotations, c.Meta)
	case result.Image:
		e.media("image", c.Data, c.MIMEType)
		e.tail(c.Annotations, c.Meta)
	case result.Audio:
		if !e.rev.annotated() {
			e.block(result.Text{Text: "audio of type " + c.MIMEType + " cannot be sent to this client", Annotations: c.Annotations})
			return
		}
		e.media("audio", c.Data, c.MIMEType)
		e.tail(c.Annotations, c.Meta)
	case result.ResourceLink:
		e.link(&c)
	case result.EmbeddedResource:
		e.raw(`{"type":"resource","resource":`)
		e.contents(&c.Resource)
		e.tail(c.Annotations, c.Meta)
	default:
		e.fail(errNoBlock)
		e.raw("null")
	}
}

// errNoBlock is a content block that is nil.
var errNoBlock = errors.New("a content block is nil")

// value follows a pointer to a block, which is a block too. A nil one stays as it is.
func value(c result.Content) result.Content {
	switch p := c.(type) {
	case *result.Text:
		return deref(p)
	case *result.Image:
		return deref(p)
	case *result.Audio:
		return deref(p)
	case *result.ResourceLink:
		return deref(p)
	case *result.EmbeddedResource:
		return deref(p)
	}
	return c
}

func deref[T result.Content](p *T) result.Content {
	if p == nil {
		return nil
	}
	return *p
}

func (e *encoder) media(kind string, data []byte, mime string) {
	e.raw(`{"type":"` + kind + `","data":`)
	e.base64(data)
	e.raw(`,"mimeType":`)
	e.text(mime)
}

func (e *encoder) base64(data []byte) {
	e.dst = append(e.dst, '"')
	e.dst = append(base64.StdEncoding.AppendEncode(e.dst, data), '"')
}

// link appends a resource link; where the revision has none, a text that says the same.
func (e *encoder) link(c *result.ResourceLink) {
	if !e.rev.structured() {
		text := c.Name + ": " + c.URI
		if c.Description != "" {
			text += "\n" + c.Description
		}
		e.block(result.Text{Text: text, Annotations: c.Annotations})
		return
	}
	e.raw(`{"type":"resource_link","uri":`)
	e.text(c.URI)
	e.raw(`,"name":`)
	e.text(c.Name)
	e.member("title", c.Title)
	e.member("description", c.Description)
	e.member("mimeType", c.MIMEType)
	if c.Size > 0 {
		e.raw(`,"size":`)
		e.dst = strconv.AppendInt(e.dst, c.Size, 10)
	}
	e.tail(c.Annotations, c.Meta)
}

// contents appends what a resource holds.
func (e *encoder) contents(c *result.ResourceContents) {
	e.raw(`{"uri":`)
	e.text(c.URI)
	e.member("mimeType", c.MIMEType)
	if c.Blob != nil {
		e.raw(`,"blob":`)
		e.base64(c.Blob)
	} else {
		e.raw(`,"text":`)
		e.text(c.Text)
	}
	e.tail(nil, c.Meta)
}

// tail appends what ends a block of any kind.
func (e *encoder) tail(a *result.Annotations, meta map[string]any) {
	if a != nil {
		e.annotations(a)
	}
	if len(meta) > 0 && e.rev.structured() {
		e.raw(`,"_meta":`)
		e.value(meta)
	}
	e.raw("}")
}

func (e *encoder) annotations(a *result.Annotations) {
	e.raw(`,"annotations":{`)
	start := len(e.dst)
	if len(a.Audience) > 0 {
		e.raw(`"audience":[`)
		for i, role := range a.Audience {
			if i > 0 {
				e.raw(",")
			}
			e.text(string(role))
		}
		e.raw("],")
	}
	if a.Priority != nil {
		e.raw(`"priority":`)
		e.value(*a.Priority)
		e.raw(",")
	}
	if !a.LastModified.IsZero() && e.rev.structured() {
		e.raw(`"lastModified":`)
		e.text(a.LastModified.UTC().Format(time.RFC3339))
		e.raw(",")
	}
	if len(e.dst) > start { // over the last comma
		e.dst = e.dst[:len(e.dst)-1]
	}
	e.raw("}")
}

// value appends a value of any type. One that has no JSON is null, and err says so.
func (e *encoder) value(v any) {
	b, err := marshal(v)
	if err != nil {
		e.fail(err)
		e.raw("null")
		return
	}
	e.dst = append(e.dst, b...)
}

// fail keeps the first thing that went wrong.
func (e *encoder) fail(err error) {
	if e.err == nil {
		e.err = err
	}
}
