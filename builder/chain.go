package builder

import (
	"fmt"
	"time"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/internal/schema"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

// chain is the one record behind all stages of a declaration. A stage that a later one
// has superseded knows it by its number.
type chain struct {
	reg    *Registry
	site   string
	kind   middleware.Kind
	id     string
	wire   string // empty when the name is illegal
	verb   middleware.Verb
	policy policy
	stage  int

	title        string
	description  string
	icons        []result.Icon
	meta         map[string]any
	completions  []completion
	uri          *template // of a resource; nil when it is illegal
	label        string
	mimeType     string
	size         int64
	annotations  *result.Annotations
	instructions []string
	hints        hints
	params       []param
	raw          []byte
	rawSite      string
	lenient      bool
	strict       bool
	requires     []string
	lintOff      []LintRule
	timeout      time.Duration

	suggested []result.NextAction // by its presenter, always
	handled   string              // where Handle was called
	compiled  *catalog.Tool       // of a tool
	entry     catalog.Entry       // of a prompt or a resource
}

// param is a declared parameter with the place of its declaration.
type param struct {
	schema.Param
	site string
}

// hints are the overrides of the verb's annotations; nil keeps the verb's own.
type hints struct {
	readOnly, destructive, idempotent, openWorld *bool
}

// newChain begins a chain with a dotted name.
func newChain(r *router, site, name string, kind middleware.Kind, verb middleware.Verb) *chain {
	c := r.chain(site, join(r.policy.prefix, name), kind, verb)
	if name == "" { // join would hide it behind the prefix
		c.failf(site, "the name is empty; name the %s", kind)
	} else if wire, err := wireName(c.id, r.reg.keepDots); err != nil {
		c.failf(site, "%v", err)
	} else {
		c.wire = wire
	}
	r.reg.declare(c)
	return c
}

// chain is a chain under the policies of the router.
func (r *router) chain(site, id string, kind middleware.Kind, verb middleware.Verb) *chain {
	return &chain{
		reg: r.reg, site: site, kind: kind, id: id, verb: verb,
		policy: r.policy.clone(), timeout: r.policy.timeout, strict: r.policy.strict,
	}
}

func (c *chain) failf(site, format string, args ...any) {
	c.reg.note(&Error{Site: site, Kind: c.kind, Tool: c.id, Problem: fmt.Sprintf(format, args...)})
}

// touch reports whether a stage may still change the chain; when not, it says why.
func (c *chain) touch(stage int, method string) bool {
	switch {
	case c.handled != "":
		c.failf(callSite(), "%s after Handle at %s; a chain ends with Handle", method, c.handled)
	case stage != c.stage:
		c.failf(callSite(), "%s on a stage that a later Use or Returns replaced; go on with the value that it returned", method)
	default:
		return true
	}
	return false
}

// resolve combines the verb's annotations with the overrides and checks that they agree.
func (c *chain) resolve() middleware.Hints {
	h := middleware.Hints{
		ReadOnly:    c.verb == middleware.Query,
		Destructive: c.verb == middleware.Mutation,
		Idempotent:  c.verb == middleware.Query,
	}
	override(&h.ReadOnly, c.hints.readOnly)
	override(&h.Destructive, c.hints.destructive)
	override(&h.Idempotent, c.hints.idempotent)
	override(&h.OpenWorld, c.hints.openWorld)
	switch {
	case c.verb == middleware.Query && !h.ReadOnly:
		c.failf(c.site, "a query with ReadOnly(false) contradicts itself; declare it with Mutation or Action")
	case h.ReadOnly && h.Destructive:
		c.failf(c.site, "read-only and destructive contradict one another; declare a Query, or override one of the hints")
	case c.verb == middleware.Query && !h.Idempotent:
		c.failf(c.site, "a query with Idempotent(false) contradicts itself; reading twice changes nothing")
	}
	return h
}

func override(hint, value *bool) {
	if value != nil {
		*hint = *value
	}
}
