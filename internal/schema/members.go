package schema

import (
	"encoding/json/jsontext"
	"reflect"
	"strconv"
	"strings"
)

// seen are the fields that an object had. Up to 64 fit without an allocation.
type seen struct {
	bits uint64
	many []bool
}

func (s *seen) mark(i, fields int) (twice bool) {
	if fields > 64 {
		if s.many == nil {
			s.many = make([]bool, fields)
		}
		twice, s.many[i] = s.many[i], true
		return twice
	}
	twice = s.bits&(1<<i) != 0
	s.bits |= 1 << i
	return twice
}

func (s *seen) has(i int) bool {
	if s.many != nil {
		return s.many[i]
	}
	return i < 64 && s.bits&(1<<i) != 0
}

// object reads the members of a struct.
func (d *decoder) object(n *node, dst reflect.Value, p *path, depth int) {
	d.members(n, p, depth, false, func(f *field) reflect.Value { return member(dst, f.index) })
}

// members reads an object; place says where a field's value goes. With lenient, unknown
// names pass.
func (d *decoder) members(n *node, p *path, depth int, lenient bool, place func(*field) reflect.Value) {
	if !d.enter(n, p, depth, '{') {
		return
	}
	var s seen
	for d.broken == nil && d.dec.PeekKind() != '}' {
		name := d.read()
		if name == nil {
			return
		}
		f := n.lookup(name)
		if f == nil {
			d.unknown(n, p, name, lenient)
			continue
		}
		d.member(f, &s, len(n.fields), p, depth, place)
	}
	d.token()
	d.absent(n, &s, p, place)
}

func (n *node) lookup(quoted jsontext.Value) *field {
	if f := n.find(quoted[1 : len(quoted)-1]); f != nil {
		return f
	}
	return n.find([]byte(text(quoted)))
}

// member reads one member. Null for one that may be absent means absent.
func (d *decoder) member(f *field, s *seen, fields int, p *path, depth int, place func(*field) reflect.Value) {
	at := &path{parent: p, name: f.name}
	if d.dec.PeekKind() == 'n' && !f.required {
		d.read()
		return
	}
	if s.mark(f.pos, fields) {
		d.problem(at, "occurs twice", "each name once", nil)
	}
	d.slot(&f.slot, place(f), at, depth+1)
}

func (d *decoder) unknown(n *node, p *path, name jsontext.Value, lenient bool) {
	key := text(name)
	value := d.read()
	if lenient || d.broken != nil {
		return
	}
	legal := make([]string, len(n.fields))
	for i, f := range n.fields {
		legal[i] = f.name
	}
	problem := "is not known here"
	if like := nearest(key, legal); like != "" {
		problem += "; did you mean " + strconv.Quote(like) + "?"
	}
	d.problem(&path{parent: p, name: excerpt([]byte(key))}, problem, nameList(legal), value)
}

// nameList tells a model which names there are, within reason.
func nameList(names []string) string {
	const most = 12
	if len(names) == 0 {
		return "no arguments"
	}
	more := ""
	if len(names) > most {
		names, more = names[:most], ", …"
	}
	return "one of " + strings.Join(names, ", ") + more
}

// absent sets defaults and reports what is missing.
func (d *decoder) absent(n *node, s *seen, p *path, place func(*field) reflect.Value) {
	if d.broken != nil {
		return
	}
	for _, f := range n.fields {
		switch {
		case s.has(f.pos):
		case f.required:
			d.problem(&path{parent: p, name: f.name}, "is missing", f.node.expects(), nil)
		case f.defaultJSON != nil:
			f.setDefault(place(f))
		}
	}
}

// setDefault sets a fresh copy of the default.
func (f *field) setDefault(dst reflect.Value) {
	switch {
	case f.defaultValue.IsValid() && f.presence == bare:
		dst.Set(f.defaultValue)
	default:
		d := decoderOf(f.defaultJSON)
		d.slot(&f.slot, dst, nil, 0)
		d.finish()
	}
}

// member finds a struct's field and allocates embedded pointers on the way.
func member(v reflect.Value, index []int) reflect.Value {
	for i, x := range index {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(x)
	}
	return v
}
