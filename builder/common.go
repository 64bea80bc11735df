package builder

import (
	"context"
	"encoding/json/v2"
	"regexp"
	"strings"
	"time"

	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

// What the chains of tools, prompts and resources have in common, on the record behind
// their stages.

func (c *chain) setDescription(stage int, text string) {
	if c.touch(stage, "Describe") {
		c.description = text
	}
}

func (c *chain) setTitle(stage int, title string) {
	if c.touch(stage, "Title") {
		c.title = title
	}
}

func (c *chain) setTimeout(stage int, d time.Duration) {
	if !c.touch(stage, "Timeout") {
		return
	}
	if d <= 0 {
		c.failf(callSite(), "Timeout(%v) is no duration; give one above zero", d)
	}
	c.timeout = d
}

func (c *chain) addWraps(stage int, wraps []middleware.Wrap) {
	if c.touch(stage, "Wrap") && c.usable("Wrap", !anyNil(wraps)) {
		c.policy.wraps = append(c.policy.wraps, wraps...)
	}
}

func (c *chain) addVisible(stage int, visible func(context.Context, *middleware.Call) bool) {
	if c.touch(stage, "Visible") && c.usable("Visible", visible != nil) {
		c.policy.visible = append(c.policy.visible, visible)
	}
}

func (c *chain) addGuards(stage int, guards []middleware.Guard) {
	if c.touch(stage, "Require") && c.usable("Require", !anyNil(guards)) {
		c.policy.guards = append(c.policy.guards, guards...)
	}
}

func (c *chain) addIcon(stage int, src, mimeType string, sizes []string) {
	if !c.touch(stage, "Icon") {
		return
	}
	icon := result.Icon{Src: src, MIMEType: mimeType, Sizes: sizes}
	if problem := iconProblem(icon); problem != "" {
		c.failf(callSite(), "%s", problem)
	}
	c.icons = append(c.icons, icon)
}

var iconSize = regexp.MustCompile(`^([1-9]\d*x[1-9]\d*|any)$`)

// iconProblem says what is wrong with an icon; "" if nothing is.
func iconProblem(icon result.Icon) string {
	if !strings.HasPrefix(icon.Src, "https://") && !strings.HasPrefix(icon.Src, "data:") {
		return "the icon " + quote(icon.Src) + " is no https or data URI; clients refuse any other"
	}
	for _, size := range icon.Sizes {
		if !iconSize.MatchString(size) {
			return "the icon size " + quote(size) + ` is none; write it like "48x48", or "any"`
		}
	}
	switch icon.Theme {
	case "", "light", "dark":
		return ""
	}
	return "the icon theme " + quote(icon.Theme) + ` is none; it is "light", "dark" or empty`
}

// CheckIcons notes what is wrong with the icons of the server.
func (r *Registry) CheckIcons(icons []result.Icon) {
	for _, icon := range icons {
		if problem := iconProblem(icon); problem != "" {
			r.failf(callSite(), "%s", problem)
		}
	}
}

func (c *chain) addMeta(stage int, key string, value any) {
	if !c.touch(stage, "Meta") {
		return
	}
	if problem := metaProblem(key, value); problem != "" {
		c.failf(callSite(), "Meta(%q) %s", key, problem)
		return
	}
	if c.meta == nil {
		c.meta = make(map[string]any)
	}
	c.meta[key] = value
}

// metaKey is a key of _meta by the MCP specification: a name, with or without a prefix of
// labels.
var metaKey = regexp.MustCompile(`^(?:((?:[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)*[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?)/)?(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)$`)

func metaProblem(key string, value any) string {
	m := metaKey.FindStringSubmatch(key)
	if m == nil {
		return `is no key of _meta; write it like "com.example/key"`
	}
	if labels := strings.Split(m[1], "."); len(labels) > 1 && (labels[1] == "mcp" || labels[1] == "modelcontextprotocol") {
		return "has a prefix that the specification reserves; use your own"
	}
	if _, err := json.Marshal(value); err != nil {
		return "has a value that is no JSON: " + err.Error()
	}
	return ""
}
