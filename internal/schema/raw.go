package schema

import (
	"bytes"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcpfusion/go/result"
)

// Raw is a JSON Schema from elsewhere, which jsonschema-go enforces.
type Raw struct {
	json     jsontext.Value
	resolved *jsonschema.Resolved
	places   map[string]map[string]any // by JSON pointer, each subschema
	mirrors  []Mirror
	defaults bool // properties have some
}

// NewRaw takes a schema verbatim. Its root must be an object; nothing outside is fetched.
func NewRaw(schema []byte) (*Raw, error) {
	r, err := parseSchema(schema)
	if err != nil {
		return nil, err
	}
	if r.resolved.Schema().Type != "object" {
		return nil, errors.New(`its root must have "type": "object"`)
	}
	if r.mirrors, err = mirrorsInRaw(r.places); err != nil {
		return nil, err
	}
	return r, nil
}

// parseSchema reads a schema and finds what clients or the validation would stumble over.
func parseSchema(text []byte) (*Raw, error) {
	if deeper(text) {
		return nil, fmt.Errorf("it is nested more than %d levels deep", maxDepth)
	}
	var document any
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("it is no JSON Schema: %w", err)
	}
	places, err := checkSchema(document)
	if err != nil {
		return nil, err
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, fmt.Errorf("it is no JSON Schema: %w", err)
	}
	resolved, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		return nil, fmt.Errorf("it is not usable: %w", err)
	}
	return &Raw{json: bytes.Clone(text), resolved: resolved, places: places, defaults: hasDefaults(places)}, nil
}

// JSON is the schema as it was given. It is shared: do not change it.
func (r *Raw) JSON() jsontext.Value { return r.json }

// Mirrors are the arguments that clients repeat in HTTP headers.
func (r *Raw) Mirrors() []Mirror { return r.mirrors }

// Validate checks arguments against the schema. Absent and null ones are an empty object.
// The library stops at the first problem; those of other arguments are found by leaving
// the wrong ones out one after the other.
func (r *Raw) Validate(args jsontext.Value) []result.Field {
	if trimmed := bytes.TrimSpace(args); len(trimmed) == 0 || string(trimmed) == "null" {
		args = emptyObject
	}
	if deeper(args) {
		return []result.Field{{Problem: "is nested too deeply", Expected: "at most " + strconv.Itoa(maxDepth) + " levels"}}
	}
	var v any
	if err := json.Unmarshal(args, &v, exactNumbers); err != nil {
		return []result.Field{{Problem: "is not valid JSON", Expected: "one JSON object, each name once, each number in range", Received: excerpt(args)}}
	}
	object, is := v.(map[string]any)
	if !is {
		return []result.Field{{Problem: "has the wrong type", Expected: "an object", Received: excerpt(args)}}
	}
	return r.problems(object)
}

func (r *Raw) problems(object map[string]any) (problems []result.Field) {
	for len(problems) < maxProblems {
		err := r.resolved.Validate(object)
		if err == nil {
			break
		}
		e := parseRawError(err)
		wrong := e.arguments(object)
		if len(wrong) == 0 && len(problems) > 0 {
			break // it may be about what was left out
		}
		problems = append(problems, e.fields(object, r.places["#"+e.pointer])...)
		if len(wrong) == 0 {
			break
		}
		for _, name := range wrong {
			delete(object, name)
		}
	}
	slices.SortStableFunc(problems, func(a, b result.Field) int { return strings.Compare(a.Path, b.Path) })
	return problems[:min(len(problems), maxProblems)]
}

// arguments are those that the error lies in.
func (e *rawError) arguments(object map[string]any) []string {
	if len(e.steps) == 0 {
		return e.names(unexpectedForm)
	}
	if _, is := object[e.steps[0]]; is {
		return e.steps[:1]
	}
	return nil
}
