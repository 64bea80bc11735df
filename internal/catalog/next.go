package catalog

import (
	"context"
	"encoding/json/jsontext"

	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

// appendNext appends the suggestions that this caller may follow now. Those that nobody can
// are left out and logged: the reply matters more.
func (c *Catalog) appendNext(ctx context.Context, o *object, call *middleware.Call, next []result.NextAction) {
	v := &views{call: call}
	open := false
	for _, n := range next {
		t := c.lookup(n.Tool)
		args, problem := suggested(t, n.Arguments)
		switch {
		case t == nil:
			c.Log.WarnContext(ctx, "a next action names a tool that does not exist", "tool", call.Name, "action", n.Tool)
			continue
		case problem != "":
			c.Log.WarnContext(ctx, "a next action has arguments that its tool does not take", "tool", call.Name, "action", n.Tool, "problem", problem)
			continue
		case !c.callable(ctx, v, t):
			continue
		}
		if !open {
			o.key("nextActions")
			o.dst = append(o.dst, '[')
			open = true
		} else {
			o.dst = append(o.dst, ',')
		}
		o.dst = append(o.dst, '{')
		o.text("tool", t.Name)
		o.textIf("reason", n.Reason)
		if args != nil {
			o.key("arguments")
			o.dst = append(o.dst, args...)
		}
		o.dst = append(o.dst, '}')
	}
	if open {
		o.dst = append(o.dst, ']')
	}
}

// Misfit says what is wrong with arguments of which some may be missing; "" if nothing is.
func Misfit(t *Tool, arguments map[string]any) string {
	_, problem := suggested(t, arguments)
	return problem
}

// suggested is the JSON of arguments, nil for none, with what is wrong with them. The words
// are for the log, so they do not have the values.
func suggested(t *Tool, arguments map[string]any) (args jsontext.Value, problem string) {
	if len(arguments) == 0 {
		return nil, ""
	}
	args, err := marshal(arguments)
	if err != nil {
		return nil, "they cannot be encoded"
	}
	if t == nil || t.Partly == nil {
		return args, ""
	}
	problems := t.Partly(args)
	if len(problems) == 0 {
		return args, ""
	}
	return nil, problems[0].Path + " " + problems[0].Problem
}
