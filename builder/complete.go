package builder

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/internal/schema"
	"github.com/mcpfusion/go/internal/scope"
	"github.com/mcpfusion/go/middleware"
)

func quote(s string) string { return strconv.Quote(s) }

// completion are the suggestions for one argument, with the place of their declaration.
type completion struct {
	argument, site string
	suggest        catalog.Complete
}

// complete adds suggestions. They see the context of the stage that they are declared on.
func complete[C any](c *chain, stage int, argument string, suggest func(*middleware.Ctx[C], string) []string) {
	if !c.touch(stage, "Complete") || !c.usable("Complete", suggest != nil) {
		return
	}
	before := c.policy.clone()
	c.completions = append(c.completions, completion{argument, callSite(),
		func(ctx context.Context, call *middleware.Call, s *scope.Scope, prefix string) ([]string, error) {
			app, err := before.derive(ctx, call, s)
			if err != nil {
				return nil, err
			}
			return suggest(app.(*middleware.Ctx[C]), prefix), nil
		}})
}

// suggestions are the completions by argument. What they are for must exist.
func (c *chain) suggestions(known func(argument string) bool, what string) map[string]catalog.Complete {
	all := make(map[string]catalog.Complete, len(c.completions))
	for _, one := range c.completions {
		problem := ""
		if all[one.argument] != nil {
			problem = "is declared twice; remove one of them"
		} else if !known(one.argument) {
			problem = fmt.Sprintf("is for no %s of the %s; correct the name", what, c.kind)
		}
		if problem != "" {
			c.failf(one.site, "Complete(%q) %s", one.argument, problem)
		}
		all[one.argument] = one.suggest
	}
	return all
}

// suggestEnums suggests the values of enums where nothing else is declared.
func (c *chain) suggestEnums(input *schema.Input, all map[string]catalog.Complete) {
	for name, property := range input.Schema().Properties {
		if len(property.Enum) == 0 || all[name] != nil {
			continue
		}
		values := property.Enum
		all[name] = func(_ context.Context, _ *middleware.Call, _ *scope.Scope, prefix string) ([]string, error) {
			var matching []string
			for _, v := range values {
				if s, is := v.(string); is && strings.HasPrefix(s, prefix) {
					matching = append(matching, s)
				}
			}
			return matching, nil
		}
	}
}
