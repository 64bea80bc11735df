package transport

import (
	"context"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpfusion/go/internal/scope"
	"github.com/mcpfusion/go/middleware"
)

var progressed = regexp.MustCompile(`"progress":(\d+)`)

// steps are the numbers of progress in a stream.
func steps(t *testing.T, stream string) (all []int) {
	t.Helper()
	for _, m := range progressed.FindAllStringSubmatch(stream, -1) {
		n, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, n)
	}
	return all
}

// within fails unless something happens soon.
func within(t *testing.T, what string, happens <-chan struct{}) {
	t.Helper()
	select {
	case <-happens:
	case <-time.After(20 * time.Second):
		t.Fatal(what)
	}
}

func TestG22_AFullEventStoreForgetsTheOldestEventsAndBlocksNobody(t *testing.T) {
	const events = 1000
	release, told := make(chan struct{}), make(chan struct{}, 1)
	tells := tool("tells", func(ctx context.Context, _ *middleware.Call, _ map[string]any) (any, error) {
		line := scope.LineOf(ctx)
		line.Progress(1, 0, "")
		<-release
		for n := range events - 1 {
			line.Progress(float64(n+2), 0, "")
		}
		told <- struct{}{}
		return "done", nil
	})
	s := serving(t, &HTTPOptions{Events: MemoryEvents(50*(eventOverhead+100), 0)}, tells, tool("echo", echo))
	id := s.open()
	broken := s.dial(http.MethodPost, noisy("1", "tells", `{}`), id...)
	first := broken.until(t, "id: ")
	broken.reset(t)
	close(release)
	within(t, "the handler was blocked", told)

	resume := func() reply {
		return s.send(http.MethodGet, "", append(append(takesStreams, id...), "Last-Event-ID", first)...)
	}
	r := resume()
	want(t, lastLine(r.body), "done")
	all := steps(t, r.body)
	if len(all) < 40 || len(all) > 60 || all[0] < 100 { // the first are forgotten; the last may never have been kept
		t.Errorf("resumed from an event that is forgotten, it gets the steps %v", all)
	}
	for i, n := range all {
		if n != all[0]+i {
			t.Errorf("step %d is missing in %v", all[0]+i, all)
		}
	}

	s.post(noisy("2", "tells", `{}`), append(takesStreams, id...)...)
	start := time.Now()
	if r = resume(); r.status != http.StatusOK || r.header.Get("Content-Type") != eventStream || strings.Contains(r.body, "data:") {
		t.Errorf("a stream that is forgotten is resumed with %+v", r)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("that took %v", took)
	}
	want(t, s.post(calling("3", "echo", `{"a":1}`), id...).body, `"structuredContent":{"a":1}`)
}

func TestH20_AClientThatDoesNotReadItsStreamBlocksNobodyAndTakesLittleMemory(t *testing.T) {
	for name, request := range map[string]struct {
		message func(id, name, arguments string) string
		headers []string
	}{
		"in a session": {noisy, nil},
		"without one":  {noisyModern, modernHeaders("flood")},
	} {
		t.Run(name, func(t *testing.T) {
			var sent atomic.Int64
			many, stop, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
			text := strings.Repeat("x", 1000)
			flood := tool("flood", func(ctx context.Context, _ *middleware.Call, _ map[string]any) (any, error) {
				for {
					scope.LineOf(ctx).Progress(float64(sent.Add(1)), 0, text)
					switch sent.Load() {
					case 50_000:
						close(many)
					default:
						select {
						case <-stop:
							close(ended)
							return "done", nil
						default:
						}
					}
				}
			})
			s := serving(t, nil, flood, tool("echo", echo))
			other := s.open()
			calls := func() time.Duration {
				start := time.Now()
				for range 100 {
					want(t, s.post(calling("1", "echo", `{"a":1}`), other...).body, `"structuredContent":{"a":1}`)
				}
				return time.Since(start)
			}
			calm, heap := calls(), heapInUse()
			headers := request.headers
			if headers == nil {
				headers = s.open()
			}
			slow := s.dial(http.MethodPost, request.message("1", "flood", `{}`), headers...)
			within(t, "the handler waits for the reader", many)
			if took := calls(); took > 20*calm+2*time.Second {
				t.Errorf("100 calls of others took %v, and %v without the flood", took, calm)
			}
			close(stop)
			within(t, "the handler does not end", ended)
			if grown := int64(heapInUse()) - int64(heap); grown > 4<<20 {
				t.Errorf("%d messages of 1000 bytes take %d bytes", sent.Load(), grown)
			}
			last := 0
			for {
				data := slow.until(t, "data: {")
				if strings.Contains(data, `"result"`) {
					want(t, data, `"id":1`, "done")
					break
				}
				n := steps(t, data)[0]
				if n <= last {
					t.Errorf("step %d comes behind %d", n, last)
				}
				last = n
			}
			t.Logf("%d sent; 100 calls took %v before", sent.Load(), calm)
		})
	}
}
