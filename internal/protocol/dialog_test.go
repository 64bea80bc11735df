package protocol

import (
	"fmt"
	"log/slog"
	"math"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

// conversation sends a message and returns what came beside the answer, and the answer.
func conversation(t *testing.T, c *Conn, message string) (told []string, answer string) {
	t.Helper()
	answer = string(c.Converse(t.Context(), []byte(message), func(b []byte) { told = append(told, string(b)) }))
	return told, answer
}

func sameLines(t *testing.T, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func progressing() *catalog.Tool {
	return asker("work", middleware.Action, func(ctx *middleware.Ctx[struct{}]) result.Result[string] {
		for _, p := range []float64{0, 50, 50, 20, math.NaN(), math.Inf(1), 50.5, 100} {
			ctx.Progress(p, 100, "")
		}
		ctx.Progress(120, 0, "over")
		ctx.Defer(func() { ctx.Progress(130, 0, "deferred") })
		return result.OK("done")
	})
}

func TestProgressRisesAndGoesToWhoAsked(t *testing.T) {
	for token, sent := range map[string]string{
		`"t-1"`: `"t-1"`, `0`: `0`, `17`: `17`, `-3`: `-3`, `"\u00e4"`: `"\u00e4"`,
		`1.5`: "", `null`: "", `{}`: "", `true`: "", `"` + strings.Repeat("x", 2000) + `"`: "",
	} {
		c := serverOf(t, progressing()).Connect(middleware.Subject{})
		told, answer := conversation(t, c, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"progressToken":`+token+`},"name":"work"}}`)
		want(t, answer, `"done"`)
		var lines []string
		for _, rest := range []string{`"progress":0,"total":100`, `"progress":50,"total":100`, `"progress":50.5,"total":100`, `"progress":100,"total":100`, `"progress":120,"message":"over"`, `"progress":130,"message":"deferred"`} {
			if sent != "" {
				lines = append(lines, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`+sent+`,`+rest+`}}`)
			}
		}
		sameLines(t, told, lines...)
	}
}

func TestNothingIsToldAfterTheAnswer(t *testing.T) {
	var kept *middleware.Ctx[struct{}]
	late := asker("late", middleware.Action, func(ctx *middleware.Ctx[struct{}]) result.Result[string] {
		kept = ctx
		return result.OK("done")
	})
	c := serverOf(t, late).Connect(middleware.Subject{})
	var told []string
	c.Converse(t.Context(), []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}},"io.modelcontextprotocol/logLevel":"debug","progressToken":1},"name":"late"}}`),
		func(b []byte) { told = append(told, string(b)) })
	kept.Progress(1, 2, "late")
	kept.Log().Info("late")
	if _, err := kept.Elicit[consent]("late", "?").Get(); err == nil {
		t.Error("a question after the answer was answered")
	}
	sameLines(t, told)
}

func logging() *catalog.Tool {
	return asker("log", middleware.Action, func(ctx *middleware.Ctx[struct{}]) result.Result[string] {
		log := ctx.Log()
		log.Debug("d")
		log.Info("i", "n", 1, slog.Group("g", "a", "b"))
		log.Log(ctx, slog.LevelInfo+2, "n")
		log.With("w", true).WithGroup("h").Warn("w", "x", 1.5)
		log.Error("e", "error", errBoom, "told", fmt.Errorf("wrapped: %w", result.NotFound("No such thing")))
		log.Log(ctx, slog.LevelError+4, strings.Repeat("x", 20<<10))
		return result.OK("done")
	})
}

// logged are the records of the tool above as they travel.
func logged() []string {
	line := func(level, data string) string {
		return `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"` + level + `","logger":"log","data":` + data + `}}`
	}
	return []string{
		line("debug", `{"msg":"d"}`),
		line("info", `{"msg":"i","n":1,"g":{"a":"b"}}`),
		line("notice", `{"msg":"n"}`),
		line("warning", `{"msg":"w","w":true,"h":{"x":1.5}}`),
		line("error", `{"msg":"e","error":"see the server's log","told":"NOT_FOUND: No such thing"}`),
		line("critical", `{"msg":"`+strings.Repeat("x", 8<<10)+`…"}`),
	}
}

func TestLogRecordsGoToWhoAskedForTheirLevel(t *testing.T) {
	for level, from := range map[string]int{"debug": 0, "info": 1, "notice": 2, "warning": 3, "error": 4, "critical": 5, "alert": 6, "emergency": 6} {
		stateless := serverOf(t, logging()).Connect(middleware.Subject{})
		told, _ := conversation(t, stateless, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":"`+level+`"},"name":"log"}}`)
		sameLines(t, told, logged()[from:]...)

		session := opened(t, serverOf(t, logging()), "2025-11-25")
		want(t, send(t, session, `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"`+level+`"}}`), `"result":{}`)
		told, _ = conversation(t, session, calling("2", "log", "{}"))
		sameLines(t, told, logged()[from:]...)
	}
}

