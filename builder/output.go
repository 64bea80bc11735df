package builder

import (
	"context"
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
	view    *presenter.View // nil without a presenter
	present presenting
	encode  func(dst []byte, data any) ([]byte, error)
	err     error
}

// presenting makes a response of a handler's value.
type presenting func(ctx context.Context, v any) (*result.Response, error)

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
func presented[Out any](view *presenter.View, problems []string) output {
	if len(problems) > 0 {
		return output{err: fmt.Errorf("the presenter %s", strings.Join(problems, "; "))}
	}
	return output{schema: view.Schema(), view: view, encode: orPresented(encoder(reflect.TypeFor[Out](), view))}
}

// presentBy shows values of type t. The narrowing are the tool's parameters.
func presentBy(view *presenter.View, t reflect.Type, narrowing []string) presenting {
	return func(ctx context.Context, v any) (*result.Response, error) {
		value, err := fit(t, v)
		if err != nil {
			return nil, err
		}
		return view.Present(ctx, value, narrowing)
	}
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

// appender is an output or a presenter's view of one.
type appender interface {
	Append(dst []byte, v reflect.Value) ([]byte, error)
}

// encoder appends values of type t.
func encoder(t reflect.Type, o appender) func([]byte, any) ([]byte, error) {
	return func(dst []byte, data any) ([]byte, error) {
		v, err := fit(t, data)
		if err != nil {
			return nil, err
		}
		return o.Append(dst, v)
	}
}

// fit is data as a value of type t. A nil interface is a value of type t.
func fit(t reflect.Type, data any) (reflect.Value, error) {
	v := reflect.ValueOf(data)
	switch {
	case !v.IsValid():
		return reflect.Zero(t), nil
	case v.Type() == t:
		return v, nil
	case t.Kind() == reflect.Interface && v.Type().Implements(t):
		slot := reflect.New(t).Elem()
		slot.Set(v)
		return slot, nil
	}
	return v, fmt.Errorf("the data is of type %s and not %s as the tool declares", v.Type(), t)
}

func dataResponse(_ context.Context, v any) (*result.Response, error) {
	return &result.Response{Data: v}, nil
}

// ownResponse takes a copy: the handler may return one Response again and again, and what
// is added on the way belongs to one call.
func ownResponse(_ context.Context, v any) (*result.Response, error) {
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
func ownContent(_ context.Context, v any) (*result.Response, error) {
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
