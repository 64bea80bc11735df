// Package shared is what one team exports for the apps of all others: a bearer-token
// user. It knows none of the apps' context types; it names what it needs of them in an
// interface.
package shared

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/http"
	"strings"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/result"
)

// User is a person who calls tools.
type User struct {
	ID   string
	Name string
}

// Tokens finds out whom a bearer token belongs to. Its zero value knows nobody.
type Tokens struct {
	users map[[sha256.Size]byte]User
}

// NewTokens knows the given users by their tokens. It keeps digests, not tokens.
func NewTokens(users map[string]User) *Tokens {
	t := &Tokens{users: make(map[[sha256.Size]byte]User, len(users))}
	for token, user := range users {
		t.users[sha256.Sum256([]byte(token))] = user
	}
	return t
}

var errToken = errors.New("missing or unknown bearer token")

// region: authenticate

// Authenticate is an HTTP transport's option: it runs on every request.
func (t *Tokens) Authenticate(r *http.Request) (fusion.Subject, error) {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return fusion.Subject{}, errToken
	}
	digest := sha256.Sum256([]byte(token))
	for known, user := range t.users {
		if subtle.ConstantTimeCompare(digest[:], known[:]) == 1 {
			return fusion.Subject{ID: user.ID}, nil
		}
	}
	return fusion.Subject{}, errToken
}

// endregion

// UserByID finds a user by the subject's id.
func (t *Tokens) UserByID(id string) (User, bool) {
	for _, user := range t.users {
		if user.ID == id {
			return user, true
		}
	}
	return User{}, false
}

// HasTokens is what an app's context needs for this package's middleware.
type HasTokens interface{ UserTokens() *Tokens }

// Authed is an app's context together with the user who calls.
type Authed[C any] struct {
	App  C
	User User
}

var errSignIn = result.Unauthorized("This tool needs a signed-in user").
	Suggest("Ask the person to configure a bearer token for this server")

// FindUser is the user who calls. Apps merge it into a context of their own with
// middleware.Derive.
func FindUser[C HasTokens](ctx *fusion.Ctx[C]) result.Result[User] {
	user, ok := ctx.App.UserTokens().UserByID(ctx.Call.Subject.ID)
	if !ok {
		return result.Fail[User](errSignIn)
	}
	return result.OK(user)
}

// RequireUser puts the user beside the app's context. It passes bare to Use.
func RequireUser[C HasTokens](ctx *fusion.Ctx[C]) result.Result[Authed[C]] {
	return FindUser(ctx).Map(func(u User) Authed[C] { return Authed[C]{App: ctx.App, User: u} })
}