func TestWhoDoesNotAskGetsNoLogRecords(t *testing.T) {
	stateless := serverOf(t, logging()).Connect(middleware.Subject{})
	told, _ := conversation(t, stateless, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`+modernMeta+`,"name":"log"}}`)
	sameLines(t, told)
	session := opened(t, serverOf(t, logging()), "2025-11-25")
	told, _ = conversation(t, session, calling("2", "log", "{}"))
	sameLines(t, told)
}

func TestALogLevelThatIsNoneIsRefused(t *testing.T) {
	for _, level := range []string{`"loud"`, `"INFO"`, `""`, `3`, `{}`} {
		stateless := serverOf(t, logging()).Connect(middleware.Subject{})
		want(t, send(t, stateless, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":`+level+`},"name":"log"}}`),
			`"code":-32602`, `one of debug, info, notice`)
		session := opened(t, serverOf(t, logging()), "2025-11-25")
		want(t, send(t, session, `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":`+level+`}}`), `"code":-32602`)
	}
	want(t, send(t, opened(t, serverOf(t, logging()), "2025-11-25"), `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel"}`), `"code":-32602`)
}

func TestASessionsQuestionIsARequestOnItsStreamAndItsAnswerAResponse(t *testing.T) {
	s := serverOf(t, refundOnce())
	c := s.Connect(middleware.Subject{})
	send(t, c, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}}}`)
	for response, expected := range map[string]string{
		`"result":{"action":"accept","content":{"ok":true}}`: `"result":"true"`,
		`"result":{"action":"decline"}`:                      "DECLINED",
		`"error":{"code":-32603,"message":"secret"}`:         "NO_ANSWER",
	} {
		var asked int
		answer := string(c.Converse(t.Context(), []byte(calling("1", "refund", "{}")), func(b []byte) {
			asked++
			id, rest, _ := strings.Cut(strings.TrimPrefix(string(b), `{"jsonrpc":"2.0","id":"`), `"`)
			want(t, rest, `,"method":"elicitation/create","params":{"_meta":{"com.mcpfusion/key":"sure"},"message":"Sure?","requestedSchema":{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}}}`)
			send(t, c, `{"jsonrpc":"2.0","id":"`+id+`",`+response+`}`)
		}))
		want(t, answer, expected)
		if asked != 1 || strings.Contains(answer, "secret") {
			t.Error(asked, answer)
		}
	}
}

func refundOnce() *catalog.Tool {
	return asker("refund", middleware.Action, func(ctx *middleware.Ctx[struct{}]) result.Result[string] {
		return ctx.Elicit[consent]("sure", "Sure?").Map(func(c consent) string { return strconv.FormatBool(c.OK) })
	})
}

func TestWhatAClientSupportsDependsOnWhatItDeclaresAndOnTheRevision(t *testing.T) {
	probe := asker("probe", middleware.Query, func(ctx *middleware.Ctx[struct{}]) result.Result[string] {
		var all []string
		for _, c := range []string{"elicitation", "elicitation.form", "elicitation.url", "sampling", "sampling.tools", "roots", "telepathy"} {
			if ctx.Supports(c) {
				all = append(all, c)
			}
		}
		return result.OK(strings.Join(all, " "))
	})
	for _, row := range []struct{ revision, declared, supported string }{
		{"2025-11-25", `{}`, ""},
		{"2025-11-25", `{"elicitation":{}}`, "elicitation elicitation.form"},
		{"2025-11-25", `{"elicitation":{"form":{}}}`, "elicitation elicitation.form"},
		{"2025-11-25", `{"elicitation":{"url":{}}}`, "elicitation elicitation.url"},
		{"2025-11-25", `{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}},"roots":{"listChanged":true}}`, "elicitation elicitation.form elicitation.url sampling sampling.tools roots"},
		{"2025-11-25", `{"elicitation":null,"sampling":5,"roots":[]}`, ""},
		{"2025-06-18", `{"elicitation":{},"sampling":{"tools":{}}}`, "elicitation elicitation.form sampling"},
		{"2025-03-26", `{"elicitation":{},"sampling":{},"roots":{}}`, "sampling roots"},
		{"2026-07-28", `{"elicitation":{},"sampling":{}}`, "elicitation elicitation.form sampling"},
	} {
		c := serverOf(t, probe).Connect(middleware.Subject{})
		call := calling("1", "probe", "{}")
		if row.revision == "2026-07-28" {
			call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + row.declared + `},"name":"probe"}}`
		} else {
			send(t, c, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+row.revision+`","capabilities":`+row.declared+`,"clientInfo":{"name":"c","version":"1"}}}`)
		}
		want(t, send(t, c, call), `"text":"`+row.supported)
	}
}

