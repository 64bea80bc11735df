package protocol

import (
	"encoding/json/jsontext"
	"strings"
	"testing"
)

// scanned reports whether text is one JSON value to the scanner.
func scanned(text string) bool {
	s := scanner{buf: []byte(text), depth: 100}
	s.space()
	ok := s.value()
	s.space()
	return ok && s.pos == len(text)
}

func TestTheScannerReadsWhatJSONAllows(t *testing.T) {
	for _, text := range []string{
		`0`, `-0`, `12`, `-1.50`, `1e3`, `1E+3`, `0.1e-7`, `true`, `false`, `null`,
		`""`, `"a"`, `"\"\\\/\b\f\n\r\t"`, `"\u00e9\uD83D\ude00"`, `"é😀"`, `"` + strings.Repeat("plain ", 30) + `"`,
		`[]`, `[ ]`, `[1,[2],{"a":3}]`, `{}`, `{ }`, `{"a":1}`, "{ \"a\" :\t1 ,\r\n\"b\":[ ] }", `{"a":1,"a":2}`,
	} {
		if !scanned(text) {
			t.Errorf("%s was refused", text)
		}
	}
}

func TestTheScannerRefusesWhatIsNotJSON(t *testing.T) {
	for _, text := range []string{
		``, ` `, `{`, `}`, `[`, `]`, `[1,]`, `[,1]`, `[1 2]`, `{,}`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{"a" 1}`, `{a:1}`, `{1:2}`,
		`01`, `-`, `+1`, `1.`, `.5`, `1e`, `1e+`, `0x1`, `NaN`, `tru`, `nul`, `True`, `nullx`, `1 2`,
		`"`, `"a`, `"\`, `"\x"`, `"\u12"`, `"\u12G4"`, `"` + "\n" + `"`, `"` + "\x00" + `"`, `'a'`, `"a"b"`,
		`"\ud800"`, `"\udc00"`, `"\ud800\ud800"`, `"\ud800x"`, `"\ud800\n"`, "\"\xff\"", "\"\xc3\"", "\"\xed\xa0\x80\"", "\"abcdefgh\xff\"", "\"abc\xffdefghijk\"", "\"abc\x80defghijk\"", "\"abc\x01defghijk\"", "\"abc\ndefghijk\"",
	} {
		if scanned(text) {
			t.Errorf("%q was taken", text)
		}
	}
}

func TestTheScannerCountsLevelsAndForgetsThemAgain(t *testing.T) {
	s := scanner{buf: []byte(`[[1],{"a":[]},[[]]]`), depth: 3}
	if !s.value() {
		t.Errorf("three levels were refused: %+v", s.fault)
	}
	s = scanner{buf: []byte(`[[[[]]]]`), depth: 3}
	if s.value() || s.fault.code != codeInvalidRequest {
		t.Errorf("four levels gave %+v", s.fault)
	}
}

func FuzzScannerAgreesWithJSONText(f *testing.F) {
	for _, seed := range []string{`{"a":[1,-2.5e3,"é\u00e9\ud83d\ude00",null,true]}`, `"\ud800"`, `[01]`, "\"\xff\"", `{"a":1,"a":2}`, `  1 `} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		want := jsontext.Value(text).IsValid(jsontext.AllowDuplicateNames(true))
		s := scanner{buf: text, depth: 9999}
		s.space()
		got := s.value()
		if s.space(); s.pos < len(text) {
			got = false
		}
		if got != want && (s.fault == nil || s.fault.code == codeParse) {
			t.Errorf("the scanner says %v of %q, jsontext says %v", got, text, want)
		}
	})
}
