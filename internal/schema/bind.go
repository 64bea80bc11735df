package schema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// binder brings params and struct fields together.
type binder struct {
	compiler
	in     reflect.Type // nil: the values go to a map
	free   []structField
	root   node
	bound  map[string]string // by folded name, the parameter that has the field
	params map[string]bool
	models []reflect.Type // those that params are from
}

// bind compiles the declaration that params and a struct make together.
func bind(in reflect.Type, params []Param, own *Rules) (*node, []Problem) {
	b := binder{rules: own, in: in, root: node{typ: in, kind: objectKind}, bound: map[string]string{}, params: map[string]bool{}}
	if in != nil {
		b.free = b.visible(in, "")
	}
	for _, p := range params {
		if p.model != nil {
			b.models = append(b.models, p.model)
		}
		switch {
		case !readable(p.Name):
			b.failf("", "has a parameter without a readable name (%q); name it", p.Name)
		case p.Type == nil:
			b.failf(p.Name, "has no type; give it one")
		case b.params[p.Name]:
			b.failf(p.Name, "is declared twice; remove one of them")
		default:
			b.params[p.Name] = true
			b.param(p)
		}
	}
	b.undeclared()
	b.root.seal()
	b.resolve(&b.root, "")
	return &b.root, b.problems
}

// undeclared takes the fields that no parameter binds to: those with tags declare
// themselves.
func (b *binder) undeclared() {
	for i := range b.free {
		sf := &b.free[i]
		switch {
		case b.ofModel(sf):
		case sf.catchesAll():
			b.failf(sf.Name, "catches all other names, but parameters are declared; remove one of both")
		case !sf.declares():
			b.failf(sf.name, "is a field (%s) without a parameter; declare it with a With method, give the field a tag, or remove it", sf.Name)
		case b.params[sf.name]:
			b.failf(sf.name, "is both a parameter and the field %s; rename one of them", sf.Name)
		default:
			f := b.field(*sf, sf.name)
			b.finish(f, sf.name)
			b.root.fields = append(b.root.fields, f)
		}
	}
}

// param compiles one parameter with the field that it binds to.
func (b *binder) param(p Param) {
	f := &field{name: p.Name, slot: b.slot(p.Type, p.Name)}
	if b.in != nil {
		bound, fits := b.boundField(p, &f.slot)
		if !fits {
			return
		}
		f = bound
	}
	if p.Description != "" {
		f.description = p.Description
	}
	f.required = f.defaultJSON == nil
	if p.Enum != nil {
		b.enum(f, p)
	}
	for _, tag := range p.Rules {
		b.apply(f, tag, p.Name)
	}
	if p.Optional {
		f.required = false
	}
	if b.in != nil && !f.required && f.presence == bare && f.defaultJSON == nil {
		b.failf(p.Name, "is optional, but its field cannot be absent; use mo.Option, a pointer, a slice or a map, or give a default")
	}
	b.finish(f, p.Name)
	b.root.fields = append(b.root.fields, f)
}

// boundField is the struct field for a parameter, if there is one that can hold it.
func (b *binder) boundField(p Param, declared *slot) (*field, bool) {
	sf, found := b.take(p.Name)
	if !found {
		return nil, false
	}
	f := b.field(sf, p.Name)
	if !holds(f.node, declared.node) {
		b.failf(p.Name, "is %s, which the field %s of type %s cannot hold; change one of them", declared.node.typeWords(), sf.Name, sf.Type)
		return nil, false
	}
	f.name = p.Name
	return f, true
}

// enum lists the legal values of a string, or of a list's strings.
func (b *binder) enum(f *field, p Param) {
	s := &f.slot
	if f.node.kind == listKind {
		n := *f.node
		f.node, s = &n, &n.elem
	}
	if len(p.Enum) == 0 {
		b.failf(p.Name, "is an enum without values; give at least one")
		return
	}
	if s.node.kind != stringKind {
		b.failf(p.Name, "is an enum of %s; enums are of strings", s.node.typeWords())
		return
	}
	r, err := listed(s.node, slices.Clone(p.Enum))
	if err != nil {
		b.failf(p.Name, "is an enum: %v", err)
		return
	}
	b.put(s, r, p.Name)
}

// take finds the field for a parameter: by its json tag, or else by its folded name.
func (b *binder) take(name string) (structField, bool) {
	at := slices.IndexFunc(b.free, func(f structField) bool { return f.tagged && f.name == name })
	if at < 0 {
		at = slices.IndexFunc(b.free, func(f structField) bool { return !f.tagged && fold(f.Name) == fold(name) })
	}
	if at < 0 {
		b.noField(name)
		return structField{}, false
	}
	sf := b.free[at]
	b.free = slices.Delete(b.free, at, at+1)
	b.bound[fold(name)] = name
	return sf, true
}

// noField says why a parameter finds no field.
func (b *binder) noField(name string) {
	if other, taken := b.bound[fold(name)]; taken {
		b.failf(name, "binds to the field of the parameter %q; rename one of them", other)
		return
	}
	hint := fmt.Sprintf("add a field %s", pascal(name))
	for i := range b.free {
		if f := &b.free[i]; f.tagged && fold(f.Name) == fold(name) {
			hint = fmt.Sprintf("the json tag of the field %s says %q: make them the same", f.Name, f.name)
		}
	}
	b.failf(name, "has no field in the handler's input struct; %s, or remove the parameter", hint)
}

// holds reports whether a field can hold what a parameter of another type lets through.
func holds(f, p *node) bool {
	switch p.kind {
	case intKind:
		return (f.kind == intKind || f.kind == uintKind) && !f.quoted
	case listKind:
		return f.kind == listKind && holds(f.elem.node, p.elem.node)
	case mapKind:
		return f.kind == mapKind && f.key.typ == p.key.typ && holds(f.elem.node, p.elem.node)
	case objectKind, customKind, textKind:
		return f.typ == p.typ
	}
	return f.kind == p.kind && !f.quoted
}

// readable reports that a name can be told to a model and sent back by it: no blanks and
// nothing that cannot be seen.
func readable(name string) bool {
	return name != "" && utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	})
}
