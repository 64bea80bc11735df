package e2e_test

import (
	"bytes"
	"context"
	"encoding/json/v2"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// ts1 is where the TypeScript client 1.x is installed.
const ts1 = "testdata/ts1"

// TestTypeScript1 runs the official TypeScript client 1.x, which opens sessions.
func TestTypeScript1(t *testing.T) {
	node := requireNode(t, ts1)
	t.Run("stdio", func(t *testing.T) {
		check(t, typeScript1(t, node, map[string]any{"command": stdioCommand(t).Args}), "2025-11-25")
	})
	t.Run("http", func(t *testing.T) {
		check(t, typeScript1(t, node, map[string]any{"url": startHTTP(t)}), "2025-11-25")
	})
}

func typeScript1(t *testing.T, node string, job map[string]any) session {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	job["calls"] = calls()
	in, err := json.Marshal(job)
	require.NoError(t, err)
	cmd := exec.CommandContext(ctx, node, "client.mjs")
	cmd.Dir, cmd.Stdin, cmd.Stderr = ts1, bytes.NewReader(in), logged(t)
	out, err := cmd.Output()
	require.NoError(t, err)
	var s session
	require.NoError(t, json.Unmarshal(out, &s), "%s", out)
	return s
}
