package schema

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// loops finds references that lead nowhere, and those that lead back without going into
// the value: validation would never end.
func (c *schemaChecker) loops() error {
	v := refVisitor{places: c.places, done: map[string]bool{}, open: map[string]bool{}}
	for _, pointer := range slices.Sorted(maps.Keys(c.places)) {
		if err := v.visit(pointer); err != nil {
			return err
		}
	}
	return nil
}

type refVisitor struct {
	places     map[string]map[string]any
	done, open map[string]bool
}

func (v *refVisitor) visit(pointer string) error {
	s := v.places[pointer]
	switch {
	case s == nil || v.done[pointer]:
		return nil
	case v.open[pointer]:
		return fmt.Errorf("%s leads back to itself by references", shownPointer(strings.TrimPrefix(pointer, "#")))
	}
	v.open[pointer] = true
	if ref, is := s["$ref"].(string); is {
		to := referent(ref)
		if v.places[to] == nil {
			return fmt.Errorf("%s refers to %q, where there is no schema", shownPointer(strings.TrimPrefix(pointer, "#")), ref)
		}
		if err := v.visit(to); err != nil {
			return err
		}
	}
	for _, next := range inPlace(s, pointer) {
		if err := v.visit(next); err != nil {
			return err
		}
	}
	v.done[pointer] = true
	return nil
}

// referent is where a reference leads, as a key of places.
func referent(ref string) string {
	plain, err := url.PathUnescape(ref)
	if err != nil {
		return ref
	}
	return plain
}

// inPlace are the pointers of those subschemas that look at the same value.
func inPlace(s map[string]any, pointer string) (all []string) {
	for _, name := range []string{"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"} {
		below := pointer + "/" + name
		switch part := s[name].(type) {
		case []any:
			for i := range part {
				all = append(all, fmt.Sprintf("%s/%d", below, i))
			}
		case map[string]any:
			all = append(all, below)
			for key := range part {
				all = append(all, below+"/"+escapePointer(key))
			}
		}
	}
	return all
}
