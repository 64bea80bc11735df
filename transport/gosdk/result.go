package gosdk

import (
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpfusion/go/internal/catalog"
	fusion "github.com/mcpfusion/go/result"
)

// result turns a reply into the SDK's. Nothing of it is lost.
func result(reply *catalog.Reply) *mcp.CallToolResult {
	r := &mcp.CallToolResult{IsError: reply.IsError, Content: []mcp.Content{}, Meta: mcp.Meta(reply.Meta)}
	if reply.Lead != nil {
		r.Content = append(r.Content, &mcp.TextContent{Text: string(reply.Lead)})
	}
	for _, c := range reply.Content {
		r.Content = append(r.Content, content(c))
	}
	if reply.Structured != nil {
		r.StructuredContent = reply.Structured
	}
	return r
}

func content(c fusion.Content) mcp.Content {
	switch b := c.(type) {
	case fusion.Text:
		return &mcp.TextContent{Text: b.Text, Meta: b.Meta, Annotations: annotations(b.Annotations)}
	case fusion.Image:
		return &mcp.ImageContent{Data: b.Data, MIMEType: b.MIMEType, Meta: b.Meta, Annotations: annotations(b.Annotations)}
	case fusion.Audio:
		return &mcp.AudioContent{Data: b.Data, MIMEType: b.MIMEType, Meta: b.Meta, Annotations: annotations(b.Annotations)}
	case fusion.ResourceLink:
		link := &mcp.ResourceLink{
			URI: b.URI, Name: b.Name, Title: b.Title, Description: b.Description, MIMEType: b.MIMEType,
			Meta: b.Meta, Annotations: annotations(b.Annotations),
		}
		if b.Size > 0 {
			link.Size = &b.Size
		}
		return link
	case fusion.EmbeddedResource:
		return &mcp.EmbeddedResource{
			Resource: &mcp.ResourceContents{
				URI: b.Resource.URI, MIMEType: b.Resource.MIMEType, Text: b.Resource.Text, Blob: b.Resource.Blob, Meta: b.Resource.Meta,
			},
			Meta: b.Meta, Annotations: annotations(b.Annotations),
		}
	}
	return &mcp.TextContent{}
}

func annotations(a *fusion.Annotations) *mcp.Annotations {
	if a == nil {
		return nil
	}
	out := &mcp.Annotations{}
	for _, role := range a.Audience {
		out.Audience = append(out.Audience, mcp.Role(role))
	}
	if a.Priority != nil {
		out.Priority = *a.Priority
	}
	if !a.LastModified.IsZero() {
		out.LastModified = a.LastModified.Format(time.RFC3339)
	}
	return out
}
