package e2e_test

import (
	"bytes"
	"context"
	"encoding/json/v2"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTypeScript runs the official TypeScript clients. Version 1.x opens sessions, as does
// 2.x unless it is told to find out what the server speaks; then it starts a server of its
// own for the question, over stdio.
func TestTypeScript(t *testing.T) {
	for _, client := range []struct{ name, dir, mode, revision string }{
		{"1.x", "testdata/ts1", "", "2025-11-25"},
		{"2.x by default", "testdata/ts2", "legacy", "2025-11-25"},
		{"2.x that negotiates", "testdata/ts2", "auto", "2026-07-28"},
	} {
		t.Run(client.name, func(t *testing.T) {
			node := requireNode(t, client.dir)
			for _, over := range []string{"stdio", "http"} {
				t.Run(over, func(t *testing.T) {
					job := map[string]any{"mode": client.mode, "calls": calls()}
					check(t, typeScript[session](t, node, client.dir, over, billingArgs(t), job), client.revision)
				})
				t.Run(over+" probe", func(t *testing.T) {
					job := map[string]any{"mode": client.mode, "probe": true}
					checkProbed(t, typeScript[probed](t, node, client.dir, over, probeArgs(t), job), client.revision)
				})
			}
		})
	}
}

// typeScript lets the client in dir do a job with a server and returns what it saw.
func typeScript[T any](t *testing.T, node, dir, over string, server []string, job map[string]any) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if over == "http" {
		job["url"] = startHTTP(t, server)
	} else {
		job["command"] = server
	}
	in, err := json.Marshal(job)
	require.NoError(t, err)
	cmd := exec.CommandContext(ctx, node, "client.mjs")
	cmd.Dir, cmd.Stdin, cmd.Stderr = dir, bytes.NewReader(in), logged(t)
	out, err := cmd.Output()
	require.NoError(t, err)
	var saw T
	require.NoError(t, json.Unmarshal(out, &saw), "%s", out)
	return saw
}
