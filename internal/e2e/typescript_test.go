package e2e_test

import (
	"bytes"
	"context"
	"encoding/json/v2"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
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
					check(t, typeScript[session](t, node, client.dir, reached(t, over, billingArgs(t)), job), client.revision)
				})
				t.Run(over+" probe", func(t *testing.T) {
					job := map[string]any{"mode": client.mode, "probe": true}
					checkProbed(t, typeScript[probed](t, node, client.dir, reached(t, over, probeArgs(t)), job), client.revision)
				})
			}
			for name, start := range listed {
				t.Run("list of "+name, func(t *testing.T) {
					at, job := start(t), map[string]any{"mode": client.mode, "calls": []call{}}
					saw := typeScript[session](t, node, client.dir, at, job)
					assert.Equal(t, client.revision, saw.ProtocolVersion)
					checkList(t, saw.Tools, at)
				})
			}
		})
	}
}

// address is how a client reaches a server: a command to start, or a URL.
type address struct {
	command []string
	url     string
}

// reached makes a server with the given command line one to be reached over stdio or HTTP.
func reached(t *testing.T, over string, server []string) address {
	t.Helper()
	if over == "http" {
		return address{url: startHTTP(t, server)}
	}
	return address{command: server}
}

// typeScript lets the client in dir do a job with a server and returns what it saw.
func typeScript[T any](t *testing.T, node, dir string, at address, job map[string]any) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	job["command"], job["url"] = at.command, at.url
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
