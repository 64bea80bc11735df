package schema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// A model is a struct that says in the tag fusion of each field which inputs take it: the
// profiles, such as `fusion:"create,update?"`, where "?" makes it optional. The word hidden
// keeps a field out of every output, the word guarded out of every input.

const (
	hiddenWord  = "hidden"
	guardedWord = "guarded"
)

// marks are the words of a field's fusion tag.
func (f *structField) marks() []string {
	tag := f.Tag.Get("fusion")
	if tag == "" {
		return nil
	}
	words := strings.Split(tag, ",")
	for i := range words {
		words[i] = strings.TrimSpace(words[i])
	}
	return words
}

// withheld reports that a field does not travel in this direction.
func (c *compiler) withheld(f *structField) bool {
	if c.output {
		return slices.Contains(f.marks(), hiddenWord)
	}
	return slices.Contains(f.marks(), guardedWord)
}

// Model are the fields of a struct that have a profile, as parameters. Only, if there are
// any, names those of them that are wanted.
func Model(t reflect.Type, profile string, only ...string) ([]Param, []Problem) {
	if t.Kind() != reflect.Struct {
		return nil, []Problem{{"", fmt.Sprintf("is a %s, but a model is a struct", t)}}
	}
	c := compiler{}
	var params []Param
	wanted := slices.Clone(only)
	for _, sf := range c.visible(t, "") {
		optional, has := sf.inProfile(profile)
		at := slices.Index(wanted, sf.name)
		if !has || len(only) > 0 && at < 0 {
			continue
		}
		if at >= 0 {
			wanted = slices.Delete(wanted, at, at+1)
		}
		params = append(params, c.modelParam(sf, t, optional))
	}
	for _, name := range wanted {
		c.failf(name, "is no field of %s with the profile %q; give it the profile, or remove the name", t, profile)
	}
	if len(params) == 0 && len(c.problems) == 0 {
		c.failf("", "no field of %s has the profile %q; add it to the tags, like `fusion:%q`", t, profile, profile)
	}
	return params, c.problems
}

// inProfile reports whether a profile has the field, and whether it is optional there.
func (f *structField) inProfile(profile string) (optional, has bool) {
	marks := f.marks()
	if slices.Contains(marks, profile) {
		return false, true
	}
	return true, slices.Contains(marks, profile+"?")
}

func (c *compiler) modelParam(sf structField, model reflect.Type, optional bool) Param {
	p := Param{Name: sf.name, Description: sf.Tag.Get("jsonschema"), Type: sf.Type, model: model}
	if tag := sf.Tag.Get("validate"); tag != "" {
		p.Rules = []string{tag}
	}
	absent := isOption(sf.Type) || sf.Type.Kind() == reflect.Pointer
	p.Optional = optional || absent || sf.has("omitempty") || sf.has("omitzero") || sf.behindPointer
	return p
}

// ofModel reports that a field belongs to a model whose parameters are declared: what the
// profile leaves out is then no parameter.
func (b *binder) ofModel(sf *structField) bool {
	owner := b.in
	for _, i := range sf.index[:len(sf.index)-1] {
		if owner = owner.Field(i).Type; owner.Kind() == reflect.Pointer {
			owner = owner.Elem()
		}
	}
	return slices.Contains(b.models, owner)
}
