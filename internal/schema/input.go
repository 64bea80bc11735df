package schema

import (
	"bytes"
	"encoding/json/jsontext"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcpfusion/go/result"
)

// Param is a parameter that a With method declares.
type Param struct {
	Name        string // as on the wire
	Description string
	Type        reflect.Type
	Enum        []string // the legal values of a string; nil for any
	Optional    bool
	Rules       []string // in validator's tag language
}

// Config changes how arguments are taken.
type Config struct {
	// Lenient lets unknown arguments pass.
	Lenient bool
}

// Input is what a tool takes. It is safe for concurrent use.
type Input struct {
	root    *node
	schema  *jsonschema.Schema
	json    jsontext.Value
	lenient bool
}

// compiled keeps the trees of types that declare themselves: *compiledType by typeKey.
var compiled sync.Map

type typeKey struct {
	typ    reflect.Type
	output bool
}

type compiledType struct {
	slot     slot
	problems []Problem
}

// compileType compiles a type once.
func compileType(t reflect.Type, output bool) *compiledType {
	key := typeKey{t, output}
	if known, ok := compiled.Load(key); ok {
		return known.(*compiledType)
	}
	c := compiler{output: output}
	s := c.slot(t, "")
	known, _ := compiled.LoadOrStore(key, &compiledType{s, c.problems})
	return known.(*compiledType)
}

// NewInput compiles what a tool takes: the declared params and the struct that they bind
// to. Without params the struct is the declaration. A nil in means that the arguments go
// to a map. All problems are returned at once.
func NewInput(in reflect.Type, params []Param, cfg Config) (*Input, []Problem) {
	root, problems := rootNode(in, params)
	if len(problems) > 0 {
		return nil, problems
	}
	s := rootOf(root, cfg.Lenient)
	b, err := bytesOf(s)
	if err != nil {
		return nil, []Problem{{"", "has no schema: " + err.Error()}}
	}
	return &Input{root: root, schema: s, json: b, lenient: cfg.Lenient}, nil
}

func rootNode(in reflect.Type, params []Param) (*node, []Problem) {
	if in != nil && len(params) == 0 {
		c := compileType(in, false)
		if len(c.problems) == 0 && c.slot.node.kind != objectKind {
			return nil, []Problem{{"", "takes a " + in.String() + ", but arguments are an object; use a struct, fusion.Args or fusion.NoInput"}}
		}
		return c.slot.node, c.problems
	}
	b := binder{params: params}
	if in != nil {
		if in.Kind() != reflect.Struct {
			return nil, []Problem{{"", "takes a " + in.String() + ", but arguments are an object; use a struct, fusion.Args or fusion.NoInput"}}
		}
		free, clashes := visibleFields(in)
		for _, name := range clashes {
			b.failf(name, "is the name of two fields; rename one of them")
		}
		b.free = free
	}
	return b.bind(in)
}

// Schema is the input's schema, as a copy.
func (i *Input) Schema() *jsonschema.Schema { return i.schema.CloneSchemas() }

// JSON is the schema as it travels. It is shared: do not change it.
func (i *Input) JSON() jsontext.Value { return i.json }

var emptyObject = []byte("{}")

// begin starts reading arguments; absent and null ones are an empty object.
func begin(args jsontext.Value) *decoder {
	if trimmed := bytes.TrimSpace(args); len(trimmed) == 0 || string(trimmed) == "null" {
		args = emptyObject
	}
	return decoderOf(args)
}

// Decode reads arguments into dst, which must be settable and of the input's type. The
// value is good only if there are no problems.
func (i *Input) Decode(args jsontext.Value, dst reflect.Value) []result.Field {
	d := begin(args)
	d.root(i, func(f *field) reflect.Value { return member(dst, f.index) })
	return d.finish()
}

// DecodeMap reads arguments into a map, for an input without a struct.
func (i *Input) DecodeMap(args jsontext.Value) (map[string]any, []result.Field) {
	places := make(map[*field]reflect.Value, len(i.root.fields))
	d := begin(args)
	d.root(i, func(f *field) reflect.Value {
		v := reflect.New(f.node.typ).Elem()
		places[f] = v
		return v
	})
	problems := d.finish()
	values := make(map[string]any, len(places))
	for f, v := range places {
		values[f.name] = v.Interface()
	}
	return values, problems
}

func (d *decoder) root(i *Input, place func(*field) reflect.Value) {
	d.members(i.root, nil, 0, i.lenient, place)
}