func TestAQuestionThatNothingCarriesFails(t *testing.T) {
	c := serverOf(t, refundOnce()).Connect(middleware.Subject{})
	send(t, c, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}}}`)
	want(t, send(t, c, calling("1", "refund", "{}")), "NO_ANSWER")
}

func TestAnAnswerIsAwaitedWithinABound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mustServer(t, catalogOf(t, refundOnce()), Options{AskTimeout: 30 * time.Second})
		c := s.Connect(middleware.Subject{})
		send(t, c, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}}}`)
		begun := time.Now()
		told, answer := conversation(t, c, calling("1", "refund", "{}"))
		if took := time.Since(begun); took != 30*time.Second {
			t.Error(took)
		}
		want(t, answer, "NO_ANSWER", "did not answer in time")
		if len(told) != 2 {
			t.Fatal(told)
		}
		id, _, _ := strings.Cut(strings.TrimPrefix(told[0], `{"jsonrpc":"2.0","id":"`), `"`)
		want(t, told[1], `"notifications/cancelled","params":{"requestId":"`+id+`","reason":"timeout"}`)
		send(t, c, `{"jsonrpc":"2.0","id":"`+id+`","result":{"action":"accept","content":{"ok":true}}}`) // too late: ignored
	})
}

func TestATimeoutOfTheToolEndsItsQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		brief := refundOnce()
		brief.Timeout = time.Second
		c := serverOf(t, brief).Connect(middleware.Subject{})
		send(t, c, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}}}`)
		_, answer := conversation(t, c, calling("1", "refund", "{}"))
		want(t, answer, "TIMEOUT")
		synctest.Wait() // the handler has ended
	})
}

func TestAllTriesOfAQuestionTogetherHaveOneBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := mustServer(t, catalogOf(t, refundOnce()), Options{AskTimeout: 10 * time.Second}).Connect(middleware.Subject{})
		send(t, c, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}}}`)
		begun := time.Now()
		answer := string(c.Converse(t.Context(), []byte(calling("1", "refund", "{}")), func(b []byte) {
			id, rest, _ := strings.Cut(strings.TrimPrefix(string(b), `{"jsonrpc":"2.0","id":"`), `"`)
			if strings.Contains(rest, "elicitation/create") {
				go func() {
					time.Sleep(4 * time.Second)
					c.Handle(t.Context(), []byte(`{"jsonrpc":"2.0","id":"`+id+`","result":5}`))
				}()
			}
		}))
		want(t, answer, "NO_ANSWER")
		if took := time.Since(begun); took != 10*time.Second {
			t.Error(took)
		}
		time.Sleep(5 * time.Second)
	})
}

func TestAStreamHoldsAFewBytesForASlowReader(t *testing.T) {
	f := newFeed(nil)
	big := make([]byte, 300<<10)
	taken := 0
	for range 100 {
		if f.push(big, true) {
			taken++
		}
	}
	if taken != 3 || !f.push(big, false) {
		t.Errorf("%d messages wait", taken)
	}
	if f.take(0); !f.push(big, true) {
		t.Error("there is room again")
	}
}
