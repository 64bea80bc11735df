package gosdk

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpfusion/go/internal/catalog"
	fusion "github.com/mcpfusion/go/result"
)

var (
	errNoBlock = errors.New("a content block is nil")
	errBadData = errors.New("the data of the reply is not valid JSON")
	errPending = errors.New("the SDK's server passes no questions of the app on to clients")
)

// toolResult turns a tool's reply into the SDK's. Nothing of it is lost.
func toolResult(reply *catalog.Reply) (*mcp.CallToolResult, error) {
	m, err := resultMeta(reply)
	if err != nil {
		return nil, err
	}
	r := &mcp.CallToolResult{IsError: reply.IsError, Content: []mcp.Content{}, Meta: m}
	if reply.Lead != nil {
		r.Content = append(r.Content, &mcp.TextContent{Text: string(reply.Lead)})
	}
	for _, c := range reply.Content {
		block, err := content(c)
		if err != nil {
			return nil, err
		}
		r.Content = append(r.Content, block)
	}
	if reply.Structured != nil {
		if !reply.Structured.IsValid() {
			return nil, errBadData
		}
		r.StructuredContent = reply.Structured
	}
	return r, nil
}

func promptResult(reply *catalog.Reply) (*mcp.GetPromptResult, error) {
	m, err := resultMeta(reply)
	if err != nil {
		return nil, err
	}
	r := &mcp.GetPromptResult{Description: reply.Description, Messages: []*mcp.PromptMessage{}, Meta: m}
	for _, message := range reply.Messages {
		block, err := content(message.Content)
		if err != nil {
			return nil, err
		}
		r.Messages = append(r.Messages, &mcp.PromptMessage{Role: mcp.Role(message.Role), Content: block})
	}
	return r, nil
}

// resourceResult is for the caller alone, and only for now.
func resourceResult(reply *catalog.Reply) (*mcp.ReadResourceResult, error) {
	m, err := resultMeta(reply)
	if err != nil {
		return nil, err
	}
	r := &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{}, Meta: m, CacheScope: "private"}
	for i := range reply.Contents {
		c, err := contents(&reply.Contents[i])
		if err != nil {
			return nil, err
		}
		r.Contents = append(r.Contents, c)
	}
	return r, nil
}

// maxValues is how many suggestions one result may have, see server/utilities/completion.
const maxValues = 100

func completion(reply *catalog.Reply) (*mcp.CompleteResult, error) {
	m, err := resultMeta(reply)
	total := len(reply.Values)
	return &mcp.CompleteResult{Meta: m, Completion: mcp.CompletionResultDetails{
		Values: append([]string{}, reply.Values[:min(total, maxValues)]...), Total: total, HasMore: total > maxValues,
	}}, err
}

// resultMeta is the _meta of a result.
func resultMeta(reply *catalog.Reply) (mcp.Meta, error) {
	if reply.Pending != nil {
		return nil, errPending
	}
	return meta(reply.Meta)
}

// meta encodes _meta where it can still fail, and is a copy: the SDK writes into it.
func meta(m map[string]any) (mcp.Meta, error) {
	if len(m) == 0 {
		return nil, nil
	}
	b, err := marshal(m)
	if err != nil {
		return nil, err
	}
	var members map[string]jsontext.Value
	if err := json.Unmarshal(b, &members); err != nil {
		return nil, err
	}
	encoded := make(mcp.Meta, len(members))
	for key, value := range members {
		encoded[key] = value
	}
	return encoded, nil
}

func content(c fusion.Content) (mcp.Content, error) {
	switch b := value(c).(type) {
	case fusion.Text:
		m, err := meta(b.Meta)
		return &mcp.TextContent{Text: b.Text, Meta: m, Annotations: annotations(b.Annotations)}, err
	case fusion.Image:
		m, err := meta(b.Meta)
		return &mcp.ImageContent{Data: b.Data, MIMEType: b.MIMEType, Meta: m, Annotations: annotations(b.Annotations)}, err
	case fusion.Audio:
		m, err := meta(b.Meta)
		return &mcp.AudioContent{Data: b.Data, MIMEType: b.MIMEType, Meta: m, Annotations: annotations(b.Annotations)}, err
	case fusion.ResourceLink:
		m, err := meta(b.Meta)
		link := &mcp.ResourceLink{
			URI: b.URI, Name: b.Name, Title: b.Title, Description: b.Description, MIMEType: b.MIMEType,
			Meta: m, Annotations: annotations(b.Annotations),
		}
		if b.Size > 0 {
			link.Size = &b.Size
		}
		return link, err
	case fusion.EmbeddedResource:
		m, err := meta(b.Meta)
		if err != nil {
			return nil, err
		}
		r, err := contents(&b.Resource)
		return &mcp.EmbeddedResource{Resource: r, Meta: m, Annotations: annotations(b.Annotations)}, err
	}
	return nil, errNoBlock
}

// value follows a pointer to a block, which is a block too.
func value(c fusion.Content) fusion.Content {
	switch p := c.(type) {
	case *fusion.Text:
		return deref(p)
	case *fusion.Image:
		return deref(p)
	case *fusion.Audio:
		return deref(p)
	case *fusion.ResourceLink:
		return deref(p)
	case *fusion.EmbeddedResource:
		return deref(p)
	}
	return c
}

func deref[T fusion.Content](p *T) fusion.Content {
	if p == nil {
		return nil
	}
	return *p
}

func contents(c *fusion.ResourceContents) (*mcp.ResourceContents, error) {
	m, err := meta(c.Meta)
	r := &mcp.ResourceContents{URI: c.URI, MIMEType: c.MIMEType, Blob: c.Blob, Meta: m}
	if c.Blob == nil {
		r.Text = c.Text
	}
	return r, err
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
		out.LastModified = a.LastModified.UTC().Format(time.RFC3339)
	}
	return out
}
