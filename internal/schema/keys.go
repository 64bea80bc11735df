package schema

import (
	"encoding"
	"reflect"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"
)

// keyCodec reads and writes the keys of a map.
type keyCodec struct {
	typ     reflect.Type
	text    bool // the key reads and writes itself
	pattern string
	rules   *rules
}

// keyOf is nil for what cannot be a name in JSON.
func keyOf(t reflect.Type) *keyCodec {
	reads, writes := methodsOf(t)
	switch {
	case reads != plain || writes != plain:
		if !implements[encoding.TextUnmarshaler](t) || !implements[encoding.TextMarshaler](t) {
			return nil
		}
		return &keyCodec{typ: t, text: true}
	case t.Kind() == reflect.String:
		return &keyCodec{typ: t}
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Int64:
		return &keyCodec{typ: t, pattern: signedPattern}
	case t.Kind() >= reflect.Uint && t.Kind() <= reflect.Uint64:
		return &keyCodec{typ: t, pattern: unsignedPattern}
	}
	return nil
}

const (
	signedPattern   = `^(0|-?[1-9]\d*)$`
	unsignedPattern = `^(0|[1-9]\d*)$`
)

// names is what the schema says of a map's names; nil for any.
func (k *keyCodec) names() *jsonschema.Schema {
	switch {
	case k.rules != nil:
		return k.rules.schema.CloneSchemas()
	case k.pattern != "":
		return &jsonschema.Schema{Pattern: k.pattern}
	}
	return nil
}

// read makes a key of a name. Each key has one name, so that no two names meet in one key.
func (k *keyCodec) read(name string) (reflect.Value, bool) {
	key := reflect.New(k.typ).Elem()
	switch {
	case k.text:
		u, _ := reflect.TypeAssert[encoding.TextUnmarshaler](key.Addr())
		return key, u.UnmarshalText([]byte(name)) == nil
	case k.typ.Kind() == reflect.String:
		key.SetString(name)
		return key, true
	case key.CanInt():
		i, err := strconv.ParseInt(name, 10, k.typ.Bits())
		key.SetInt(i)
		return key, err == nil && strconv.FormatInt(i, 10) == name
	}
	u, err := strconv.ParseUint(name, 10, k.typ.Bits())
	key.SetUint(u)
	return key, err == nil && strconv.FormatUint(u, 10) == name
}

// write makes a name of a key.
func (k *keyCodec) write(key reflect.Value) (string, error) {
	switch {
	case k.text:
		m, _ := reflect.TypeAssert[encoding.TextMarshaler](addressable(key).Addr())
		b, err := m.MarshalText()
		return string(b), err
	case k.typ.Kind() == reflect.String:
		return key.String(), nil
	case key.CanInt():
		return strconv.FormatInt(key.Int(), 10), nil
	}
	return strconv.FormatUint(key.Uint(), 10), nil
}

// addressable is v, or a copy of it whose pointer methods can be called.
func addressable(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return v
	}
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	return c
}
