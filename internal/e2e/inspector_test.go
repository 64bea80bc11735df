package e2e_test

import (
	"bytes"
	"context"
	"encoding/json/v2"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// inspector is where the MCP Inspector is installed.
const inspector = "testdata/inspector"

// toolFailed is how the Inspector ends when a tool's result is an error.
const toolFailed = 5

// TestInspector runs the command line of the MCP Inspector, which needs Node 22.19, in each
// era of the protocol.
func TestInspector(t *testing.T) {
	node := requireNode(t, inspector)
	for _, era := range []string{"legacy", "modern"} {
		t.Run(era, func(t *testing.T) {
			for _, over := range []string{"stdio", "http"} {
				t.Run(over, func(t *testing.T) {
					server := billingArgs(t)
					if over == "http" {
						server = []string{startHTTP(t, server)}
					}
					inspect(t, func(args ...string) (string, string, int) {
						return runInspector(t, node, append(append(args, "--protocol-era", era, "--format", "json"), server...))
					})
				})
			}
		})
	}
}

func inspect(t *testing.T, run func(args ...string) (stdout, stderr string, status int)) {
	t.Helper()
	var list struct {
		Result struct {
			Tools []tool `json:"tools"`
		} `json:"result"`
	}
	stdout, stderr, status := run("--method", "tools/list", "--strict")
	require.Zero(t, status, stderr)
	assert.Empty(t, stderr, "no schema should have a problem with portability")
	require.NoError(t, json.Unmarshal([]byte(stdout), &list), stdout)
	checkTools(t, list.Result.Tools)

	var success reply
	stdout, stderr, status = run("--method", "tools/call", "--tool-name", "billing_get_invoice", "--tool-arg", "id=inv_2")
	require.Zero(t, status, stderr)
	require.NoError(t, json.Unmarshal([]byte(stdout), &success), stdout)
	checkData(t, *success.Result,
		`{"id":"inv_2","customer":"Grace Hopper","status":"open","amount_cents":9900,"refunded_cents":0,"due_at":"2026-12-15T09:00:00Z","reminders":0}`,
		list.Result.Tools, "billing_get_invoice")

	var refused reply
	stdout, stderr, status = run("--method", "tools/call", "--tool-name", "billing_refund", "--tool-args-json", `{"id":"inv_99","amount_cents":5}`)
	require.Equal(t, toolFailed, status, stderr)
	require.NoError(t, json.Unmarshal([]byte(stdout), &refused), stdout)
	checkFailure(t, *refused.Result, "NOT_FOUND", []string{"billing_list_invoices"}, nil)
}

// runInspector gives the Inspector a home of its own, where it keeps settings.
func runInspector(t *testing.T, node string, args []string) (stdout, stderr string, status int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	script, err := filepath.Abs(inspector + "/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js")
	require.NoError(t, err)
	cmd := exec.CommandContext(ctx, node, append([]string{script, "--cli"}, args...)...)
	cmd.Env = append(cmd.Environ(), "HOME="+t.TempDir())
	var out, logged bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &logged
	err = cmd.Run()
	require.NotNil(t, cmd.ProcessState, "%v", err)
	return out.String(), logged.String(), cmd.ProcessState.ExitCode()
}
