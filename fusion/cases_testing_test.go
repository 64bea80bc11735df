package fusion_test

import (
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/mcpfusion/go/fusion/fusiontest"
	"github.com/mcpfusion/go/result"
)

func TestK1_OneLineCallsAToolThroughTheWholePipeline(t *testing.T) {
	assert.Equal(t, 7, echoTester(t).Call("echo", map[string]any{"count": 7}).Data[echo]().Count)
	for _, revision := range []string{"2025-03-26", "2025-06-18", "2025-11-25"} {
		assert.Contains(t, echoTester(t).Revision(revision).Call("echo", nil).Text(), `"count":10`, revision)
	}
}

// A goroutine that were left would end the test's bubble with a panic.
func TestK3_ATesterLeavesNoGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tools := echoTester(t)
		for range 100 {
			tools.Call("echo", nil)
		}
	})
}

func TestASubtestFailsByItself(t *testing.T) {
	t.Parallel()
	tools := echoTester(t)
	for range 20 {
		t.Run("parallel", func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, 7, tools.In(t).Call("echo", map[string]any{"count": 7}).Data[echo]().Count)
		})
	}
	inner := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = tools.In(inner).Call("echo", nil).Failure()
	}()
	<-done
	assert.Contains(t, inner.said, "did not fail", "it is the subtest that fails")
	assert.False(t, t.Failed())
}

func TestK4_AFailureIsAssertedInOneWay(t *testing.T) {
	tools := echoTester(t)
	assert.ErrorIs(t, tools.Call("echo", map[string]any{"count": "x"}).Failure(), result.InvalidArguments())
	assert.ErrorIs(t, tools.Call("need", nil).Failure(), result.InvalidArguments())
}

func TestK5_ArgumentsCannotRerouteACall(t *testing.T) {
	reply := echoTester(t).Call("none", map[string]any{"action": "echo", "name": "echo", "tool": "echo"})
	assert.Equal(t, result.CodeInvalidArguments, reply.Failure().Code)
}

func TestK5_OneCallIsOneCall(t *testing.T) {
	tr := &tracer{}
	f := newApp()
	f.Wrap(tr.wrap("observer"))
	says(f.Query("a"), "x")
	tools := fusiontest.New(t, f)
	assert.Empty(t, tr.take(), "a new tester calls nothing")
	reply := tools.Call("a", nil)
	reply.Text()
	reply.Data[string]()
	assert.Equal(t, []string{"observer in", "observer out"}, tr.take())
	assert.Equal(t, result.CodeInvalidArguments, tools.Call("a", map[string]any{"unknown": 1}).Failure().Code)
	assert.Len(t, tr.take(), 2)
}

// recorder is a test that fails without ending the real one.
type recorder struct {
	testing.TB
	said string
}

func (r *recorder) Helper() {}
func (r *recorder) Fatalf(format string, args ...any) {
	r.said = strings.TrimSpace(format)
	for _, a := range args {
		if text, is := a.(string); is {
			r.said += " " + text
		}
	}
	runtime.Goexit()
}

func TestAFailedExpectationPrintsWhatTheModelRead(t *testing.T) {
	for name, expect := range map[string]func(*fusiontest.Reply){
		"data of a failure":    func(r *fusiontest.Reply) { r.Data[int]() },
		"a fault of a failure": func(r *fusiontest.Reply) { _ = r.Fault() },
	} {
		rec := &recorder{TB: t}
		f := newApp()
		says(f.Query("a"), "x")
		tools := fusiontest.New(rec, f)
		done := make(chan struct{})
		go func() {
			defer close(done)
			expect(tools.Call("a", map[string]any{"unknown": 1}))
		}()
		<-done
		assert.Contains(t, rec.said, "INVALID_ARGUMENTS", name)
	}
}
