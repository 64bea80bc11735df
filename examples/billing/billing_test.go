package main

import (
	"bytes"
	"context"
	"flag"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mcpfusion/go/examples/billing/invoices"
	"github.com/mcpfusion/go/examples/billing/toolset"
	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/fusion/fusiontest"
	"github.com/mcpfusion/go/result"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var update = flag.Bool("update", false, "rewrite the demo's transcript")

func TestTheDemoIsTheTranscript(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), []string{"demo"}, &out))
	if *update {
		require.NoError(t, os.WriteFile("testdata/demo.txt", out.Bytes(), 0o600))
	}
	want, err := os.ReadFile("testdata/demo.txt")
	require.NoError(t, err)
	assert.Equal(t, string(want), out.String(), "go test ./examples/billing -update")
}

func newTester(t *testing.T) *fusiontest.Tester {
	t.Helper()
	store, err := invoices.OpenStore(filepath.Join(t.TempDir(), "invoices.json"))
	require.NoError(t, err)
	return fusiontest.New(t, toolset.New(toolset.Deps{Invoices: store}, &fusion.Options{Logger: slog.New(slog.DiscardHandler)}))
}

func TestARefundIsCountedAndAnInvoiceRefundedAsAWhole(t *testing.T) {
	tools := newTester(t)
	inv := tools.Call("billing.refund", map[string]any{"id": "inv_1", "amount_cents": 2500}).Data[invoices.Invoice]()
	assert.Equal(t, int64(2500), inv.RefundedCents)
	assert.Equal(t, invoices.Paid, inv.Status)
	inv = tools.Call("billing.refund", map[string]any{"id": "inv_1", "amount_cents": 10_000}).Data[invoices.Invoice]()
	assert.Equal(t, invoices.Refunded, inv.Status)
}

func TestWhatTheStoreRefusesTellsTheModelWhatToDo(t *testing.T) {
	tools := newTester(t)
	cases := []struct {
		tool    string
		args    map[string]any
		code    result.Code
		actions []string
	}{
		{"billing.refund", map[string]any{"id": "inv_9", "amount_cents": 1}, result.CodeNotFound, []string{"billing_list_invoices"}},
		{"billing.refund", map[string]any{"id": "inv_2", "amount_cents": 1}, result.CodeConflict, []string{"billing_get_invoice", "billing_send_reminder"}},
		{"billing.refund", map[string]any{"id": "inv_3", "amount_cents": 4201}, result.CodePrecondition, []string{"billing_get_invoice"}},
		{"billing.send_reminder", map[string]any{"id": "inv_1"}, result.CodeConflict, []string{"billing_get_invoice"}},
		{"billing.get_invoice", map[string]any{"id": ""}, result.CodeInvalidArguments, nil},
	}
	for _, tc := range cases {
		failure := tools.Call(tc.tool, tc.args).Failure()
		assert.Equal(t, tc.code, failure.Code, tc.tool)
		assert.Equal(t, tc.actions, failure.AvailableActions, tc.tool)
	}
}

func TestNoReplyHasAnEmailAddress(t *testing.T) {
	tools := newTester(t)
	for _, reply := range []*fusiontest.Reply{
		tools.Call("billing.list_invoices", nil),
		tools.Call("billing.get_invoice", map[string]any{"id": "inv_2"}),
		tools.Call("billing.send_reminder", map[string]any{"id": "inv_2"}),
		tools.Call("billing.refund", map[string]any{"id": "inv_1", "amount_cents": 1}),
	} {
		assert.NotContains(t, string(reply.Raw()), "@example.com")
	}
}

// syncBuffer is written by a server and read by its test.
type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func TestHTTPPrintsWhatToPasteAndEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	out, ended := &syncBuffer{}, make(chan error, 1)
	go func() {
		ended <- run(ctx, []string{"-http", "127.0.0.1:0", "-data", filepath.Join(t.TempDir(), "i.json")}, out)
	}()
	url := regexp.MustCompile(`"url": "http://localhost:\d+/mcp"`)
	require.Eventually(t, func() bool { return url.MatchString(out.String()) }, 5*time.Second, 5*time.Millisecond)
	cancel()
	require.NoError(t, <-ended)
}

func TestWrongWordsOnTheCommandLineAreExplained(t *testing.T) {
	err := run(t.Context(), []string{"demon"}, &bytes.Buffer{})
	assert.ErrorContains(t, err, `unknown argument "demon"; say demo`)
	err = run(t.Context(), []string{"-http", "nowhere:xyz", "-data", filepath.Join(t.TempDir(), "i.json")}, &bytes.Buffer{})
	assert.Error(t, err)
	bad := filepath.Join(t.TempDir(), "bad.json")
	require.NoError(t, os.WriteFile(bad, []byte("{"), 0o600))
	err = run(t.Context(), []string{"-data", bad}, &bytes.Buffer{})
	require.ErrorContains(t, err, "bad.json")
	assert.NotContains(t, err.Error(), "\n")
}
