package middleware

import (
	"crypto/rand"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"fmt"
	"net/url"
	"reflect"
	"strings"

	"github.com/mcpfusion/go/internal/schema"
	"github.com/mcpfusion/go/result"
)

const elicit = "elicitation/create"

// Elicit asks the user to fill in a form: a flat struct T of strings, numbers, booleans and
// choices, declared with the tags of a tool's input. A choice is a string with the rule
// oneof, several are a slice of them; a choice whose type has a method Title() string is
// shown with it. Secrets must not be asked for: use [Ctx.ElicitURL].
//
// A user who says no or closes the form is a Failure with the code DECLINED or DISMISSED.
// Any other error the handler should return at once, see [Ctx.Ask]; the key is explained
// at [Question].
func (c *Ctx[C]) Elicit[T any](key, message string) result.Result[T] {
	q := Form[T](key, message)
	_ = c.Ask(q)
	return q.Answer()
}

// ElicitURL asks the user to open a page, for what must not go through the client: a
// sign-in, a payment, a secret. Success means that the user agreed to open it, not that
// all is done there: look that up in your own store, and check on the page that who opens
// it is who was asked. The URL is https, or http on this machine, and has no user data
// and nothing that lets its reader in.
func (c *Ctx[C]) ElicitURL(key, message, page string) result.Result[result.Unit] {
	q := Link(key, message, page)
	_ = c.Ask(q)
	return q.Answer()
}

// Form is the question of [Ctx.Elicit], for [Ctx.Ask].
func Form[T any](key, message string) *Question[T] {
	t := reflect.TypeFor[T]()
	form, problems := schema.NewForm(t)
	about := elicitation(key, "elicitation.form", func(revision string) (map[string]any, error) {
		if form == nil {
			return nil, fmt.Errorf("question %q: the form %s: %s", key, t, problems[0])
		}
		shape, field, ok := form.Schema(revision)
		if !ok {
			return nil, result.NoAnswer("The client speaks a protocol revision that cannot ask for " + field)
		}
		return map[string]any{"message": message, "requestedSchema": shape}, nil
	})
	return newQuestion(about, func(raw jsontext.Value) (result.Result[T], string) {
		content, no, problem := readElicited(raw)
		if problem != "" || no != nil {
			return result.Err[T](no), problem
		}
		var answer T
		if fields := form.Decode(content, reflect.ValueOf(&answer).Elem()); len(fields) > 0 {
			return result.Result[T]{}, inWords(fields)
		}
		return result.OK(answer), ""
	})
}

// RawForm asks the user to fill in a form with a schema that is known only at run time. It
// is sent as it is, and the answer is any JSON object: check it.
func RawForm(key, message string, requested jsontext.Value) *Question[jsontext.Value] {
	about := elicitation(key, "elicitation.form", func(string) (map[string]any, error) {
		if !requested.IsValid() || requested.Kind() != '{' {
			return nil, fmt.Errorf("question %q: its schema is no JSON object", key)
		}
		return map[string]any{"message": message, "requestedSchema": requested}, nil
	})
	return newQuestion(about, func(raw jsontext.Value) (result.Result[jsontext.Value], string) {
		content, no, problem := readElicited(raw)
		if problem != "" || no != nil {
			return result.Err[jsontext.Value](no), problem
		}
		return result.OK(content), ""
	})
}

// Link is the question of [Ctx.ElicitURL], for [Ctx.Ask].
func Link(key, message, page string) *Question[result.Unit] {
	about := elicitation(key, "elicitation.url", func(revision string) (map[string]any, error) {
		if err := checkPage(page); err != nil {
			return nil, fmt.Errorf("question %q: %w", key, err)
		}
		params := map[string]any{"mode": "url", "message": message, "url": page}
		if revision < "2026-07-28" {
			params["elicitationId"] = rand.Text()
		}
		return params, nil
	})
	return newQuestion(about, func(raw jsontext.Value) (result.Result[result.Unit], string) {
		_, no, problem := readElicited(raw)
		if problem != "" || no != nil {
			return result.Err[result.Unit](no), problem
		}
		return result.OK(result.Unit{}), ""
	})
}

func elicitation(key, capability string, params func(string) (map[string]any, error)) inquiry {
	return inquiry{key: key, method: elicit, capability: capability, params: params}
}

// checkPage refuses what a client must not open.
func checkPage(page string) error {
	u, err := url.Parse(page)
	switch {
	case err != nil || u.Hostname() == "":
		return fmt.Errorf("%q is no absolute URL", page)
	case u.User != nil:
		return fmt.Errorf("the URL of %s has a user in it; whoever sees it could sign in", u.Host)
	case u.Scheme == "https", u.Scheme == "http" && isLocal(u.Hostname()):
		return nil
	}
	return fmt.Errorf("%q is not https", page)
}

func isLocal(host string) bool { return host == "localhost" || host == "127.0.0.1" || host == "::1" }

// unreadable tells a person that an answer has the wrong shape.
const unreadable = "The answer could not be read."

// readElicited reads the result of elicitation/create: what the user filled in, the
// user's no, or what is wrong with the result.
func readElicited(raw jsontext.Value) (content jsontext.Value, no *result.Failure, problem string) {
	var r struct {
		Action  string         `json:"action"`
		Content jsontext.Value `json:"content"`
	}
	if json.Unmarshal(raw, &r) != nil {
		r.Action = "" // none
	}
	switch r.Action {
	case "accept":
		if r.Content == nil || r.Content.Kind() == 'n' {
			r.Content = jsontext.Value("{}")
		}
		if r.Content.Kind() == '{' {
			return r.Content, nil, ""
		}
	case "decline":
		return nil, result.Declined("The user was asked and declined"), ""
	case "cancel":
		return nil, result.Dismissed("The user was asked and closed the question without an answer"), ""
	}
	return nil, nil, unreadable
}

// inWords tells a person what is wrong with a form.
func inWords(fields []result.Field) string {
	problems := make([]string, len(fields))
	for i, f := range fields {
		if problems[i] = strings.TrimSpace(f.Path + " " + f.Problem); f.Expected != "" {
			problems[i] += " (expected: " + f.Expected + ")"
		}
	}
	return "Please correct: " + strings.Join(problems, "; ")
}
