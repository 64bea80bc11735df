package schema

import (
	"encoding/json/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpfusion/go/result"
)

// found are the problems that one error of the library tells of, and the arguments that
// they lie in.
type found struct {
	fields []result.Field
	names  []string
}

// problemsOf makes words for a model of an error such as
//
//	validating root: validating /properties/a/items: type: 5 has type "integer", want "string"
func problemsOf(err error, object map[string]any) found {
	text := strings.TrimPrefix(err.Error(), "validating root: ")
	at, message := "", text
	for {
		where, rest, more := strings.Cut(message, ": ")
		pointer, is := strings.CutPrefix(where, "validating /")
		if !is || !more {
			break
		}
		at, message = follow(at, "/"+pointer), rest
	}
	name, path := instancePath(at)
	if names, is := unexpectedNames(message); is && at == "" {
		return unexpected(names, object)
	}
	if names, is := missingNames(message); is {
		return found{fields: missing(path, names), names: present(name, object)}
	}
	field := result.Field{Path: path, Problem: "does not match the schema", Expected: excerptLine(message)}
	if v, is := object[name]; is {
		b, _ := json.Marshal(v, json.Deterministic(true))
		field.Received = excerpt(b)
	}
	return found{fields: []result.Field{field}, names: present(name, object)}
}

func present(name string, object map[string]any) []string {
	if _, is := object[name]; is && name != "" {
		return []string{name}
	}
	return nil
}

// follow is the way through the schema after one more step. A step that does not go on
// from the last one went through a reference.
func follow(at, pointer string) string {
	if strings.HasPrefix(pointer, at+"/") || at == "" {
		return pointer
	}
	if strings.HasPrefix(pointer, "/$defs/") || strings.HasPrefix(pointer, "/definitions/") {
		parts := strings.SplitN(pointer, "/", 4)
		if len(parts) == 4 {
			return at + "/" + parts[3]
		}
	}
	return at
}

// instancePath is the argument and the path that a way through the schema leads to. Of
// lists it cannot say which item.
func instancePath(pointer string) (name, path string) {
	parts := strings.Split(pointer, "/")
	for i := 1; i < len(parts); i++ {
		switch parts[i] {
		case "properties":
			if i+1 < len(parts) {
				i++
				step := strings.NewReplacer("~1", "/", "~0", "~").Replace(parts[i])
				if path == "" {
					name = step
				}
				path = join(path, excerpt(step))
			}
		case "items", "prefixItems", "contains":
			path += "[]"
		}
	}
	return name, path
}

var (
	unexpectedForm = regexp.MustCompile(`^unexpected additional properties (\[.*\])$`)
	missingForm    = regexp.MustCompile(`missing properties:? (\[.*\])$`)
	quotedForm     = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
)

func unexpectedNames(message string) ([]string, bool) { return listedNames(unexpectedForm, message) }
func missingNames(message string) ([]string, bool)    { return listedNames(missingForm, message) }

func listedNames(form *regexp.Regexp, message string) (names []string, is bool) {
	match := form.FindStringSubmatch(message)
	if match == nil {
		return nil, false
	}
	for _, quoted := range quotedForm.FindAllString(match[1], -1) {
		if name, err := strconv.Unquote(quoted); err == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, len(names) > 0
}

func unexpected(names []string, object map[string]any) found {
	f := found{names: names}
	for _, name := range names {
		b, _ := json.Marshal(object[name], json.Deterministic(true))
		f.fields = append(f.fields, result.Field{Path: excerpt(name), Problem: "is not known here", Received: excerpt(b)})
	}
	return f
}

func missing(path string, names []string) (fields []result.Field) {
	for _, name := range names {
		fields = append(fields, result.Field{Path: join(path, name), Problem: "is missing"})
	}
	return fields
}

// excerptLine bounds a message of the library.
func excerptLine(message string) string {
	const most = 200
	message = strings.ReplaceAll(message, "\n", " ")
	if len(message) > most {
		message = strings.ToValidUTF8(message[:most], "") + "…"
	}
	return strings.ToValidUTF8(message, "\uFFFD")
}
