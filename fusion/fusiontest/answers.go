package fusiontest

import (
	"encoding/base64"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"fmt"
	"reflect"
	"sync"

	"github.com/mcpfusion/go/internal/schema"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

// Answers are what the client answers when a handler asks it, by the question's key. For a
// form it is the struct, or any value that encodes as the JSON object, which the user fills in; [Accept],
// [Decline] and [Cancel] are what else a user does. A [middleware.Sample] answers
// sampling, a []middleware.Root roots. [InTurn] answers one question several times.
type Answers map[string]any

// action is what a user does without filling in anything.
type action string

// What a user does with a question, but for filling in a form.
const (
	Accept  action = "accept" // agrees to open a page
	Decline action = "decline"
	Cancel  action = "cancel"
)

// turns are the answers to a question that is asked several times.
type turns struct {
	mu   sync.Mutex
	left []any
}

// InTurn gives one answer after the other to a question that is asked several times, such
// as after a wrong answer; the last one for good.
func InTurn(answers ...any) any { return &turns{left: answers} }

func (t *turns) next() any {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.left) == 0 {
		return nil
	}
	next := t.left[0]
	if len(t.left) > 1 {
		t.left = t.left[1:]
	}
	return next
}

// Answering is another tester of the same app and caller, whose client can be asked and
// gives these answers. A question whose key has none fails the test. Without Answering the
// client declares no capabilities.
func (t *Tester) Answering(answers Answers) *Tester {
	t.tb.Helper()
	if answers == nil {
		answers = Answers{}
	}
	return t.with(t.subject, t.revision, answers)
}

// capabilities are what the client declares.
func (t *Tester) capabilities() map[string]any {
	if t.answers == nil {
		return map[string]any{}
	}
	return map[string]any{
		"elicitation": map[string]any{"form": map[string]any{}, "url": map[string]any{}},
		"sampling":    map[string]any{}, "roots": map[string]any{},
	}
}

// answer is the result of a request to the client.
func (t *Tester) answer(q Question) (any, error) {
	given, known := t.answers[q.Key]
	if !known {
		return nil, fmt.Errorf("the client is asked %q (%s), which Answers has no answer for: %s", q.Key, q.Method, q.Params)
	}
	if inTurn, several := given.(*turns); several {
		given = inTurn.next()
	}
	switch v := given.(type) {
	case action:
		return map[string]any{"action": string(v)}, nil
	case middleware.Sample:
		return sampleResult(v)
	case []middleware.Root:
		return map[string]any{"roots": v}, nil
	}
	content, err := encode(given)
	return map[string]any{"action": string(Accept), "content": content}, err
}

func sampleResult(s middleware.Sample) (any, error) {
	blocks := make([]map[string]any, 0, len(s.Content))
	for _, c := range s.Content {
		switch c := c.(type) {
		case result.Text:
			blocks = append(blocks, map[string]any{"type": "text", "text": c.Text})
		case result.Image:
			blocks = append(blocks, map[string]any{"type": "image", "mimeType": c.MIMEType, "data": base64.StdEncoding.EncodeToString(c.Data)})
		case result.Audio:
			blocks = append(blocks, map[string]any{"type": "audio", "mimeType": c.MIMEType, "data": base64.StdEncoding.EncodeToString(c.Data)})
		default:
			return nil, fmt.Errorf("a sample has texts, images and audio, and no %T", c)
		}
	}
	sampled := map[string]any{"role": "assistant", "content": blocks, "model": s.Model, "stopReason": s.StopReason}
	if len(blocks) == 1 {
		sampled["content"] = blocks[0]
	}
	return sampled, nil
}

