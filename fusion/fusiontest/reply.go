package fusiontest

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"testing"
	"time"

	"github.com/mcpfusion/go/result"
)

// Reply is what a client gets back from one call. A method that asks for what the reply
// is not ends the test and prints what the model would have read.
type Reply struct {
	heard

	tb     testing.TB
	tool   string
	result jsontext.Value
	fault  *result.ProtocolError
	parsed wireResult
}

// wireResult is the tools/call result as it travels.
type wireResult struct {
	Content    []wireBlock    `json:"content"`
	Structured jsontext.Value `json:"structuredContent"`
	IsError    bool           `json:"isError"`
	Meta       jsontext.Value `json:"_meta"`
}

type wireBlock struct {
	Type        string `json:"type"`
	Text        string `json:"text"`
	Annotations struct {
		Audience []result.Role `json:"audience"`
	} `json:"annotations"`
}

// Raw is the result as it travels, byte for byte; nil when the reply is a JSON-RPC error.
func (r *Reply) Raw() jsontext.Value { return r.result }

// Structured is the data as a JSON object; nil when there is none.
func (r *Reply) Structured() jsontext.Value { return r.parsed.Structured }

// Text is the first text block, which is what a model reads first.
func (r *Reply) Text() string {
	for _, block := range r.parsed.Content {
		if block.Type == "text" {
			return block.Text
		}
	}
	return ""
}

// Data is the data of a success as a Go value. A value that is no object travels wrapped
// as {"result": …} and is unwrapped here.
func (r *Reply) Data[T any]() (data T) {
	r.tb.Helper()
	if r.fault != nil || r.parsed.IsError {
		r.tb.Fatalf("%s did not succeed; the model read: %s", r.tool, r.read())
	}
	err := decode(r.parsed.Structured, &data)
	if err == nil {
		return data
	}
	var wrapped struct {
		Result jsontext.Value `json:"result"`
	}
	if json.Unmarshal(r.parsed.Structured, &wrapped, json.RejectUnknownMembers(true)) == nil && wrapped.Result != nil {
		err = decode(wrapped.Result, &data)
	}
	if err != nil {
		r.tb.Fatalf("%s gave data that does not fit %T: %v; the model read: %s", r.tool, data, err, r.read())
	}
	return data
}

func decode(b jsontext.Value, dst any) error {
	return json.Unmarshal(b, dst, json.RejectUnknownMembers(true), json.MatchCaseInsensitiveNames(true))
}

// Failure is the failure that the model was told.
func (r *Reply) Failure() *result.Failure {
	r.tb.Helper()
	if r.fault != nil || !r.parsed.IsError {
		r.tb.Fatalf("%s did not fail; the model read: %s", r.tool, r.read())
	}
	var envelope struct {
		Error struct {
			Code             result.Code     `json:"code"`
			Message          string          `json:"message"`
			Retryable        bool            `json:"retryable"`
			RetryAfter       float64         `json:"retryAfterSeconds"`
			Suggestion       string          `json:"suggestion"`
			AvailableActions []string        `json:"availableActions"`
			Fields           []result.Field  `json:"fields"`
			Details          any             `json:"details"`
			Severity         result.Severity `json:"severity"`
			Reference        string          `json:"reference"`
		} `json:"error"`
	}
	if err := json.Unmarshal([]byte(r.Text()), &envelope, json.MatchCaseInsensitiveNames(true)); err != nil {
		r.tb.Fatalf("%s failed with a text that is no failure: %s", r.tool, r.read())
	}
	e := envelope.Error
	return &result.Failure{
		Code: e.Code, Message: e.Message, Retryable: e.Retryable,
		RetryDelay: time.Duration(e.RetryAfter * float64(time.Second)), Suggestion: e.Suggestion,
		AvailableActions: e.AvailableActions, Fields: e.Fields, Detail: e.Details,
		Severity: e.Severity, Reference: e.Reference,
	}
}

// Fault is the JSON-RPC error that was answered instead of a result.
func (r *Reply) Fault() *result.ProtocolError {
	r.tb.Helper()
	if r.fault == nil {
		r.tb.Fatalf("%s was no JSON-RPC error; the model read: %s", r.tool, r.read())
	}
	return r.fault
}

// Guidance is what the reply says beside its data: rules, next actions and notices.
func (r *Reply) Guidance() result.Guidance {
	var wire struct {
		Rules       []string `json:"rules"`
		NextActions []struct {
			Tool      string         `json:"tool"`
			Reason    string         `json:"reason"`
			Arguments map[string]any `json:"arguments"`
		} `json:"nextActions"`
		Notices []string `json:"notices"`
	}
	for i, block := range r.parsed.Content {
		if i > 0 && len(block.Annotations.Audience) == 1 && block.Annotations.Audience[0] == result.RoleAssistant {
			_ = json.Unmarshal([]byte(block.Text), &wire)
		}
	}
	guidance := result.Guidance{Rules: wire.Rules, Notices: wire.Notices}
	for _, next := range wire.NextActions {
		guidance.Next = append(guidance.Next, result.NextAction{Tool: next.Tool, Reason: next.Reason, Arguments: next.Arguments})
	}
	return guidance
}

// read is what a failing test prints: the model's view.
func (r *Reply) read() string {
	if r.fault != nil {
		return r.fault.Error()
	}
	return r.Text()
}
