package schema

import (
	"reflect"
	"slices"
	"strings"
)

// structField is a Go field with the name that it has in JSON.
type structField struct {
	reflect.StructField
	name          string
	tagged        bool // the json tag gives the name
	options       []string
	index         []int
	behindPointer bool // of an embedded struct that may be nil
}

func (f *structField) has(option string) bool { return slices.Contains(f.options, option) }

// declares reports that the field has a tag that makes it a parameter.
func (f *structField) declares() bool {
	for _, key := range []string{"json", "jsonschema", "validate"} {
		if _, tagged := f.Tag.Lookup(key); tagged {
			return true
		}
	}
	return false
}

// catchesAll reports that the field takes the names that are no other field's.
func (f *structField) catchesAll() bool { return f.has("embed") }

// anyTagged reports that a json tag says of a struct that it is meant as it is.
func anyTagged(t reflect.Type) bool {
	for i := range t.NumField() {
		if _, tagged := t.Field(i).Tag.Lookup("json"); tagged {
			return true
		}
	}
	return false
}

// visibleFields are the fields that encoding/json sees: embedded structs are looked
// through; of several with one name the shallowest counts, then the tagged one, else none.
// Clashes are names that one struct gives twice, which is a mistake.
func visibleFields(t reflect.Type) (visible []structField, clashes []string) {
	all := make([]structField, 0, t.NumField())
	collect(t, &structField{}, map[reflect.Type]bool{}, &all)
	best := make(map[string]*structField, len(all))
	clash := make(map[string]bool)
	for i := range all {
		f := &all[i]
		b, taken := best[f.name]
		if taken && slices.Equal(f.index[:len(f.index)-1], b.index[:len(b.index)-1]) {
			clashes = append(clashes, f.name)
		}
		switch {
		case !taken, len(f.index) < len(b.index), len(f.index) == len(b.index) && f.tagged && !b.tagged:
			best[f.name] = f
			delete(clash, f.name)
		case len(f.index) == len(b.index) && f.tagged == b.tagged:
			clash[f.name] = true
		}
	}
	for i := range all {
		if f := &all[i]; best[f.name] == f && !clash[f.name] {
			visible = append(visible, *f)
		}
	}
	return visible, clashes
}

func collect(t reflect.Type, parent *structField, seen map[reflect.Type]bool, all *[]structField) {
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
		case embedded && f.outOfReach():
			f.name = "*" + f.Name // no other field's
			*all = append(*all, f)
		case embedded:
			f.behindPointer = f.behindPointer || f.Type.Kind() == reflect.Pointer
			collect(inner, &f, seen, all)
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
	if !f.Anonymous && !f.has("embed") || f.tagged || inner.Kind() != reflect.Struct || isOption(inner) {
		return nil, false
	}
	if reads, writes := methodsOf(inner); reads != plain || writes != plain || isKnown(inner) {
		return nil, false
	}
	return inner, true
}

// outOfReach reports that the field embeds a struct which other packages cannot allocate.
func (f *structField) outOfReach() bool {
	return f.Anonymous && !f.IsExported() && f.Type.Kind() == reflect.Pointer
}

// readTag reads the json tag and reports whether the field is left out.
func (f *structField) readTag() (skip bool) {
	tag := f.Tag.Get("json")
	if tag == "-" {
		return true
	}
	name, options, _ := strings.Cut(tag, ",")
	if rest, quoted := strings.CutPrefix(tag, "'"); quoted { // so that a comma may stand in it
		name, options, _ = strings.Cut(rest, "'")
	}
	f.name, f.tagged = name, name != ""
	if options != "" {
		f.options = strings.Split(options, ",")
	}
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
