package fusion_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each program below testdata/reject must not compile. Its last comment has what the
// compiler's message must say to the user.
func TestTheCompilerRejects(t *testing.T) {
	t.Parallel()
	programs, err := filepath.Glob("testdata/reject/*/main.go")
	require.NoError(t, err)
	require.NotEmpty(t, programs)
	for _, program := range programs {
		t.Run(filepath.Base(filepath.Dir(program)), func(t *testing.T) {
			t.Parallel()
			source, err := os.ReadFile(program)
			require.NoError(t, err)
			_, want, found := strings.Cut(string(source), "// want: ")
			require.True(t, found, "the program says what the compiler must say")

			out, err := exec.Command("go", "build", "-o", os.DevNull, "./"+filepath.Dir(program)).CombinedOutput()
			assert.Error(t, err, "the program compiles")
			assert.Contains(t, string(out), strings.TrimSpace(want))
			assert.Contains(t, string(out), "main.go:", "the message has the user's own line")
			t.Log(string(out))
		})
	}
}
