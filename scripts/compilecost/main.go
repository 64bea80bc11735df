//go:build unix

// Command compilecost measures what tools cost to compile: it generates a package of many
// tools with input and result types of their own, compiles it from a warm cache, and exits
// 1 when a tool costs more than the bounds.
//
//	go run ./scripts/compilecost [-tools 100] [-rounds 3] [-ms 30] [-mb 2]
package main

import (
	"cmp"
	"encoding/json/v2"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// target is the import path of the generated package. It exists only in the overlay that
// the go command is given, so nothing is written to the module.
const target = "github.com/mcpfusion/go/scripts/compilecost/generated"

// reportTo is the variable that makes this program a -toolexec wrapper, and the file that it
// adds its reports to.
const reportTo = "COMPILECOST_REPORT"

func main() {
	if report := os.Getenv(reportTo); report != "" {
		os.Exit(wrap(report, os.Args[1:]))
	}
	tools := flag.Int("tools", 100, "tools in the generated package")
	rounds := flag.Int("rounds", 3, "rounds, of which the median counts")
	limit := cost{}
	flag.Float64Var(&limit.ms, "ms", 30, "bound of the time per tool")
	flag.Float64Var(&limit.mb, "mb", 2, "bound of the peak memory per tool")
	flag.Parse()
	if err := run(*tools, *rounds, limit); err != nil {
		fmt.Fprintln(os.Stderr, "compilecost:", err)
		os.Exit(1)
	}
}

// cost is what one tool costs.
type cost struct{ ms, mb float64 }

var errOver = errors.New("over the bound")

func run(tools, rounds int, limit cost) error {
	dir, err := os.MkdirTemp("", "compilecost-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	// The first build warms the cache: it compiles what the package imports.
	base, err := compile(dir, 0)
	if err != nil {
		return err
	}
	var all []usage
	for range rounds {
		u, err := compile(dir, tools)
		if err != nil {
			return err
		}
		all = append(all, u)
	}
	got := cost{
		ms: median(all, usage.time) / float64(tools),
		mb: median(all, usage.memory) / float64(tools),
	}
	fmt.Printf("%d tools, median of %d: wall %.0f ms, CPU %.0f ms, peak %.0f MB (without a tool: %.0f ms, %.0f MB)\n",
		tools, rounds, median(all, usage.wall), median(all, usage.cpu), median(all, usage.memory), base.time(), base.memory())
	fmt.Printf("per tool: %.1f ms of %.0f, %.2f MB of %.0f\n", got.ms, limit.ms, got.mb, limit.mb)
	if got.ms > limit.ms || got.mb > limit.mb {
		return errOver
	}
	return nil
}

// compile builds a package with a number of tools and returns what the compiler used. Each
// call generates other text, so that the package is never in the cache.
func compile(dir string, tools int) (usage, error) {
	source, overlay, report := filepath.Join(dir, "tools.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "report")
	if err := os.WriteFile(source, generate(tools, time.Now()), 0o600); err != nil {
		return usage{}, err
	}
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return usage{}, fmt.Errorf("find the module: %w", err)
	}
	virtual := filepath.Join(strings.TrimSpace(string(root)), "scripts", "compilecost", "generated", "tools.go")
	b, err := json.Marshal(map[string]any{"Replace": map[string]string{virtual: source}})
	if err != nil {
		return usage{}, err
	}
	if err := os.WriteFile(overlay, b, 0o600); err != nil {
		return usage{}, err
	}
	self, err := os.Executable()
	if err != nil {
		return usage{}, err
	}
	build := exec.Command("go", "build", "-overlay", overlay, "-toolexec", self, target)
	build.Env = append(os.Environ(), reportTo+"="+report)
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		return usage{}, fmt.Errorf("build the generated package: %w", err)
	}
	b, err = os.ReadFile(report)
	if err != nil {
		return usage{}, fmt.Errorf("the compiler did not run: %w", err)
	}
	var u usage
	err = errors.Join(json.Unmarshal(b, &u), os.Remove(report))
	return u, err
}

func median(all []usage, of func(usage) float64) float64 {
	slices.SortFunc(all, func(a, b usage) int { return cmp.Compare(of(a), of(b)) })
	return of(all[len(all)/2])
}
