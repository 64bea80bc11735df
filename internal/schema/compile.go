package schema

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

// compiler turns Go types into nodes and collects what is wrong with them.
type compiler struct {
	output   bool   // no rules: what is sent is not checked
	rules    *Rules // the app's own; nil for none
	problems []Problem
	nodes    map[reflect.Type]*node // of named types, so that each is compiled once
	open     map[reflect.Type]bool  // those that are being compiled
	said     jsonschema.Schema      // what the rule at hand says
}

func (c *compiler) failf(path, format string, args ...any) {
	c.problems = append(c.problems, Problem{path, fmt.Sprintf(format, args...)})
}

// compiledType is the tree of a type that declares itself.
type compiledType struct {
	slot     slot
	problems []Problem
}

// outputTypes keeps each type's *compiledType, so that it is compiled once.
var outputTypes sync.Map

// outputType compiles what is sent.
func outputType(t reflect.Type) *compiledType {
	if known, ok := outputTypes.Load(t); ok {
		return known.(*compiledType)
	}
	c := compiler{output: true}
	s := c.slot(t, "")
	known, _ := outputTypes.LoadOrStore(t, &compiledType{s, c.problems})
	return known.(*compiledType)
}

// slot compiles a place for a value.
func (c *compiler) slot(t reflect.Type, path string) slot {
	s := slot{typ: t}
	inner := t
	switch {
	case isOption(t):
		s.presence, s.option, inner = optional, optionOf(t), t.Field(1).Type
	case t.Kind() == reflect.Pointer:
		s.presence, inner = pointer, t.Elem()
	case t.Kind() == reflect.Slice, t.Kind() == reflect.Map, t.Kind() == reflect.Interface:
		s.presence = nilable
	}
	if inner != t && (isOption(inner) || inner.Kind() == reflect.Pointer) {
		c.failf(path, "has the type %s, which says absent in two ways; use one mo.Option or one pointer", t)
		inner = reflect.TypeFor[any]()
	}
	s.node = c.node(inner, path)
	return s
}

// node compiles t. A named type is compiled once; one that contains itself is referred to.
func (c *compiler) node(t reflect.Type, path string) *node {
	if n, known := c.nodes[t]; known {
		if c.open[t] {
			n.def = defName(t)
		}
		return n
	}
	n := &node{typ: t, zeroer: hasIsZero(t)}
	if t.Name() != "" && !isScalar(t.Kind()) {
		if c.nodes == nil {
			c.nodes, c.open = make(map[reflect.Type]*node), make(map[reflect.Type]bool)
		}
		c.nodes[t], c.open[t] = n, true
		defer delete(c.open, t)
	}
	if !c.special(n, path) {
		c.ordinary(n, path)
	}
	return n
}

// packagePath is what a type argument's name begins with.
var packagePath = regexp.MustCompile(`[^\[\],*]*[/.]`)

// defName is the type's name as it may stand in a reference. Where the types of its
// arguments come from is nobody's business.
func defName(t reflect.Type) string {
	name := packagePath.ReplaceAllString(t.Name(), "")
	return strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '_'
	}, name)
}

// ordinary compiles a type that travels as its Go kind says.
func (c *compiler) ordinary(n *node, path string) {
	switch t := n.typ; t.Kind() {
	case reflect.Bool:
		n.kind = boolKind
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n.kind = intKind
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n.kind = uintKind
	case reflect.Float32, reflect.Float64:
		n.kind = floatKind
	case reflect.String:
		n.kind = stringKind
	case reflect.Slice, reflect.Array:
		n.kind = listKind
		n.elem = c.slot(t.Elem(), path+"[]")
	case reflect.Struct:
		n.kind = objectKind
		c.object(n, path)
	default:
		c.dynamic(n, path)
	}
}