// binder brings params and struct fields together.
type binder struct {
	compiler
	params []Param
	free   []structField // not bound yet
	root   node
	bound  map[string]string // Go field by the parameter that has it
}

func (b *binder) bind(in reflect.Type) (*node, []Problem) {
	b.root = node{typ: in, kind: objectKind}
	b.bound = map[string]string{}
	names := map[string]bool{}
	for _, p := range b.params {
		switch {
		case p.Name == "" || !utf8.ValidString(p.Name):
			b.failf("", "has a parameter without a readable name (%q); name it", p.Name)
		case names[p.Name]:
			b.failf(p.Name, "is declared twice; remove one of them")
		default:
			names[p.Name] = true
			b.param(in, p)
		}
	}
	for _, sf := range b.free {
		if !sf.declares() {
			b.failf(sf.name, "is a field (%s) without a parameter; declare it with a With method, give the field a tag, or remove it", sf.Name)
			continue
		}
		if names[sf.name] {
			b.failf(sf.name, "is both a parameter and the field %s; rename one of them", sf.Name)
			continue
		}
		b.root.fields = append(b.root.fields, b.field(sf, sf.name))
	}
	b.root.seal()
	return &b.root, b.problems
}

// param compiles one parameter with the field that it binds to.
func (b *binder) param(in reflect.Type, p Param) {
	declared := b.slot(p.Type, p.Name)
	f := &field{name: p.Name, description: p.Description, slot: declared, required: true}
	if in != nil {
		sf, found := b.take(p.Name)
		if !found {
			return
		}
		bound := b.field(sf, p.Name)
		if !holds(bound.node, declared.node) {
			b.failf(p.Name, "is %s, which the field %s of type %s cannot hold; change one of them", declared.node.typeWords(), sf.Name, sf.Type)
			return
		}
		bound.name, bound.required = p.Name, true
		if p.Description != "" {
			bound.description = p.Description
		}
		f = bound
	}
	b.rules(f, p)
	if in != nil && !f.required && f.presence == bare && f.defaultJSON == nil {
		b.failf(p.Name, "is optional, but its field cannot be absent; use mo.Option, a pointer, a slice or a map, or give a default")
	}
	b.root.fields = append(b.root.fields, f)
}

func (b *binder) rules(f *field, p Param) {
	if p.Enum != nil {
		if err := checkEnum(p.Enum); err != nil {
			b.failf(p.Name, "has an enum that is not usable: %v", err)
		}
		n := *f.node
		n.enum = slices.Clone(p.Enum)
		n.rules = append(slices.Clip(n.rules), enumRule(n.enum))
		f.node = &n
		b.finishRules(f, p.Name)
	}
	for _, tag := range p.Rules {
		b.apply(f, tag, p.Name)
	}
	if p.Optional {
		f.required = false
	}
}

func checkEnum(values []string) error {
	seen := make(map[string]bool, len(values))
	for _, v := range values {
		if seen[v] || !utf8.ValidString(v) {
			return fmt.Errorf("%q stands in it twice or is no valid text", v)
		}
		seen[v] = true
	}
	return nil
}

// take finds the field for a parameter: by its json tag, or else by its folded name.
func (b *binder) take(name string) (structField, bool) {
	at := slices.IndexFunc(b.free, func(f structField) bool { return f.tagged && f.name == name })
	if at < 0 {
		at = slices.IndexFunc(b.free, func(f structField) bool { return !f.tagged && fold(f.Name) == fold(name) })
	}
	if at < 0 {
		if other, taken := b.bound[fold(name)]; taken {
			b.failf(name, "binds to the field of the parameter %q; rename one of them", other)
			return structField{}, false
		}
		b.failf(name, "has no field in the handler's input struct; add a field %s, or remove the parameter", pascal(name))
		return structField{}, false
	}
	sf := b.free[at]
	b.free = slices.Delete(slices.Clone(b.free), at, at+1)
	b.bound[fold(name)] = name
	return sf, true
}

// holds reports whether a field can hold what a parameter of another type lets through.
func holds(f, p *node) bool {
	switch p.kind {
	case intKind:
		return f.kind == intKind || f.kind == uintKind
	case listKind:
		return f.kind == listKind && holds(f.elem.node, p.elem.node)
	case mapKind:
		return f.kind == mapKind && holds(f.elem.node, p.elem.node)
	case objectKind, customKind, textKind:
		return f.typ == p.typ
	}
	return f.kind == p.kind
}
