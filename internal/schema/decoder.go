package schema

import (
	"bytes"
	"encoding/json/jsontext"
	"errors"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"

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
	problems []result.Field
	broken   error // the text is not JSON; nothing more can be read
}

var decoders = sync.Pool{New: func() any { return new(decoder) }}

var nothing = bytes.NewReader(nil)

// decoderOf starts reading text, which is never changed or kept. Finish must follow.
func decoderOf(text []byte) *decoder {
	d := decoders.Get().(*decoder)
	d.buf = *bytes.NewBuffer(slices.Clip(text))
	d.dec.Reset(&d.buf, jsontext.AllowDuplicateNames(true))
	return d
}

// finish returns the problems. The decoder must not be used again.
func (d *decoder) finish() []result.Field {
	if d.broken == nil {
		if _, err := d.dec.ReadToken(); !errors.Is(err, io.EOF) {
			d.broken = errTrailing
		}
	}
	problems := d.problems
	if d.broken != nil {
		problems = append(problems, result.Field{Problem: "is not valid JSON", Expected: "one JSON object"})
	}
	d.problems, d.broken, d.buf = nil, nil, bytes.Buffer{}
	d.dec.Reset(nothing)
	decoders.Put(d)
	return problems
}

var errTrailing = errors.New("more than one JSON value")

// path leads to a value. It lives on the stack; only a problem makes text of it.
type path struct {
	parent *path
	name   string
	index  int // of an element, when name is empty
}

func (p *path) String() string {
	if p == nil {
		return ""
	}
	parent := p.parent.String()
	if p.name == "" {
		return parent + "[" + strconv.Itoa(p.index) + "]"
	}
	return join(parent, p.name)
}

func (d *decoder) problem(p *path, problem, expected string, received []byte) {
	if len(d.problems) < maxProblems {
		d.problems = append(d.problems, result.Field{
			Path: p.String(), Problem: problem, Expected: expected, Received: excerpt(received),
		})
	}
}

// read reads a value of any kind; nil when the text is broken.
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

func (d *decoder) token() bool {
	if d.broken == nil {
		_, d.broken = d.dec.ReadToken()
	}
	return d.broken == nil
}

// value reads into dst, which has the node's type, and checks the rules.
func (d *decoder) value(n *node, dst reflect.Value, p *path, depth int) {
	before := len(d.problems)
	switch n.kind {
	case objectKind:
		d.object(n, dst, p, depth)
	case listKind:
		d.list(n, dst, p, depth)
	case mapKind:
		d.mapping(n, dst, p, depth)
	default:
		d.scalar(n, dst, p)
	}
	if len(d.problems) > before || d.broken != nil {
		return
	}
	for i := range n.rules {
		if r := &n.rules[i]; !r.holds(dst) {
			b, _ := n.append(nil, dst, 0)
			d.problem(p, r.problem, r.expected, b)
		}
	}
}

// enter reads the delimiter that begins an object or array, or reports what is there
// instead.
func (d *decoder) enter(n *node, p *path, depth int, open jsontext.Kind) bool {
	if d.broken == nil && d.dec.PeekKind() != open {
		d.mismatch(n, p, d.read())
		return false
	}
	if depth >= maxDepth {
		d.problem(p, "is nested too deeply", "at most "+strconv.Itoa(maxDepth)+" levels", nil)
		d.read()
		return false
	}
	return d.token()
}

func (d *decoder) mismatch(n *node, p *path, got jsontext.Value) {
	if d.broken == nil {
		d.problem(p, "has the wrong type", n.expects(), got)
	}
}

// slot reads into a place for a value. Null is a value only where any JSON is.
func (d *decoder) slot(s *slot, dst reflect.Value, p *path, depth int) {
	switch s.presence {
	case pointer:
		v := reflect.New(s.node.typ)
		d.value(s.node, v.Elem(), p, depth)
		dst.Set(v)
	case optional:
		d.value(s.node, fill(dst, s.node.typ), p, depth)
	default:
		d.value(s.node, dst, p, depth)
	}
}

// fill marks an mo.Option as present and returns its value to be set. Its fields are not
// exported, and its own methods would decode the value by the rules of encoding/json;
// isOption has checked the layout.
func fill(option reflect.Value, inner reflect.Type) reflect.Value {
	base := option.Addr().UnsafePointer()
	*(*bool)(base) = true
	return reflect.NewAt(inner, unsafe.Add(base, option.Type().Field(1).Offset)).Elem()
}

func (d *decoder) list(n *node, dst reflect.Value, p *path, depth int) {
	if !d.enter(n, p, depth, '[') {
		return
	}
	slice := dst.Kind() == reflect.Slice
	if slice {
		dst.Set(reflect.MakeSlice(dst.Type(), 0, 0))
	}
	count := 0
	for d.broken == nil && d.dec.PeekKind() != ']' {
		if !slice && count >= dst.Len() {
			d.read()
			count++
			continue
		}
		if slice {
			dst.Grow(1)
			dst.SetLen(count + 1)
			dst.Index(count).SetZero()
		}
		d.slot(&n.elem, dst.Index(count), &path{parent: p, index: count}, depth+1)
		count++
	}
	d.token()
	if !slice && count != dst.Len() {
		d.problem(p, "has "+strconv.Itoa(count)+" items", n.expects(), nil)
	}
}

func (d *decoder) mapping(n *node, dst reflect.Value, p *path, depth int) {
	if !d.enter(n, p, depth, '{') {
		return
	}
	dst.Set(reflect.MakeMap(n.typ))
	for d.broken == nil && d.dec.PeekKind() != '}' {
		raw := d.read()
		if raw == nil {
			return
		}
		name := text(raw)
		key := reflect.ValueOf(name).Convert(n.typ.Key())
		elem := reflect.New(n.typ.Elem()).Elem()
		at := &path{parent: p, name: name}
		if dst.MapIndex(key).IsValid() {
			d.problem(at, "occurs twice", "each name once", nil)
		}
		d.slot(&n.elem, elem, at, depth+1)
		dst.SetMapIndex(key, elem)
	}
	d.token()
}

// text is a JSON string without its quotes, as a copy.
func text(raw jsontext.Value) string {
	if len(raw) < 2 {
		return ""
	}
	if inner := raw[1 : len(raw)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return string(inner)
	}
	b, _ := jsontext.AppendUnquote(nil, raw)
	return string(b)
}

// excerpt bounds what is repeated of the arguments.
func excerpt(b []byte) string {
	const most = 80
	if len(b) <= most {
		return string(b)
	}
	return strings.ToValidUTF8(string(b[:most]), "") + "…"
}
