package schema

import (
	"reflect"
	"strings"
)

// Embed narrows the values at a path, or the elements of the lists and maps there, to what
// inner shows of them: what either of the two leaves out or redacts stays so.
func (o *Output) Embed(path string, inner *Output) (*Output, []Problem) {
	p := picker{}
	root := o.root
	root.node = p.change(o.root.node, wishesOf([]string{path}), "", func(f *field, path string) *field {
		changed := *f
		changed.node = p.meetAt(f.node, inner.root.node, path)
		return &changed
	})
	if len(p.problems) > 0 {
		return nil, p.problems
	}
	narrowed, err := newOutput(root)
	if err != nil {
		return nil, []Problem{{path, err.Error()}}
	}
	return narrowed, nil
}

// meetAt narrows a node of inner's type, or the elements of the lists and maps around it.
func (p *picker) meetAt(n, inner *node, path string) *node {
	switch {
	case n.typ == inner.typ && n.kind == inner.kind:
		return meet(n, inner)
	case n.kind == listKind, n.kind == mapKind:
		c := *n
		c.def, c.partial = "", true
		c.elem.node = p.meetAt(n.elem.node, inner, path+"[]")
		return &c
	}
	p.problems = append(p.problems, Problem{path, "is a " + n.typ.String() + ", but what is embedded shows a " + inner.typ.String()})
	return n
}

// meet is what two views of one type both show.
func meet(a, b *node) *node {
	switch {
	case !a.partial:
		return b
	case !b.partial:
		return a
	}
	c := *a // of texts, only redacted ones are partial
	switch a.kind {
	case listKind, mapKind:
		c.elem.node = meet(a.elem.node, b.elem.node)
	case objectKind:
		c.fields, c.byName = nil, nil
		if b.rest == nil {
			c.rest = nil
		}
		for _, f := range a.fields {
			other := b.find([]byte(f.name))
			if other == nil {
				continue
			}
			both := *f
			both.node = meet(f.node, other.node)
			c.fields = append(c.fields, &both)
		}
		c.seal()
	}
	return &c
}

// Place is where values of one type are in an output, for good.
type Place struct {
	root  slot
	names []string
	typ   reflect.Type
}

// Place finds what was embedded at a path. What is no longer shown is nowhere.
func (o *Output) Place(path string, inner *Output) *Place {
	names := strings.Split(strings.ReplaceAll(trimList(path), "[]", ""), ".")
	return &Place{o.root, names, inner.root.node.typ}
}

// Each calls visit with every value at the place in v, which is of the output's type, in
// the order in which they travel. Absent ones are left out; pointers are followed.
func (p *Place) Each(v reflect.Value, visit func(reflect.Value)) {
	if inner, present := p.root.inner(v); present {
		p.walk(p.root.node, inner, p.names, visit)
	}
}

func (p *Place) walk(n *node, v reflect.Value, names []string, visit func(reflect.Value)) {
	switch {
	case n.typ == p.typ && len(names) == 0:
		visit(v)
	case n.kind == listKind:
		for i := range v.Len() {
			p.in(&n.elem, v.Index(i), names, visit)
		}
	case n.kind == mapKind:
		entries, _ := n.entries(v) // keys that cannot be written have failed the reply before
		for _, e := range entries {
			p.in(&n.elem, e.value, names, visit)
		}
	case n.kind == objectKind && len(names) > 0:
		f := n.find([]byte(names[0]))
		if f == nil {
			return
		}
		if value, present := f.reach(v); present {
			p.walk(f.node, value, names[1:], visit)
		}
	}
}

func (p *Place) in(s *slot, v reflect.Value, names []string, visit func(reflect.Value)) {
	if inner, present := s.inner(v); present {
		p.walk(s.node, inner, names, visit)
	}
}
