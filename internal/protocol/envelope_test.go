package protocol

import (
	"strings"
	"testing"
)

func TestAMessageIsCutIntoItsParts(t *testing.T) {
	const text = "\uFEFF" + ` {"params":{"na\u006de":"x","extra":{"name":1},"arguments":{"a":[1]},"_meta":{"k":1,"io.modelcontextprotocol/protocolVersion":"v"}},"id":"7","other":[],"method":"tools\/call","jsonrpc":"2.0"} `
	var m message
	if f := m.decode([]byte(text), 10); f != nil {
		t.Fatal(f.message)
	}
	for what, pair := range map[string][2]string{
		"id":        {string(m.id), `"7"`},
		"method":    {string(m.method), "tools/call"},
		"name":      {string(m.params.name), `"x"`},
		"arguments": {string(m.params.arguments), `{"a":[1]}`},
		"version":   {string(m.params.meta.protocolVersion), `"v"`},
		"_meta":     {string(m.params.meta.raw), `{"k":1,"io.modelcontextprotocol/protocolVersion":"v"}`},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s is %s, want %s", what, pair[0], pair[1])
		}
	}
}

func TestAMessageIsARequestANotificationOrAResponse(t *testing.T) {
	for text, want := range map[string]kind{
		`{"jsonrpc":"2.0","id":1,"method":"m"}`:                         request,
		`{"jsonrpc":"2.0","id":1,"method":"m","params":null}`:           request,
		`{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":null}}`: request,
		`{"jsonrpc":"2.0","method":"m"}`:                                notification,
		`{"jsonrpc":"2.0","id":1,"result":{}}`:                          response,
		`{"jsonrpc":"2.0","id":1,"error":{"code":1}}`:                   response,
		`{"jsonrpc":"2.0","error":{"code":1}}`:                          response,
	} {
		var m message
		if f := m.decode([]byte(text), 10); f != nil || m.kind != want {
			t.Errorf("%s is %d with %+v, want %d", text, m.kind, f, want)
		}
	}
}

func TestAMessageThatIsNoneIsRefused(t *testing.T) {
	deep := strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000)
	tests := []struct {
		name, text string
		code       int
		id         string // "" when the error has none
	}{
		{"not JSON", `{bad`, codeParse, ""},
		{"cut off behind its id", `{"jsonrpc":"2.0","id":1,"method":"m"`, codeParse, ""},
		{"with something behind it", `{"jsonrpc":"2.0","id":1,"method":"m"} {}`, codeParse, ""},
		{"not UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", codeParse, ""},
		{"bad JSON deep inside", `{"jsonrpc":"2.0","id":1,"method":"m","params":{"arguments":{"a":[1,}]}}`, codeParse, ""},
		{"nothing", ``, codeParse, ""},
		{"a number", `5`, codeInvalidRequest, ""},
		{"a string", `"x"`, codeInvalidRequest, ""},
		{"a batch", `[{"jsonrpc":"2.0","id":1,"method":"m"}]`, codeInvalidRequest, ""},
		{"an empty batch", `[]`, codeInvalidRequest, ""},
		{"without a version", `{"id":1,"method":"m"}`, codeInvalidRequest, "1"},
		{"of another version", `{"jsonrpc":"1.0","id":1,"method":"m"}`, codeInvalidRequest, "1"},
		{"without a method", `{"jsonrpc":"2.0","id":1}`, codeInvalidRequest, "1"},
		{"with a method in upper case", `{"jsonrpc":"2.0","id":1,"Method":"m"}`, codeInvalidRequest, "1"},
		{"with a method that is a number", `{"jsonrpc":"2.0","id":1,"method":5}`, codeInvalidRequest, "1"},
		{"request and response in one", `{"jsonrpc":"2.0","id":1,"method":"m","result":{}}`, codeInvalidRequest, "1"},
		{"with params in an array", `{"jsonrpc":"2.0","id":1,"method":"m","params":[1]}`, codeInvalidRequest, "1"},
		{"with params in a string", `{"jsonrpc":"2.0","id":1,"method":"m","params":"{}"}`, codeInvalidRequest, "1"},
		{"with a _meta that is a string", `{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":"x"}}`, codeInvalidRequest, "1"},
		{"with two methods", `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}`, codeInvalidRequest, "1"},
		{"with two methods, one of them escaped", `{"jsonrpc":"2.0","id":1,"method":"ping","meth\u006fd":"tools/call"}`, codeInvalidRequest, "1"},
		{"with two ids", `{"jsonrpc":"2.0","id":1,"id":2,"method":"m"}`, codeInvalidRequest, "1"},
		{"with two params", `{"jsonrpc":"2.0","id":1,"method":"m","params":{},"params":{}}`, codeInvalidRequest, "1"},
		{"with two names of a tool", `{"jsonrpc":"2.0","id":1,"method":"m","params":{"name":"a","name":"b"}}`, codeInvalidRequest, "1"},
		{"with two arguments", `{"jsonrpc":"2.0","id":1,"method":"m","params":{"arguments":{},"arguments":{}}}`, codeInvalidRequest, "1"},
		{"with two _meta", `{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{},"_meta":{}}}`, codeInvalidRequest, "1"},
		{"with two _meta, the first null", `{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":null,"_meta":{}}}`, codeInvalidRequest, "1"},
		{"with two versions in _meta", `{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"a","io.modelcontextprotocol/protocolVersion":"b"}}}`, codeInvalidRequest, "1"},
		{"nested too deep (row B23)", `{"jsonrpc":"2.0","id":1,"method":"m","params":{"arguments":{"a":` + deep + `}}}`, codeInvalidRequest, "1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var m message
			f := m.decode([]byte(test.text), 256)
			if f == nil || f.code != test.code {
				t.Fatalf("got %+v, want code %d", f, test.code)
			}
			if string(m.id) != test.id {
				t.Errorf("the id is %q, want %q", m.id, test.id)
			}
		})
	}
}

func TestH8_AnIDIsEchoedAsSentOrRefused(t *testing.T) {
	c := opened(t, serverOf(t), "2025-11-25")
	for _, id := range []string{`"1"`, `1`, `0`, `-7`, `""`, `9007199254740993`, `123456789012345678901234567890`, `"a\u0062\"é"`} {
		got := send(t, c, `{"jsonrpc":"2.0","id":`+id+`,"method":"ping"}`)
		if want := `{"jsonrpc":"2.0","id":` + id + `,"result":{}}`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	for _, id := range []string{`null`, `1.5`, `1.0`, `1e3`, `{}`, `[1]`, `true`} {
		got := send(t, c, `{"jsonrpc":"2.0","id":`+id+`,"method":"ping"}`)
		if want := `{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: an id is a string or an integer"}}`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got := send(t, c, `{"jsonrpc":"2.0","method":"ping"}`); got != "" {
		t.Errorf("a request without an id is a notification, but got %s", got)
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + modernMeta + `,"name":"x","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":"\u0041","result":{}}`, `[{}]`, `{"params":{"_meta":{}},"params":{}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var m message
		if f := m.decode(text, 64); f != nil {
			if f.code != codeParse && f.code != codeInvalidRequest {
				t.Errorf("%q gave %+v", text, f)
			}
			return
		}
		for _, part := range [][]byte{m.id, m.params.name, m.params.arguments, m.params.cursor, m.params.meta.raw} {
			if part != nil && !scanned(string(part)) {
				t.Errorf("%q was cut into %q, which is no JSON", text, part)
			}
		}
	})
}
