package fusion_test

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/result"
)

type scaled struct {
	ID    string   `json:"id" validate:"min=1,max=64"`
	Count int      `json:"count" validate:"min=0,max=100"`
	Tags  []string `json:"tags,omitempty" validate:"max=5"`
}

// buildTools builds an app of many tools, half of which declare parameters of their own.
func buildTools(tb testing.TB, count int) time.Duration {
	tb.Helper()
	start := time.Now()
	f := fusion.New("test", "1.0.0", deps{}, &fusion.Options{Logger: slog.New(slog.DiscardHandler)}) // the lint says that it is large
	for i := range count {
		tool := f.Query(fmt.Sprintf("tool_%d", i)).Describe("d")
		if i%2 == 0 {
			tool.Handle(func(_ *fusion.Ctx[deps], in scaled) result.Result[receipt] { return result.OK(receipt{ID: in.ID}) })
			continue
		}
		tool.WithString("id", "ID", "min=1,max=64").WithInteger("count", "How many", "min=0").
			Handle(func(_ *fusion.Ctx[deps], in struct {
				ID    string
				Count int
			}) result.Result[receipt] {
				return result.OK(receipt{ID: in.ID})
			})
	}
	_, err := f.Catalog()
	require.NoError(tb, err)
	return time.Since(start)
}

// TestBuildingTenTimesTheToolsCostsAtMostTwelveTimes compares in interleaved rounds of one
// run, by their fastest: each tool costs the same, however many there are.
func TestBuildingTenTimesTheToolsCostsAtMostTwelveTimes(t *testing.T) {
	if raceEnabled || testing.Short() {
		t.Skip("the race detector distorts what is compared here")
	}
	hundred, thousand := time.Hour, time.Hour
	for range 15 {
		var some time.Duration
		for range 10 { // as long as the other, so that the collector disturbs both alike
			some += buildTools(t, 100)
		}
		hundred, thousand = min(hundred, some/10), min(thousand, buildTools(t, 1000))
	}
	ratio := float64(thousand) / float64(hundred)
	t.Logf("100 tools in %v, 1,000 in %v: %.2f times", hundred, thousand, ratio)
	assert.LessOrEqual(t, ratio, 12.0)
}
