package e2e_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// requireTool returns the path of a program that a test runs. Where it is missing the test
// is skipped, or fails if FUSION_REQUIRE, a list separated by commas, names it.
func requireTool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		missing(t, name, err.Error())
	}
	return path
}

// requireNode returns the path of node, once the packages in dir are installed.
func requireNode(t *testing.T, dir string) string {
	t.Helper()
	node := requireTool(t, "node")
	young := exec.CommandContext(t.Context(), node, "-e", `const [major, minor] = process.versions.node.split(".").map(Number); process.exit(major > 22 || major === 22 && minor >= 19 ? 0 : 1)`)
	if young.Run() != nil {
		missing(t, "node", "its version is older than 22.19, which the youngest client wants")
	}
	if _, err := os.Stat(dir + "/node_modules"); err != nil {
		missing(t, "node", "its packages are not installed: npm ci --prefix internal/e2e/"+dir)
	}
	return node
}

func missing(t *testing.T, tool, why string) {
	t.Helper()
	if slices.Contains(strings.Split(os.Getenv("FUSION_REQUIRE"), ","), tool) {
		t.Fatalf("FUSION_REQUIRE names %s: %s", tool, why)
	}
	t.Skipf("needs %s: %s", tool, why)
}