// message is one JSON-RPC message to the client.
type message struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
	Params jsontext.Value `json:"params"`
	Result jsontext.Value `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Data    any    `json:"data"`
	} `json:"error"`
}

// request sends one request, answers what the client is asked meanwhile, and returns the
// result or the error of the last response.
func (t *Tester) request(method string, params map[string]any) (jsontext.Value, *result.ProtocolError, heard) {
	t.tb.Helper()
	h := heard{&hearing{}}
	for {
		response := t.send(method, params, h)
		if e := response.Error; e != nil {
			return nil, &result.ProtocolError{Code: e.Code, Message: e.Message, Data: e.Data}, h
		}
		if !t.retry(response.Result, params, h) {
			return response.Result, nil, h
		}
	}
}

// send sends one request and returns the response.
func (t *Tester) send(method string, params map[string]any, h heard) (response message) {
	t.tb.Helper()
	id := t.id.Add(1)
	params["_meta"] = t.meta(id)
	request, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": id, "method": method, "params": params,
	}, json.Deterministic(true))
	if err != nil {
		t.tb.Fatalf("%s: the arguments cannot be encoded: %v", method, err)
	}
	reply := t.conn.Converse(t.tb.Context(), request, func(b []byte) { t.hear(b, h) })
	if err := json.Unmarshal(reply, &response); err != nil {
		t.tb.Fatalf("%s: the response is unreadable: %v in %s", method, err, reply)
	}
	return response
}

// meta is the _meta of a request: the client wants to hear everything.
func (t *Tester) meta(id int64) map[string]any {
	meta := map[string]any{"progressToken": id}
	if t.revision == newest {
		meta["io.modelcontextprotocol/protocolVersion"] = newest
		meta["io.modelcontextprotocol/clientCapabilities"] = t.capabilities()
		meta["io.modelcontextprotocol/logLevel"] = "debug"
	}
	return meta
}

// hear takes a message that comes before the answer. A request is answered on the spot.
func (t *Tester) hear(b []byte, h heard) {
	var m message
	if json.Unmarshal(b, &m, jsontext.AllowDuplicateNames(true)) != nil {
		return
	}
	if m.ID == nil {
		h.note(m.Method, m.Params)
		return
	}
	var params struct {
		Meta struct {
			Key string `json:"com.mcpfusion/key"`
		} `json:"_meta"`
	}
	_ = json.Unmarshal(m.Params, &params)
	response := map[string]any{"jsonrpc": "2.0", "id": m.ID}
	answer, err := t.put(Question{Key: params.Meta.Key, Method: m.Method, Params: m.Params}, h)
	if response["result"] = answer; err != nil {
		t.tb.Error(err) // not Fatal: this may be another goroutine
		delete(response, "result")
		response["error"] = map[string]any{"code": -32603, "message": err.Error()}
	}
	reply, _ := json.Marshal(response)
	t.conn.Handle(t.tb.Context(), reply)
}

// put puts a question to the client.
func (t *Tester) put(q Question, h heard) (jsontext.Value, error) {
	q.Params = q.Params.Clone()
	h.asked(q)
	answer, err := t.answer(q)
	if err != nil {
		return nil, err
	}
	return encode(answer)
}

// encode is the JSON of what a test gives as arguments or as an answer. A struct has the
// names that Fusion gives its fields.
func encode(v any) (jsontext.Value, error) {
	r := reflect.ValueOf(v)
	if r.Kind() == reflect.Pointer && !r.IsNil() {
		r = r.Elem()
	}
	if r.Kind() == reflect.Struct {
		if output, err := schema.NewOutput(r.Type()); err == nil && !output.Wrapped() {
			return output.Append(nil, r)
		}
	}
	return json.Marshal(v, json.Deterministic(true))
}

// retry answers a result that asks for input, by the params of the next request.
func (t *Tester) retry(raw jsontext.Value, params map[string]any, h heard) bool {
	t.tb.Helper()
	var asks struct {
		Type     string        `json:"resultType"`
		State    string        `json:"requestState"`
		Requests inputRequests `json:"inputRequests"`
	}
	if json.Unmarshal(raw, &asks) != nil || asks.Type != "input_required" {
		return false
	}
	responses := make(map[string]any, len(asks.Requests))
	for _, q := range asks.Requests {
		answer, err := t.put(q, h)
		if err != nil {
			t.tb.Fatal(err)
		}
		responses[q.Key] = answer
	}
	params["inputResponses"], params["requestState"] = responses, asks.State
	return true
}

// inputRequests are the questions of a result, in their order.
type inputRequests []Question

// UnmarshalJSONFrom implements [json.UnmarshalerFrom].
func (r *inputRequests) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() == jsontext.KindString {
		key, err := d.ReadToken()
		if err != nil {
			return err
		}
		q := Question{Key: key.String()}
		var request struct {
			Method string         `json:"method"`
			Params jsontext.Value `json:"params"`
		}
		if err := json.UnmarshalDecode(d, &request); err != nil {
			return err
		}
		q.Method, q.Params = request.Method, request.Params
		*r = append(*r, q)
	}
	_, err := d.ReadToken()
	return err
}
