package result

import "time"

// Content is one block of a reply: [Text], [Image], [Audio], [ResourceLink] or
// [EmbeddedResource]. A handler that shapes its own blocks returns one of these,
// a []Content, or a [Response].
type Content interface{ isContent() }

// Role is who a block is meant for.
type Role string

// The roles of the MCP specification.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// Annotations are hints to clients about a block. They are no access control.
type Annotations struct {
	// Audience says who should see the block; empty says nothing.
	Audience []Role
	// Priority runs from 0, optional, to 1, required; nil says nothing.
	Priority *float64
	// LastModified is left out when zero.
	LastModified time.Time
}

// Text is a text block.
type Text struct {
	Text        string
	Annotations *Annotations
	Meta        map[string]any
}

// Image is an image, sent as base64.
type Image struct {
	Data        []byte
	MIMEType    string // such as "image/png"; required
	Annotations *Annotations
	Meta        map[string]any
}

// Audio is a piece of audio, sent as base64.
type Audio struct {
	Data        []byte
	MIMEType    string // such as "audio/wav"; required
	Annotations *Annotations
	Meta        map[string]any
}

// ResourceLink points to a resource that the client may read. Revisions before
// 2025-06-18 do not know it; their clients get the link as text.
type ResourceLink struct {
	URI         string // required
	Name        string // required
	Title       string
	Description string
	MIMEType    string
	Size        int64 // in bytes; 0 is left out
	Annotations *Annotations
	Meta        map[string]any
}

// EmbeddedResource carries the contents of a resource.
type EmbeddedResource struct {
	Resource    ResourceContents
	Annotations *Annotations
	Meta        map[string]any
}

// ResourceContents is the text or the bytes of a resource.
type ResourceContents struct {
	URI      string // required
	MIMEType string
	Text     string
	Blob     []byte // when not nil, sent as base64 instead of Text
	Meta     map[string]any
}

func (Text) isContent()             {}
func (Image) isContent()            {}
func (Audio) isContent()            {}
func (ResourceLink) isContent()     {}
func (EmbeddedResource) isContent() {}
