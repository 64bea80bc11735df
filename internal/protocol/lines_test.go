package protocol

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// readLines reads all of r: the lines, with "TOO LONG" in place of each that is.
func readLines(t testing.TB, r io.Reader, limit int) (lines []string) {
	t.Helper()
	l := newLineReader(r, limit)
	for {
		line, err := l.next()
		switch {
		case errors.Is(err, io.EOF):
			return lines
		case errors.Is(err, errLineTooLong):
			lines = append(lines, "TOO LONG")
		case err != nil:
			t.Fatal(err)
		default:
			lines = append(lines, strings.TrimRight(string(line), "\r\n"))
		}
	}
}

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	tests := []struct {
		name, stream string
		limit        int
		want         []string
	}{
		{"are cut at line feeds", "a\nb\n", 10, []string{"a", "b"}},
		{"may lack the last line feed", "a\nb", 10, []string{"a", "b"}},
		{"may end in CRLF", "a\r\nb\r\n", 1, []string{"a", "b"}},
		{"that are blank are left out", "\n  \n\t\r\na\n\n\uFEFF\n", 10, []string{"a"}},
		{"of the limit's size pass", "abc\n", 3, []string{"abc"}},
		{"over the limit are told once and read over", "abcd\nok\n", 3, []string{"TOO LONG", "ok"}},
		{"may be longer than the buffer", long + "\nb\n", 1 << 20, []string{long, "b"}},
		{"over the limit may be longer than the buffer", long + "\nb\n", 1000, []string{"TOO LONG", "b"}},
		{"over the limit may be the last", "a\n" + long, 1000, []string{"a", "TOO LONG"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for name, r := range map[string]io.Reader{
				"whole": strings.NewReader(test.stream),
				"bytes": iotest.OneByteReader(strings.NewReader(test.stream)),
			} {
				got := readLines(t, r, test.limit)
				if strings.Join(got, "|") != strings.Join(test.want, "|") {
					t.Errorf("%s: got %d lines %.80q, want %.80q", name, len(got), got, test.want)
				}
			}
		})
	}
}

func TestALineIsNeverReused(t *testing.T) {
	l := newLineReader(strings.NewReader("first\nother\n"), 100)
	first, _ := l.next()
	if _, err := l.next(); err != nil || string(first) != "first\n" {
		t.Errorf("the first line became %q", first)
	}
}

func TestAReadThatFailsEndsTheLines(t *testing.T) {
	broken := errors.New("broken")
	l := newLineReader(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)), 100)
	if line, err := l.next(); err != nil || string(line) != "a\n" {
		t.Fatal(string(line), err)
	}
	if _, err := l.next(); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("a\n\r\nbb\r\nccc"), 2)
	f.Add(bytes.Repeat([]byte("x"), 70_000), 1000)
	f.Fuzz(func(t *testing.T, stream []byte, limit int) {
		if limit < 1 || limit > 1<<20 {
			return
		}
		var want []string
		for line := range strings.Lines(string(stream)) {
			line = strings.TrimRight(line, "\r\n")
			switch {
			case len(line) > limit:
				want = append(want, "TOO LONG")
			case len(bytes.TrimSpace(bytes.TrimPrefix([]byte(line), byteOrderMark))) > 0:
				want = append(want, line)
			}
		}
		got := readLines(t, bytes.NewReader(stream), limit)
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
