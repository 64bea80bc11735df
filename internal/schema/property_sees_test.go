package schema

import (
	"encoding/json/v2"
	"fmt"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// sees says where a handler's value is not what was sent; "" if it is that.
func (m *model) sees(v reflect.Value, sent any) string {
	t := v.Type()
	switch {
	case t.Kind() == reflect.Pointer:
		if v.IsNil() {
			return "a nil pointer"
		}
		return m.sees(v.Elem(), sent)
	case isOption(t):
		return m.sees(v.MethodByName("MustGet").Call(nil)[0], sent)
	case specialSpec(t, nil) != nil:
		return seesSpecial(v, sent)
	}
	switch s := sent.(type) {
	case bool:
		return unlike(v.Bool(), s)
	case string:
		if isNumeric(t.Kind()) {
			f, _ := strconv.ParseFloat(s, 64)
			return seesNumber(v, f)
		}
		return unlike(v.String(), s)
	case float64:
		return seesNumber(v, s)
	case []any:
		return m.seesItems(v, s)
	case map[string]any:
		if t.Kind() == reflect.Map {
			return m.seesEntries(v, s)
		}
		return m.seesMembers(v, s)
	}
	return fmt.Sprintf("%v for null", v)
}

func unlike(got, sent any) string {
	if reflect.DeepEqual(got, sent) {
		return ""
	}
	return fmt.Sprintf("%v for %v", got, sent)
}

func seesNumber(v reflect.Value, sent float64) string {
	switch {
	case v.CanInt():
		return unlike(float64(v.Int()), sent)
	case v.CanUint():
		return unlike(float64(v.Uint()), sent)
	case v.Kind() == reflect.Float32:
		return unlike(float32(v.Float()), float32(sent))
	}
	return unlike(v.Float(), sent)
}

func (m *model) seesItems(v reflect.Value, sent []any) string {
	if v.Len() != len(sent) {
		return fmt.Sprintf("%d items for %d", v.Len(), len(sent))
	}
	for i := range sent {
		if problem := m.sees(v.Index(i), sent[i]); problem != "" {
			return fmt.Sprintf("[%d]: %s", i, problem)
		}
	}
	return ""
}

func (m *model) seesEntries(v reflect.Value, sent map[string]any) string {
	if v.IsNil() || v.Len() != len(sent) {
		return fmt.Sprintf("%d entries for %d", v.Len(), len(sent))
	}
	for key, value := range v.Seq2() {
		name := fmt.Sprint(key)
		if l, is := reflect.TypeAssert[level](key); is {
			name = strings.Repeat("*", int(l))
		}
		s, there := sent[name]
		if !there {
			return fmt.Sprintf("the name %q, which was not sent", name)
		}
		if problem := m.sees(value, s); problem != "" {
			return name + ": " + problem
		}
	}
	return ""
}

func (m *model) seesMembers(v reflect.Value, sent map[string]any) string {
	parts := &structSpec{}
	m.members(v.Type(), nil, false, parts)
	if p := parts.pair; p != nil {
		a, _ := v.Type().FieldByName("PA")
		b, _ := v.Type().FieldByName("PB")
		parts.members = append(parts.members, memberSpec{name: "pa", index: a.Index}, memberSpec{name: "pb", index: b.Index})
	}
	left := len(sent)
	for i := range parts.members {
		f := &parts.members[i]
		if f.rest {
			continue
		}
		value, there := memberThere(v, f.index)
		s, given := sent[f.name]
		if given {
			left--
		}
		if problem := m.seesMember(f, value, there, s, given); problem != "" {
			return f.name + ": " + problem
		}
	}
	for i := range parts.members {
		if f := &parts.members[i]; f.rest && v.FieldByIndex(f.index).Len() != left {
			return fmt.Sprintf("%d other names for %d", v.FieldByIndex(f.index).Len(), left)
		}
	}
	return ""
}

// seesMember compares one field. One that was not sent has its default, or is zero.
func (m *model) seesMember(f *memberSpec, v reflect.Value, there bool, sent any, given bool) string {
	absent := !given || sent == nil && f.optional
	switch {
	case absent && f.def != "":
		return m.sees(v, mustAny([]byte(f.def)))
	case absent && there && !v.IsZero():
		return fmt.Sprintf("%v for nothing", v)
	case absent:
		return ""
	case !there:
		return "nothing"
	}
	return m.sees(v, sent)
}

func seesSpecial(v reflect.Value, sent any) string {
	switch x := v.Interface().(type) {
	case time.Time:
		t, _ := time.Parse(time.RFC3339Nano, sent.(string))
		if !x.Equal(t) {
			return fmt.Sprintf("%v for %v", x, sent)
		}
		return ""
	case time.Duration:
		d, _ := time.ParseDuration(sent.(string))
		return unlike(x, d)
	case url.URL:
		return unlike(x.String(), sent)
	}
	if v.Kind() == reflect.Interface && v.IsNil() {
		return unlike(nil, sent)
	}
	pointer := reflect.New(v.Type())
	pointer.Elem().Set(v)
	text, err := json.Marshal(pointer.Interface())
	if err != nil {
		return err.Error()
	}
	if f, is := mustAny(text).(float64); is || v.Type() == bigType {
		return unlike(f, sent)
	}
	return unlike(mustAny(text), sent)
}
