package invoices_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/examples/billing/invoices"
)

func open(t *testing.T, path string) *invoices.Store {
	t.Helper()
	s, err := invoices.OpenStore(path)
	require.NoError(t, err)
	return s
}

func TestWhatWasChangedIsThereAfterARestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "invoices.json")
	_, err := open(t, path).Refund("inv_1", 500)
	require.NoError(t, err)
	inv, found := open(t, path).Find("inv_1")
	assert.True(t, found)
	assert.Equal(t, int64(500), inv.RefundedCents)
}

func TestAChangeThatCannotBeStoredDoesNotHappen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	s := open(t, filepath.Join(dir, "invoices.json"))
	require.NoError(t, os.RemoveAll(dir))
	require.NoError(t, os.WriteFile(dir, nil, 0o600)) // no directory can be made there
	_, err := s.Refund("inv_1", 500)
	assert.Error(t, err)
	inv, _ := s.Find("inv_1")
	assert.Zero(t, inv.RefundedCents)
}

func TestParallelRefundsNeverGiveBackTooMuch(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "invoices.json"))
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() { _, _ = s.Refund("inv_3", 1000) })
	}
	wg.Wait()
	inv, _ := s.Find("inv_3")
	assert.Equal(t, int64(4000), inv.RefundedCents)
}

func TestTheListIsOrderedAndFiltered(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "invoices.json"))
	assert.Len(t, s.List(""), 3)
	assert.Len(t, s.List(invoices.Paid), 2)
	assert.Empty(t, s.List(invoices.Refunded))
	_, err := s.Remind("inv_1")
	assert.ErrorIs(t, err, invoices.ErrNotOpen)
	_, err = s.Refund("inv_2", 1)
	assert.ErrorIs(t, err, invoices.ErrNotPaid)
	_, err = s.Refund("inv_1", 12_501)
	assert.ErrorIs(t, err, invoices.ErrTooMuch)
}

func TestAnUnreadableFileIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "invoices.json")
	for _, text := range []string{"{", `[{"id":"a"},{"id":"a"}]`} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := invoices.OpenStore(path)
		assert.ErrorContains(t, err, "invoices.json")
	}
}
