// Package builder is the fluent chain that declares tools, prompts and resources: routers
// hand out a [Tool], a [Prompt] or a [Resource], its methods say what it is, and Handle
// compiles it. Users reach it through
// package fusion.
package builder

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/internal/schema"
	"github.com/mcpfusion/go/middleware"
)

// Error is a mistake in a declaration. It says where, of which tool, and what to do.
type Error struct {
	// Site is the file and line of the declaration.
	Site string
	// Kind says what Tool is the id of.
	Kind middleware.Kind
	// Tool is the id of the tool, the prompt or the resource; empty for mistakes of a
	// router or of the app.
	Tool string
	// Problem says what is wrong and how to mend it.
	Problem string

	// Rule is the one that finds known clients refusing what MCP allows; empty for other
	// mistakes.
	Rule LintRule
	// Clients says who refuses what Rule is about.
	Clients string
	// Source is a public report of that.
	Source string
}

// Error is one line: where, which tool, what to do, and by which rule.
func (e *Error) Error() string {
	text := e.Problem
	if e.Tool != "" {
		text = fmt.Sprintf("%s %q: %s", e.Kind, e.Tool, text)
	}
	text = e.Site + ": " + text
	if e.Rule != "" {
		text += fmt.Sprintf(" [%s: %s; %s]", e.Rule, e.Clients, e.Source)
	}
	return text
}

// Registry collects the declarations of one app, and their mistakes. It is safe for
// concurrent use; single chains and routers are not.
type Registry struct {
	log      *slog.Logger
	site     string // of the app
	keepDots bool

	mu      sync.Mutex
	errs    []error
	chains  []*chain
	routers []*router
	wraps   []middleware.Wrap
	frozen  bool
	rules   *schema.Rules // of the app's own; nil for none
	lint    linter
}

// NewRegistry is an empty app. Late declarations are logged to log; keepDots keeps the
// dots of ids in wire names.
func NewRegistry(log *slog.Logger, keepDots bool) *Registry {
	return &Registry{log: log, site: callSite(), keepDots: keepDots}
}

// failf notes a mistake of a router or of the app.
func (r *Registry) failf(site, format string, args ...any) {
	r.note(&Error{Site: site, Problem: fmt.Sprintf(format, args...)})
}

func (r *Registry) note(err *Error) {
	r.mu.Lock()
	r.errs = append(r.errs, err)
	frozen := r.frozen
	r.mu.Unlock()
	if frozen {
		r.log.Error("late declaration", "error", err)
	}
}

// declare adds a chain and complains if it comes too late.
func (r *Registry) declare(c *chain) {
	r.mu.Lock()
	r.chains = append(r.chains, c)
	frozen := r.frozen
	r.mu.Unlock()
	if frozen {
		c.failf(c.site, "declared after a transport has started; declare every %s before serving", c.kind)
	}
}

func (r *Registry) addRouter(child *router) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.routers = append(r.routers, child)
}

// Wrap adds wraps around every call, unknown tools included.
func (r *Registry) Wrap(wraps ...middleware.Wrap) {
	site := callSite()
	for _, w := range wraps {
		if w == nil {
			r.failf(site, "Wrap was given a nil function; remove it")
			return
		}
	}
	r.mu.Lock()
	late := len(r.chains) > 0 || r.frozen
	r.wraps = append(r.wraps, wraps...)
	r.mu.Unlock()
	if late {
		r.failf(site, "Wrap after the first declaration; move it before every tool, router and mount")
	}
}

// Err returns every mistake so far, joined: what was noted, what was begun and not
// ended, and names that collide. Nil means that the app can be served.
func (r *Registry) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.mistakes()
}

// mistakes is Err under the lock.
func (r *Registry) mistakes() error {
	errs := slices.Clone(r.errs)
	for _, c := range r.chains {
		if c.handled == "" {
			errs = append(errs, &Error{Site: c.site, Kind: c.kind, Tool: c.id, Problem: "the chain never reaches Handle; end it with Handle(func(ctx, in) result.Result[T])"})
		}
	}
	for _, rt := range r.routers {
		if rt.derived && !rt.used {
			errs = append(errs, &Error{Site: rt.site, Problem: "nothing is declared on the router that Use returned; assign it and declare on it: r := r.Use(…)"})
		}
	}
	errs = append(errs, r.collisions()...)
	return errors.Join(append(errs, r.unsuitable()...)...)
}

// collisions finds those of one kind that would have one wire name.
func (r *Registry) collisions() (errs []error) {
	first := make(map[string]*chain, len(r.chains))
	for _, c := range r.chains {
		if c.wire == "" {
			continue
		}
		key := string(c.kind) + " " + c.wire
		if other, taken := first[key]; taken {
			errs = append(errs, &Error{Site: c.site, Kind: c.kind, Tool: c.id,
				Problem: fmt.Sprintf("the name %q is taken by %s %q declared at %s; rename one of them", c.wire, c.kind, other.id, other.site)})
			continue
		}
		first[key] = c
	}
	return errs
}

// Freeze ends declaring and compiles the catalog. It fails as Err does.
func (r *Registry) Freeze(info catalog.Info) (*catalog.Catalog, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.mistakes(); err != nil {
		return nil, err
	}
	r.frozen = true
	r.logWarnings(info)
	var tools []*catalog.Tool
	var others []catalog.Entry
	for _, c := range r.chains {
		if c.kind == middleware.KindTool {
			tools = append(tools, c.compiled)
		} else {
			others = append(others, c.entry)
		}
	}
	return catalog.New(info, r.log, r.wraps, tools, others...), nil
}
