package schema

import (
	"reflect"
	"strings"
	"time"

	"github.com/samber/mo"
)

// optionAccess reaches into an mo.Option of one type. Its own way to be decoded goes by
// the rules of encoding/json, and its fields are not exported.
type optionAccess struct {
	some  func(dst, v reflect.Value)
	get   func(option reflect.Value) reflect.Value // of one that is present
	inner reflect.Type
}

// isOption recognises an mo.Option by the layout that reading it relies on.
func isOption(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.PkgPath() == "github.com/samber/mo" && strings.HasPrefix(t.Name(), "Option[") &&
		t.NumField() == 2 && t.Field(0).Name == "isPresent" && t.Field(1).Name == "value"
}

func optionOf(t reflect.Type) *optionAccess {
	inner := t.Field(1).Type
	access := optionAccess{some: someOf(t), get: getOf(t), inner: inner}
	if fast, known := commonOptions[t]; known {
		access.some = fast
	}
	if _, writes := methodsOf(inner); writes == plain && isScalar(inner.Kind()) {
		access.get = func(option reflect.Value) reflect.Value { return option.Field(1) }
	}
	return &access
}

func isScalar(k reflect.Kind) bool { return k <= reflect.Float64 || k == reflect.String }

// getOf calls OrEmpty: a value read from a field that is not exported has no methods.
func getOf(t reflect.Type) func(reflect.Value) reflect.Value {
	method, _ := t.MethodByName("OrEmpty")
	return func(option reflect.Value) reflect.Value { return option.Method(method.Index).Call(nil)[0] }
}

// someOf calls MapNone, the only method by which an Option of any type becomes present.
func someOf(t reflect.Type) func(dst, v reflect.Value) {
	method, _ := t.MethodByName("MapNone")
	mapper := method.Type.In(1)
	mapNone := reflect.Zero(t).Method(method.Index)
	present := reflect.ValueOf(true)
	return func(dst, v reflect.Value) {
		give := reflect.MakeFunc(mapper, func([]reflect.Value) []reflect.Value { return []reflect.Value{v, present} })
		dst.Set(mapNone.Call([]reflect.Value{give})[0])
	}
}

// commonOptions set Options of common types without a call by reflection.
var commonOptions = map[reflect.Type]func(dst, v reflect.Value){
	reflect.TypeFor[mo.Option[string]]():         some[string],
	reflect.TypeFor[mo.Option[bool]]():           some[bool],
	reflect.TypeFor[mo.Option[int]]():            some[int],
	reflect.TypeFor[mo.Option[int32]]():          some[int32],
	reflect.TypeFor[mo.Option[int64]]():          some[int64],
	reflect.TypeFor[mo.Option[uint64]]():         some[uint64],
	reflect.TypeFor[mo.Option[float64]]():        some[float64],
	reflect.TypeFor[mo.Option[time.Time]]():      some[time.Time],
	reflect.TypeFor[mo.Option[time.Duration]]():  some[time.Duration],
	reflect.TypeFor[mo.Option[[]string]]():       some[[]string],
	reflect.TypeFor[mo.Option[[]int]]():          some[[]int],
	reflect.TypeFor[mo.Option[[]int64]]():        some[[]int64],
	reflect.TypeFor[mo.Option[[]byte]]():         some[[]byte],
	reflect.TypeFor[mo.Option[any]]():            some[any],
	reflect.TypeFor[mo.Option[map[string]any]](): some[map[string]any],
}

func some[T any](dst, v reflect.Value) {
	option, _ := reflect.TypeAssert[*mo.Option[T]](dst.Addr())
	value, _ := reflect.TypeAssert[*T](v.Addr())
	*option = mo.Some(*value)
}
