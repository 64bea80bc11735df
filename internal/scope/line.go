package scope

import (
	"context"
	"encoding/json/jsontext"
	"log/slog"
	"strings"

	"github.com/mcpfusion/go/result"
)

// LineKey finds the [Line] of a call in its context.
type LineKey struct{}

// Line connects a running call with the client that made it. Its methods are safe for
// concurrent use, also after the call's end, when they do nothing.
type Line interface {
	// Progress tells how far the call is, if the client asked for that. A total of 0 is
	// unknown.
	Progress(progress, total float64, message string)
	// Wants reports that the client asked for log records of that level.
	Wants(level slog.Level) bool
	// Log sends a log record, which is any JSON.
	Log(level slog.Level, data jsontext.Value)
	// Supports reports that the client declared a capability that this revision has, such
	// as "sampling" or "elicitation.form".
	Supports(capability string) bool
	// Immediate reports that questions are answered while the call runs. Elsewhere each
	// ends the call, and its answer begins the call anew.
	Immediate() bool
	// Patience bounds ctx by how long a client may take to answer.
	Patience(ctx context.Context) (context.Context, context.CancelFunc)
	// Request asks the client now and waits for its result until ctx ends.
	Request(ctx context.Context, method string, params jsontext.Value) (jsontext.Value, error)
	// Memory is what the call knows from its client and from its earlier rounds.
	Memory() *Memory
}

// Round is the line of a call that began anew with an answer: a retry, which names a state
// that was handed out once.
type Round interface {
	// Use uses the retry's state up. It fails if another retry has done so.
	Use(ctx context.Context) error
	// Reuse takes Use back.
	Reuse()
}

// LineOf is the line of the call that ctx belongs to; nil if it has none.
func LineOf(ctx context.Context) Line {
	line, _ := ctx.Value(LineKey{}).(Line)
	return line
}

// Capabilities are what a client may declare and a call may need.
var Capabilities = []string{"elicitation", "elicitation.form", "elicitation.url", "roots", "sampling", "sampling.context", "sampling.tools"}

// Known reports that a client of a revision, told by its name, may declare a capability.
func Known(revision, capability string) bool {
	switch capability {
	case "elicitation", "elicitation.form":
		return revision >= "2025-06-18"
	case "elicitation.url", "sampling.context", "sampling.tools":
		return revision >= "2025-11-25"
	}
	return true
}

// UserRejected is the code by which clients tell that the user said no to sampling, see
// client/sampling.
const UserRejected = -1

// codeCapability is the code of an error for a client that lacks a capability, see
// basic/index of revision 2026-07-28.
const codeCapability = -32021

// Lacking is the error for a client without these capabilities.
func Lacking(capabilities ...string) error {
	required := make(map[string]any, len(capabilities))
	for _, c := range capabilities {
		name, part, nested := strings.Cut(c, ".")
		parts, _ := required[name].(map[string]any)
		if parts == nil {
			parts = make(map[string]any)
			required[name] = parts
		}
		if nested {
			parts[part] = map[string]any{}
		}
	}
	return result.Protocol(codeCapability, "The client lacks a capability that this needs: "+strings.Join(capabilities, ", "),
		map[string]any{"requiredCapabilities": required})
}

// Declared reports that a client declares a capability, of which declares looks up what it
// says literally. That it elicits by forms is also what an empty "elicitation" means.
func Declared(capability string, declares func(capability string) bool) bool {
	if capability == "elicitation.form" {
		return declares("elicitation") && (declares("elicitation.form") || !declares("elicitation.url"))
	}
	return declares(capability)
}

// Supports reports that the client of the call that ctx belongs to has a capability.
func Supports(ctx context.Context, capability string) bool {
	line := LineOf(ctx)
	return line != nil && line.Supports(capability)
}
