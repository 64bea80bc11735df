package protocol

import (
	"encoding/json/jsontext"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mcpfusion/go/internal/catalog"
)

// coalescing is how long changes are gathered, so that a burst of them is told as one.
const coalescing = 20 * time.Millisecond

// maxURIs bounds the resources that one client is told of.
const maxURIs = 1000

// news are the changes that one client is told of: in a session, or by one subscription.
type news struct {
	// send sends a message. It is false when nothing can carry it now: the news are then
	// kept until resume.
	send func(message []byte) bool
	id   jsontext.Value // of the subscription; nil in a session

	mu      sync.Mutex
	wanted  catalog.Change
	uris    map[string]struct{} // resources that the client asked for
	lists   catalog.Change      // changed and not told yet
	updated map[string]struct{} // changed and not told yet
	timer   *time.Timer         // nil unless tell will run, or does
	again   bool                // resume came while timer was set
	stop    func()              // nil before listen
	closed  bool
}

var _ catalog.Listener = (*news)(nil)

// listen begins to gather changes.
func (n *news) listen(c *catalog.Catalog, subject, session string) {
	n.mu.Lock()
	begun := n.stop != nil || n.closed
	if !begun {
		n.stop = func() {}
	}
	n.mu.Unlock()
	if begun {
		return
	}
	stop := c.Listen(subject, session, n)
	n.mu.Lock()
	n.stop = stop
	closed := n.closed
	n.mu.Unlock()
	if closed {
		stop()
	}
}

// close ends the news. It may be called again.
func (n *news) close() {
	n.mu.Lock()
	stop := n.stop
	n.closed, n.stop = true, nil
	if n.timer != nil {
		n.timer.Stop()
	}
	n.mu.Unlock()
	if stop != nil {
		stop()
	}
}

// subscribe asks for the changes of a resource. It is false if there are too many.
func (n *news) subscribe(uri string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, has := n.uris[uri]; !has && len(n.uris) >= maxURIs {
		return false
	}
	if n.uris == nil {
		n.uris = make(map[string]struct{})
	}
	n.uris[uri] = struct{}{}
	return true
}

// unsubscribe ends what subscribe began.
func (n *news) unsubscribe(uri string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.uris, uri)
	delete(n.updated, uri)
}

// replace makes these the resources that the client subscribed to.
func (n *news) replace(uris []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.uris = make(map[string]struct{}, len(uris))
	for _, uri := range uris {
		n.uris[uri] = struct{}{}
	}
	maps.DeleteFunc(n.updated, func(uri string, _ struct{}) bool { _, still := n.uris[uri]; return !still })
}

// resources are the URIs that the client subscribed to, in order.
func (n *news) resources() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Sorted(maps.Keys(n.uris))
}

// Heard implements [catalog.Listener].
func (n *news) Heard(lists catalog.Change, uri string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lists |= lists & n.wanted
	n.note(uri)
	n.schedule()
}

// note keeps that a resource has changed, if the client asks for it.
func (n *news) note(uri string) {
	if _, asked := n.uris[uri]; !asked {
		return
	}
	if n.updated == nil {
		n.updated = make(map[string]struct{})
	}
	n.updated[uri] = struct{}{}
}

// resume tries again what could not be sent.
func (n *news) resume() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.again = n.timer != nil
	n.schedule()
}

func (n *news) schedule() {
	if n.timer == nil && !n.closed && (n.lists != 0 || len(n.updated) > 0) {
		n.timer = time.AfterFunc(coalescing, n.tell)
	}
}

// tell sends what was gathered. It runs once at a time and may wait for the reader.
func (n *news) tell() {
	n.mu.Lock()
	lists, updated, closed := n.lists, n.updated, n.closed
	n.lists, n.updated = 0, nil
	n.mu.Unlock()
	if closed {
		return
	}
	sent := true
	for _, l := range listTopics {
		if lists&l.change != 0 && sent {
			if sent = n.send(n.message(l.method, "")); sent {
				lists &^= l.change
			}
		}
	}
	for _, uri := range slices.Sorted(maps.Keys(updated)) {
		if sent = sent && n.send(n.message("notifications/resources/updated", uri)); sent {
			delete(updated, uri)
		}
	}
	n.settle(lists, updated, sent)
}

// settle keeps what was not sent, and tells what has come meanwhile.
func (n *news) settle(lists catalog.Change, updated map[string]struct{}, sent bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.timer = nil
	if !sent {
		n.lists |= lists
		for uri := range updated {
			n.note(uri)
		}
	}
	if sent || n.again {
		n.again = false
		n.schedule()
	}
}

// listTopics are the lists, in the order in which their changes are told.
var listTopics = [...]struct {
	change          catalog.Change
	method, granted string
}{
	{catalog.ToolsChanged, "notifications/tools/list_changed", "toolsListChanged"},
	{catalog.PromptsChanged, "notifications/prompts/list_changed", "promptsListChanged"},
	{catalog.ResourcesChanged, "notifications/resources/list_changed", "resourcesListChanged"},
}

const subscriptionKey = "io.modelcontextprotocol/subscriptionId"

// message is a notification, with the id of its subscription if it has one.
func (n *news) message(method, uri string) []byte {
	e := encoder{}
	e.raw(`{"jsonrpc":"2.0","method":"` + method + `"`)
	comma := `,"params":{`
	if n.id != nil {
		e.raw(comma + `"_meta":{"` + subscriptionKey + `":` + string(n.id) + `}`)
		comma = ","
	}
	if uri != "" {
		e.raw(comma + `"uri":`)
		e.text(uri)
	}
	if n.id != nil || uri != "" {
		e.raw("}")
	}
	e.raw("}")
	return e.dst
}
