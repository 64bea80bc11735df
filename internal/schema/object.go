package schema

import (
	"reflect"
	"slices"
	"strings"
)

// manyFields is from how many on a map finds a field faster than a look at each.
const manyFields = 12

// object compiles a struct.
func (c *compiler) object(n *node, path string) {
	n.kind = objectKind
	fields, clashes := visibleFields(n.typ)
	for _, name := range clashes {
		c.failf(join(path, name), "is the name of two fields; rename one of them")
	}
	for _, sf := range fields {
		n.fields = append(n.fields, c.field(sf, join(path, sf.name)))
	}
	n.seal()
}

// seal numbers the fields and indexes their names.
func (n *node) seal() {
	for i, f := range n.fields {
		f.pos = i
	}
	if len(n.fields) < manyFields {
		return
	}
	n.byName = make(map[string]int, len(n.fields))
	for i, f := range n.fields {
		n.byName[f.name] = i
	}
}

// find returns the field of that name, or nil.
func (n *node) find(name []byte) *field {
	if n.byName != nil {
		if i, found := n.byName[string(name)]; found {
			return n.fields[i]
		}
		return nil
	}
	for _, f := range n.fields {
		if f.name == string(name) {
			return f
		}
	}
	return nil
}

// field compiles one member of a struct.
func (c *compiler) field(sf structField, path string) *field {
	f := &field{name: sf.name, description: sf.Tag.Get("jsonschema"), index: sf.index, slot: c.slot(sf.Type, path)}
	switch {
	case slices.Contains(sf.options, "omitzero"):
		f.omit = omitZero
	case slices.Contains(sf.options, "omitempty"):
		f.omit = omitEmpty
	}
	f.required = f.presence != optional && f.presence != pointer && f.omit == never && !sf.behindPointer
	if tag := sf.Tag.Get("validate"); tag != "" && !c.output {
		c.apply(f, tag, path)
	}
	return f
}

// structField is a Go field with the name that it has in JSON.
type structField struct {
	reflect.StructField
	name          string
	tagged        bool // the json tag gives the name
	options       []string
	index         []int
	behindPointer bool // of an embedded struct that may be nil
}

// declares reports that the field has a tag that makes it a parameter.
func (f *structField) declares() bool {
	for _, key := range []string{"json", "jsonschema", "validate"} {
		if _, tagged := f.Tag.Lookup(key); tagged {
			return true
		}
	}
	return false
}

// visibleFields are the fields that encoding/json sees: embedded structs are looked
// through; of several with one name the shallowest counts, then the tagged one, else none.
// Names that one struct gives twice are a mistake.
func visibleFields(t reflect.Type) (fields []structField, clashes []string) {
	var all []structField
	collect(t, structField{}, map[reflect.Type]bool{}, &all)
	best := make(map[string]structField, len(all))
	clash := make(map[string]bool)
	for _, f := range all {
		b, taken := best[f.name]
		switch {
		case !taken, len(f.index) < len(b.index), len(f.index) == len(b.index) && f.tagged && !b.tagged:
			best[f.name], clash[f.name] = f, false
		case len(f.index) == len(b.index) && f.tagged == b.tagged:
			clash[f.name] = true
			if len(f.index) == 1 {
				clashes = append(clashes, f.name)
			}
		}
	}
	return slices.DeleteFunc(all, func(f structField) bool {
		return clash[f.name] || !slices.Equal(best[f.name].index, f.index)
	}), clashes
}

func collect(t reflect.Type, parent structField, seen map[reflect.Type]bool, all *[]structField) {
	if seen[t] {
		return
	}
	seen[t] = true
	defer delete(seen, t)
	for i := range t.NumField() {
		f := structField{StructField: t.Field(i), behindPointer: parent.behindPointer}
		f.index = append(slices.Clone(parent.index), i)
		skip := f.readTag()
		switch inner, embedded := f.embeds(); {
		case skip:
		case embedded:
			f.behindPointer = f.behindPointer || f.Type.Kind() == reflect.Pointer
			collect(inner, f, seen, all)
		case f.IsExported():
			*all = append(*all, f)
		}
	}
}

// embeds returns the struct whose fields are promoted, if the field embeds one.
func (f *structField) embeds() (reflect.Type, bool) {
	inner := f.Type
	if inner.Kind() == reflect.Pointer {
		inner = inner.Elem()
	}
	if !f.Anonymous || f.tagged || inner.Kind() != reflect.Struct || isOption(inner) {
		return nil, false
	}
	if _, special := specialKind(inner); special {
		return nil, false
	}
	return inner, f.IsExported() || f.Type.Kind() != reflect.Pointer
}

// readTag reads the json tag and reports whether the field is left out.
func (f *structField) readTag() (skip bool) {
	tag := f.Tag.Get("json")
	if tag == "-" {
		return true
	}
	name, options, _ := strings.Cut(tag, ",")
	f.name, f.tagged, f.options = strings.Trim(name, "'"), name != "", strings.Split(options, ",")
	if !f.tagged {
		f.name = snake(f.Name)
	}
	return false
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
