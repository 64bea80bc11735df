// Package middleware is what stands between a call and its handler, and what middleware
// authors of any team write against: the [Call], the handler's context [Ctx], the [Use]
// form that derives a context type, and the [Wrap] form that goes around every call.
//
// A Use middleware is a plain function. It reads the context of one type and gives the
// context of the next; a failure ends the call:
//
//	func RequireUser(ctx *middleware.Ctx[Deps]) result.Result[Tenant] {
//		user, ok := ctx.App.Users.Find(ctx, ctx.Call.Subject.ID)
//		if !ok {
//			return result.Fail[Tenant](result.Unauthorized("Sign in first"))
//		}
//		return result.OK(Tenant{Deps: ctx.App, User: user})
//	}
//
// A Wrap middleware sees every call, unknown tools included, and the response before it
// is rendered, with its cause. The first added runs outermost.
package middleware

import (
	"encoding/json/jsontext"
	"net/http"
)

// Kind is what a call is for.
type Kind string

// The kinds of calls: a tool is called, a prompt is got, a resource is read, and an argument
// of a prompt or of a resource template is completed.
const (
	KindTool       Kind = "tool"
	KindPrompt     Kind = "prompt"
	KindResource   Kind = "resource"
	KindCompletion Kind = "completion"
)

// Call is one request as middleware sees it. It is never reused: a middleware may keep
// it and its Arguments after the reply.
type Call struct {
	// Kind is what is called.
	Kind Kind
	// Tool describes what is called, of whatever kind; nil when nothing has that name.
	Tool *Tool
	// Name is the name as the client sent it; of a resource, its URI. A Wrap that changes it
	// does not change what is called.
	Name string
	// Arguments is the JSON object as sent, not yet decoded; nil when there was none. For
	// a resource template they are the variables of the URI.
	Arguments jsontext.Value
	// Header has the HTTP request's headers; nil on other transports.
	Header http.Header
	// Meta is the request's _meta object as sent; nil when there was none.
	Meta jsontext.Value
	// Subject is who calls, as the transport's authentication found.
	Subject Subject
	// Session is the client's session; nil where the revision has none.
	Session Session
	// Round counts the retries of one logical call that asks its client for input,
	// from 0.
	Round int
	// Revision is the protocol revision of the request, such as "2025-11-25".
	Revision string
}

// Subject is an authenticated caller. The zero Subject is anonymous.
type Subject struct {
	// ID names the caller for good, such as the token's "sub"; never the token itself.
	ID string
	// Scopes are what the credential was granted.
	Scopes []string
	// Claims are further facts of the credential.
	Claims map[string]any
}

// Anonymous reports whether nobody was authenticated.
func (s Subject) Anonymous() bool { return s.ID == "" }

// Session is a client's session in the revisions that have sessions. Its methods are
// safe for concurrent use.
type Session interface {
	// ID is unguessable and unique.
	ID() string
	// Client is what the client said of itself. It is no ground for trust.
	Client() Client
}

// Client is what a client says of itself.
type Client struct {
	Name    string
	Version string
}

// Verb is what a tool does to the world.
type Verb string

// The verbs: a query reads, a mutation may destroy, an action changes without destroying.
const (
	Query    Verb = "query"
	Mutation Verb = "mutation"
	Action   Verb = "action"
)

// Tool describes a tool, a prompt or a resource to middleware. It is shared: do not change
// it.
type Tool struct {
	// ID is the dotted id, such as "billing.refund"; of a resource, its URI or template.
	ID string
	// Name is the name on the wire, such as "billing_refund"; of a resource, as ID.
	Name string
	// Verb is how the tool was declared. Prompts and resources are queries.
	Verb Verb
	// Hints are the annotations that clients are told of tools.
	Hints Hints
}

// Hints are the annotations of a tool, by the MCP specification.
type Hints struct {
	ReadOnly    bool
	Destructive bool
	Idempotent  bool
	OpenWorld   bool
}
