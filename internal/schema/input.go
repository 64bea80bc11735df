package schema

import (
	"bytes"
	"encoding/json/jsontext"
	"reflect"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcpfusion/go/result"
)

// Param is a parameter that a With method declares.
type Param struct {
	Name        string // as on the wire
	Description string // byte for byte
	Type        reflect.Type
	Enum        []string // the legal values of a string, or of a list's strings; nil for any
	Optional    bool
	Rules       []string // in validator's tag language

	model reflect.Type // that it is a field of; nil for none
}

// Config changes how arguments are taken.
type Config struct {
	// Lenient lets unknown arguments pass. Objects inside arguments stay strict.
	Lenient bool
	// Coerce takes strings for the numbers, booleans, lists and objects that they spell,
	// once the arguments as they are proved wrong.
	Coerce bool
	// Rules are the app's own; nil for none.
	Rules *Rules
}

// Input is what a tool takes. It is safe for concurrent use.
type Input struct {
	root    *node
	schema  *jsonschema.Schema
	json    jsontext.Value
	mirrors []Mirror
	config  Config
}

// inputs keeps the *Input of each type that declares itself, by inputKey, so that it is
// compiled once.
var inputs sync.Map

type inputKey struct {
	typ reflect.Type
	cfg Config
}

// NewInput compiles what a tool takes: the declared params and the struct that they bind
// to. Without params the struct is the declaration. A nil in means that the arguments go
// to a map of values. A map takes any names, and an any is a map[string]any. All problems
// are returned at once.
func NewInput(in reflect.Type, params []Param, cfg Config) (*Input, []Problem) {
	switch {
	case in == nil, in.Kind() == reflect.Struct:
	case len(params) > 0:
		return nil, noObject(in)
	case in == reflect.TypeFor[any]():
		in = reflect.TypeFor[map[string]any]()
	}
	if in == nil || len(params) > 0 {
		root, problems := bind(in, params, cfg.Rules)
		return newInput(root, problems, cfg)
	}
	key := inputKey{in, cfg}
	if known, ok := inputs.Load(key); ok {
		return known.(*Input), nil
	}
	c := compiler{rules: cfg.Rules}
	root := c.slot(in, "").node
	switch root.kind {
	case objectKind:
	case mapKind:
		root = openObject(root)
	default:
		return nil, noObject(in)
	}
	i, problems := newInput(root, c.problems, cfg)
	if len(problems) > 0 {
		return nil, problems
	}
	if cfg.Rules != nil { // they end with their app
		return i, nil
	}
	known, _ := inputs.LoadOrStore(key, i)
	return known.(*Input), nil
}

// openObject is an object without names of its own, all of whose members go to a map.
func openObject(m *node) *node {
	place := slot{typ: m.typ, presence: nilable, node: m}
	return &node{typ: m.typ, kind: objectKind, rest: &field{slot: place}}
}

func noObject(in reflect.Type) []Problem {
	if in.Kind() == reflect.Struct {
		return []Problem{{"", "takes a " + in.String() + ", which reads its JSON in a way of its own, but arguments are an object; put it into a field of a struct"}}
	}
	return []Problem{{"", "takes a " + in.String() + ", but arguments are an object; use a struct, fusion.Args or fusion.NoInput"}}
}

func newInput(root *node, problems []Problem, cfg Config) (*Input, []Problem) {
	if len(problems) > 0 {
		return nil, problems
	}
	s, text, err := rootOf(root, cfg.Lenient, false)
	if err != nil {
		return nil, []Problem{{"", "cannot be described: " + err.Error()}}
	}
	mirrors, problems := mirrorsIn(text)
	if len(problems) > 0 {
		return nil, problems
	}
	return &Input{root: root, schema: s, json: text, mirrors: mirrors, config: cfg}, nil
}

// Schema is the input's schema, as a copy.
func (i *Input) Schema() *jsonschema.Schema { return i.schema.CloneSchemas() }

// JSON is the schema as it travels. It is shared: do not change it.
func (i *Input) JSON() jsontext.Value { return i.json }

// Mirrors are the arguments that clients repeat in HTTP headers.
func (i *Input) Mirrors() []Mirror { return i.mirrors }

var emptyObject = []byte("{}")

// begin starts reading arguments; absent and null ones are an empty object.
func begin(args jsontext.Value) *decoder {
	if trimmed := bytes.TrimSpace(args); len(trimmed) == 0 || string(trimmed) == "null" {
		args = emptyObject
	}
	return decoderOf(args)
}

// Decode reads arguments into dst, which must be settable, of the input's type, and zero.
// The value is good only if there are no problems. Nothing of it refers to args.
func (i *Input) Decode(args jsontext.Value, dst reflect.Value) []result.Field {
	if dst.Kind() == reflect.Interface {
		m := reflect.New(i.root.typ).Elem()
		defer func() { dst.Set(m) }()
		return i.Decode(args, m)
	}
	problems := i.read(args, target{dst: dst}, false)
	if len(problems) == 0 || !i.config.Coerce {
		return problems
	}
	dst.SetZero()
	return i.read(args, target{dst: dst}, true)
}

// read reads arguments once.
func (i *Input) read(args jsontext.Value, to target, coerce bool) []result.Field {
	d := begin(args)
	d.coerce = coerce
	d.object(i.root, to, i.config.Lenient)
	return d.finish()
}

// DecodeMap reads arguments into a map, for an input without a struct. Absent ones without
// a default are not in it.
func (i *Input) DecodeMap(args jsontext.Value) (map[string]any, []result.Field) {
	to := target{values: make(map[string]reflect.Value, len(i.root.fields))}
	problems := i.read(args, to, false)
	if len(problems) > 0 && i.config.Coerce {
		clear(to.values)
		problems = i.read(args, to, true)
	}
	values := make(map[string]any, len(to.values))
	for name, v := range to.values {
		values[name] = v.Interface()
	}
	return values, problems
}
