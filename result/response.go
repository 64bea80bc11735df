package result

import "errors"

// Response is the answer to a call before it is rendered: what the handler returned and
// what was added on the way. Around-middleware may read and change it.
//
// A Response is a failure if Failure or Cause is set. Else it is a success: Content if
// that is not nil, or else Data.
type Response struct {
	// Data is the value. With a presenter it is the presented JSON.
	Data any
	// Failure is what the model is told when the call failed.
	Failure *Failure
	// Guidance goes beside the data, for the model.
	Guidance Guidance
	// UI blocks are for a person; they follow everything else.
	UI []Content
	// Content, when not nil, are the handler's own blocks and take the place of Data.
	Content []Content
	// Meta is the result's _meta. Keys follow the rules of the MCP specification.
	Meta map[string]any
	// Pending, when not nil, asks the client for input instead of answering.
	Pending *Pending
	// Cause is the error as the handler returned it, for [errors.Is]; it is logged and
	// never sent.
	Cause error
}

// Guidance is what helps a model read a reply and go on.
type Guidance struct {
	// Rules say how to read the data.
	Rules []string
	// Next are calls that make sense now.
	Next []NextAction
	// Notices are remarks on this reply, such as a warning beside a success.
	Notices []string
	// Stale are names of what this call has made out of date.
	Stale []string
}

// NextAction is a call that makes sense now.
type NextAction struct {
	Tool      string         // the tool's id; the reply has its wire name
	Reason    string         // in words
	Arguments map[string]any // the arguments to call it with; may be nil
}

// Pending asks the client for input that a call needs to go on.
type Pending struct {
	Requests []InputRequest
	// State is what the client sends back with the answers. The engine sets it.
	State string
}

// InputRequest is one request to the client, such as "elicitation/create".
type InputRequest struct {
	Key    string
	Method string
	Params any
}

// FromError makes the Response of a failed call. A [Failure] found in err is shown; a
// [ProtocolError] is answered as one; anything else leaves Failure nil, to be masked
// as an internal error when the response is rendered.
func FromError(err error) *Response {
	f, _ := errors.AsType[*Failure](err)
	return &Response{Failure: f, Cause: err}
}

// Failed reports whether the response is a failure of any kind.
func (r *Response) Failed() bool { return r.Failure != nil || r.Cause != nil }
