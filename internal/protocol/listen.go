package protocol

import (
	"bytes"
	"encoding/json/v2"
	"net/http"
	"sync/atomic"

	"github.com/mcpfusion/go/internal/catalog"
)

// wanted is what a subscription asks for. Types that are not served are not granted.
type wanted struct {
	Tools     bool     `json:"toolsListChanged"`
	Prompts   bool     `json:"promptsListChanged"`
	Resources bool     `json:"resourcesListChanged"`
	URIs      []string `json:"resourceSubscriptions"`
}

func (w *wanted) lists() (lists catalog.Change) {
	if w.Tools {
		lists |= catalog.ToolsChanged
	}
	if w.Prompts {
		lists |= catalog.PromptsChanged
	}
	if w.Resources {
		lists |= catalog.ResourcesChanged
	}
	return lists
}

// listen answers subscriptions/listen: it runs until the client or the server ends the
// subscription, see basic/patterns/subscriptions of revision 2026-07-28.
func listen(x *exchange, dst []byte) ([]byte, *fault) {
	raw := x.msg.params.notifications
	if !isObject(raw) {
		return dst, invalidParams(`Invalid params: "notifications" must be an object`)
	}
	var w wanted
	if err := json.Unmarshal(raw, &w); err != nil {
		return dst, invalidParams(`Invalid params: "notifications" has a member of the wrong type`)
	}
	n := &news{id: bytes.Clone(x.msg.id), wanted: w.lists() & x.srv.changing}
	var acknowledged atomic.Bool
	n.send = func(message []byte) bool { return acknowledged.Load() && x.push(message, true) }
	granted := x.srv.grant(n, &w)
	n.listen(x.srv.catalog, x.in.Subject.ID, "") // first, so that nothing is missed behind the acknowledgement
	defer n.close()
	if !x.push(n.acknowledge(granted), false) {
		return dst, &fault{
			code: codeInvalidRequest, message: "Invalid request: subscriptions/listen needs a stream, Accept must list text/event-stream",
			status: http.StatusNotAcceptable,
		}
	}
	if x.feed != nil {
		x.feed.onRoom(n.resume)
	}
	acknowledged.Store(true)
	n.resume()
	<-x.ctx.Done()
	n.close()
	e := encoder{dst: dst, rev: x.rev}
	e.raw(`{"resultType":"complete"`)
	e.resultMeta(map[string]any{subscriptionKey: n.id}, x.srv.info[x.rev])
	e.raw("}")
	return e.dst, nil
}

// grant subscribes to what is served, and says what that is.
func (s *Server) grant(n *news, w *wanted) []byte {
	e := encoder{}
	e.raw("{")
	for _, l := range listTopics {
		if n.wanted&l.change != 0 {
			e.raw(`"` + l.granted + `":true,`)
		}
	}
	if s.changing&catalog.ResourcesChanged != 0 && len(w.URIs) > 0 {
		e.raw(`"resourceSubscriptions":[`)
		for _, uri := range w.URIs {
			if n.subscribe(uri) {
				e.text(uri)
				e.raw(",")
			}
		}
		e.dst = append(bytes.TrimSuffix(e.dst, []byte(",")), "],"...)
	}
	return append(bytes.TrimSuffix(e.dst, []byte(",")), '}')
}

// acknowledge is the first message of a subscription.
func (n *news) acknowledge(granted []byte) []byte {
	e := encoder{}
	e.raw(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"` + subscriptionKey + `":` + string(n.id) + `},"notifications":`)
	e.dst = append(e.dst, granted...)
	e.raw("}}")
	return e.dst
}
