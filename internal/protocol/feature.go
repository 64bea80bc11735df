package protocol

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/middleware"
)

// findFeature returns a method of prompts, resources or completion. Where the catalog has
// none of these, the method does not exist.
func (s *Server) findFeature(rev revision, name []byte) method {
	served, run := servesResources(s.catalog), readResource
	switch string(name) {
	case "prompts/list":
		served, run = len(s.catalog.Prompts()) > 0, listPrompts
	case "prompts/get":
		served, run = len(s.catalog.Prompts()) > 0, getPrompt
	case "completion/complete":
		served, run = completes(s.catalog), complete
	case "resources/subscribe":
		served, run = served && !rev.stateless(), subscribe
	case "resources/unsubscribe":
		served, run = served && !rev.stateless(), unsubscribe
	case "resources/list":
		run = listResources
	case "resources/templates/list":
		run = listTemplates
	}
	if !served {
		return method{}
	}
	return method{run: run, slow: true}
}

// getPrompt answers prompts/get, see server/prompts.
func getPrompt(x *exchange, dst []byte) ([]byte, *fault) {
	c, f := x.namedCall(middleware.KindPrompt)
	if f != nil {
		return dst, f
	}
	return x.dispatch(dst, c)
}

// readResource answers resources/read, see server/resources.
func readResource(x *exchange, dst []byte) ([]byte, *fault) {
	uri, f := x.resourceURI()
	if f != nil {
		return dst, f
	}
	c := x.call(middleware.KindResource)
	c.Name = uri
	return x.dispatch(dst, c)
}

// subscribe answers resources/subscribe: the session is told of changes of a resource that
// its caller may read.
func subscribe(x *exchange, dst []byte) ([]byte, *fault) {
	uri, f := x.resourceURI()
	if f != nil {
		return dst, f
	}
	c := x.call(middleware.KindResource)
	c.Name = uri
	if !x.srv.catalog.Knows(x.ctx, c) {
		return dst, &fault{code: codeNoResource, message: "Resource not found", status: http.StatusOK}
	}
	if !x.session.news.subscribe(uri) {
		return dst, invalidParams("Too many subscriptions: unsubscribe from another resource first")
	}
	return x.shared(dst)
}

// unsubscribe answers resources/unsubscribe, also for what there is no subscription to.
func unsubscribe(x *exchange, dst []byte) ([]byte, *fault) {
	uri, f := x.resourceURI()
	if f != nil {
		return dst, f
	}
	x.session.news.unsubscribe(uri)
	return x.shared(dst)
}

// shared keeps a change of the session in its record, where that is shared, and answers.
func (x *exchange) shared(dst []byte) ([]byte, *fault) {
	if x.to != nil {
		if f := x.srv.save(x.ctx, x.session); f != nil {
			return dst, f
		}
	}
	return append(dst, "{}"...), nil
}

// resourceURI reads the URI that a request is about.
func (x *exchange) resourceURI() (string, *fault) {
	if raw := x.msg.params.uri; isString(raw) {
		uri := string(unquote(raw))
		if u, err := url.Parse(uri); err == nil && u.IsAbs() {
			return uri, nil
		}
	}
	return "", invalidParams(`Invalid params: "uri" must be an absolute URI`)
}

// feature appends the result of what is no tool, without its _meta: description and
// messages; contents, ttlMs and cacheScope; or completion.
func (e *encoder) feature(r *catalog.Reply) bool {
	switch {
	case r.Messages != nil:
		e.messages(r)
	case r.Contents != nil:
		e.raw(`"contents":[`)
		for i := range r.Contents {
			if i > 0 {
				e.raw(",")
			}
			e.contents(&r.Contents[i])
		}
		e.raw("]")
		if e.rev.stateless() {
			// what a handler found may be this caller's alone, and only for now
			e.raw(`,"ttlMs":0,"cacheScope":"private"`)
		}
	case r.Values != nil:
		e.completion(r.Values)
	default:
		return false
	}
	return true
}

func (e *encoder) messages(r *catalog.Reply) {
	if r.Description != "" {
		e.raw(`"description":`)
		e.text(r.Description)
		e.raw(",")
	}
	e.raw(`"messages":[`)
	for i, m := range r.Messages {
		if i > 0 {
			e.raw(",")
		}
		e.raw(`{"role":`)
		e.text(string(m.Role))
		e.raw(`,"content":`)
		e.block(m.Content)
		e.raw("}")
	}
	e.raw("]")
}

// maxValues is how many suggestions one result may have, see server/utilities/completion.
const maxValues = 100

func (e *encoder) completion(values []string) {
	e.raw(`"completion":{"values":[`)
	for i, v := range values[:min(len(values), maxValues)] {
		if i > 0 {
			e.raw(",")
		}
		e.text(v)
	}
	e.raw(`],"total":`)
	e.dst = strconv.AppendInt(e.dst, int64(len(values)), 10)
	e.raw(`,"hasMore":`)
	e.dst = append(strconv.AppendBool(e.dst, len(values) > maxValues), '}')
}
