package builder

import (
	"reflect"
	"slices"
	"strings"

	"github.com/mcpfusion/go/internal/schema"
	"github.com/mcpfusion/go/internal/scope"
)

// What a handler wants from its client.

func (c *chain) addRequires(stage int, capabilities []string) {
	if !c.touch(stage, "Requires") {
		return
	}
	for _, capability := range capabilities {
		if !slices.Contains(scope.Capabilities, capability) {
			c.failf(callSite(), "Requires(%q) names no capability of clients; use one of %s", capability, strings.Join(scope.Capabilities, ", "))
			continue
		}
		c.requires = append(c.requires, capability)
	}
}

func (c *chain) addForm(stage int, form reflect.Type) {
	if !c.touch(stage, "Elicits") {
		return
	}
	_, problems := schema.NewForm(form)
	for _, p := range problems {
		c.failf(callSite(), "the form %s: %s", form, p)
	}
}

// Requires refuses clients that lack a capability, before the handler runs and with the
// JSON-RPC error -32021: "elicitation", "elicitation.form", "elicitation.url", "sampling",
// "sampling.tools", "sampling.context" or "roots".
func (t *Tool[C]) Requires(capabilities ...string) *Tool[C] {
	t.chain.addRequires(t.stage, capabilities)
	return t
}

// Elicits declares that the handler asks the user to fill in the form T, so that what is
// wrong with it, such as a secret, is found with the other mistakes of declarations. A form
// that is not declared is checked when it is asked for.
func (t *Tool[C]) Elicits[T any]() *Tool[C] {
	t.chain.addForm(t.stage, reflect.TypeFor[T]())
	return t
}

// Requires refuses clients that lack a capability, see [Tool.Requires].
func (p *Prompt[C]) Requires(capabilities ...string) *Prompt[C] {
	p.chain.addRequires(p.stage, capabilities)
	return p
}

// Elicits declares a form that the handler asks for, see [Tool.Elicits].
func (p *Prompt[C]) Elicits[T any]() *Prompt[C] {
	p.chain.addForm(p.stage, reflect.TypeFor[T]())
	return p
}

// Requires refuses clients that lack a capability, see [Tool.Requires].
func (r *Resource[C]) Requires(capabilities ...string) *Resource[C] {
	r.chain.addRequires(r.stage, capabilities)
	return r
}

// Elicits declares a form that the handler asks for, see [Tool.Elicits].
func (r *Resource[C]) Elicits[T any]() *Resource[C] {
	r.chain.addForm(r.stage, reflect.TypeFor[T]())
	return r
}
