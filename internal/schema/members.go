package schema

import (
	"encoding/json/jsontext"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// seen are the fields that an object had. Up to 64 fit without an allocation.
type seen struct {
	bits uint64
	many []bool
	null []int // those of them that were null, which stands for absent
}

// given reports that a field came with a value.
func (s *seen) given(i int) bool { return s.has(i) && !slices.Contains(s.null, i) }

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

// target is where an object's members go: the fields of a struct, or a map of values when
// there is no struct.
type target struct {
	dst    reflect.Value
	values map[string]reflect.Value
}

func (t target) place(f *field) reflect.Value {
	if t.values == nil {
		return member(t.dst, f.index)
	}
	v := reflect.New(f.typ).Elem()
	t.values[f.name] = v
	return v
}

// member finds a struct's field and allocates embedded pointers on the way.
func member(v reflect.Value, index []int) reflect.Value {
	if len(index) == 1 {
		return v.Field(index[0])
	}
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

// object reads the members of an object. With lenient, unknown names pass.
func (d *decoder) object(n *node, to target, lenient bool) {
	if !d.enter(n, '{') {
		return
	}
	if to.dst.Kind() == reflect.Map {
		to.dst.Set(reflect.MakeMap(to.dst.Type()))
	}
	var s seen
	for d.next('}') {
		name := d.read()
		if name == nil {
			return
		}
		switch f := n.lookup(name, d.loose); {
		case f != nil:
			d.enterName(f.name)
			d.member(f, &s, len(n.fields), to)
			d.leave()
		case n.rest != nil:
			d.other(n.rest, to, text(name))
		default:
			d.unknown(n, text(name), lenient)
		}
	}
	d.token()
	d.absent(n, &s, to)
}

func (n *node) lookup(quoted jsontext.Value, loose bool) *field {
	if f := n.find(quoted[1 : len(quoted)-1]); f != nil {
		return f
	}
	name := text(quoted)
	if f := n.find([]byte(name)); f != nil || !loose {
		return f
	}
	at := slices.IndexFunc(n.fields, func(f *field) bool { return !f.tagged && fold(f.name) == fold(name) })
	if at < 0 {
		return nil
	}
	return n.fields[at]
}

// member reads one member. Null for one that may be absent means absent.
func (d *decoder) member(f *field, s *seen, fields int, to target) {
	if s.mark(f.pos, fields) {
		d.problem("occurs twice", "each name once", nil)
	}
	if f.required || d.dec.PeekKind() != 'n' {
		d.slot(&f.slot, to.place(f))
		return
	}
	d.read()
	s.null = append(s.null, f.pos)
	f.setDefault(to)
}

// other reads a member that goes to the map which catches all other names.
func (d *decoder) other(rest *field, to target, name string) {
	dst := to.place(rest)
	if dst.IsNil() {
		dst.Set(reflect.MakeMap(rest.node.typ))
	}
	d.entry(rest.node, dst, name)
}

func (d *decoder) unknown(n *node, name string, lenient bool) {
	value := d.read()
	if lenient || d.loose || d.broken != nil {
		return
	}
	legal := make([]string, len(n.fields))
	for i, f := range n.fields {
		legal[i] = f.name
	}
	problem, expected := unknownName(name, legal)
	d.enterName(name)
	d.problem(problem, expected, value)
	d.leave()
}

// unknownName says that a name is none of the legal ones, and which of those is like it.
func unknownName(name string, legal []string) (problem, expected string) {
	problem = "is not known here"
	if like := nearest(name, legal); like != "" {
		problem += "; did you mean " + strconv.Quote(like) + "?"
	}
	return problem, nameList(legal)
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
func (d *decoder) absent(n *node, s *seen, to target) {
	for _, f := range n.fields {
		switch {
		case d.broken != nil:
			return
		case s.has(f.pos):
		case d.partly:
		case f.required && !d.loose:
			d.enterName(f.name)
			d.problem("is missing", f.node.expects(f.rules), nil)
			d.leave()
		default:
			f.setDefault(to)
		}
	}
	if n.across != nil && !d.partly {
		d.across(n, s, to)
	}
}

// setDefault sets a fresh copy of the default, if there is one.
func (f *field) setDefault(to target) {
	switch {
	case f.defaultJSON == nil:
	case f.defaultValue.IsValid():
		to.place(f).Set(f.defaultValue)
	default:
		d := decoderOf(f.defaultJSON)
		d.slot(&f.slot, to.place(f))
		d.finish()
	}
}
