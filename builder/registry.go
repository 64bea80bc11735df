// Package builder is the fluent chain that declares tools: routers hand out a [Tool],
// its methods say what the tool is, and Handle compiles it. Users reach it through
// package fusion.
package builder

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/middleware"
)

// Error is a mistake in a declaration. It says where, of which tool, and what to do.
type Error struct {
	// Site is the file and line of the declaration.
	Site string
	// Tool is the id of the tool; empty for mistakes of a router or of the app.
	Tool string
	// Problem says what is wrong and how to mend it.
	Problem string
}

// Error is one line: where, which tool, what to do.
func (e *Error) Error() string {
	if e.Tool == "" {
		return e.Site + ": " + e.Problem
	}
	return fmt.Sprintf("%s: tool %q: %s", e.Site, e.Tool, e.Problem)
}

// Registry collects the declarations of one app, and their mistakes. It is safe for
// concurrent use; single chains and routers are not.
type Registry struct {
	log      *slog.Logger
	keepDots bool

	mu      sync.Mutex
	errs    []error
	chains  []*chain
	routers []*router
	wraps   []middleware.Wrap
	frozen  bool
}

// NewRegistry is an empty app. Late declarations are logged to log; keepDots keeps the
// dots of ids in wire names.
func NewRegistry(log *slog.Logger, keepDots bool) *Registry {
	return &Registry{log: log, keepDots: keepDots}
}

// fail notes a mistake.
func (r *Registry) failf(site, tool, format string, args ...any) {
	err := &Error{Site: site, Tool: tool, Problem: fmt.Sprintf(format, args...)}
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
		r.failf(c.site, c.id, "declared after a transport has started; declare every tool before serving")
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
			r.failf(site, "", "Wrap was given a nil function; remove it")
			return
		}
	}
	r.mu.Lock()
	late := len(r.chains) > 0
	r.wraps = append(r.wraps, wraps...)
	r.mu.Unlock()
	if late {
		r.failf(site, "", "Wrap after the first declaration; move it before every tool, router and mount")
	}
}

// Err returns every mistake so far, joined: what was noted, what was begun and not
// ended, and names that collide. Nil means that the app can be served.
func (r *Registry) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	errs := slices.Clone(r.errs)
	for _, c := range r.chains {
		if c.handled == "" {
			errs = append(errs, &Error{c.site, c.id, "the chain never reaches Handle; end it with Handle(func(ctx, in) result.Result[T])"})
		}
	}
	for _, rt := range r.routers {
		if rt.derived && !rt.used {
			errs = append(errs, &Error{rt.site, "", "nothing is declared on the router that Use returned; assign it and declare on it: r := r.Use(…)"})
		}
	}
	return errors.Join(append(errs, r.collisions()...)...)
}

// collisions finds tools that would have one wire name.
func (r *Registry) collisions() (errs []error) {
	first := make(map[string]*chain, len(r.chains))
	for _, c := range r.chains {
		if c.wire == "" {
			continue
		}
		if other, taken := first[c.wire]; taken {
			errs = append(errs, &Error{c.site, c.id, fmt.Sprintf("the name %q is taken by tool %q declared at %s; rename one of them", c.wire, other.id, other.site)})
			continue
		}
		first[c.wire] = c
	}
	return errs
}

// Freeze ends declaring and compiles the catalog. It fails as Err does.
func (r *Registry) Freeze(info catalog.Info) (*catalog.Catalog, error) {
	if err := r.Err(); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.frozen = true
	tools := make([]*catalog.Tool, len(r.chains))
	for i, c := range r.chains {
		tools[i] = c.compiled
	}
	return catalog.New(info, r.log, r.wraps, tools), nil
}
