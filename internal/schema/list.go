package schema

import (
	"encoding/json/jsontext"
	"errors"
	"reflect"
	"strconv"
)

// List is how several values of one output travel: as {"items":[…],"shown":n,"total":m},
// and as a page with "nextCursor" too, unless it is the last. It is safe for concurrent use.
type List struct {
	item slot
	json jsontext.Value
}

// NewList compiles a list of values that travel as item does.
func NewList(item *Output, paged bool) (*List, error) {
	count := slot{typ: uintType, node: &node{typ: uintType, kind: uintKind}}
	items := reflect.SliceOf(item.root.typ)
	fields := []*field{
		{name: "items", required: true, typ: items, node: &node{typ: items, kind: listKind, elem: item.root}},
		{name: "shown", required: true, slot: count},
		{name: "total", required: true, slot: count},
	}
	if paged {
		cursor := slot{typ: stringType, node: &node{typ: stringType, kind: stringKind}}
		fields = append(fields, &field{name: "nextCursor", slot: cursor, description: "Leads to the next page; absent on the last"})
	}
	_, text, err := rootOf(&node{kind: objectKind, fields: fields}, false, true)
	if err != nil {
		return nil, err
	}
	return &List{item.root, text}, nil
}

var (
	uintType   = reflect.TypeFor[uint]()
	stringType = reflect.TypeFor[string]()
)

// JSON is the schema of the data, an object. It is shared: do not change it.
func (l *List) JSON() jsontext.Value { return l.json }

var errCounts = errors.New("there are fewer values in total than are shown")

// Append appends the items, of which there are total elsewhere. An empty next is none.
func (l *List) Append(dst []byte, items []reflect.Value, total int, next string) (_ []byte, err error) {
	if total < len(items) {
		return dst, errCounts
	}
	dst = append(dst, `{"items":[`...)
	for i, v := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = l.item.append(dst, v, 0); err != nil {
			return dst, err
		}
	}
	dst = strconv.AppendInt(append(dst, `],"shown":`...), int64(len(items)), 10)
	dst = strconv.AppendInt(append(dst, `,"total":`...), int64(total), 10)
	if next != "" {
		dst = quote(append(dst, `,"nextCursor":`...), next)
	}
	return append(dst, '}'), nil
}
