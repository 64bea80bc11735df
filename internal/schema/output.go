package schema

import (
	"encoding/json/jsontext"
	"errors"
	"maps"
	"reflect"
	"strings"
)

// Output is what a tool returns: how it is written and its schema. It is safe for
// concurrent use.
type Output struct {
	root    slot
	wrapped bool
	json    jsontext.Value
}

// NewOutput compiles a result type.
func NewOutput(t reflect.Type) (*Output, error) {
	c := compileType(t, true)
	if len(c.problems) > 0 {
		return nil, errors.New(c.problems[0].String())
	}
	return newOutput(c.slot)
}

func newOutput(root slot) (*Output, error) {
	k := root.node.kind
	o := &Output{root: root, wrapped: k != objectKind && k != mapKind}
	n := root.node
	if o.wrapped {
		n = &node{kind: objectKind, fields: []*field{{slot: root, name: "result", required: true}}}
	}
	b, err := bytesOf(rootOf(n, false))
	o.json = b
	return o, err
}

// JSON is the schema of the data, an object. It is shared: do not change it.
func (o *Output) JSON() jsontext.Value { return o.json }

// Wrapped reports that the data travels as {"result": …}, since it is no object.
func (o *Output) Wrapped() bool { return o.wrapped }

// Append appends the data as JSON.
func (o *Output) Append(dst []byte, v reflect.Value) ([]byte, error) {
	if !o.wrapped {
		return o.root.append(dst, v, 0)
	}
	dst, err := o.root.append(append(dst, `{"result":`...), v, 0)
	return append(dst, '}'), err
}

// Only keeps the fields of the paths, such as "id", "customer.name" or "lines[].sku", and
// drops all others from the data and the schema.
func (o *Output) Only(paths ...string) (*Output, []Problem) {
	p := picker{}
	wanted := picks{}
	for _, path := range paths {
		wanted.add(strings.ReplaceAll(path, "[]", ""))
	}
	root := slot{o.root.presence, p.pick(o.root.node, wanted, "")}
	if len(p.problems) > 0 {
		return nil, p.problems
	}
	out, err := newOutput(root)
	if err != nil {
		return nil, []Problem{{"", err.Error()}}
	}
	return out, nil
}

// picks are the wanted members of an object; one without members of its own is wanted whole.
type picks map[string]picks

func (p picks) add(path string) {
	name, rest, deeper := strings.Cut(path, ".")
	if !deeper {
		p[name] = nil
		return
	}
	inner, known := p[name]
	if known && inner == nil {
		return // wanted whole already
	}
	if !known {
		inner = picks{}
		p[name] = inner
	}
	inner.add(rest)
}

type picker struct{ problems []Problem }

// pick copies a tree with only the wanted members.
func (p *picker) pick(n *node, wanted picks, path string) *node {
	c := *n
	switch {
	case n.kind == listKind || n.kind == mapKind:
		c.elem.node = p.pick(n.elem.node, wanted, path)
		return &c
	case n.kind != objectKind:
		p.unknown(path, wanted, nil)
		return &c
	case n.def != "":
		p.problems = append(p.problems, Problem{path, "contains itself, so its fields cannot be picked; name it as a whole"})
		return &c
	}
	c.fields = nil
	names := make([]string, 0, len(n.fields))
	rest := maps.Clone(wanted)
	for _, f := range n.fields {
		names = append(names, f.name)
		inner, want := wanted[f.name]
		if !want {
			continue
		}
		delete(rest, f.name)
		kept := *f
		if inner != nil {
			kept.node = p.pick(f.node, inner, join(path, f.name))
		}
		c.fields = append(c.fields, &kept)
	}
	p.unknown(path, rest, names)
	c.seal()
	return &c
}

// unknown reports wanted fields that do not exist.
func (p *picker) unknown(path string, wanted picks, legal []string) {
	for name := range wanted {
		message := "is no field of the type"
		if like := nearest(name, legal); like != "" {
			message += "; did you mean \"" + join(path, like) + "\"?"
		}
		p.problems = append(p.problems, Problem{join(path, name), message})
	}
}
