package builder

import (
	"encoding/json/jsontext"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpfusion/go/internal/schema"
)

// template is a resource's URI, or a template of level 1 of RFC 6570: literals and simple
// variables like {id}.
type template struct {
	pattern   *regexp.Regexp
	variables []string
	shape     string // the URI without the names of its variables
}

var variableName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

// parseTemplate reads a URI as it is declared.
func parseTemplate(uri string) (*template, error) {
	if !utf8.ValidString(uri) {
		return nil, errors.New("is no valid UTF-8; percent-encode it")
	}
	t := &template{}
	rest := uri
	var pattern, shape strings.Builder
	for {
		literal, after, more := strings.Cut(rest, "{")
		if strings.Contains(literal, "}") {
			return nil, errors.New("has a } without a {")
		}
		if len(t.variables) > 0 && literal == "" && more {
			return nil, errors.New("has two variables side by side; put a character between them")
		}
		pattern.WriteString(regexp.QuoteMeta(literal))
		shape.WriteString(literal)
		if !more {
			break
		}
		name, behind, closed := strings.Cut(after, "}")
		if err := t.add(name, closed); err != nil {
			return nil, err
		}
		pattern.WriteString("([^/?#]+)")
		shape.WriteString("{}")
		rest = behind
	}
	t.pattern, t.shape = regexp.MustCompile("^"+pattern.String()+"$"), shape.String()
	return t, checkURI(strings.ReplaceAll(t.shape, "{}", "x"))
}

// params declare the variables as strings, for a handler without a struct.
func (t *template) params() []schema.Param {
	if t == nil {
		return nil
	}
	params := make([]schema.Param, len(t.variables))
	for i, v := range t.variables {
		params[i] = typed[string](v, "", nil)
	}
	return params
}

func (t *template) add(name string, closed bool) error {
	switch {
	case !closed:
		return errors.New("has a { without a }")
	case !variableName.MatchString(name):
		return fmt.Errorf("has the variable {%s}; only simple ones like {order_id} can be matched", name)
	case slices.Contains(t.variables, name):
		return fmt.Errorf("has the variable {%s} twice; rename one of them", name)
	}
	t.variables = append(t.variables, name)
	return nil
}

func checkURI(uri string) error {
	if strings.ContainsFunc(uri, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return errors.New("has a blank or a control character; percent-encode it")
	}
	if u, err := url.Parse(uri); err != nil || !u.IsAbs() {
		return errors.New(`is no absolute URI; write it like "orders://recent"`)
	}
	return nil
}

// match reads the variables of a URI into a JSON object under names, which are the fields
// that they bind to.
func (t *template) match(uri string, names []string) (jsontext.Value, bool) {
	found := t.pattern.FindStringSubmatch(uri)
	if found == nil {
		return nil, false
	}
	object := []byte{'{'}
	for i, raw := range found[1:] {
		value, err := url.PathUnescape(raw)
		if err != nil || !contained(value) {
			return nil, false
		}
		if i > 0 {
			object = append(object, ',')
		}
		object, _ = jsontext.AppendQuote(object, names[i])
		object = append(object, ':')
		if object, err = jsontext.AppendQuote(object, value); err != nil {
			return nil, false
		}
	}
	return append(object, '}'), true
}

// contained reports that a value, used as a path, cannot leave the folder it is used in.
func contained(value string) bool {
	if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return false
	}
	segments := strings.FieldsFunc(value, func(r rune) bool { return r == '/' || r == '\\' })
	return !strings.HasPrefix(value, "/") && !strings.HasPrefix(value, `\`) &&
		!slices.Contains(segments, "..") && !slices.Contains(segments, ".")
}

// bind finds for each variable the field that it goes to. What is left over is told.
func (t *template) bind(fields []string) (names, problems []string) {
	fold := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }
	for _, v := range t.variables {
		at := slices.IndexFunc(fields, func(f string) bool { return fold(f) == fold(v) })
		if at < 0 {
			problems = append(problems, fmt.Sprintf("the variable {%s} has no field in the handler's input struct; add one", v))
			continue
		}
		names = append(names, fields[at])
	}
	for _, f := range fields {
		if !slices.ContainsFunc(t.variables, func(v string) bool { return fold(f) == fold(v) }) {
			problems = append(problems, fmt.Sprintf("the handler takes %q, but the URI has no variable {%s}; remove one of them", f, f))
		}
	}
	return names, problems
}
