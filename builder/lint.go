package builder

import (
	"slices"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/internal/lint"
	"github.com/mcpfusion/go/middleware"
)

// LintRule is the id of a rule about what MCP allows and known clients refuse. Package
// fusion has a constant for each.
type LintRule = lint.Rule

// linter is what a registry knows of such rules.
type linter struct {
	off      []LintRule
	warnings []*Error
}

// LintOff switches rules off for the whole app.
func (r *Registry) LintOff(rules []LintRule) {
	for _, rule := range rules {
		if _, known := lint.Find(rule); !known {
			r.failf(callSite(), "LintOff has %q, which is no rule; use the constants of package fusion", rule)
		}
	}
	r.lint.off = rules
}

// LintOff switches rules off for this tool: those that find known clients, or the APIs of
// model vendors, refusing what MCP allows. A tool that is against a rule that makes an
// error is then served.
func (t *Tool[C]) LintOff(rules ...LintRule) *Tool[C] {
	c := t.chain
	if !c.touch(t.stage, "LintOff") {
		return t
	}
	for _, rule := range rules {
		switch about, known := lint.Find(rule); {
		case !known:
			c.failf(callSite(), "LintOff has %q, which is no rule; use the constants of package fusion", rule)
		case about.Whole:
			c.failf(callSite(), "LintOff has %q, which is about the whole server; switch it off in Options.LintOff", rule)
		}
	}
	c.lintOff = append(c.lintOff, rules...)
	return t
}

// lint notes what known clients would refuse of a compiled tool.
func (c *chain) lint() {
	for _, f := range lint.CheckTool(c.definition()) {
		if e := c.finding(f); e != nil && f.Fatal {
			c.reg.note(e)
		} else if e != nil {
			c.reg.warn(e)
		}
	}
}

// definition is what clients are told of the tool.
func (c *chain) definition() lint.Tool {
	return lint.Tool{
		Name: c.wire, Description: c.compiled.Description,
		Input: c.compiled.InputSchema, Output: c.compiled.OutputSchema,
	}
}

// finding is what to report of a finding; nil if its rule is off.
func (c *chain) finding(f lint.Finding) *Error {
	if slices.Contains(c.lintOff, f.Rule) || slices.Contains(c.reg.lint.off, f.Rule) {
		return nil
	}
	e := mistake(c.lintSite(f), f)
	e.Kind, e.Tool = c.kind, c.id
	return e
}

func mistake(site string, f lint.Finding) *Error {
	return &Error{Site: site, Problem: f.String(), Rule: f.Rule, Clients: f.Clients, Source: f.Sources[0]}
}

// lintSite is where the tool was given what a finding is about.
func (c *chain) lintSite(f lint.Finding) string {
	switch {
	case !f.Schema:
		return c.site
	case c.raw != nil:
		return c.rawSite
	}
	return c.paramSite(f.Param)
}

func (r *Registry) warn(e *Error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lint.warnings = append(r.lint.warnings, e)
}

// Warnings are what some clients refuse, each an [*Error] with its Rule. What is about the
// whole server comes last.
func (r *Registry) Warnings(info catalog.Info) (warnings []error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.allWarnings(info) {
		warnings = append(warnings, e)
	}
	return warnings
}

// allWarnings is Warnings under the lock.
func (r *Registry) allWarnings(info catalog.Info) []*Error {
	warnings := slices.Clone(r.lint.warnings)
	var tools []lint.Tool
	for _, c := range r.chains {
		if c.kind != middleware.KindTool || c.compiled == nil {
			continue
		}
		tools = append(tools, c.definition())
		for _, f := range lint.CheckNames(info.Name, c.wire) {
			if e := c.finding(f); e != nil {
				warnings = append(warnings, e)
			}
		}
	}
	for _, f := range lint.CheckServer(info.Instructions, tools) {
		if !slices.Contains(r.lint.off, f.Rule) {
			warnings = append(warnings, mistake(r.site, f))
		}
	}
	return warnings
}

// logWarnings logs them once, when the app freezes.
func (r *Registry) logWarnings(info catalog.Info) {
	for _, e := range r.allWarnings(info) {
		attrs := []any{"rule", string(e.Rule), "site", e.Site, "clients", e.Clients, "source", e.Source}
		if e.Tool != "" {
			attrs = append(attrs, "tool", e.Tool)
		}
		r.log.Warn(e.Problem, attrs...)
	}
}
