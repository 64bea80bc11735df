package builder

import (
	"encoding/json/v2"
	"fmt"
	"path"
	"regexp"
	"strings"
	"testing"
)

// expand puts values in for the variables, with every byte percent-encoded.
func expand(uri string, values map[string]string) string {
	return regexp.MustCompile(`\{[^}]*\}`).ReplaceAllStringFunc(uri, func(v string) string {
		var b strings.Builder
		for _, c := range []byte(values[strings.Trim(v, "{}")]) {
			fmt.Fprintf(&b, "%%%02X", c)
		}
		return b.String()
	})
}

func FuzzTemplate(f *testing.F) {
	for _, seed := range [][2]string{
		{"orders://recent", "orders://recent"},
		{"orders://{id}", "orders://7"},
		{"orders://{id}/lines/{n}", "orders://a%2Fb/lines/%e8%aa%9e"},
		{"files://{dir}/{name}", "files://a/..%2F..%2Fetc"},
		{"files://{dir}/{name}", `files://a%5C..%5Cb/%2e%2E`},
		{"a://{x}-{y}", "a://1-2-3"},
		{"a://{x}.{y}(z)*", "a://%zz.y(z)*"},
		{"a://{x}{y}", "a://xy"},
		{"a://{", "a://}"},
		{"a:\xff{x}", "a:\xffb"},
		{"a://{x}", "a://%ff"},
		{"a://{x}", "a://b\nc"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, uri, sent string) {
		c, err := parseTemplate(uri)
		if err != nil {
			return
		}
		object, ok := c.match(sent, c.variables)
		if !ok {
			return
		}
		var values map[string]string
		if err := json.Unmarshal(object, &values); err != nil || len(values) != len(c.variables) {
			t.Fatalf("%q matches %q as %s: %v", sent, uri, object, err)
		}
		for _, v := range values {
			if file := path.Join("/folder", strings.ReplaceAll(v, `\`, "/")); !strings.HasPrefix(file, "/folder/") {
				t.Errorf("%q matches %q with a value that leaves its folder: %q", sent, uri, v)
			}
		}
		for _, literal := range strings.Split(c.shape, "{}")[1:] {
			if literal != "" && !strings.ContainsAny(literal[:1], "/?#") {
				return // a value may have what ends it: which one is meant cannot be told
			}
		}
		again, ok := c.match(expand(uri, values), c.variables)
		if !ok || string(again) != string(object) {
			t.Errorf("%q matches %q as %s, and the same again as %s, %v", sent, uri, object, again, ok)
		}
	})
}
