// Package structure_test holds the module to the rules of its structure: who may import
// whom, what must have a comment, and how long files and functions may be.
package structure_test

import (
	"io/fs"
	"os"
	"testing"
)

// Module paths that the import table names.
const (
	goRedis      = "github.com/redis/go-redis/v9"
	goSDK        = "github.com/modelcontextprotocol/go-sdk"
	goleak       = "go.uber.org/goleak"
	jsonschemaGo = "github.com/google/jsonschema-go"
	mcpGo        = "github.com/mark3labs/mcp-go"
	mo           = "github.com/samber/mo"
	rapid        = "pgregory.net/rapid"
	testify      = "github.com/stretchr/testify"
	testPkg      = "testing"
	validator    = "github.com/go-playground/validator/v10"
)

// table says what the production files of a package may import beyond the standard
// library: packages of this module by their path in it, and other modules. Package
// testing counts as the latter, so that no program links it by accident.
//
// A new package needs a line of its own, also one below a package that is listed.
// Programs under examples may import every public package and need none.
var table = imports{
	"result":            {mo},
	"fsm":               {},
	"internal/scope":    {"result"},
	"internal/lint":     {},
	"internal/schema":   {"result", jsonschemaGo, validator, mo},
	"middleware":        {"result", "internal/schema", "internal/scope"},
	"presenter":         {"result", "internal/schema"},
	"internal/catalog":  {"middleware", "result", "internal/scope"},
	"builder":           {"fsm", "presenter", "middleware", "result", "internal/schema", "internal/catalog", "internal/lint", "internal/scope"},
	"fusion":            {"builder", "fsm", "presenter", "middleware", "result", "internal/schema", "internal/catalog"},
	"internal/protocol": {"middleware", "result", "internal/schema", "internal/catalog", "internal/scope"},
	"transport":         {"middleware", "internal/protocol", "internal/catalog", "internal/scope"},
	"transport/redis":   {"transport", "middleware", goRedis},
	"transport/gosdk":   {"internal/catalog", "internal/scope", "middleware", "result", goSDK},
	"fusion/fusiontest": {"fusion", "fsm", "middleware", "result", "internal/catalog", "internal/protocol", "internal/schema", testPkg},
	"fsm/redis":         {"fsm", "middleware", "result", goRedis},

	"internal/e2e":        {"fusion", "transport", "result", "middleware", goSDK, mcpGo},
	"internal/metaschema": {jsonschemaGo, testify, testPkg},
	"internal/bench":      {"fusion", "transport", "result", "middleware", goSDK, mcpGo},
	"scripts/compilecost": {},
}

// inTests are the modules that test files may import beyond what their package may.
var inTests = []string{testify, rapid, goleak, jsonschemaGo, mo, testPkg}

func TestImportTable(t *testing.T)     { report(t, checkImports(load(t, os.DirFS(".")), table, inTests)) }
func TestPackageComments(t *testing.T) { report(t, checkPackageComments(load(t, os.DirFS(".")))) }
func TestFileLengths(t *testing.T)     { report(t, checkFileLengths(load(t, os.DirFS(".")), 500)) }
func TestFunctionLengths(t *testing.T) { report(t, checkFunctionLengths(load(t, os.DirFS(".")), 80)) }
func TestDocComments(t *testing.T)     { report(t, checkDocComments(load(t, os.DirFS(".")))) }

func report(t *testing.T, problems []string) {
	t.Helper()
	for _, p := range problems {
		t.Error(p)
	}
}

// load parses in process: a test that ran the go command instead would be cached and
// pass on after a rule was broken.
func load(t *testing.T, root fs.FS) []file {
	t.Helper()
	files, err := parseAll(root)
	if err != nil {
		t.Fatal(err)
	}
	return files
}
