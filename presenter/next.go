package presenter

import (
	"maps"

	"github.com/mcpfusion/go/result"
)

// Next is a call that makes sense now. The zero Next is left out.
type Next struct{ action result.NextAction }

// Call suggests a tool, by its id, and says why.
func Call(tool, reason string) Next {
	return Next{result.NextAction{Tool: tool, Reason: reason}}
}

// With is the suggestion with an argument. What is not known yet may be missing.
func (n Next) With(name string, value any) Next {
	n.action.Arguments = maps.Clone(n.action.Arguments)
	if n.action.Arguments == nil {
		n.action.Arguments = map[string]any{}
	}
	n.action.Arguments[name] = value
	return n
}
