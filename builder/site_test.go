package builder_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/builder"
	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

// here is the place of its caller as errors tell it.
func here() string {
	var pcs [1]uintptr
	runtime.Callers(2, pcs[:])
	frame, _ := runtime.CallersFrames(pcs[:]).Next()
	return fmt.Sprintf("site_test.go:%d", frame.Line)
}

// site is where the one mistake of an app is.
func site(t *testing.T, err error) string {
	t.Helper()
	require.Error(t, err)
	places := regexp.MustCompile(`(?m)^\S+:\d+`).FindAllString(err.Error(), -1)
	require.Len(t, places, 1, err.Error())
	return places[0]
}

func newApp() *fusion.App[int] { return fusion.New("test", "1", 0, nil) }

func none(*fusion.Ctx[int], fusion.NoInput) result.Result[result.Unit] { return result.Done() }

// within is where the function that made a mistake says that it did.
var within string

// register is a mounted package with a mistake.
func register[C any](r *fusion.Router[C]) {
	within = away(here(), 1)
	r.Query("a").Describe("d")
}

// timed is a generic helper of a user's, with a mistake.
func timed[C any](tool *fusion.ToolBuilder[C]) *fusion.ToolBuilder[C] {
	within = away(here(), 1)
	return tool.Timeout(-1)
}

func TestAMistakeIsWhereTheUsersCodeMadeIt(t *testing.T) {
	for name, mistake := range map[string]func(f *fusion.App[int]) (want string){
		"a method of the app": func(f *fusion.App[int]) string { f.Query("a").Describe("d"); return here() },
		"a router of the app": func(f *fusion.App[int]) string { f.Router("r").Query("a").Describe("d"); return here() },
		"a generic method": func(f *fusion.App[int]) string {
			f.Router("r").Use(func(ctx *fusion.Ctx[int]) result.Result[string] { return result.OK("") })
			return away(here(), -1)
		},
		"a chain over several lines": func(f *fusion.App[int]) string {
			f.Query("a").
				Describe("d").
				Timeout(-1).
				Handle(none)
			return away(here(), -2)
		},
		"Handle": func(f *fusion.App[int]) string {
			tool := f.Query("a").
				Describe("d")
			tool.Handle(none)
			tool.Handle(none)
			return away(here(), -1)
		},
		"a wrap of the app": func(f *fusion.App[int]) string { f.Wrap(nil); return here() },
		"a nil mount":       func(f *fusion.App[int]) string { f.Mount("m", nil); return here() },
		"a mounted package": func(f *fusion.App[int]) string { f.Mount("m", register); return within },
		"a generic helper":  func(f *fusion.App[int]) string { timed(f.Query("a").Describe("d")).Handle(none); return within },
		"a method value": func(f *fusion.App[int]) string {
			declare := f.Query
			declare("a").Describe("d")
			return away(here(), -1)
		},
		"a function in a loop": func(f *fusion.App[int]) string {
			for _, declare := range []func(string) *fusion.ToolBuilder[int]{f.Query} {
				func() { declare("a").Describe("d") }()
			}
			return away(here(), -2)
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newApp()
			want := mistake(f)
			assert.Equal(t, want, site(t, f.Err()))
		})
	}
}

// away is the place that is some lines further.
func away(place string, lines int) string {
	var line int
	_, _ = fmt.Sscanf(place, "site_test.go:%d", &line)
	return fmt.Sprintf("site_test.go:%d", line+lines)
}

func TestAFileOutsideOfTheWorkingDirectoryHasItsWholePath(t *testing.T) {
	dir, err := os.Getwd()
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	reg := builder.NewRegistry(slog.New(slog.DiscardHandler), false)
	builder.NewRouter(reg, 0).Query("a").Describe("d")
	var mistake *builder.Error
	require.ErrorAs(t, reg.Err(), &mistake)
	assert.Contains(t, mistake.Site, filepath.Join(dir, "site_test.go")+":")
	assert.Equal(t, "a", mistake.Tool)
	assert.Equal(t, middleware.KindTool, mistake.Kind)
}
