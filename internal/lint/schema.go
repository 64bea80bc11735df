package lint

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// place is where a schema is against a rule.
type place struct {
	words string
	param string // that it belongs to; "" for none
}

// walker goes through a schema. Of what comes out only those rules are looked at that are
// about a client, since no model's API is sent it.
type walker struct {
	input  bool
	places map[Rule][]place
	levels int
}

// node is a subschema.
type node = map[string]any

func (w *walker) foundf(rule Rule, pointer, format string, args ...any) {
	if w.input || rule == BooleanSchema {
		w.places[rule] = append(w.places[rule], place{fmt.Sprintf(format, args...), paramOf(pointer)})
	}
}

// at is a place that its pointer alone says.
func (w *walker) at(rule Rule, pointer string) { w.foundf(rule, pointer, "%s", shown(pointer)) }

func shown(pointer string) string {
	if pointer == "" {
		return "its root"
	}
	return strconv.Quote(pointer)
}

var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// paramOf is the parameter that a pointer leads into.
func paramOf(pointer string) string {
	rest, is := strings.CutPrefix(pointer, "/properties/")
	if !is {
		return ""
	}
	name, _, _ := strings.Cut(rest, "/")
	return unescape.Replace(name)
}

var parameterName = regexp.MustCompile(fmt.Sprintf(`^[a-zA-Z0-9_.-]{1,%d}$`, maxParameter))

func (w *walker) root(document any) {
	root, is := document.(node)
	if !is {
		return
	}
	for _, keyword := range []string{"oneOf", "anyOf", "allOf", "enum", "not"} {
		if _, has := root[keyword]; has {
			w.foundf(RootCombinator, "", "%s", keyword)
		}
	}
	properties, has := root["properties"].(node)
	if !has {
		w.at(MissingProperties, "")
	}
	for _, name := range sorted(properties) {
		if !parameterName.MatchString(name) {
			w.foundf(ParameterName, join("/properties", name), "%q", name)
		}
	}
	w.schema(root, "", 1, true)
	if w.levels > maxLevels {
		w.foundf(SchemaDepth, "", "it has %d levels", w.levels)
	}
}

// schema looks at a subschema. It is whole where it alone says what a value is, rather than
// adding to what others say.
func (w *walker) schema(v any, pointer string, level int, whole bool) {
	s, is := v.(node)
	if !is {
		return
	}
	w.levels = max(w.levels, level)
	w.types(s, pointer, whole)
	w.parts(s, pointer, level+1, whole)
}

// types looks at what a subschema says of its type.
func (w *walker) types(s node, pointer string, whole bool) {
	if _, has := s["$ref"]; has {
		w.at(References, pointer)
		return
	}
	name, one := s["type"].(string)
	list, several := s["type"].([]any)
	branches := slices.Concat(all(s["anyOf"]), all(s["oneOf"]))
	switch {
	case several || slices.ContainsFunc(branches, isNull):
		w.at(TypeUnion, pointer)
	case !one && whole && len(branches)+len(all(s["allOf"])) == 0:
		w.at(MissingType, pointer)
	}
	if _, has := s["items"]; !has && (name == "array" || slices.Contains(list, any("array"))) {
		w.at(ArrayItems, pointer)
	}
	if values := all(s["enum"]); pointer != "" && len(values) > 0 && (one && name != "string" || slices.ContainsFunc(values, isNoString)) {
		w.at(EnumValues, pointer)
	}
}

func all(v any) []any {
	list, _ := v.([]any)
	return list
}

func isNull(branch any) bool {
	s, _ := branch.(node)
	return s["type"] == "null"
}

func isNoString(v any) bool {
	_, is := v.(string)
	return !is
}

// parts goes on with what a subschema consists of, which is as whole as itself.
func (w *walker) parts(s node, pointer string, level int, whole bool) {
	properties, _ := s["properties"].(node)
	for _, name := range sorted(properties) {
		at := join(pointer+"/properties", name)
		if _, boolean := properties[name].(bool); boolean {
			w.at(BooleanSchema, at)
		}
		w.schema(properties[name], at, level, whole)
	}
	for _, keyword := range []string{"items", "additionalProperties"} {
		w.schema(s[keyword], pointer+"/"+keyword, level, whole)
	}
	_, typed := s["type"]
	for _, keyword := range []string{"prefixItems", "anyOf", "oneOf", "allOf"} {
		alone := keyword == "prefixItems" || !typed && keyword != "allOf"
		for i, part := range all(s[keyword]) {
			w.schema(part, pointer+"/"+keyword+"/"+strconv.Itoa(i), level, whole && alone)
		}
	}
	for _, keyword := range []string{"$defs", "definitions"} {
		defs, _ := s[keyword].(node)
		for _, name := range sorted(defs) {
			w.schema(defs[name], join(pointer+"/"+keyword, name), level, true)
		}
	}
}

func sorted(s node) []string { return slices.Sorted(maps.Keys(s)) }

func join(pointer, name string) string {
	return pointer + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}
