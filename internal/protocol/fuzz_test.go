package protocol

import (
	"bytes"
	"encoding/base64"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"math"
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzEventID(f *testing.F) {
	for _, seed := range []string{"c1-0", "gABC-18446744073709551615", "gABC-18446744073709551616", "c-1", "cx-01", "cx-+1", "cx--1", "a-b-1", "", "-"} {
		f.Add(seed, uint64(7))
	}
	f.Add("cABCDEF", uint64(math.MaxUint64))
	f.Fuzz(func(t *testing.T, text string, seq uint64) {
		if stream, n, ok := parseEventID(text); ok {
			if again := (&record{stream: stream}).id(n); again != text {
				t.Errorf("%q is read as event %d of %q, which is %q", text, n, stream, again)
			}
		}
		if len(text) < 2 || len(text) > 64 || strings.Contains(text, "-") {
			return // no stream has such an id
		}
		id := (&record{stream: text}).id(seq)
		if stream, n, ok := parseEventID(id); !ok || stream != text || n != seq {
			t.Errorf("%q is read as %q, %d, %v", id, stream, n, ok)
		}
	})
}

func FuzzMarkedTextIsReadBack(f *testing.F) {
	for _, seed := range []string{"", "plain", "Hello, 世界", "=?base64?SGk=?=", " blanks ", "a\r\nb", "\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := decodeSentinel(sentinelPrefix + base64.StdEncoding.EncodeToString([]byte(text)) + sentinelSuffix)
		if ok != utf8.ValidString(text) || ok && got != text {
			t.Errorf("%q came back as %q, %v", text, got, ok)
		}
		marked := strings.HasPrefix(text, sentinelPrefix) && strings.HasSuffix(text, sentinelSuffix)
		if got, ok := decodeSentinel(text); !marked && (ok != visible(text) || ok && got != text) {
			t.Errorf("%q, which is not marked, is read as %q, %v", text, got, ok)
		}
	})
}

func FuzzBatchesAreCutWhole(f *testing.F) {
	for _, seed := range []string{"[]", "[1]", ` [ {"a":[1,{}]} , "]," ]`, "[1,]", "[,1]", "[1", "[1] 2", "\uFEFF[1]", `[{"a":1,"a":2}]`, "[1 2]", "[" + strings.Repeat("1,", maxBatch-1) + "1]", "[" + strings.Repeat("1,", maxBatch) + "1]"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if !isBatch(body) {
			return
		}
		got, ok := split(body, trustedDepth)
		var want []jsontext.Value
		err := json.Unmarshal(bytes.TrimPrefix(body, byteOrderMark), &want, jsontext.AllowDuplicateNames(true))
		if batch := err == nil && len(want) > 0 && len(want) <= maxBatch; ok != batch {
			t.Fatalf("%q is a batch: %v; it is cut: %v", body, batch, ok)
		}
		for i, m := range got {
			if !bytes.Equal(m, want[i]) {
				t.Errorf("message %d of %q is %q, not %q", i, body, m, want[i])
			}
		}
	})
}
