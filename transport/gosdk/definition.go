package gosdk

import (
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpfusion/go/internal/catalog"
	fusion "github.com/mcpfusion/go/result"
)

func tool(t *catalog.Tool) *mcp.Tool {
	d := &mcp.Tool{
		Name: t.Name, Title: t.Title, Description: t.Description, Icons: icons(t.Icons), Meta: t.Meta,
		InputSchema: t.InputSchema,
		Annotations: &mcp.ToolAnnotations{
			ReadOnlyHint: t.Hints.ReadOnly, DestructiveHint: &t.Hints.Destructive,
			IdempotentHint: t.Hints.Idempotent, OpenWorldHint: &t.Hints.OpenWorld,
		},
	}
	if t.OutputSchema != nil {
		d.OutputSchema = t.OutputSchema
	}
	return d
}

func prompt(p *catalog.Prompt) *mcp.Prompt {
	d := &mcp.Prompt{Name: p.Name, Title: p.Title, Description: p.Description, Icons: icons(p.Icons), Meta: p.Meta}
	for _, a := range p.Arguments {
		d.Arguments = append(d.Arguments, &mcp.PromptArgument{Name: a.Name, Description: a.Description, Required: a.Required})
	}
	return d
}

func resource(r *catalog.Resource) *mcp.Resource {
	return &mcp.Resource{
		URI: r.Name, Name: r.Label, Title: r.Title, Description: r.Description, MIMEType: r.MIMEType, Size: r.Size,
		Annotations: annotations(r.Annotations), Icons: icons(r.Icons), Meta: r.Meta,
	}
}

func template(r *catalog.Resource) *mcp.ResourceTemplate {
	return &mcp.ResourceTemplate{
		URITemplate: r.Name, Name: r.Label, Title: r.Title, Description: r.Description, MIMEType: r.MIMEType,
		Annotations: annotations(r.Annotations), Icons: icons(r.Icons), Meta: r.Meta,
	}
}

func icons(all []fusion.Icon) (icons []mcp.Icon) {
	for _, i := range all {
		icons = append(icons, mcp.Icon{Source: i.Src, MIMEType: i.MIMEType, Sizes: i.Sizes, Theme: mcp.IconTheme(i.Theme)})
	}
	return icons
}
