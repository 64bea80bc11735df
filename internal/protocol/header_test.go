package protocol

import (
	"encoding/base64"
	"testing"
)

func TestHeaderValuesMayBeMarkedAsBase64(t *testing.T) {
	tests := []struct {
		name, value, want string
		ok                bool
	}{
		{"plain text stands for itself", "us-west1", "us-west1", true},
		{"a blank and a tab inside are text", "a b\tc", "a b\tc", true},
		{"marked text is decoded", "=?base64?SGVsbG8sIOS4lueVjA==?=", "Hello, 世界", true},
		{"marked text may be what could not be sent plainly", "=?base64?IHBhZGRlZCA=?=", " padded ", true},
		{"marked text may look marked itself", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=", "=?base64?literal?=", true},
		{"nothing may be marked", "=?base64??=", "", true},
		{"marks in upper case are text", "=?BASE64?SGk=?=", "=?BASE64?SGk=?=", true},
		{"a mark without its end is text", "=?base64?SGk=", "=?base64?SGk=", true},
		{"marks that share a character are text", "=?base64?=", "=?base64?=", true},
		{"bad base64 is malformed", "=?base64?!!?=", "", false},
		{"base64 without padding is malformed", "=?base64?SGk?=", "", false},
		{"base64 with bits left over is malformed", "=?base64?SGl=?=", "", false},
		{"base64 over two lines is malformed", "=?base64?SG\r\nk=?=", "", false},
		{"base64 of what is no UTF-8 is malformed", "=?base64?/w==?=", "", false},
		{"a control character is malformed", "a\x01b", "", false},
		{"what is no ASCII is malformed", "é", "", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, ok := decodeSentinel(test.value)
			if ok != test.ok || ok && got != test.want {
				t.Errorf("got %q, %v", got, ok)
			}
		})
	}
}

func FuzzSentinel(f *testing.F) {
	f.Add("=?base64?SGk=?=")
	f.Add("Hello, 世界")
	f.Fuzz(func(t *testing.T, text string) {
		if got, ok := decodeSentinel(text); ok && got != text && len(text) < len(sentinelPrefix) {
			t.Errorf("%q became %q", text, got)
		}
		marked := sentinelPrefix + base64.StdEncoding.EncodeToString([]byte(text)) + sentinelSuffix
		if got, ok := decodeSentinel(marked); ok && got != text {
			t.Errorf("%q came back as %q", text, got)
		}
	})
}
