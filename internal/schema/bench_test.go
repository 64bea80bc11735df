package schema

import (
	"encoding/json/jsontext"
	"reflect"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/samber/mo"
)

// refund is what the benchmarks decode.
type refund struct {
	ID          string            `validate:"min=1,max=64"`
	AmountCents int64             `validate:"min=1"`
	Reason      mo.Option[string] `validate:"oneof=duplicate customer_request fraud"`
}

// receipt is what the benchmarks append.
type receipt struct {
	ID     string
	Status string
	Cents  int64
}

var refundArgs = jsontext.Value(`{"id":"inv_42","amount_cents":1250,"reason":"duplicate"}`)

func mustInput[T any](tb testing.TB) *Input {
	tb.Helper()
	in, problems := NewInput(reflect.TypeFor[T](), nil, Config{})
	if len(problems) > 0 {
		tb.Fatal(problems)
	}
	return in
}

func BenchmarkDecodeThreeFields(b *testing.B) {
	in := mustInput[refund](b)
	b.ReportAllocs()
	for b.Loop() {
		var v refund
		if problems := in.Decode(refundArgs, reflect.ValueOf(&v).Elem()); problems != nil {
			b.Fatal(problems)
		}
	}
}

func BenchmarkAppendThreeFields(b *testing.B) {
	out, err := NewOutput(reflect.TypeFor[receipt]())
	if err != nil {
		b.Fatal(err)
	}
	dst, v := make([]byte, 0, 256), reflect.ValueOf(receipt{"r_1", "done", 1250})
	b.ReportAllocs()
	for b.Loop() {
		_, _ = out.Append(dst, v)
	}
}

type tenFields struct {
	A string
	B int
	C float64
	D bool
	E []string
	F map[string]int
	G struct{ X, Y int }
	H string
	I int64
	J []struct{ Name string }
}

// BenchmarkCompileTenFields compares with what jsonschema-go takes for the same type.
func BenchmarkCompileTenFields(b *testing.B) {
	t := reflect.TypeFor[tenFields]()
	b.Run("ours", func(b *testing.B) {
		for b.Loop() {
			c := compiler{}
			if _, _, err := rootOf(c.slot(t, "").node, false, false); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("jsonschema-go", func(b *testing.B) {
		for b.Loop() {
			if _, err := jsonschema.ForType(t, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}