// dynamic compiles maps and interfaces, and refuses what cannot travel.
func (c *compiler) dynamic(n *node, path string) {
	n.kind = anyKind
	switch t := n.typ; {
	case t.Kind() == reflect.Interface && (t.NumMethod() == 0 || c.output):
	case t.Kind() == reflect.Interface:
		c.failf(path, "has the interface type %s, of which no value can be made; use a type of your own or any", t)
	case t.Kind() == reflect.Map && keyOf(t.Key()) != nil:
		n.kind, n.key = mapKind, keyOf(t.Key())
		n.elem = c.slot(t.Elem(), path+"[]")
	case t.Kind() == reflect.Map:
		c.failf(path, "is a map with keys of type %s, which are no names in JSON; use string keys", t.Key())
	default:
		c.failf(path, "has the type %s, which cannot travel as JSON; use a string, number, boolean, struct, slice or map", t)
	}
}

// visible are the fields of a struct that travel.
func (c *compiler) visible(t reflect.Type, path string) []structField {
	fields, clashes := visibleFields(t)
	for _, name := range clashes {
		c.failf(join(path, name), "is the name of two fields; rename one of them")
	}
	return slices.DeleteFunc(fields, func(f structField) bool { return c.withheld(&f) || !c.namesWell(&f, path) })
}

// namesWell reports embedded pointers that cannot be allocated, and names that a model could
// not send back.
func (c *compiler) namesWell(f *structField, path string) bool {
	switch {
	case f.outOfReach():
		if promoted, _ := visibleFields(f.Type.Elem()); len(promoted) > 0 {
			c.failf(join(path, f.Name), "embeds a pointer to the unexported %s, which cannot be allocated; embed it without the pointer, or export it", f.Type.Elem())
		}
		return false
	case !c.output && !readable(f.name):
		c.failf(join(path, f.Name), "has the name %q, which is not readable; give it one without blanks and control characters", f.name)
		return false
	}
	return true
}

// object compiles a struct's fields.
func (c *compiler) object(n *node, path string) {
	visible := c.visible(n.typ, path)
	if len(visible) == 0 && n.typ.NumField() > 0 && !anyTagged(n.typ) {
		c.failf(path, "has the type %s, whose fields are all unexported; export those that shall travel, or give it UnmarshalJSON and MarshalJSON", n.typ)
	}
	for _, sf := range visible {
		f := c.field(sf, join(path, sf.name))
		c.finish(f, join(path, sf.name))
		if !sf.catchesAll() {
			n.fields = append(n.fields, f)
			continue
		}
		if n.rest != nil || f.node.kind != mapKind || f.node.key.typ.Kind() != reflect.String {
			c.failf(join(path, sf.Name), "is embedded, but one map with string keys can catch all other names; give it a name")
			continue
		}
		n.rest = f
	}
	n.seal()
	c.resolve(n, path)
}

// field compiles one member of a struct.
func (c *compiler) field(sf structField, path string) *field {
	f := &field{name: sf.name, description: sf.Tag.Get("jsonschema"), index: sf.index, tagged: sf.tagged, slot: c.slot(sf.Type, path)}
	switch {
	case sf.has("omitzero"):
		f.omit = omitZero
	case sf.has("omitempty"):
		f.omit = omitEmpty
	}
	if sf.has("string") {
		c.quote(f, path)
	}
	f.required = f.presence != optional && f.presence != pointer && f.omit == never && !sf.behindPointer
	if tag := sf.Tag.Get("validate"); tag != "" && !c.output {
		c.apply(f, tag, path)
	}
	return f
}

// quote makes a number travel inside a string, as the json option "string" says.
func (c *compiler) quote(f *field, path string) {
	switch f.node.kind {
	case intKind, uintKind, floatKind:
		n := *f.node
		n.quoted = true
		f.node = &n
	default:
		c.failf(path, "has the json option string, which is for numbers; remove it")
	}
}

// manyFields is from how many on a map finds a field faster than a look at each.
const manyFields = 12

// seal numbers the fields and indexes their names.
func (n *node) seal() {
	for i, f := range n.fields {
		f.pos = i
		f.quotedName = append(quote(nil, f.name), ':')
	}
	if len(n.fields) < manyFields {
		return
	}
	n.byName = make(map[string]*field, len(n.fields))
	for _, f := range n.fields {
		n.byName[f.name] = f
	}
}

// find returns the field of that name, or nil.
func (n *node) find(name []byte) *field {
	if n.byName != nil {
		return n.byName[string(name)]
	}
	for _, f := range n.fields {
		if f.name == string(name) {
			return f
		}
	}
	return nil
}
