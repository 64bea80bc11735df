package schema

import (
	"bytes"
	"encoding/json/jsontext"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/mcpfusion/go/result"
)

const (
	// maxDepth bounds the nesting of arguments.
	maxDepth = 64
	// maxProblems bounds how many problems one reply has.
	maxProblems = 50
)

// decoder reads one JSON text into Go values and collects every problem on the way. Once
// there is a problem the values are of no use.
type decoder struct {
	dec      jsontext.Decoder
	buf      bytes.Buffer
	text     []byte
	path     []step
	problems []result.Field
	broken   error // the text is not JSON; nothing more can be read
	coerce   bool  // strings may spell what they stand for
	loose    bool  // another schema has said what is legal
	partly   bool  // what is absent is no problem
}

// step is one step on the way to a value: a name, or an index when that is not negative.
type step struct {
	name  string
	index int
}

var decoders = sync.Pool{New: func() any { return new(decoder) }}

var nothing = bytes.NewReader(nil)

var (
	errTrailing = errors.New("more than one JSON value")
	errDeep     = errors.New("nested too deeply")
	errMany     = errors.New("too many problems")
)

// decoderOf starts reading text, which is never changed or kept. Finish must follow.
func decoderOf(text []byte) *decoder {
	d := decoders.Get().(*decoder)
	d.text = slices.Clip(text)
	d.buf = *bytes.NewBuffer(d.text)
	d.dec.Reset(&d.buf, jsontext.AllowDuplicateNames(true)) // each object knows its own names
	if deeper(text) {
		d.problem("is nested too deeply", "at most "+strconv.Itoa(maxDepth)+" levels", nil)
		d.broken = errDeep
	}
	return d
}

// finish returns the problems. The decoder must not be used again.
func (d *decoder) finish() []result.Field {
	if d.broken == nil && len(bytes.TrimLeft(d.text[d.dec.InputOffset():], " \t\r\n")) > 0 {
		d.broken = errTrailing
	}
	problems := d.problems
	if d.broken != nil && !errors.Is(d.broken, errDeep) && !errors.Is(d.broken, errMany) {
		problems = append(problems, result.Field{Problem: "is not valid JSON", Expected: "one JSON object"})
	}
	d.coerce, d.loose, d.partly, d.problems, d.broken, d.buf, d.text, d.path = false, false, false, nil, nil, bytes.Buffer{}, nil, d.path[:0]
	d.dec.Reset(nothing)
	decoders.Put(d)
	return problems
}

// deeper reports whether a text nests arrays and objects more than maxDepth deep.
func deeper(text []byte) bool {
	if len(text) <= maxDepth || bytes.Count(text, []byte{'['})+bytes.Count(text, []byte{'{'}) <= maxDepth {
		return false
	}
	depth, inString := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '[', c == '{':
			if depth++; depth > maxDepth {
				return true
			}
		case c == ']', c == '}':
			depth--
		}
	}
	return false
}

func (d *decoder) enterName(name string) { d.path = append(d.path, step{name, -1}) }
func (d *decoder) enterIndex(index int)  { d.path = append(d.path, step{index: index}) }
func (d *decoder) leave()                { d.path = d.path[:len(d.path)-1] }

// place is the way to the present value, such as items[2].sku.
func (d *decoder) place() string {
	path := ""
	for _, s := range d.path {
		if s.index >= 0 {
			path += "[" + strconv.Itoa(s.index) + "]"
			continue
		}
		path = under(path, s.name)
	}
	return path
}

