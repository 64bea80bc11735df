package builder

import (
	"context"
	"time"

	"github.com/mcpfusion/go/internal/scope"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

// Router declares tools under a common prefix and hands its policies down to them. Tools
// on it have handlers with the context C.
//
// Policies come before declarations: once a tool, router or mount was declared on it, a
// further policy is a build error. Routers are not safe for concurrent use.
type Router[C any] struct{ rec *router }

// router is the record behind a Router, without its type.
type router struct {
	reg        *Registry
	site       string
	policy     policy
	derived    bool   // came from Use, so something must be declared on it
	used       bool   // something was declared on it
	superseded string // where Use derived another router from it
}

// NewRouter is the root router of an app, with its dependencies as the first context.
func NewRouter[C any](reg *Registry, deps C) *Router[C] {
	return &Router[C]{&router{reg: reg, policy: policy{
		first: func(ctx context.Context, call *middleware.Call, s *scope.Scope) any {
			return middleware.NewCtx(ctx, deps, call, s)
		},
	}}}
}

// Query declares a tool that only reads.
func (r *Router[C]) Query(name string) *Tool[C] { return r.tool(name, middleware.Query) }

// Mutation declares a tool that may change or destroy what was there.
func (r *Router[C]) Mutation(name string) *Tool[C] { return r.tool(name, middleware.Mutation) }

// Action declares a tool that does something without destroying what was there.
func (r *Router[C]) Action(name string) *Tool[C] { return r.tool(name, middleware.Action) }

func (r *Router[C]) tool(name string, verb middleware.Verb) *Tool[C] {
	site := callSite()
	r.rec.declaring(site)
	return &Tool[C]{chain: newChain(r.rec, site, name, middleware.KindTool, verb)}
}

// Prompt declares a prompt: messages that a person picks to begin or go on with.
func (r *Router[C]) Prompt(name string) *Prompt[C] {
	site := callSite()
	r.rec.declaring(site)
	return &Prompt[C]{chain: newChain(r.rec, site, name, middleware.KindPrompt, middleware.Query)}
}

// Resource declares a resource, or a template with variables: "orders://{id}/lines". Its
// URI is as given here, without the router's prefix.
func (r *Router[C]) Resource(uri string) *Resource[C] {
	site := callSite()
	r.rec.declaring(site)
	return &Resource[C]{chain: newResource(r.rec, site, uri)}
}

// Router is a child under a further prefix, with a copy of the policies so far.
func (r *Router[C]) Router(prefix string) *Router[C] {
	return &Router[C]{r.rec.child(callSite(), prefix)}
}

// Group is a child under the same prefix, for policies that only some tools need.
func (r *Router[C]) Group() *Router[C] { return &Router[C]{r.rec.child(callSite(), "")} }

// Mount lets another package declare its tools under a prefix. Register is commonly a
// generic function, which is passed bare:
//
//	r.Mount("billing", billing.Register)
func (r *Router[C]) Mount(prefix string, register func(*Router[C])) {
	site := callSite()
	child := &Router[C]{r.rec.child(site, prefix)}
	if register == nil {
		r.rec.reg.failf(site, "Mount(%q) was given a nil function; pass the package's Register", prefix)
		return
	}
	register(child)
}

// Use derives a router whose handlers have the context D. It takes the place of this
// one: declaring on the old one afterwards, or nothing on the new one, is a build error.
// Group first where both are needed.
func (r *Router[C]) Use[D any](m func(*middleware.Ctx[C]) result.Result[D]) *Router[D] {
	site := callSite()
	child := r.rec.derive(site)
	if m == nil {
		r.rec.reg.failf(site, "Use was given a nil function; remove it")
		return &Router[D]{child}
	}
	child.policy.steps = append(child.policy.steps, erase(m))
	return &Router[D]{child}
}

// Wrap adds around-middleware for every tool of this router. The first added runs
// outermost.
func (r *Router[C]) Wrap(wraps ...middleware.Wrap) *Router[C] {
	if r.rec.policyAllowed("Wrap", !anyNil(wraps)) {
		r.rec.policy.wraps = append(r.rec.policy.wraps, wraps...)
	}
	return r
}

// Visible hides the tools of this router from callers for whom it returns false.
func (r *Router[C]) Visible(visible func(context.Context, *middleware.Call) bool) *Router[C] {
	if r.rec.policyAllowed("Visible", visible != nil) {
		r.rec.policy.visible = append(r.rec.policy.visible, visible)
	}
	return r
}

// Require refuses callers for whom a guard returns a failure, with its reason.
func (r *Router[C]) Require(guards ...middleware.Guard) *Router[C] {
	if r.rec.policyAllowed("Require", !anyNil(guards)) {
		r.rec.policy.guards = append(r.rec.policy.guards, guards...)
	}
	return r
}

// Timeout bounds each call to a tool of this router, see [Tool.Timeout].
func (r *Router[C]) Timeout(d time.Duration) *Router[C] {
	if r.rec.policyAllowed("Timeout", true) {
		if d <= 0 {
			r.rec.reg.failf(callSite(), "Timeout(%v) is no duration; give one above zero", d)
		}
		r.rec.policy.timeout = d
	}
	return r
}

// Coerce says whether the tools of this router take strings for what they spell, see
// [Tool.Coerce]. The default is true.
func (r *Router[C]) Coerce(on bool) *Router[C] {
	if r.rec.policyAllowed("Coerce", true) {
		r.rec.policy.strict = !on
	}
	return r
}

// made panics for a Router that was not made by an app: it has nowhere to note a mistake.
func (r *router) made() {
	if r == nil {
		panic("fusion: this Router was not made by an App; take one from its Router, Group or Use")
	}
}

// declaring notes that something is declared here, which a superseded router refuses.
func (r *router) declaring(site string) {
	r.made()
	r.used = true
	if r.superseded != "" {
		r.reg.failf(site, "declared on a router that Use replaced at %s; declare on the router that Use returned, or branch with Group() before Use", r.superseded)
	}
}

func (r *router) child(site, prefix string) *router {
	r.declaring(site)
	child := &router{reg: r.reg, site: site, policy: r.policy.clone()}
	child.policy.prefix = join(r.policy.prefix, prefix)
	r.reg.addRouter(child)
	return child
}

func (r *router) derive(site string) *router {
	r.made()
	if r.superseded != "" {
		r.declaring(site)
	} else if r.used {
		r.reg.failf(site, "Use after the first declaration; move it before, or branch with Group()")
	}
	child := &router{reg: r.reg, site: site, policy: r.policy.clone(), derived: true}
	r.superseded, r.used = site, true
	r.reg.addRouter(child)
	return child
}

// policyAllowed reports whether a policy may still be added and is a usable one.
func (r *router) policyAllowed(method string, usable bool) bool {
	r.made()
	switch {
	case !usable:
		r.reg.failf(callSite(), "%s was given a nil function; remove it", method)
	case r.superseded != "":
		r.reg.failf(callSite(), "%s on a router that Use replaced at %s; call it on the router that Use returned", method, r.superseded)
	case r.used:
		r.reg.failf(callSite(), "%s after the first declaration; move it before every tool, router and mount", method)
	default:
		return true
	}
	return false
}

func anyNil[F middleware.Wrap | middleware.Guard](functions []F) bool {
	for _, f := range functions {
		if f == nil {
			return true
		}
	}
	return false
}
