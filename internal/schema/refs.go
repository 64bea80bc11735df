package schema

import (
	"fmt"
	"strconv"
	"strings"
)

// refs looks for references in a raw schema that lead outside, nowhere, or back to
// themselves without going into the value: such a schema never comes to an end.
type refs struct {
	root    any
	anchors map[string]any
	state   map[string]bool // by place: true while it is being looked at, false when done
}

// inPlace are the keywords whose schemas look at the value itself and not into it.
var inPlace = []string{"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"}

func checkRefs(root any) error {
	r := &refs{root: root, anchors: map[string]any{}, state: map[string]bool{}}
	r.collect(root)
	return r.everywhere(root, "#")
}

// collect finds the anchors.
func (r *refs) collect(v any) {
	_ = eachChild(v, "", func(_ string, child any) error {
		r.collect(child)
		return nil
	})
	if m, is := v.(map[string]any); is {
		for _, key := range []string{"$anchor", "$dynamicAnchor"} {
			if name, is := m[key].(string); is {
				r.anchors[name] = v
			}
		}
	}
}

// everywhere starts from each schema.
func (r *refs) everywhere(v any, place string) error {
	if err := r.follow(v, place); err != nil {
		return err
	}
	return eachChild(v, place, r.everywhereAt)
}

func (r *refs) everywhereAt(place string, v any) error { return r.everywhere(v, place) }

// follow goes along everything that looks at the same value.
func (r *refs) follow(v any, place string) error {
	m, is := v.(map[string]any)
	if !is {
		return nil
	}
	if open, seen := r.state[place]; seen {
		if open {
			return fmt.Errorf("the $ref at %s leads back to itself", place)
		}
		return nil
	}
	r.state[place] = true
	defer func() { r.state[place] = false }()
	for _, key := range []string{"$ref", "$dynamicRef"} {
		if ref, is := m[key].(string); is {
			target, at, err := r.resolve(ref)
			if err != nil {
				return fmt.Errorf("the %s at %s: %w", key, place, err)
			}
			if err := r.follow(target, at); err != nil {
				return err
			}
		}
	}
	for _, key := range inPlace {
		if err := eachChild(map[string]any{key: m[key]}, place, r.followAll); err != nil {
			return err
		}
	}
	return nil
}

// followAll follows a schema, or each of several.
func (r *refs) followAll(place string, v any) error {
	if list, is := v.([]any); is {
		return eachChild(list, place, func(at string, child any) error { return r.follow(child, at) })
	}
	if strings.HasSuffix(place, "/dependentSchemas") {
		return eachChild(v, place, func(at string, child any) error { return r.follow(child, at) })
	}
	return r.follow(v, place)
}

// resolve finds what a reference inside the schema leads to.
func (r *refs) resolve(ref string) (target any, place string, err error) {
	fragment, local := strings.CutPrefix(ref, "#")
	if !local {
		return nil, "", fmt.Errorf("%q leads outside the schema, which is never fetched", ref)
	}
	if fragment != "" && !strings.HasPrefix(fragment, "/") {
		if target, found := r.anchors[fragment]; found {
			return target, "anchor " + fragment, nil
		}
		return nil, "", fmt.Errorf("%q leads nowhere", ref)
	}
	target = r.root
	for step := range strings.SplitSeq(strings.TrimPrefix(fragment, "/"), "/") {
		if fragment == "" {
			break
		}
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		switch v := target.(type) {
		case map[string]any:
			target = v[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(v) {
				return nil, "", fmt.Errorf("%q leads nowhere", ref)
			}
			target = v[i]
		default:
			return nil, "", fmt.Errorf("%q leads nowhere", ref)
		}
	}
	if target == nil {
		return nil, "", fmt.Errorf("%q leads nowhere", ref)
	}
	return target, ref, nil
}

// eachChild visits the members of an object or the items of an array.
func eachChild(v any, place string, visit func(place string, child any) error) error {
	switch x := v.(type) {
	case map[string]any:
		for key, child := range x {
			if err := visit(place+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(key), child); err != nil {
				return err
			}
		}
	case []any:
		for i, child := range x {
			if err := visit(place+"/"+strconv.Itoa(i), child); err != nil {
				return err
			}
		}
	}
	return nil
}
