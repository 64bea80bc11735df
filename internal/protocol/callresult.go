package protocol

import (
	"bytes"
	"encoding/json/jsontext"
	"errors"
	"fmt"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/result"
)

// errBadData is a reply whose data is not JSON.
var errBadData = errors.New("the data of the reply is not valid JSON")

// reply appends the result of a call, keys in this order: resultType, content,
// structuredContent, isError, _meta.
func (e *encoder) reply(r *catalog.Reply, serverInfo []byte) error {
	if r.Pending != nil {
		return e.pending(r, serverInfo)
	}
	e.raw("{")
	if e.rev.stateless() {
		e.raw(`"resultType":"complete",`)
	}
	if e.feature(r) {
		e.resultMeta(r.Meta, serverInfo)
		e.raw("}")
		return e.err
	}
	e.content(r)
	if r.Structured != nil && e.rev.structured() {
		e.raw(`,"structuredContent":`)
		if err := e.json(r.Structured); err != nil {
			return err
		}
	}
	if r.IsError {
		e.raw(`,"isError":true`)
	}
	e.resultMeta(r.Meta, serverInfo)
	e.raw("}")
	return e.err
}

// content appends the blocks: always an array, the lead first.
func (e *encoder) content(r *catalog.Reply) {
	e.raw(`"content":[`)
	first := true
	if r.Lead != nil {
		e.raw(`{"type":"text","text":`)
		e.dst = appendString(e.dst, r.Lead)
		e.raw("}")
		first = false
	}
	for _, c := range r.Content {
		if !first {
			e.raw(",")
		}
		e.block(c)
		first = false
	}
	e.raw("]")
}

// json appends JSON that someone else wrote. It must be valid, or the whole message would
// not be, and on one line, which frames messages on stdio.
func (e *encoder) json(raw jsontext.Value) error {
	s := scanner{buf: raw, depth: trustedDepth}
	if s.space(); !s.value() {
		return errBadData
	}
	if s.space(); s.pos < len(raw) {
		return errBadData
	}
	if bytes.IndexByte(raw, '\n') < 0 && bytes.IndexByte(raw, '\r') < 0 {
		e.dst = append(e.dst, raw...)
		return nil
	}
	line := raw.Clone()
	if err := line.Compact(); err != nil {
		return err
	}
	e.dst = append(e.dst, line...)
	return nil
}

// trustedDepth bounds the nesting of JSON that this process wrote, by the stack alone.
const trustedDepth = 10_000

// resultMeta appends the _meta of a result. The stateless revision wants the server's
// name on every one.
func (e *encoder) resultMeta(meta map[string]any, serverInfo []byte) {
	_, named := meta[serverInfoKey]
	named = named || !e.rev.stateless()
	if named && len(meta) == 0 {
		return
	}
	e.raw(`,"_meta":{`)
	if !named {
		e.raw(`"` + serverInfoKey + `":`)
		e.dst = append(e.dst, serverInfo...)
	}
	if len(meta) == 0 {
		e.raw("}")
		return
	}
	if !named {
		e.raw(",")
	}
	start := len(e.dst)
	e.value(meta)
	e.dst = append(e.dst[:start], e.dst[start+1:]...) // without its own brace
}

const serverInfoKey = "io.modelcontextprotocol/serverInfo"

// pending appends the request for input that a call needs to go on, see
// basic/patterns/mrtr. Only the stateless revision has it.
func (e *encoder) pending(r *catalog.Reply, serverInfo []byte) error {
	if !e.rev.stateless() {
		return fmt.Errorf("revision %s cannot ask for input in a result", e.rev)
	}
	e.raw(`{"resultType":"input_required"`)
	for i, q := range r.Pending.Requests {
		if i == 0 {
			e.raw(`,"inputRequests":{`)
		} else {
			e.raw(",")
		}
		e.inputRequest(q)
	}
	if len(r.Pending.Requests) > 0 {
		e.raw("}")
	}
	e.member("requestState", r.Pending.State)
	e.resultMeta(r.Meta, serverInfo)
	e.raw("}")
	return e.err
}

func (e *encoder) inputRequest(q result.InputRequest) {
	e.text(q.Key)
	e.raw(`:{"method":`)
	e.text(q.Method)
	if q.Params != nil {
		e.raw(`,"params":`)
		e.value(q.Params)
	}
	e.raw("}")
}
