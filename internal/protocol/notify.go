package protocol

import (
	"context"
	"fmt"

	"github.com/mcpfusion/go/middleware"
)

// notified takes a notification. One that nothing is known of is ignored, as JSON-RPC
// wants it; so is a request that was sent without an id.
func (x *exchange) notified(ids *ids) {
	if string(x.msg.method) != "notifications/cancelled" || ids == nil {
		return
	}
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

// errClosing is why requests end when the server or the connection does.
var errClosing = fmt.Errorf("the server is shutting down: %w", context.Canceled)
