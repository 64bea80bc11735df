package builder

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// modulePath is where frames of Fusion's own fluent methods begin.
const modulePath = "github.com/mcpfusion/go/"

// callSite is the file:line of the user's code that called into the chain.
func callSite() string {
	var pcs [12]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		frame, more := frames.Next()
		if !ours(frame.Function) {
			return fmt.Sprintf("%s:%d", shortFile(frame.File), frame.Line)
		}
		if !more {
			return "unknown location"
		}
	}
}

func ours(function string) bool {
	rest, inModule := strings.CutPrefix(function, modulePath)
	return inModule && (strings.HasPrefix(rest, "builder.") || strings.HasPrefix(rest, "fusion."))
}

// shortFile is relative to the working directory where the file lies below it.
func shortFile(file string) string {
	wd, err := os.Getwd()
	if err != nil {
		return file
	}
	rel, err := filepath.Rel(wd, file)
	if err != nil || strings.HasPrefix(rel, "..") {
		return file
	}
	return rel
}
