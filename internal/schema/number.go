package schema

import (
	"bytes"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"math/big"
	"math/bits"
	"slices"
	"strconv"
)

// whole is a JSON number without a fraction.
type whole struct {
	negative bool
	size     uint64
	tooLarge bool // does not fit size
}

// int64 is the number, if it fits.
func (w *whole) int64() (int64, bool) {
	if w.negative {
		return -int64(w.size), !w.tooLarge && w.size <= 1<<63
	}
	return int64(w.size), !w.tooLarge && w.size < 1<<63
}

// uint64 is the number, if it fits.
func (w *whole) uint64() (uint64, bool) {
	return w.size, !w.tooLarge && (!w.negative || w.size == 0)
}

// wholeOf reads a JSON number exactly; 5.0 and 1e3 are whole.
func wholeOf(number []byte) (w whole, isWhole bool) {
	if number[0] == '-' {
		w.negative, number = true, number[1:]
	}
	if size, plain := digits(number); plain {
		w.size = size
		return w, true
	}
	mantissa, point := decimal(number)
	switch {
	case len(mantissa) == 0:
		return w, true
	case point < len(mantissa):
		return w, false
	case point > 20:
		w.tooLarge = true
		return w, true
	}
	for i := range point {
		digit := byte('0')
		if i < len(mantissa) {
			digit = mantissa[i]
		}
		w.push(digit - '0')
	}
	return w, true
}

// push appends a decimal digit.
func (w *whole) push(digit byte) {
	high, low := bits.Mul64(w.size, 10)
	sum, carry := bits.Add64(low, uint64(digit), 0)
	w.size = sum
	w.tooLarge = w.tooLarge || high != 0 || carry != 0
}

// digits reads the common case: at most 18 digits and nothing else.
func digits(number []byte) (size uint64, plain bool) {
	if len(number) > 18 {
		return 0, false
	}
	for _, c := range number {
		if c < '0' || c > '9' {
			return 0, false
		}
		size = size*10 + uint64(c-'0')
	}
	return size, true
}

// decimal splits an unsigned JSON number into its digits, without zeros at either end, and
// the place of the decimal point among them: 1200 is 12 and 4, 0.05 is 5 and -1.
func decimal(number []byte) (mantissa []byte, point int) {
	before, exponent := number, 0
	if e := bytes.IndexAny(number, "eE"); e >= 0 {
		before, exponent = number[:e], clamp(string(number[e+1:]))
	}
	integer, fraction, _ := bytes.Cut(before, []byte{'.'})
	mantissa = make([]byte, 0, len(before))
	mantissa = append(append(mantissa, integer...), fraction...)
	point = len(integer) + exponent
	trimmed := bytes.TrimLeft(mantissa, "0")
	return bytes.TrimRight(trimmed, "0"), point - (len(mantissa) - len(trimmed))
}

// clamp reads an exponent; a huge one is as good as a billion.
func clamp(exponent string) int {
	const most = 1_000_000_000
	e, err := strconv.Atoi(exponent)
	switch {
	case err == nil:
		return min(max(e, -most), most)
	case exponent[0] == '-':
		return -most
	}
	return most
}

// maxBigDigits bounds an integer of any size: work grows faster than the text does.
const maxBigDigits = 1000

// bigOf reads a whole number of any size.
func bigOf(number []byte) (i *big.Int, isWhole bool) {
	unsigned := bytes.TrimLeft(number, "-")
	mantissa, point := decimal(unsigned)
	switch {
	case len(mantissa) == 0:
		return new(big.Int), true
	case point < len(mantissa):
		return nil, false
	case point > maxBigDigits:
		return nil, true
	}
	text := slices.Concat(mantissa, bytes.Repeat([]byte{'0'}, point-len(mantissa)))
	i, _ = new(big.Int).SetString(string(text), 10)
	if len(unsigned) < len(number) {
		i.Neg(i)
	}
	return i, true
}

// exactNumbers keeps integers that a float64 would round.
var exactNumbers = json.WithUnmarshalers(json.UnmarshalFromFunc(func(dec *jsontext.Decoder, v *any) error {
	if dec.PeekKind() != '0' {
		return errors.ErrUnsupported
	}
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	*v, err = exact(raw)
	return err
}))

// exact is a number as float64, or as int64 or uint64 where a float64 may be off.
func exact(number []byte) (any, error) {
	const safe = 1 << 53
	f, err := strconv.ParseFloat(string(number), 64)
	if err != nil || f < safe && f > -safe {
		return f, err
	}
	w, isWhole := wholeOf(number)
	if i, fits := w.int64(); isWhole && fits {
		return i, nil
	}
	if u, fits := w.uint64(); isWhole && fits {
		return u, nil
	}
	return f, nil
}
