package fusion_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/result"
	"github.com/mcpfusion/go/transport"
)

var progressOf = regexp.MustCompile(`"method":"notifications/progress","params":{"progressToken":([^,]*),"progress":([^,}]*)`)

func TestJ5_ProgressRisesForWhoAskedAndEndsWithTheCall(t *testing.T) {
	for name, tc := range map[string]struct {
		meta string
		want []string
	}{
		"a text":      {`{"progressToken":"a"}`, []string{`"a" 1`, `"a" 2`}},
		"zero":        {`{"progressToken":0}`, []string{`0 1`, `0 2`}},
		"none":        {`{}`, nil},
		"null":        {`{"progressToken":null}`, nil},
		"an object":   {`{"progressToken":{}}`, nil},
		"an empty id": {`{"progressToken":""}`, []string{`"" 1`, `"" 2`}},
	} {
		late := make(chan *fusion.Ctx[deps], 1)
		f := newApp()
		f.Query("work").Describe("d").Handle(func(ctx *fusion.Ctx[deps], _ fusion.NoInput) result.Result[string] {
			for _, progress := range []float64{1, 0.5, 1, 2} {
				ctx.Progress(progress, 3, "")
			}
			late <- ctx
			return result.OK("done")
		})
		messages := calling("2025-11-25", "work", `{}`)
		messages[2] = strings.Replace(messages[2], `"arguments":{}`, `"arguments":{},"_meta":`+tc.meta, 1)
		var out bytes.Buffer
		in := strings.NewReader(strings.Join(messages, "\n") + "\n")
		require.NoError(t, transport.Stdio(t.Context(), f, &transport.StdioOptions{Reader: in, Writer: &out}))
		(<-late).Progress(3, 3, "") // the call is over
		var got []string
		for _, m := range progressOf.FindAllStringSubmatch(out.String(), -1) {
			got = append(got, m[1]+" "+m[2])
		}
		assert.Equal(t, tc.want, got, name)
		assert.Contains(t, lastLineOf(out.String()), `"id":9`, "%s: nothing comes behind the answer", name)
	}
}

func lastLineOf(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
