package structure_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the code blocks of the docs from the code they are copies of")

// codeBlock is a fenced block, with the marker that says what it is a copy of:
//
//	<!-- code: path/to/file.go#region -->
var codeBlock = regexp.MustCompile("(?m)(?:^<!-- code: (\\S+?)(?:#(\\S+))? -->\n)?^```(\\w*)\n((?s:.*?))^```$")

// TestEachCodeBlockInTheDocsIsCompiledCode holds the docs to the code. Blocks of shell
// commands are free; all others are copies of a file or of a region of one.
func TestEachCodeBlockInTheDocsIsCompiledCode(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	require.NoError(t, err)
	for _, page := range append(pages, "README.md") {
		t.Run(page, func(t *testing.T) {
			text, err := os.ReadFile(page)
			require.NoError(t, err)
			fresh := codeBlock.ReplaceAllStringFunc(string(text), func(block string) string {
				m := codeBlock.FindStringSubmatch(block)
				if m[1] == "" {
					assert.Equal(t, "sh", m[3], "a block without a marker:\n%s", block)
					return block
				}
				return strings.Replace(block, "```"+m[3]+"\n"+m[4], "```"+m[3]+"\n"+region(t, m[1], m[2]), 1)
			})
			if *update {
				require.NoError(t, os.WriteFile(page, []byte(fresh), 0o644))
				return
			}
			assert.Equal(t, fresh, string(text), "the page is stale: go test . -run Docs -update")
		})
	}
}

// regionMark is a line that begins or ends a region, with the blank one behind it.
var regionMark = regexp.MustCompile(`(?m)^\t*// (region: .*|endregion)\n\n?`)

// region reads the lines between "// region: name" and "// endregion", or a whole file,
// without the indentation they share.
func region(t *testing.T, file, name string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	if name == "" {
		return regionMark.ReplaceAllString(string(b), "")
	}
	var lines []string
	inside, found := false, false
	for line := range strings.Lines(string(b)) {
		switch trimmed := strings.TrimSpace(line); {
		case trimmed == "// region: "+name:
			inside, found = true, true
		case trimmed == "// endregion":
			inside = false
		case inside:
			lines = append(lines, line)
		}
	}
	require.True(t, found, "%s has no region %q", file, name)
	return strings.Trim(dedent(lines), "\n") + "\n"
}

func dedent(lines []string) string {
	indent := -1
	for _, line := range lines {
		if text := strings.TrimLeft(line, "\t"); strings.TrimSpace(text) != "" {
			if n := len(line) - len(text); indent < 0 || n < indent {
				indent = n
			}
		}
	}
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(strings.TrimPrefix(line, strings.Repeat("\t", max(indent, 0))))
	}
	return b.String()
}
