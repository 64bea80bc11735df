package tour

import (
	"encoding/json/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/fusion/fusiontest"
)

func TestThePresentersOfTheTourWork(t *testing.T) {
	f := fusion.New("tour", "1.0.0", Deps{NewOrders()}, quiet())
	Presenters(f)
	tools := fusiontest.New(t, f)
	reply := tools.Call("invoices.search", nil)
	golden(t, "presented_data.json", pretty(t, reply.Text()))
	var parsed struct{ Content []struct{ Text string } }
	require.NoError(t, json.Unmarshal(reply.Raw(), &parsed, json.MatchCaseInsensitiveNames(true)))
	require.Len(t, parsed.Content, 3)
	golden(t, "presented_guidance.json", pretty(t, parsed.Content[1].Text))
	golden(t, "presented_table.md", parsed.Content[2].Text+"\n")
	for _, secret := range []string{"ann@example.com", "DE123", "margin"} {
		assert.NotContains(t, string(reply.Raw()), secret)
	}
	assert.True(t, strings.HasSuffix(string(tools.Call("invoices.archive", nil).Structured()), `"shown":1,"total":8,"nextCursor":"inv_9"}`))
	assert.Contains(t, string(tools.Call("invoices.audit", nil).Structured()), `"margin":40`)
	assert.Equal(t, "OK", tools.Call("invoices.remind", map[string]any{"id": "inv_1"}).Text())
}
