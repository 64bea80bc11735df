package fusion_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpfusion/go/fusion"
)

func TestTheZeroAppAndTheZeroRouterSayHowTheyAreMade(t *testing.T) {
	for name, use := range map[string]func(a *fusion.App[deps]){
		"a tool":     func(a *fusion.App[deps]) { a.Query("a") },
		"a prompt":   func(a *fusion.App[deps]) { a.Prompt("a") },
		"a resource": func(a *fusion.App[deps]) { a.Resource("r://a") },
		"a router":   func(a *fusion.App[deps]) { a.Router("r") },
		"a group":    func(a *fusion.App[deps]) { a.Group() },
		"a mount":    func(a *fusion.App[deps]) { a.Mount("m", func(*fusion.Router[deps]) {}) },
		"Use":        func(a *fusion.App[deps]) { a.Use(derive) },
		"Wrap":       func(a *fusion.App[deps]) { a.Wrap(passes) },
		"Visible":    func(a *fusion.App[deps]) { a.Visible(nil) },
		"Require":    func(a *fusion.App[deps]) { a.Require() },
		"Timeout":    func(a *fusion.App[deps]) { a.Timeout(1) },
	} {
		assert.PanicsWithValue(t, "fusion: this App was not made by New", func() { use(&fusion.App[deps]{}) }, name)
	}
	var zero fusion.App[deps]
	zero.ListChanged(t.Context())
	_, err := zero.Catalog()
	assert.ErrorContains(t, err, "was not made by New")
	assert.ErrorContains(t, zero.Err(), "was not made by New")
	for name, use := range map[string]func(r *fusion.Router[deps]){
		"a tool":   func(r *fusion.Router[deps]) { r.Query("a") },
		"a router": func(r *fusion.Router[deps]) { r.Router("r") },
		"Use":      func(r *fusion.Router[deps]) { r.Use(derive) },
		"Wrap":     func(r *fusion.Router[deps]) { r.Wrap(passes) },
	} {
		assert.PanicsWithValue(t, "fusion: this Router was not made by an App; take one from its Router, Group or Use", func() { use(&fusion.Router[deps]{}) }, name)
	}
}
