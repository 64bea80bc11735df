package builder

import (
	"reflect"

	"github.com/mcpfusion/go/internal/schema"
)

// RuleText is what a rule of an app's own says.
type RuleText struct {
	// Problem tells the model what is wrong with a value, such as "is no SKU".
	Problem string
	// Expected tells it what would be right, such as "a SKU such as AB-123".
	Expected string
	// Schema is what the rule adds to the JSON Schema of a value, such as
	// `{"pattern":"^[A-Z]{2}-[0-9]{3}$"}`; "" adds nothing.
	Schema string
}

// AddRule adds a rule to the tag language of an app. It comes before the first declaration,
// so that no type was compiled without it.
func AddRule[T any](r *Router[T], name string, takes reflect.Type, holds func(reflect.Value) bool, text RuleText) {
	site, reg := callSite(), r.rec.reg
	switch {
	case holds == nil:
		reg.failf(site, "Rule(%q) was given a nil function; pass the check", name)
		return
	case r.rec.used:
		reg.failf(site, "Rule(%q) after the first declaration; move it before every tool, router and mount", name)
		return
	}
	if reg.rules == nil {
		reg.rules = &schema.Rules{}
	}
	err := reg.rules.Add(schema.CustomRule{
		Name: name, Type: takes, Holds: holds, Problem: text.Problem, Expected: text.Expected, Schema: text.Schema,
	})
	if err != nil {
		reg.failf(site, "%v", err)
	}
}
