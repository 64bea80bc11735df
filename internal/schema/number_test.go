package schema

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestWholeNumbersAreReadExactly(t *testing.T) {
	for text, want := range map[string]whole{
		"0": {}, "-0": {negative: true}, "5": {size: 5}, "5.0": {size: 5}, "1e3": {size: 1000}, "1E+3": {size: 1000},
		"12.50e1": {size: 125}, "1000e-3": {size: 1}, "0e999999999999": {}, "0.000e5": {}, "-9223372036854775808": {negative: true, size: 1 << 63},
		"18446744073709551615": {size: 1<<64 - 1}, "1.8446744073709551615e19": {size: 1<<64 - 1},
	} {
		got, isWhole := wholeOf([]byte(text))
		assert.True(t, isWhole, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"18446744073709551616", "1e20", "1e999999999999999999999", "99999999999999999999e9"} {
		got, isWhole := wholeOf([]byte(text))
		assert.True(t, isWhole && got.tooLarge, text)
	}
	for _, text := range []string{"0.5", "1e-1", "15e-1", "1e-999999999999999999999", "9007199254740993.5", "0.1e0"} {
		_, isWhole := wholeOf([]byte(text))
		assert.False(t, isWhole, text)
	}
}

func TestWholeNumbersAgreeWithBigRationals(t *testing.T) {
	number := rapid.StringMatching(`-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,22})?([eE][-+]?[0-9]{1,2})?`)
	rapid.Check(t, func(rt *rapid.T) {
		text := number.Draw(rt, "number")
		exactly, _ := new(big.Rat).SetString(text)
		w, isWhole := wholeOf([]byte(text))
		if isWhole != exactly.IsInt() {
			rt.Fatalf("%s: whole is %v", text, isWhole)
		}
		i, isWhole := bigOf([]byte(text))
		if isWhole && i.Cmp(exactly.Num()) != 0 {
			rt.Fatalf("%s: read as %s", text, i)
		}
		if !isWhole {
			return
		}
		got, fits := w.int64()
		if fits != i.IsInt64() || fits && got != i.Int64() {
			rt.Fatalf("%s: read as %d, which fits: %v", text, got, fits)
		}
		unsigned, fits := w.uint64()
		if fits != i.IsUint64() || fits && unsigned != i.Uint64() {
			rt.Fatalf("%s: read as %d, which fits: %v", text, unsigned, fits)
		}
	})
}
