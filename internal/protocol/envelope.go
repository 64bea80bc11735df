package protocol

import (
	"bytes"
	"encoding/json/jsontext"
)

// kind is what a message is.
type kind uint8

const (
	request kind = iota
	notification
	response
)

// message is one JSON-RPC message, cut into slices of the bytes that came in.
type message struct {
	kind   kind
	id     jsontext.Value // as sent; nil when there is none or it could not be read
	method []byte         // without quotes
	params params

	result, failure jsontext.Value // of a response, as sent
}

// params are the members of a request's params that this engine reads, each as sent.
type params struct {
	shape byte // first byte of params: '{', 'n' or 0 when there are none
	meta  requestMeta

	name            jsontext.Value
	arguments       jsontext.Value
	cursor          jsontext.Value
	uri             jsontext.Value
	ref             jsontext.Value
	argument        jsontext.Value
	context         jsontext.Value
	protocolVersion jsontext.Value
	clientInfo      jsontext.Value
	capabilities    jsontext.Value
	requestID       jsontext.Value
	reason          jsontext.Value
	notifications   jsontext.Value
	level           jsontext.Value
	inputResponses  jsontext.Value
	requestState    jsontext.Value
}

// slot is where the parameter of that name goes; nil for one that nothing reads.
func (p *params) slot(key []byte) *jsontext.Value {
	switch string(key) {
	case "name":
		return &p.name
	case "arguments":
		return &p.arguments
	case "cursor":
		return &p.cursor
	case "uri":
		return &p.uri
	case "ref":
		return &p.ref
	case "argument":
		return &p.argument
	case "context":
		return &p.context
	case "protocolVersion":
		return &p.protocolVersion
	case "clientInfo":
		return &p.clientInfo
	case "capabilities":
		return &p.capabilities
	case "requestId":
		return &p.requestID
	case "reason":
		return &p.reason
	case "notifications":
		return &p.notifications
	case "level":
		return &p.level
	case "inputResponses":
		return &p.inputResponses
	case "requestState":
		return &p.requestState
	}
	return nil
}

// requestMeta are the members of params._meta that this engine reads, and all of it.
type requestMeta struct {
	raw                jsontext.Value
	protocolVersion    jsontext.Value
	clientCapabilities jsontext.Value
	progressToken      jsontext.Value
	logLevel           jsontext.Value
}

func (m *requestMeta) slot(key []byte) *jsontext.Value {
	switch string(key) {
	case "io.modelcontextprotocol/protocolVersion":
		return &m.protocolVersion
	case "io.modelcontextprotocol/clientCapabilities":
		return &m.clientCapabilities
	case "io.modelcontextprotocol/logLevel":
		return &m.logLevel
	case "progressToken":
		return &m.progressToken
	}
	return nil
}

// envelope are the members of a message, each as sent.
type envelope struct {
	jsonrpc, id, method, result, failure jsontext.Value
}

func (e *envelope) slot(key []byte) *jsontext.Value {
	switch string(key) {
	case "jsonrpc":
		return &e.jsonrpc
	case "id":
		return &e.id
	case "method":
		return &e.method
	case "result":
		return &e.result
	case "error":
		return &e.failure
	}
	return nil
}

var byteOrderMark = []byte("\uFEFF")

// decode reads one message in one pass over its bytes. With a fault, the id is there if it
// came before what is wrong.
func (m *message) decode(body []byte, maxDepth int) *fault {
	var e envelope
	s := scanner{buf: bytes.TrimPrefix(body, byteOrderMark), depth: maxDepth}
	f := s.message(&e, &m.params)
	if f == nil {
		return m.classify(&e)
	}
	if f.code != codeParse && readableID(e.id) {
		m.id = e.id
	}
	return f
}

// message reads the outermost object and what follows it, which is nothing.
func (s *scanner) message(e *envelope, p *params) *fault {
	s.space()
	switch s.peek() {
	case '{':
	case '[':
		return invalidRequest("Invalid request: send one message at a time; batches, of 1 to 100 messages, are for revision 2025-03-26 alone")
	default:
		if s.value() {
			return invalidRequest("Invalid request: a message is a JSON object")
		}
		return s.fault
	}
	read := s.object(func(key []byte) bool {
		if string(key) == "params" {
			return s.params(p)
		}
		return s.member(e.slot(key), key)
	})
	if s.space(); read && s.pos < len(s.buf) {
		s.syntax()
	}
	return s.fault
}

// member reads a value into its slot, or over it where there is none.
func (s *scanner) member(slot *jsontext.Value, key []byte) bool {
	if slot == nil {
		return s.value()
	}
	return s.capture(slot, key)
}

// params reads the params of a message.
func (s *scanner) params(p *params) bool {
	if p.shape != 0 {
		return s.twice([]byte("params"))
	}
	if p.shape = s.peek(); p.shape != '{' {
		return s.value()
	}
	return s.object(func(key []byte) bool {
		if string(key) == "_meta" && s.peek() == '{' {
			return s.meta(&p.meta, key)
		}
		if string(key) == "_meta" {
			return s.capture(&p.meta.raw, key)
		}
		return s.member(p.slot(key), key)
	})
}

// meta reads the _meta object of the params.
func (s *scanner) meta(m *requestMeta, key []byte) bool {
	if m.raw != nil {
		return s.twice(key)
	}
	start := s.pos
	read := s.object(func(key []byte) bool { return s.member(m.slot(key), key) })
	m.raw = s.buf[start:s.pos:s.pos]
	return read
}

// classify checks what the members say together.
func (m *message) classify(e *envelope) *fault {
	if e.id != nil && !readableID(e.id) {
		return invalidRequest("Invalid request: an id is a string or an integer")
	}
	m.id = e.id
	if string(e.jsonrpc) != `"2.0"` {
		return invalidRequest(`Invalid request: "jsonrpc" must be "2.0"`)
	}
	answers := e.result != nil || e.failure != nil
	switch {
	case e.method == nil && answers:
		m.kind, m.result, m.failure = response, e.result, e.failure
		return nil
	case answers:
		return invalidRequest(`Invalid request: a message with a "method" has no "result" and no "error"`)
	case !isString(e.method):
		return invalidRequest(`Invalid request: "method" must be a string`)
	case m.params.shape != 0 && m.params.shape != '{' && m.params.shape != 'n':
		return invalidRequest(`Invalid request: "params" must be an object`)
	case !isAbsent(m.params.meta.raw) && !isObject(m.params.meta.raw):
		return invalidRequest(`Invalid request: "params._meta" must be an object`)
	}
	m.method = unquote(e.method)
	if m.kind = request; m.id == nil {
		m.kind = notification
	}
	return nil
}

// readableID reports whether id is a string or an integer. Integers may have any size.
func readableID(id jsontext.Value) bool {
	switch {
	case len(id) == 0:
		return false
	case id[0] == '"':
		return true
	}
	return (id[0] == '-' || id[0]-'0' < 10) && !bytes.ContainsAny(id, ".eE")
}
