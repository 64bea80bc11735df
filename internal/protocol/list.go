package protocol

import (
	"strconv"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/middleware"
)

// defaultPageSize is large, because some clients read the first page only.
const defaultPageSize = 250

// How long clients may take an answer for fresh, see server/utilities/caching. A list that
// depends on the caller may change at any moment.
const (
	steadyTTL   = 300_000
	changingTTL = 0
)

func listTools(x *exchange, dst []byte) ([]byte, *fault)     { return x.list(dst, x.srv.tools) }
func listPrompts(x *exchange, dst []byte) ([]byte, *fault)   { return x.list(dst, x.srv.prompts) }
func listResources(x *exchange, dst []byte) ([]byte, *fault) { return x.list(dst, x.srv.resources) }
func listTemplates(x *exchange, dst []byte) ([]byte, *fault) { return x.list(dst, x.srv.templates) }

// list answers a request for a list, keys in this order: resultType, the list, nextCursor,
// ttlMs, cacheScope, _meta.
func (x *exchange) list(dst []byte, c *collection) ([]byte, *fault) {
	from, f := x.firstOfPage(c)
	if f != nil {
		return dst, f
	}
	e := encoder{dst: dst, rev: x.rev}
	e.raw("{")
	if x.rev.stateless() {
		e.raw(`"resultType":"complete",`)
	}
	e.raw(`"` + c.key + `":[`)
	var next int
	if c.steady {
		next = c.steadyPage(&e, from, x.srv.pageSize)
	} else {
		call := x.call(c.kind)
		next = c.callersPage(&e, from, x.srv.pageSize, x.srv.catalog.Shows(x.ctx, call))
	}
	e.raw("]")
	if next > 0 {
		e.raw(`,"nextCursor":"`)
		e.dst = append(appendCursor(e.dst, c.print, next), '"')
	}
	if x.rev.stateless() {
		e.caching(c.steady, x.in.Subject)
		e.resultMeta(nil, x.srv.info[x.rev])
	}
	e.raw("}")
	return e.dst, nil
}

// firstOfPage is the ordinal that a request's cursor stands for.
func (x *exchange) firstOfPage(c *collection) (int, *fault) {
	raw := x.msg.params.cursor
	switch {
	case isAbsent(raw):
		return 0, nil
	case !isString(raw):
		return 0, invalidParams(`Invalid params: "cursor" must be a string`)
	case len(raw) == 2: // "" is a cursor, and the one of the first page
		return 0, nil
	}
	ordinal, ok := parseCursor(unquote(raw), c.print, len(c.items))
	if !ok {
		return 0, invalidParams("Invalid params: unknown cursor, list again from the start")
	}
	return ordinal, nil
}

// steadyPage appends the page of a list that all callers share. It returns the ordinal of
// the next page, or 0.
func (c *collection) steadyPage(e *encoder, from, size int) (next int) {
	to := min(from+size, len(c.items))
	e.listed(c.definitions(e.rev).span(from, to))
	if to < len(c.items) {
		next = to
	}
	return next
}

// callersPage appends the page of a list that one caller is shown.
func (c *collection) callersPage(e *encoder, from, size int, shows func(*catalog.Item) bool) (next int) {
	d, count := c.definitions(e.rev), 0
	start := len(e.dst)
	for n := from; n < len(c.items); n++ {
		if !shows(c.items[n]) {
			continue
		}
		if count == size {
			next = n
			break
		}
		e.dst = append(e.dst, d.span(n, n+1)...)
		count++
	}
	if len(e.dst) > start {
		e.dst = e.dst[:len(e.dst)-1]
	}
	return next
}

// listed appends definitions without the comma behind the last.
func (e *encoder) listed(span []byte) {
	if len(span) > 0 {
		e.dst = append(e.dst, span[:len(span)-1]...)
	}
}

// caching appends how long and by whom an answer may be kept. Only what anyone may read
// is public; behind authentication nothing is.
func (e *encoder) caching(steady bool, subject middleware.Subject) {
	ttl, scope := changingTTL, "private"
	if steady {
		ttl = steadyTTL
		if subject.Anonymous() {
			scope = "public"
		}
	}
	e.raw(`,"ttlMs":`)
	e.dst = strconv.AppendInt(e.dst, int64(ttl), 10)
	e.raw(`,"cacheScope":"` + scope + `"`)
}
