package builder

import (
	"encoding/json/jsontext"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/mcpfusion/go/internal/schema"
	"github.com/mcpfusion/go/presenter"
	"github.com/mcpfusion/go/result"
)

// output is how the values of one handler become responses.
type output struct {
	schema  jsontext.Value
	present func(v any) (*result.Response, error)
	encode  func(dst []byte, data any) ([]byte, error)
	err     error
}

// plain is the output of a handler without a presenter. Which kind it is follows from
// the type alone.
func plain[Out any]() output {
	t := reflect.TypeFor[Out]()
	switch {
	case t == reflect.TypeFor[result.Unit]():
		return output{present: dataResponse, encode: noData}
	case t == reflect.TypeFor[result.Response](), t == reflect.TypeFor[*result.Response]():
		return output{present: ownResponse}
	case t == reflect.TypeFor[[]result.Content](), t.Implements(reflect.TypeFor[result.Content]()):
		return output{present: ownContent, encode: noData}
	}
	compiled, err := schema.NewOutput(t)
	if err != nil {
		return output{err: fmt.Errorf("the handler's result cannot be sent: %w", err)}
	}
	encode := encoder(t, compiled)
	if !rawType.AssignableTo(t) {
		encode = orPresented(encode)
	}
	return output{schema: compiled.JSON(), present: dataResponse, encode: encode}
}

// presented is the output of a handler whose value goes through a presenter.
func presented[T any](p *presenter.Presenter[T]) output {
	view, problems := p.View()
	if len(problems) > 0 {
		return output{err: fmt.Errorf("the presenter %s", strings.Join(problems, "; "))}
	}
	encode := encoder(reflect.TypeFor[T](), view)
	return output{schema: view.JSON(), encode: orPresented(encode), present: func(v any) (*result.Response, error) {
		data, err := encode(make([]byte, 0, 256), v)
		if err != nil {
			return nil, err
		}
		return &result.Response{Data: jsontext.Value(data)}, nil
	}}
}

var rawType = reflect.TypeFor[jsontext.Value]()

// orPresented takes data that is JSON already, as presenters and Wraps make it: an object.
func orPresented(encode func([]byte, any) ([]byte, error)) func([]byte, any) ([]byte, error) {
	return func(dst []byte, data any) ([]byte, error) {
		raw, is := data.(jsontext.Value)
		if !is {
			return encode(dst, data)
		}
		if raw.Kind() != jsontext.KindBeginObject {
			return nil, errors.New("the data is JSON already, but no object")
		}
		return append(dst, raw...), nil
	}
}

// encoder appends values of type t. A nil interface is encoded as a value of type t.
func encoder(t reflect.Type, o *schema.Output) func([]byte, any) ([]byte, error) {
	return func(dst []byte, data any) ([]byte, error) {
		v := reflect.ValueOf(data)
		switch {
		case !v.IsValid():
			v = reflect.Zero(t)
		case v.Type() == t:
		case t.Kind() == reflect.Interface && v.Type().Implements(t):
			slot := reflect.New(t).Elem()
			slot.Set(v)
			v = slot
		default:
			return nil, fmt.Errorf("the data is of type %s and not %s as the tool declares", v.Type(), t)
		}
		return o.Append(dst, v)
	}
}

func dataResponse(v any) (*result.Response, error) { return &result.Response{Data: v}, nil }

// ownResponse takes a copy: the handler may return one Response again and again, and what
// is added on the way belongs to one call.
func ownResponse(v any) (*result.Response, error) {
	r, is := v.(*result.Response)
	if !is {
		value := v.(result.Response)
		r = &value
	}
	if r == nil {
		return nil, errors.New("the handler returned a nil Response")
	}
	c := *r
	c.Guidance.Rules = slices.Clip(r.Guidance.Rules)
	c.Guidance.Next = slices.Clip(r.Guidance.Next)
	c.Guidance.Notices = slices.Clip(r.Guidance.Notices)
	c.Guidance.Stale = slices.Clip(r.Guidance.Stale)
	c.UI, c.Content, c.Meta = slices.Clip(r.UI), slices.Clip(r.Content), maps.Clone(r.Meta)
	return &c, nil
}

// ownContent takes the handler's blocks as they are; nil stands for none.
func ownContent(v any) (*result.Response, error) {
	blocks := []result.Content{}
	switch c := v.(type) {
	case []result.Content:
		blocks = append(blocks, c...)
	case result.Content:
		blocks = append(blocks, c)
	}
	for _, b := range blocks {
		if b == nil {
			return nil, errors.New("the handler returned a nil content block")
		}
	}
	return &result.Response{Content: blocks}, nil
}

func noData([]byte, any) ([]byte, error) {
	return nil, errors.New("the tool declares no data, but its response has some")
}
