package protocol

import (
	"context"
	"fmt"

	"github.com/mcpfusion/go/middleware"
)

// notified takes a notification. One that nothing is known of is ignored, as JSON-RPC
// wants it; so is a request that was sent without an id.
func (x *exchange) notified(ids *ids, s *session) {
	switch string(x.msg.method) {
	case "notifications/cancelled":
		x.cancelled(ids)
	case "notifications/initialized":
		if s != nil {
			s.listen(x.srv)
		}
	}
}

// cancelled ends a request that the client gives up.
func (x *exchange) cancelled(ids *ids) {
	p := &x.msg.params
	if !readableID(p.requestID) {
		return
	}
	cause := &middleware.CancelledError{}
	if isString(p.reason) {
		cause.Reason = string(unquote(p.reason))
	}
	if ids.cancel(idKey(p.requestID), cause) {
		x.srv.log.DebugContext(x.ctx, "the client cancelled a request",
			"id", string(p.requestID), "reason", cause.Reason)
	}
}

// errSessionEnded is why requests end when their client ends the session.
var errSessionEnded = fmt.Errorf("the client ended the session: %w", context.Canceled)

// errClosing is why requests end when the server or the connection does.
var errClosing = fmt.Errorf("the server is shutting down: %w", context.Canceled)
