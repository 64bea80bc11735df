package schema

import (
	"maps"
	"reflect"
	"slices"
)

// Shape says what is shown of a type, by paths such as "id", "customer.name" or
// "lines[].sku". A field that is named as a whole is meant with all its parts.
type Shape struct {
	// Only are the fields that are shown; nil shows all.
	Only []string
	// Hide are fields that are not shown.
	Hide []string
	// Redact are texts whose place is taken by [Redacted].
	Redact []string
}

// Redacted stands for a text that is not shown.
const Redacted = "[REDACTED]"

// Shape is the output with what the shape shows, in the data and in the schema.
func (o *Output) Shape(s Shape) (*Output, []Problem) {
	out := o
	if s.Only != nil {
		only, problems := o.Only(s.Only...)
		if len(problems) > 0 {
			return nil, problems
		}
		out = only
	}
	if len(s.Hide) == 0 && len(s.Redact) == 0 {
		return out, nil
	}
	p := picker{}
	root := out.root
	if len(s.Hide) > 0 {
		root.node = p.without(root.node, wishesOf(s.Hide), "")
	}
	if len(s.Redact) > 0 {
		root.node = p.redact(root.node, wishesOf(s.Redact), "")
	}
	if len(p.problems) > 0 {
		return nil, p.problems
	}
	shaped, err := newOutput(root)
	if err != nil {
		return nil, []Problem{{"", err.Error()}}
	}
	return shaped, nil
}

func wishesOf(paths []string) wishes {
	w := wishes{}
	for _, path := range paths {
		w.add(trimList(path))
	}
	return w
}

// without copies a tree without some members.
func (p *picker) without(n *node, unwanted wishes, path string) *node {
	return p.change(n, unwanted, path, func(*field, string) *field { return nil })
}

// redact copies a tree in which some texts are not shown.
func (p *picker) redact(n *node, texts wishes, path string) *node {
	return p.change(n, texts, path, func(f *field, path string) *field {
		changed := *f
		changed.node = p.redacted(f.node, path)
		return &changed
	})
}

// redacted copies a text, or a list or map of them, as one that is not shown.
func (p *picker) redacted(n *node, path string) *node {
	c := *n
	switch n.kind {
	case stringKind:
		c.redacted, c.partial = true, true
	case listKind, mapKind:
		c.def, c.partial = "", true
		c.elem.node = p.redacted(n.elem.node, path+"[]")
	default:
		p.problems = append(p.problems, Problem{path, "is " + n.typeWords() + ", but only texts can be redacted; hide it instead"})
	}
	return &c
}

// change copies a tree in which some members are changed; a nil one is left out.
func (p *picker) change(n *node, which wishes, path string, to func(f *field, path string) *field) *node {
	c := *n
	switch {
	case n.kind == listKind, n.kind == mapKind:
		c.def, c.partial = "", true
		c.elem.node = p.change(n.elem.node, which, path, to)
		return &c
	case n.kind != objectKind:
		p.unknown(path, which, nil)
		return &c
	case n.def != "":
		p.problems = append(p.problems, Problem{path, "contains itself, so its fields cannot be told apart; name it as a whole"})
		return &c
	}
	c.fields, c.byName, c.partial = nil, nil, true
	names := make([]string, 0, len(n.fields))
	missing := maps.Clone(which)
	for _, f := range n.fields {
		names = append(names, f.name)
		want, is := which[f.name]
		if delete(missing, f.name); !is {
			c.fields = append(c.fields, f)
			continue
		}
		if changed := p.changeField(f, want, join(path, f.name), to); changed != nil {
			c.fields = append(c.fields, changed)
		}
	}
	p.unknown(path, missing, names)
	c.seal()
	return &c
}

func (p *picker) changeField(f *field, want wish, path string, to func(*field, string) *field) *field {
	if want.inner == nil {
		return to(f, path)
	}
	changed := *f
	if k := f.node.kind; want.listed && k != listKind && k != mapKind {
		p.problems = append(p.problems, Problem{path, "is no list; name it without []"})
	}
	changed.node = p.change(f.node, want.inner, path, to)
	return &changed
}

// Seen is a value with no more in it than what is shown: what is not is zero, and what is
// redacted says so. Parts that are shown whole are shared with v.
func (o *Output) Seen(v reflect.Value) reflect.Value {
	if !o.root.node.partial {
		return v
	}
	dst := reflect.New(v.Type()).Elem()
	o.root.see(dst, v)
	return dst
}

func (s *slot) see(dst, src reflect.Value) {
	if !s.node.partial {
		dst.Set(src)
		return
	}
	inner, present := s.inner(src)
	if !present {
		return
	}
	switch s.presence {
	case pointer:
		dst.Set(reflect.New(s.node.typ))
		s.node.see(dst.Elem(), inner)
	case optional:
		seen := reflect.New(s.node.typ).Elem()
		s.node.see(seen, inner)
		s.option.some(dst, seen)
	default:
		s.node.see(dst, inner)
	}
}

// see copies what is shown of a value of a partial node.
func (n *node) see(dst, src reflect.Value) {
	switch {
	case n.redacted:
		dst.SetString(Redacted)
	case n.kind == objectKind:
		for _, f := range n.fields {
			if from, there := memberThere(src, f.index); there {
				f.see(member(dst, f.index), from)
			}
		}
	case n.kind == mapKind:
		if src.IsNil() {
			return
		}
		dst.Set(reflect.MakeMapWithSize(n.typ, src.Len()))
		for it := src.MapRange(); it.Next(); {
			elem := reflect.New(n.typ.Elem()).Elem()
			n.elem.see(elem, it.Value())
			dst.SetMapIndex(it.Key(), elem)
		}
	case n.kind == listKind:
		if src.Kind() == reflect.Slice {
			if src.IsNil() {
				return
			}
			dst.Set(reflect.MakeSlice(n.typ, src.Len(), src.Len()))
		}
		for i := range src.Len() {
			n.elem.see(dst.Index(i), src.Index(i))
		}
	}
}

// Fields are the paths of all that is shown, in their order: those of parts, too.
func (o *Output) Fields() []string {
	var paths []string
	collectPaths(o.root.node, "", &paths, nil)
	return paths
}

func collectPaths(n *node, path string, paths *[]string, within []*node) {
	for n.kind == listKind || n.kind == mapKind {
		if n = n.elem.node; path != "" {
			path += "[]"
		}
	}
	if n.kind != objectKind || slices.Contains(within, n) {
		return
	}
	for _, f := range n.fields {
		at := join(path, f.name)
		*paths = append(*paths, at)
		collectPaths(f.node, at, paths, append(slices.Clip(within), n))
	}
}
