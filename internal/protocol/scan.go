package protocol

import (
	"encoding/binary"
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
	if s.pos < len(s.buf) && s.buf[s.pos] <= ' ' {
		s.blanks()
	}
}

func (s *scanner) blanks() {
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

// allPlain reports that each of eight bytes is plain. It sets the high bit of a byte that is
// a quote or a backslash, below a blank, or no ASCII.
func allPlain(word uint64) bool {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	quote, slash := word^'"'*ones, word^'\\'*ones
	return ((word-' '*ones)|(quote-ones)|(slash-ones)|word)&highs == 0
}

// text reads a string.
func (s *scanner) text() bool {
	buf, i, ascii := s.buf, s.pos+1, true
	for i < len(buf) {
		for len(buf)-i >= 8 && allPlain(binary.LittleEndian.Uint64(buf[i:])) {
			i += 8
		}
		if i == len(buf) {
			break
		}
		switch c := buf[i]; {
		case plain[c]:
			i++
		case c == '"':
			start := s.pos
			s.pos = i + 1
			return ascii || utf8.Valid(buf[start:i]) || s.syntax()
		case c >= utf8.RuneSelf:
			ascii = false
			i++
		case c == '\\':
			size := escape(buf[i:])
			if size == 0 {
				s.pos = i
				return s.syntax()
			}
			i += size
		default:
			s.pos = i
			return s.syntax()
		}
	}
	s.pos = i
	return s.syntax()
}

// escape returns the length of the escape sequence that b begins with, 0 if it is none. A
// surrogate must come with its other half.
func escape(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		high, ok := unit(b)
		switch {
		case !ok || high >= 0xDC00 && high < 0xE000:
			return 0
		case high < 0xD800 || high >= 0xE000:
			return 6
		}
		if low, ok := unit(b[6:]); ok && low >= 0xDC00 && low < 0xE000 {
			return 12
		}
	}
	return 0
}

// unit reads the \uXXXX that b begins with.
func unit(b []byte) (unit rune, ok bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	for _, c := range b[2:6] {
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