// under is the path of a member. A name that would not stand out is in quotes: m["a.b"].
func under(path, name string) string {
	name = excerpt(name)
	if name == "" || strings.ContainsAny(name, `.[]"\`) || strings.ContainsFunc(name, unicode.IsControl) {
		return path + "[" + string(quote(nil, name)) + "]"
	}
	return join(path, name)
}

// problem reports what is wrong at the present place. With the last one that has room the
// reading ends.
func (d *decoder) problem(problem, expected string, received []byte) {
	if len(d.problems) >= maxProblems {
		return
	}
	d.problems = append(d.problems, result.Field{
		Path: d.place(), Problem: problem, Expected: expected, Received: excerpt(received),
	})
	if len(d.problems) == maxProblems {
		d.broken = errMany
	}
}

// read reads a value of any kind; nil when nothing more is read.
func (d *decoder) read() jsontext.Value {
	if d.broken != nil {
		return nil
	}
	v, err := d.dec.ReadValue()
	if err != nil {
		d.broken = err
		return nil
	}
	return v
}

func (d *decoder) token() {
	if d.broken == nil {
		_, d.broken = d.dec.ReadToken()
	}
}

// next reports whether an object or array goes on.
func (d *decoder) next(end jsontext.Kind) bool {
	return d.broken == nil && d.dec.PeekKind() != end
}

// slot reads into a place for a value. Null is a value only where any JSON is.
func (d *decoder) slot(s *slot, dst reflect.Value) {
	if d.loose && d.dec.PeekKind() == 'n' && !s.takesNull() {
		d.read()
		return
	}
	switch s.presence {
	case pointer:
		v := reflect.New(s.node.typ)
		d.value(s.node, s.rules, v.Elem())
		dst.Set(v)
	case optional:
		v := reflect.New(s.node.typ).Elem()
		d.value(s.node, s.rules, v)
		s.option.some(dst, v)
	default:
		d.value(s.node, s.rules, dst)
	}
}

// takesNull reports that null is a value of its own.
func (s *slot) takesNull() bool {
	return s.presence != pointer && s.presence != optional && s.node.kind >= customKind && s.node.kind <= anyKind
}

// value reads into dst, which has the node's type, and checks the rules.
func (d *decoder) value(n *node, r *rules, dst reflect.Value) {
	switch n.kind {
	case objectKind:
		if !d.unpacked(n, r, dst) {
			d.object(n, target{dst: dst}, false)
		}
	case listKind, mapKind:
		if d.unpacked(n, r, dst) {
			return
		}
		start, before := d.dec.InputOffset(), len(d.problems)
		if n.kind == listKind {
			d.list(n, dst)
		} else {
			d.mapping(n, dst)
		}
		if r != nil && d.broken == nil && len(d.problems) == before {
			r.check(d, dst, d.since(start))
		}
	default:
		d.scalar(n, r, dst)
	}
}

// since is the text of the value that began behind an offset.
func (d *decoder) since(offset int64) []byte {
	return bytes.TrimLeft(d.text[offset:d.dec.InputOffset()], " \t\r\n,:")
}

// enter reads the delimiter that begins an object or array, or reports what is there
// instead.
func (d *decoder) enter(n *node, open jsontext.Kind) bool {
	if d.broken != nil {
		return false
	}
	if d.dec.PeekKind() != open {
		d.mismatch(n, nil, d.read())
		return false
	}
	d.token()
	return d.broken == nil
}

// mismatch reports a value of another JSON type.
func (d *decoder) mismatch(n *node, r *rules, got jsontext.Value) {
	switch {
	case d.broken != nil:
	case got.Kind() == 'n':
		d.problem("must not be null", n.expects(r), got)
	case string(got) == `"null"`:
		d.problem("is the text null", n.expects(r)+"; leave the name out when there is no value", got)
	default:
		d.problem("has the wrong type", n.expects(r), got)
	}
}

func (d *decoder) list(n *node, dst reflect.Value) {
	if !d.enter(n, '[') {
		return
	}
	slice := dst.Kind() == reflect.Slice
	if slice {
		dst.Set(reflect.MakeSlice(n.typ, 0, 0))
	}
	count := 0
	for ; d.next(']'); count++ {
		if !slice && count >= dst.Len() {
			d.read()
			continue
		}
		if slice {
			dst.Grow(1)
			dst.SetLen(count + 1)
			dst.Index(count).SetZero()
		}
		d.enterIndex(count)
		d.slot(&n.elem, dst.Index(count))
		d.leave()
	}
	d.token()
	if !slice && d.broken == nil && count != dst.Len() {
		d.problem("has "+counted(count, "item", "items"), n.expects(nil), nil)
	}
}

func (d *decoder) mapping(n *node, dst reflect.Value) {
	if !d.enter(n, '{') {
		return
	}
	dst.Set(reflect.MakeMap(n.typ))
	for d.next('}') {
		if raw := d.read(); raw != nil {
			d.entry(n, dst, text(raw))
		}
	}
	d.token()
}

// entry reads the value of one name into a map.
func (d *decoder) entry(n *node, dst reflect.Value, name string) {
	d.enterName(name)
	defer d.leave()
	key, good := n.key.read(name)
	switch {
	case !good:
		d.problem("is no legal name here", n.key.expects(), nil)
	case dst.MapIndex(key).IsValid():
		d.problem("occurs twice", "each name once", nil)
	default:
		n.key.rules.check(d, key, nil)
	}
	elem := reflect.New(n.typ.Elem()).Elem()
	d.slot(&n.elem, elem)
	dst.SetMapIndex(key, elem)
}

// text is a JSON string without its quotes, as a copy.
func text(raw jsontext.Value) string {
	if inner := raw[1 : len(raw)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return string(inner)
	}
	b, _ := jsontext.AppendUnquote(nil, raw)
	return string(b)
}

// excerpt bounds what is repeated of the arguments, and keeps it valid text.
func excerpt[T ~string | ~[]byte](b T) string {
	const most = 80
	if len(b) <= most {
		return strings.ToValidUTF8(string(b), "\uFFFD")
	}
	return strings.ToValidUTF8(string(b[:most]), "") + "…"
}
