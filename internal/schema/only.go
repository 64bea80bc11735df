package schema

import (
	"maps"
	"strings"
)

// Only keeps the fields of the paths, such as "id", "customer.name" or "lines[].sku", and
// drops all others from the data and the schema. A field that is named as a whole is kept
// whole.
func (o *Output) Only(paths ...string) (*Output, []Problem) {
	p, wanted := picker{}, wishes{}
	for _, path := range paths {
		path = trimList(path)
		alone := wishes{}
		alone.add(path)
		p.pick(o.root.node, alone, "") // a path is wrong even where another one names the whole
		wanted.add(path)
	}
	if len(p.problems) > 0 {
		return nil, p.problems
	}
	root := o.root
	root.node = p.pick(o.root.node, wanted, "")
	out, err := newOutput(root)
	if err != nil {
		return nil, []Problem{{"", err.Error()}}
	}
	return out, nil
}

// trimList lets a path begin with the list that the value as a whole is.
func trimList(path string) string { return strings.TrimPrefix(path, "[].") }

// wish is a wanted member of an object.
type wish struct {
	listed bool   // its path says that it is a list or map
	inner  wishes // nil: wanted whole
}

type wishes map[string]wish

func (p wishes) add(path string) {
	name, rest, deeper := strings.Cut(path, ".")
	name, listed := strings.CutSuffix(name, "[]")
	inner, known := p[name]
	switch {
	case !deeper, known && inner.inner == nil:
		p[name] = wish{listed: listed || inner.listed}
		return
	case !known:
		inner.inner = wishes{}
	}
	inner.listed = inner.listed || listed
	p[name] = inner
	inner.inner.add(rest)
}

type picker struct{ problems []Problem }

// pick copies a tree with only the wanted members.
func (p *picker) pick(n *node, wanted wishes, path string) *node {
	c := *n
	switch {
	case n.kind == listKind, n.kind == mapKind:
		c.def, c.partial = "", true
		c.elem.node = p.pick(n.elem.node, wanted, path)
		return &c
	case n.kind != objectKind:
		p.unknown(path, wanted, nil)
		return &c
	case n.def != "":
		p.problems = append(p.problems, Problem{path, "contains itself, so its fields cannot be picked; name it as a whole"})
		return &c
	}
	c.fields, c.byName, c.rest, c.partial = nil, nil, nil, true
	names := make([]string, 0, len(n.fields))
	rest := maps.Clone(wanted)
	for _, f := range n.fields {
		names = append(names, f.name)
		if want, is := wanted[f.name]; is {
			delete(rest, f.name)
			c.fields = append(c.fields, p.keep(f, want, join(path, f.name)))
		}
	}
	p.unknown(path, rest, names)
	c.seal()
	return &c
}

// keep copies a field with what is wanted of it.
func (p *picker) keep(f *field, want wish, path string) *field {
	kept := *f
	if k := f.node.kind; want.listed && k != listKind && k != mapKind {
		p.problems = append(p.problems, Problem{path, "is no list; name it without []"})
	}
	if want.inner != nil {
		kept.node = p.pick(f.node, want.inner, path)
	}
	return &kept
}

// unknown reports wanted fields that do not exist.
func (p *picker) unknown(path string, wanted wishes, legal []string) {
	for name := range wanted {
		message := "is no field of the type"
		if like := nearest(name, legal); like != "" {
			message += "; did you mean \"" + join(path, like) + "\"?"
		} else if len(legal) > 0 {
			message += "; it has " + nameList(legal)
		}
		p.problems = append(p.problems, Problem{join(path, name), message})
	}
}
