package schema

import (
	"encoding/json/jsontext"
	"errors"
	"reflect"
	"sync"
)

// Output is what a tool returns: how it is written and its schema. It is safe for
// concurrent use.
type Output struct {
	root    slot
	wrapped bool
	json    jsontext.Value
}

// outputs keeps the *Output of each type.
var outputs sync.Map

// NewOutput compiles a result type, once.
func NewOutput(t reflect.Type) (*Output, error) {
	if known, ok := outputs.Load(t); ok {
		return known.(*Output), nil
	}
	c := outputType(t)
	if len(c.problems) > 0 {
		return nil, errors.New(c.problems[0].String())
	}
	o, err := newOutput(c.slot)
	if err != nil {
		return nil, err
	}
	known, _ := outputs.LoadOrStore(t, o)
	return known.(*Output), nil
}

func newOutput(root slot) (*Output, error) {
	n := root.node
	o := &Output{root: root, wrapped: n.kind != objectKind && n.kind != mapKind}
	if o.wrapped {
		n = &node{kind: objectKind, fields: []*field{{slot: root, name: "result", required: true}}}
	}
	_, text, err := rootOf(n, false, true)
	o.json = text
	return o, err
}

// JSON is the schema of the data, an object. It is shared: do not change it.
func (o *Output) JSON() jsontext.Value { return o.json }

// Wrapped reports that the data travels as {"result": …}, since it is no object.
func (o *Output) Wrapped() bool { return o.wrapped }

// Append appends the data as JSON. Map keys are sorted; nil slices and maps are empty ones,
// and a nil pointer that must have a value is the zero value. An error says that the data
// cannot be sent: a number that is not finite, a marshaler that failed, or a value that
// contains itself; what was appended is then of no use.
func (o *Output) Append(dst []byte, v reflect.Value) ([]byte, error) {
	if !o.wrapped {
		return o.root.append(dst, v, 0)
	}
	dst, err := o.root.append(append(dst, `{"result":`...), v, 0)
	return append(dst, '}'), err
}
