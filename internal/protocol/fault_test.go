package protocol

import (
	"strings"
	"testing"
)

func TestWhatAClientSentIsShownWithinBounds(t *testing.T) {
	for text, want := range map[string]string{
		"a\"b\n":                       `"a\"b\n"`,
		strings.Repeat("x", 64):        `"` + strings.Repeat("x", 64) + `"`,
		strings.Repeat("x", 65):        `"` + strings.Repeat("x", 64) + `…"`,
		strings.Repeat("é", 100):       `"` + strings.Repeat("é", 32) + `…"`,
		"x" + strings.Repeat("é", 100): `"x` + strings.Repeat("é", 31) + `…"`,
	} {
		if got := quoted([]byte(text)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestAnErrorHasItsIDOnlyIfThereIsOne(t *testing.T) {
	f := &fault{code: -1, message: "<m> \xff", data: []byte(`[1]`)}
	if got := string(appendError(nil, nil, f)); got != `{"jsonrpc":"2.0","error":{"code":-1,"message":"<m> �","data":[1]}}` {
		t.Errorf("got %s", got)
	}
	f.data = nil
	if got := string(appendError([]byte("x"), []byte(`"a"`), f)); got != `x{"jsonrpc":"2.0","id":"a","error":{"code":-1,"message":"<m> �"}}` {
		t.Errorf("got %s", got)
	}
}
