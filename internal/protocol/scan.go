package protocol

import (
	"encoding/json/jsontext"
	"strconv"
	"unicode/utf8"
)

// scanner reads one JSON text in one pass, without allocating. It is as strict as RFC 8259
// and asks for valid UTF-8 and paired surrogates, so that what it lets through can be
// sliced and handed on as it is. A failure is kept in fault and stops everything.
type scanner struct {
	buf   []byte
	pos   int
	depth int // levels that may still be opened
	fault *fault
}

// syntax reports a text that is not JSON.
func (s *scanner) syntax() bool {
	if s.fault == nil {
		s.fault = parseError("Parse error: the message is not valid JSON at byte " + strconv.Itoa(s.pos))
	}
	return false
}

func (s *scanner) space() {
	for s.pos < len(s.buf) {
		switch s.buf[s.pos] {
		case ' ', '\t', '\r', '\n':
			s.pos++
		default:
			return
		}
	}
}

// peek returns the byte at hand, or 0 at the end.
func (s *scanner) peek() byte {
	if s.pos < len(s.buf) {
		return s.buf[s.pos]
	}
	return 0
}

// accept moves over c if it is at hand.
func (s *scanner) accept(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.pos++
	return true
}

// value reads a value of any kind.
func (s *scanner) value() bool {
	switch c := s.peek(); {
	case c == '"':
		return s.text()
	case c == '{':
		return s.object(nil)
	case c == '[':
		return s.array()
	case c == '-' || c-'0' < 10:
		return s.number()
	case c == 't':
		return s.literal("true")
	case c == 'f':
		return s.literal("false")
	case c == 'n':
		return s.literal("null")
	}
	return s.syntax()
}

// capture reads a value into dst. A second value for the same place is refused.
func (s *scanner) capture(dst *jsontext.Value, key []byte) bool {
	if *dst != nil {
		return s.twice(key)
	}
	start := s.pos
	if !s.value() {
		return false
	}
	*dst = s.buf[start:s.pos:s.pos]
	return true
}

// twice reports a name that one object has two times: readers disagree on which counts.
func (s *scanner) twice(key []byte) bool {
	s.fault = invalidRequest("Invalid request: the name " + quoted(key) + " occurs twice in one object")
	return false
}

// object reads an object. For each member, visit gets the name and must read the value;
// a nil visit reads over them.
func (s *scanner) object(visit func(key []byte) bool) bool {
	if !s.open() {
		return false
	}
	s.space()
	if s.accept('}') {
		s.depth++
		return true
	}
	for {
		if !s.entry(visit) {
			return false
		}
		s.space()
		if s.accept(',') {
			s.space()
			continue
		}
		s.depth++
		return s.accept('}') || s.syntax()
	}
}

// entry reads one member of an object.
func (s *scanner) entry(visit func(key []byte) bool) bool {
	start := s.pos
	if s.peek() != '"' {
		return s.syntax()
	}
	if !s.text() {
		return false
	}
	name := s.buf[start:s.pos]
	s.space()
	if !s.accept(':') {
		return s.syntax()
	}
	s.space()
	if visit == nil {
		return s.value()
	}
	return visit(unquote(name))
}

func (s *scanner) array() bool {
	if !s.open() {
		return false
	}
	s.space()
	if s.accept(']') {
		s.depth++
		return true
	}
	for {
		if !s.value() {
			return false
		}
		s.space()
		if s.accept(',') {
			s.space()
			continue
		}
		s.depth++
		return s.accept(']') || s.syntax()
	}
}

// open enters an object or an array.
func (s *scanner) open() bool {
	if s.depth <= 0 {
		s.fault = invalidRequest("Invalid request: the message is nested too deeply")
		return false
	}
	s.pos++
	s.depth--
	return true
}

// plain marks the bytes that need no look inside a string.
var plain = func() (t [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// text reads a string.
func (s *scanner) text() bool {
	start, ascii := s.pos, true
	for s.pos++; s.pos < len(s.buf); {
		switch c := s.buf[s.pos]; {
		case plain[c]:
			s.pos++
		case c >= utf8.RuneSelf:
			ascii = false
			s.pos++
		case c == '\\':
			if !s.escape() {
				return false
			}
		case c == '"':
			s.pos++
			return ascii || utf8.Valid(s.buf[start:s.pos]) || s.syntax()
		default:
			return s.syntax()
		}
	}
	return s.syntax()
}

// escape reads an escape sequence. A surrogate must come with its other half.
func (s *scanner) escape() bool {
	if s.pos+1 >= len(s.buf) {
		return s.syntax()
	}
	switch s.buf[s.pos+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.pos += 2
		return true
	case 'u':
		unit, ok := s.unit()
		switch {
		case !ok || unit >= 0xDC00 && unit < 0xE000:
			return s.syntax()
		case unit < 0xD800 || unit >= 0xE000:
			return true
		}
		low, ok := s.unit()
		return ok && low >= 0xDC00 && low < 0xE000 || s.syntax()
	}
	return s.syntax()
}

// unit reads one \uXXXX.
func (s *scanner) unit() (rune, bool) {
	if s.pos+6 > len(s.buf) || s.buf[s.pos] != '\\' || s.buf[s.pos+1] != 'u' {
		return 0, false
	}
	var unit rune
	for _, c := range s.buf[s.pos+2 : s.pos+6] {
		switch {
		case c-'0' < 10:
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		unit = unit<<4 | rune(c)
	}
	s.pos += 6
	return unit, true
}

func (s *scanner) number() bool {
	s.accept('-')
	if !s.accept('0') && !s.digits() {
		return s.syntax()
	}
	if s.accept('.') && !s.digits() {
		return s.syntax()
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.pos++
		if !s.accept('+') {
			s.accept('-')
		}
		return s.digits() || s.syntax()
	}
	return true
}

// digits reads one digit or more.
func (s *scanner) digits() bool {
	start := s.pos
	for s.peek()-'0' < 10 {
		s.pos++
	}
	return s.pos > start
}

func (s *scanner) literal(word string) bool {
	if len(s.buf)-s.pos < len(word) || string(s.buf[s.pos:s.pos+len(word)]) != word {
		return s.syntax()
	}
	s.pos += len(word)
	return true
}
