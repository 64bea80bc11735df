package e2e_test

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"slices"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// call is a tool call that a client makes.
type call struct {
	Name      string         `json:"name"`
	Arguments jsontext.Value `json:"arguments"`
}

// session is what a client saw: the revision that was agreed, all tools, and one reply for
// each call.
type session struct {
	ProtocolVersion string  `json:"protocolVersion"`
	Tools           []tool  `json:"tools"`
	Replies         []reply `json:"replies"`
}

type tool struct {
	Name         string             `json:"name"`
	Description  string             `json:"description"`
	InputSchema  *jsonschema.Schema `json:"inputSchema"`
	OutputSchema *jsonschema.Schema `json:"outputSchema"`
	Annotations  map[string]bool    `json:"annotations"`
}

// reply is a result, or a JSON-RPC error.
type reply struct {
	Result *toolResult `json:"result"`
	Error  *struct {
		Code int `json:"code"`
	} `json:"error"`
}

type toolResult struct {
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	StructuredContent jsontext.Value `json:"structuredContent"`
	IsError           bool           `json:"isError"`
}

// failure is the part of an error's text that a model acts on.
type failure struct {
	Code    string   `json:"code"`
	Actions []string `json:"availableActions"`
	Fields  []struct {
		Path string `json:"path"`
	} `json:"fields"`
}

// steps are the calls of a session on fresh invoices, in order, and what each is answered:
// data, a failure, or a JSON-RPC error.
var steps = []struct {
	tool, arguments string
	data            string
	code            string
	actions, fields []string
	rpcError        int
}{
	{
		tool: "billing_list_invoices", arguments: `{}`,
		data: `{"items":[
			{"id":"inv_1","customer":"Ada Lovelace","status":"paid","amount_cents":12500},
			{"id":"inv_2","customer":"Grace Hopper","status":"open","amount_cents":9900}],"shown":2,"total":3}`,
	},
	{
		tool: "billing_list_invoices", arguments: `{"status":"open"}`,
		data: `{"items":[{"id":"inv_2","customer":"Grace Hopper","status":"open","amount_cents":9900}],"shown":1,"total":1}`,
	},
	{
		tool: "billing_get_invoice", arguments: `{"id":"inv_1"}`,
		data: `{"id":"inv_1","customer":"Ada Lovelace","status":"paid","amount_cents":12500,"refunded_cents":0,"due_at":"2026-12-01T09:00:00Z","reminders":0}`,
	},
	{
		tool: "billing_refund", arguments: `{"id":"inv_1","amount_cents":2500,"reason":"duplicate"}`,
		data: `{"id":"inv_1","customer":"Ada Lovelace","status":"paid","amount_cents":12500,"refunded_cents":2500,"due_at":"2026-12-01T09:00:00Z","reminders":0}`,
	},
	{
		tool: "billing_refund", arguments: `{"id":"inv_99","amount_cents":1}`,
		code: "NOT_FOUND", actions: []string{"billing_list_invoices"},
	},
	{
		tool: "billing_refund", arguments: `{"invoice":"inv_1","amount_cents":0,"reason":"boredom"}`,
		code: "INVALID_ARGUMENTS", fields: []string{"amount_cents", "id", "invoice", "reason"},
	},
	{
		tool: "billing_send_reminder", arguments: `{"id":"inv_2"}`,
		data: `{"id":"inv_2","customer":"Grace Hopper","status":"open","amount_cents":9900,"refunded_cents":0,"due_at":"2026-12-15T09:00:00Z","reminders":1}`,
	},
	{
		tool: "billing_send_reminder", arguments: `{"id":"inv_1"}`,
		code: "CONFLICT", actions: []string{"billing_get_invoice"},
	},
	{tool: "billing_nothing", arguments: `{}`, rpcError: -32602},
	{
		tool: "billing_get_invoice", arguments: `{"id":"inv_1"}`,
		data: `{"id":"inv_1","customer":"Ada Lovelace","status":"paid","amount_cents":12500,"refunded_cents":2500,"due_at":"2026-12-01T09:00:00Z","reminders":0}`,
	},
}

// calls are the calls of all steps.
func calls() []call {
	var list []call
	for _, s := range steps {
		list = append(list, call{s.tool, jsontext.Value(s.arguments)})
	}
	return list
}

// check holds a session to the steps.
func check(t *testing.T, got session, revision string) {
	t.Helper()
	assert.Equal(t, revision, got.ProtocolVersion)
	checkTools(t, got.Tools)
	require.Len(t, got.Replies, len(steps))
	for i, want := range steps {
		t.Run(want.tool+want.arguments, func(t *testing.T) {
			r := got.Replies[i]
			switch {
			case want.rpcError != 0:
				require.NotNil(t, r.Error, "%+v", r.Result)
				assert.Equal(t, want.rpcError, r.Error.Code)
			case want.code != "":
				require.NotNil(t, r.Result, "%+v", r.Error)
				checkFailure(t, *r.Result, want.code, want.actions, want.fields)
			default:
				require.NotNil(t, r.Result, "%+v", r.Error)
				checkData(t, *r.Result, want.data, got.Tools, want.tool)
			}
		})
	}
}

func checkTools(t *testing.T, tools []tool) {
	t.Helper()
	var names []string
	for _, tool := range tools {
		names = append(names, tool.Name)
		assert.NotEmpty(t, tool.Description, tool.Name)
		assert.NotNil(t, tool.InputSchema, tool.Name)
		assert.Len(t, tool.Annotations, 4, tool.Name)
	}
	slices.Sort(names)
	assert.Equal(t, []string{"billing_get_invoice", "billing_list_invoices", "billing_refund", "billing_send_reminder"}, names)
}

func checkData(t *testing.T, got toolResult, want string, tools []tool, name string) {
	t.Helper()
	assert.False(t, got.IsError)
	assert.JSONEq(t, want, string(got.StructuredContent))
	require.NotEmpty(t, got.Content)
	assert.Equal(t, "text", got.Content[0].Type)
	assert.JSONEq(t, want, got.Content[0].Text)

	i := slices.IndexFunc(tools, func(t tool) bool { return t.Name == name })
	require.NotEqual(t, -1, i)
	require.NotNil(t, tools[i].OutputSchema)
	schema, err := tools[i].OutputSchema.Resolve(nil)
	require.NoError(t, err)
	var data any
	require.NoError(t, json.Unmarshal(got.StructuredContent, &data))
	assert.NoError(t, schema.Validate(data), "the data must conform to the outputSchema")
}

func checkFailure(t *testing.T, got toolResult, code string, actions, fields []string) {
	t.Helper()
	assert.True(t, got.IsError)
	assert.Empty(t, got.StructuredContent)
	require.Len(t, got.Content, 1)
	var text struct {
		Error failure `json:"error"`
	}
	require.NoError(t, json.Unmarshal([]byte(got.Content[0].Text), &text), got.Content[0].Text)
	var paths []string
	for _, f := range text.Error.Fields {
		paths = append(paths, f.Path)
	}
	slices.Sort(paths)
	assert.Equal(t, code, text.Error.Code)
	assert.Equal(t, actions, text.Error.Actions)
	assert.Equal(t, fields, paths)
}
