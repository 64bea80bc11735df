//go:build unix

package main

import (
	"encoding/json/v2"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// usage is what one run of the compiler used: milliseconds and megabytes.
type usage struct{ Wall, CPU, Peak float64 }

func (u usage) wall() float64   { return u.Wall }
func (u usage) cpu() float64    { return u.CPU }
func (u usage) memory() float64 { return u.Peak }

// time is what counts: a busy machine lengthens the wall time, and several cores the CPU time.
func (u usage) time() float64 { return min(u.Wall, u.CPU) }

// wrap runs a tool of the go command, reports what it used if it compiles the target, and
// returns its exit code.
func wrap(report string, args []string) int {
	tool := exec.Command(args[0], args[1:]...)
	tool.Stdin, tool.Stdout, tool.Stderr = os.Stdin, os.Stdout, os.Stderr
	start := time.Now()
	err := tool.Run()
	wall := time.Since(start)
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		return exit.ExitCode()
	}
	compiles := filepath.Base(args[0]) == "compile" && os.Getenv("TOOLEXEC_IMPORTPATH") == target && !slices.Contains(args, "-V=full")
	if err == nil && compiles {
		err = writeUsage(report, wall, tool.ProcessState)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "compilecost:", err)
		return 1
	}
	return 0
}

func writeUsage(report string, wall time.Duration, state *os.ProcessState) error {
	u := usage{Wall: ms(wall), CPU: ms(state.UserTime() + state.SystemTime())}
	if rusage, ok := state.SysUsage().(*syscall.Rusage); ok {
		u.Peak = float64(rusage.Maxrss) / 1e6
		if runtime.GOOS != "darwin" {
			u.Peak *= 1024 // there it counts kilobytes
		}
	}
	b, err := json.Marshal(u)
	if err != nil {
		return err
	}
	return os.WriteFile(report, b, 0o600)
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
