package protocol

import (
	"context"
	"encoding/base64"
	"encoding/json/jsontext"
	"math/big"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

// mirroring is a tool that has arguments which clients repeat in headers.
func mirroring(name string) *catalog.Tool {
	t := tool(name, echo)
	t.Mirrors = []catalog.Mirror{
		{Header: "Mcp-Param-Region", Path: []string{"region"}},
		{Header: "Mcp-Param-Count", Path: []string{"at", "shelf", "count"}},
		{Header: "Mcp-Param-On", Path: []string{"on"}},
	}
	return t
}

// callWith is a stateless call with its headers, and more of them.
func callWith(t *testing.T, e *Endpoint, tool, arguments string, headers ...string) answered {
	t.Helper()
	message := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + modernMeta + `,"name":"` + tool + `"` + arguments + `}}`
	return post(t.Context(), e, "", message, append([]string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", tool}, headers...)...)
}

func TestHeadersMirrorArguments(t *testing.T) {
	e := serverOf(t, mirroring("store")).Endpoint()
	const region, count, on = "Mcp-Param-Region", "mcp-param-COUNT", "Mcp-Param-On"
	tests := []struct {
		name, arguments string
		headers         []string
		problem         string // "" if the call goes on
	}{
		{"no arguments at all", ``, nil, ""},
		{"null for arguments", `,"arguments":null`, nil, ""},
		{"none of the arguments", `,"arguments":{"other":1}`, nil, ""},
		{"a text", `,"arguments":{"region":"eu"}`, []string{region, "eu"}, ""},
		{"a text between blanks", `,"arguments":{"region":"eu"}`, []string{region, " eu\t"}, ""},
		{"a text that is escaped in the body", `,"arguments":{"\u0072egion":"\u0065u"}`, []string{region, "eu"}, ""},
		{"a text as base64", `,"arguments":{"region":"Größe "}`, []string{region, "=?base64?R3LDtsOfZSA=?="}, ""},
		{"a text with half of the marks of base64", `,"arguments":{"region":"=?base64?ZXU="}`, []string{region, "=?base64?ZXU="}, ""},
		{"an empty text", `,"arguments":{"region":""}`, []string{region, ""}, ""},
		{"an empty text as base64", `,"arguments":{"region":""}`, []string{region, "=?base64??="}, ""},
		{"a number in a text", `,"arguments":{"region":"42"}`, []string{region, "42"}, ""},
		{"an integer", `,"arguments":{"at":{"shelf":{"count":42}}}`, []string{count, "42"}, ""},
		{"an integer with a point in the header", `,"arguments":{"at":{"shelf":{"count":42}}}`, []string{count, "42.0"}, ""},
		{"an integer with a point in the body", `,"arguments":{"at":{"shelf":{"count":42.00}}}`, []string{count, "42"}, ""},
		{"an integer with an exponent", `,"arguments":{"at":{"shelf":{"count":-4.2e3}}}`, []string{count, "-4200"}, ""},
		{"the largest integer", `,"arguments":{"at":{"shelf":{"count":9007199254740991}}}`, []string{count, "9007199254740991"}, ""},
		{"zero and minus zero", `,"arguments":{"at":{"shelf":{"count":0}}}`, []string{count, "-0"}, ""},
		{"true", `,"arguments":{"on":true}`, []string{on, "true"}, ""},
		{"false", `,"arguments":{"on":false}`, []string{on, "false"}, ""},
		{"all at once", `,"arguments":{"on":true,"at":{"shelf":{"count":1}},"region":"eu"}`, []string{region, "eu", on, "true", count, "1"}, ""},
		{"null", `,"arguments":{"region":null}`, nil, ""},
		{"null on the way", `,"arguments":{"at":{"shelf":null}}`, nil, ""},
		{"what the type refuses anyway", `,"arguments":{"region":["eu"],"on":{},"at":{"shelf":{"count":1.5}}}`, nil, ""},
		{"a fraction, which the type refuses anyway", `,"arguments":{"at":{"shelf":{"count":1.5}}}`, []string{count, "1.50"}, ""},
		{"what the type refuses on the way", `,"arguments":{"at":[{"shelf":{"count":5}}]}`, nil, ""},
		{"a header that the tool does not declare", `,"arguments":{"region":"eu"}`, []string{region, "eu", "Mcp-Param-Zone", "x", "Mcp-Param-Zone", "y"}, ""},

		{"another text", `,"arguments":{"region":"eu"}`, []string{region, "us"}, `Mcp-Param-Region is "us", but "region" in the body is "eu"`},
		{"a text in another case", `,"arguments":{"region":"eu"}`, []string{region, "EU"}, `Mcp-Param-Region is "EU", but "region" in the body is "eu"`},
		{"another text as base64", `,"arguments":{"region":"eu"}`, []string{region, "=?base64?dXM=?="}, `Mcp-Param-Region is "us", but "region" in the body is "eu"`},
		{"a text of other blanks", `,"arguments":{"region":" eu"}`, []string{region, " eu"}, `Mcp-Param-Region is "eu", but "region" in the body is " eu"`},
		{"numbers in texts are texts", `,"arguments":{"region":"42"}`, []string{region, "42.0"}, `Mcp-Param-Region is "42.0", but "region" in the body is "42"`},
		{"no header", `,"arguments":{"region":"eu"}`, nil, `Mcp-Param-Region is required, because the body has a value in "region"`},
		{"no header for an empty text", `,"arguments":{"region":""}`, nil, `Mcp-Param-Region is required`},
		{"an empty header", `,"arguments":{"region":"eu"}`, []string{region, ""}, `Mcp-Param-Region is "", but "region" in the body is "eu"`},
		{"no header deeper", `,"arguments":{"at":{"shelf":{"count":1}}}`, nil, `Mcp-Param-Count is required, because the body has a value in "at.shelf.count"`},
		{"a header without an argument", ``, []string{region, "eu"}, `Mcp-Param-Region is there, but the body has no value for it in "region"`},
		{"a header for null", `,"arguments":{"region":null}`, []string{region, "null"}, `Mcp-Param-Region is there, but the body has no value`},
		{"an empty header for null", `,"arguments":{"region":null}`, []string{region, ""}, `Mcp-Param-Region is there, but the body has no value`},
		{"a header for a list", `,"arguments":{"region":["eu"]}`, []string{region, `["eu"]`}, `Mcp-Param-Region is there, but the body has no value`},
		{"another fraction", `,"arguments":{"at":{"shelf":{"count":1.5}}}`, []string{count, "1"}, `Mcp-Param-Count is "1", but "at.shelf.count" in the body is 1.5`},
		{"a header where the way ends early", `,"arguments":{"at":{}}`, []string{count, "5"}, `Mcp-Param-Count is there, but the body has no value for it in "at.shelf.count"`},
		{"an object in a string on the way", `,"arguments":{"at":"{\"shelf\":{\"count\":5}}"}`, nil, `Mcp-Param-Count mirrors "at.shelf.count", but the body has it inside a string`},
		{"twice the same", `,"arguments":{"region":"eu"}`, []string{region, "eu", region, "eu"}, `Mcp-Param-Region comes more than once`},
		{"twice without an argument", ``, []string{region, "eu", region, "eu"}, `Mcp-Param-Region comes more than once`},
		{"bad base64", `,"arguments":{"region":"eu"}`, []string{region, "=?base64?ZXU?="}, `Mcp-Param-Region is malformed`},
		{"no ASCII", `,"arguments":{"region":"ü"}`, []string{region, "ü"}, `Mcp-Param-Region is malformed`},
		{"another integer", `,"arguments":{"at":{"shelf":{"count":42}}}`, []string{count, "43"}, `Mcp-Param-Count is "43", but "at.shelf.count" in the body is 42`},
		{"an integer with a sign that JSON does not have", `,"arguments":{"at":{"shelf":{"count":42}}}`, []string{count, "+42"}, `Mcp-Param-Count is "+42", but`},
		{"an integer with a zero in front", `,"arguments":{"at":{"shelf":{"count":42}}}`, []string{count, "042"}, `Mcp-Param-Count is "042", but`},
		{"an integer in base 16", `,"arguments":{"at":{"shelf":{"count":42}}}`, []string{count, "0x2A"}, `Mcp-Param-Count is "0x2A", but`},
		{"no number", `,"arguments":{"at":{"shelf":{"count":42}}}`, []string{count, ""}, `Mcp-Param-Count is "", but`},
		{"integers that a float64 takes for the same", `,"arguments":{"at":{"shelf":{"count":9007199254740991}}}`, []string{count, "9007199254740991.1"}, `Mcp-Param-Count is "9007199254740991.1", but`},
		{"an integer that readers disagree on", `,"arguments":{"at":{"shelf":{"count":9007199254740993}}}`, []string{count, "9007199254740993"}, `Mcp-Param-Count cannot mirror "at.shelf.count", because readers disagree on integers beyond 9007199254740991`},
		{"an integer that readers disagree on, without a header", `,"arguments":{"at":{"shelf":{"count":1e30}}}`, nil, `Mcp-Param-Count cannot mirror`},
		{"a boolean in another case", `,"arguments":{"on":true}`, []string{on, "True"}, `Mcp-Param-On is "True", but "on" in the body is true`},
		{"another boolean", `,"arguments":{"on":true}`, []string{on, "false"}, `Mcp-Param-On is "false", but "on" in the body is true`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a := callWith(t, e, "store", test.arguments, test.headers...)
			if test.problem == "" {
				if a.status != 200 || !strings.Contains(a.body, `"result"`) {
					t.Errorf("got %d %s", a.status, a.body)
				}
				return
			}
			message, _ := jsontext.AppendQuote(nil, "Header mismatch: "+test.problem)
			if a.status != 400 || !strings.Contains(a.body, `"code":-32020,"message":`+strings.TrimSuffix(string(message), `"`)) {
				t.Errorf("got %d %s", a.status, a.body)
			}
		})
	}
}

func TestHeadersMirrorArgumentsOnlyWhereTheRevisionSaysSo(t *testing.T) {
	s := serverOf(t, mirroring("store"), tool("echo", echo))
	e := s.Endpoint()
	session := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"store","arguments":{"region":"eu"}}}`
	for _, headers := range [][]string{nil, {"Mcp-Param-Region", "us"}} {
		a := post(t.Context(), e, "", session, append([]string{"Mcp-Session-Id", openedSession(t, e, "")}, headers...)...)
		want(t, a.body, `"region":"eu"`)
	}
	stateless := strings.Replace(session, `"params":{`, `"params":{`+modernMeta+`,`, 1)
	want(t, string(s.Connect(middleware.Subject{}).Handle(t.Context(), []byte(stateless))), `"region":"eu"`)
	want(t, callWith(t, e, "echo", `,"arguments":{"region":"eu"}`, "Mcp-Param-Region", "us").body, `"region":"eu"`)
	want(t, callWith(t, e, "none", `,"arguments":{"region":"eu"}`, "Mcp-Param-Region", "us").body, `-32602`)
}

func TestAWrongHeaderTellsNothingOfAToolThatIsNotShown(t *testing.T) {
	hidden, guarded, broken := mirroring("hidden"), mirroring("guarded"), mirroring("broken")
	hidden.Visible = []middleware.Visible{func(context.Context, *middleware.Call) bool { return false }}
	guarded.Guards = []middleware.Guard{func(context.Context, *middleware.Call) *result.Failure { return result.Forbidden("not for you") }}
	broken.Visible = []middleware.Visible{func(_ context.Context, c *middleware.Call) bool { panic("of " + c.Tool.Name) }}
	e := serverOf(t, hidden, guarded, broken).Endpoint()
	for _, headers := range [][]string{nil, {"Mcp-Param-Region", "us"}, {"Mcp-Param-Region", "eu"}} {
		arguments := `,"arguments":{"region":"eu"}`
		unknown := callWith(t, e, "unseen", arguments, headers...)
		got := callWith(t, e, "hidden", arguments, headers...)
		got.body = strings.ReplaceAll(got.body, "hidden", "unseen")
		if got != unknown {
			t.Errorf("hidden: %+v, unknown: %+v", got, unknown)
		}
		want(t, callWith(t, e, "guarded", arguments, headers...).body, "not for you")
		want(t, callWith(t, e, "broken", arguments, headers...).body, `Unknown tool`)
	}
}

// FuzzSameValue holds headers against values: equal integers and texts agree however they
// are written, others do not, and nothing panics.
func FuzzSameValue(f *testing.F) {
	f.Add("42.0", "42", int64(42))
	f.Add("=?base64?ZXU=?=", `"eu"`, int64(-1<<53))
	f.Add("-0", "-0e-5", int64(0))
	f.Add("1e999999999999", "1e999999999999", int64(9007199254740993))
	f.Fuzz(func(t *testing.T, text, body string, n int64) {
		m := &catalog.Mirror{Header: "Mcp-Param-X", Path: []string{"x"}}
		var args message
		if f := args.decode([]byte(`{"jsonrpc":"2.0","method":"m","params":{"arguments":{"x":`+body+`}}}`), 10); f == nil && isObject(args.params.arguments) {
			holdsAgainst(t, text, m, args.params.arguments)
		}
		n %= 1 << 53
		for _, header := range []string{strconv.FormatInt(n, 10), strconv.FormatInt(n, 10) + ".00", new(big.Float).SetPrec(64).SetInt64(n).Text('e', 20)} {
			if problem := paramProblem([]string{header}, m, jsontext.Value(`{"x":`+strconv.FormatInt(n, 10)+`}`)); problem != "" {
				t.Errorf("%d: %s", n, problem)
			}
			if problem := paramProblem([]string{header}, m, jsontext.Value(`{"x":`+strconv.FormatInt(n+1, 10)+`}`)); problem == "" {
				t.Errorf("%d is %d", n, n+1)
			}
		}
		quoted, err := jsontext.AppendQuote(nil, text)
		if err != nil {
			return
		}
		marked := sentinelPrefix + base64.StdEncoding.EncodeToString([]byte(text)) + sentinelSuffix
		if problem := paramProblem([]string{marked}, m, jsontext.Value(`{"x":`+string(quoted)+`}`)); problem != "" {
			t.Errorf("%q: %s", text, problem)
		}
	})
}

// holdsAgainst checks that a header passes only for a number of the same value.
func holdsAgainst(t *testing.T, text string, m *catalog.Mirror, arguments jsontext.Value) {
	t.Helper()
	value, _ := argumentAt(arguments, m.Path)
	passes := paramProblem([]string{text}, m, arguments) == ""
	if value.Kind() != jsontext.KindNumber || strings.ContainsAny(text+string(value), "eE") || strings.HasPrefix(text, sentinelPrefix) {
		return
	}
	var sent, mirrored big.Rat
	_, ok := sent.SetString(string(value))
	_, also := mirrored.SetString(strings.Trim(text, " \t"))
	if passes && (!ok || !also || sent.Cmp(&mirrored) != 0) {
		t.Errorf("%q passes for %s", text, value)
	}
}

func TestAToolWithoutMirroredArgumentsPaysNothingForThem(t *testing.T) {
	x := &exchange{srv: serverOf(t, tool("echo", echo)), ctx: t.Context(), rev: rev20260728, in: Incoming{Header: http.Header{"Mcp-Param-Region": {"eu"}}}}
	c := &middleware.Call{Kind: middleware.KindTool, Name: "echo", Arguments: jsontext.Value(`{"region":"us"}`)}
	if allocs := testing.AllocsPerRun(100, func() { _ = x.checkParamHeaders(c) }); allocs > 0 {
		t.Errorf("%v allocations", allocs)
	}
}
