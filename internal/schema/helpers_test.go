package schema

import (
	"encoding/json/jsontext"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/result"
)

// inputOf compiles the declaration that T is.
func inputOf[T any](tb testing.TB) *Input {
	tb.Helper()
	in, problems := NewInput(reflect.TypeFor[T](), nil, Config{})
	require.Empty(tb, problems)
	return in
}

// problemOf compiles a declaration that has one mistake.
func problemOf[T any](tb testing.TB) string {
	tb.Helper()
	_, problems := NewInput(reflect.TypeFor[T](), nil, Config{})
	require.Len(tb, problems, 1)
	return problems[0].String()
}

// decodeOne decodes one argument "x" by a parameter.
func decodeOne(tb testing.TB, p Param, value string) (any, []result.Field) {
	tb.Helper()
	in, problems := NewInput(nil, []Param{p}, Config{})
	require.Empty(tb, problems)
	values, fields := in.DecodeMap(jsontext.Value(`{"x":` + value + `}`))
	return values["x"], fields
}
