package schema

import (
	"bytes"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"fmt"
	"maps"
	"net/textproto"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Mirror is an argument that clients repeat in an HTTP header, see
// basic/transports/streamable-http of revision 2026-07-28.
type Mirror struct {
	Header string   // in canonical form
	Path   []string // the names that lead to the argument
}

// mirrorKeyword marks a property as one that is mirrored, and gives the end of the
// header's name.
const mirrorKeyword = "x-mcp-header"

// mirrored is the rule header. It demands nothing of a value; whether it may stand where
// it does shows only in the whole schema, see [mirrorsOf].
func mirrored(_ *node, name string) (rule, error) {
	return rule{write: func(s *jsonschema.Schema) { s.Extra = map[string]any{mirrorKeyword: name} }}, nil
}

// mirrorsIn finds the mirrors of a schema that a tree wrote. One without any is not read.
func mirrorsIn(text jsontext.Value) ([]Mirror, []Problem) {
	if !bytes.Contains(text, []byte(`"`+mirrorKeyword+`"`)) {
		return nil, nil
	}
	var document any
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, []Problem{{"", "cannot be read back: " + err.Error()}}
	}
	places, err := checkSchema(document)
	if err != nil {
		return nil, []Problem{{"", "cannot be described: " + err.Error()}}
	}
	all, wrong := mirrorsOf(places)
	problems := make([]Problem, len(wrong))
	for i, m := range wrong {
		problems[i] = Problem{m.path(), m.problem}
	}
	return all, problems
}

// mirrorsInRaw finds the mirrors of a raw schema. Like others, its problems are told one at
// a time.
func mirrorsInRaw(places map[string]map[string]any) ([]Mirror, error) {
	all, wrong := mirrorsOf(places)
	if len(wrong) > 0 {
		return nil, fmt.Errorf("%s %s", shownPointer(wrong[0].pointer), wrong[0].problem)
	}
	return all, nil
}

// misplaced is a mark for which clients would drop the tool.
type misplaced struct{ pointer, problem string }

// path is the pointer as the path of a value.
func (m misplaced) path() string {
	path := ""
	steps := strings.Split(m.pointer, "/")
	for i := 1; i < len(steps); i++ {
		switch steps[i] {
		case "properties", "$defs":
			i++
			path = join(path, pointerName.Replace(steps[i]))
		case "items", "additionalProperties", "propertyNames":
			path += "[]"
		}
	}
	return path
}

// pointerName undoes [escapePointer].
var pointerName = strings.NewReplacer("~1", "/", "~0", "~")

// mirrorsOf finds the mirrors among the subschemas of a schema, in a fixed order.
func mirrorsOf(places map[string]map[string]any) (all []Mirror, wrong []misplaced) {
	taken := make(map[string]string) // by header, the place
	for _, place := range slices.Sorted(maps.Keys(places)) {
		mark, marked := places[place][mirrorKeyword]
		if !marked {
			continue
		}
		pointer := strings.TrimPrefix(place, "#")
		path, reached := propertyPath(pointer)
		if problem := mirrorProblem(mark, places[place]["type"], reached); problem != "" {
			wrong = append(wrong, misplaced{pointer, problem})
			continue
		}
		header := textproto.CanonicalMIMEHeaderKey("Mcp-Param-" + mark.(string))
		if first, twice := taken[header]; twice {
			wrong = append(wrong, misplaced{pointer, fmt.Sprintf("has the header %q, as %q has; case makes no difference, so rename one of them", mark, first)})
			continue
		}
		taken[header] = strings.Join(path, ".")
		all = append(all, Mirror{header, path})
	}
	return all, wrong
}

// mirrorProblem says why a mark makes the tool one that clients drop; "" if it does not.
func mirrorProblem(mark, jsonType any, reached bool) string {
	name, is := mark.(string)
	switch {
	case !is || !isToken(name):
		return fmt.Sprintf(`has the header %s, which is no name of a header; use letters, digits and hyphens, such as "Region"`, excerptOf(mark))
	case !reached:
		return fmt.Sprintf("has the header %q, but clients find only properties, not what is in arrays, maps, combinations, or types that contain themselves; remove the header", name)
	case jsonType == "string" || jsonType == "integer" || jsonType == "boolean":
		return ""
	case jsonType == nil:
		return fmt.Sprintf("has the header %q but no type; give it the type string, integer or boolean", name)
	}
	return fmt.Sprintf("has the header %q but the type %s; headers are for one of string, integer and boolean, so change the type or remove the header", name, excerptOf(jsonType))
}

// propertyPath are the names on the way to a subschema, if the way goes through properties
// alone.
func propertyPath(pointer string) (path []string, reached bool) {
	steps := strings.Split(pointer, "/")[1:]
	for i := 0; i < len(steps); i += 2 {
		if steps[i] != "properties" {
			return nil, false
		}
		path = append(path, pointerName.Replace(steps[i+1]))
	}
	return path, len(path) > 0
}

// isToken reports whether text may be the name of a header, see section 5.6.2 of RFC 9110.
func isToken(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		return !letter && (r < '0' || r > '9') && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	})
}

// SafeInteger reports of a JSON number whether it is whole, as 42.0 is, and whether every
// reader takes it for the same integer.
func SafeInteger(number []byte) (whole, safe bool) {
	const most = 1<<53 - 1
	w, whole := wholeOf(number)
	n, fits := w.int64()
	return whole, whole && fits && n >= -most && n <= most
}

// SameNumber reports exactly whether two JSON numbers are equal: 42.0 is 42.
func SameNumber(a, b []byte) bool {
	negativeA, negativeB := a[0] == '-', b[0] == '-'
	mantissaA, pointA := decimal(bytes.TrimPrefix(a, []byte{'-'}))
	mantissaB, pointB := decimal(bytes.TrimPrefix(b, []byte{'-'}))
	if !bytes.Equal(mantissaA, mantissaB) {
		return false
	}
	return len(mantissaA) == 0 || pointA == pointB && negativeA == negativeB
}
