package result

import "fmt"

// ProtocolError is a JSON-RPC error sent on purpose, see [Protocol].
type ProtocolError struct {
	// Code is the JSON-RPC error code.
	Code int
	// Message is one short sentence.
	Message string
	// Data is any JSON-encodable value; nil is left out.
	Data any
}

// Protocol makes an error that is answered as a JSON-RPC error instead of a tool result.
// Models commonly never see those, so a [Failure] is right for everything that a model
// should act on. Codes of one's own lie outside -32768 to -32000, which JSON-RPC and
// MCP reserve.
func Protocol(code int, message string, data any) error {
	return &ProtocolError{Code: code, Message: message, Data: data}
}

// Error is the message with its code.
func (e *ProtocolError) Error() string {
	return fmt.Sprintf("%s (JSON-RPC error %d)", e.Message, e.Code)
}
