package schema

import (
	"encoding"
	"encoding/base64"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"math/big"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// scalar reads a value that is no struct, list or map.
func (d *decoder) scalar(n *node, dst reflect.Value, p *path) {
	raw := d.read()
	if raw == nil {
		return
	}
	if n.kind == anyKind || n.kind == rawKind || n.kind == customKind {
		d.free(n, dst, raw, p)
		return
	}
	switch k := raw.Kind(); {
	case k == '"' && n.kind >= stringKind:
		d.text(n, dst, raw, p)
	case k == '0' && (n.kind == intKind || n.kind == uintKind || n.kind == floatKind):
		d.number(n, dst, raw, p)
	case (k == 't' || k == 'f') && n.kind == boolKind:
		dst.SetBool(k == 't')
	case k == 'n':
		d.problem(p, "must not be null", n.expects(), raw)
	default:
		d.mismatch(n, p, raw)
	}
}

// text reads the kinds that travel as strings.
func (d *decoder) text(n *node, dst reflect.Value, raw jsontext.Value, p *path) {
	s := text(raw)
	ok := true
	switch n.kind {
	case stringKind:
		dst.SetString(s)
	case bytesKind:
		b, err := base64.StdEncoding.DecodeString(s)
		dst.SetBytes(b)
		ok = err == nil
	case timeKind:
		t, err := time.Parse(time.RFC3339Nano, s)
		dst.Set(reflect.ValueOf(t))
		ok = err == nil
	case durationKind:
		v, err := time.ParseDuration(s)
		dst.SetInt(int64(v))
		ok = err == nil
	case urlKind:
		u, err := url.Parse(s)
		if ok = err == nil; ok {
			dst.Set(reflect.ValueOf(*u))
		}
	case textKind:
		u, is := reflect.TypeAssert[encoding.TextUnmarshaler](dst.Addr())
		if is {
			ok = u.UnmarshalText([]byte(s)) == nil
		} else {
			ok = json.Unmarshal(raw, dst.Addr().Interface()) == nil
		}
	}
	if !ok {
		d.problem(p, "is not in the right form", n.expects(), raw)
	}
}

// free reads any JSON.
func (d *decoder) free(n *node, dst reflect.Value, raw jsontext.Value, p *path) {
	var err error
	switch n.kind {
	case rawKind:
		dst.SetBytes(raw.Clone())
	default:
		err = json.Unmarshal(raw, dst.Addr().Interface(), exactNumbers)
	}
	if err != nil {
		d.problem(p, "does not fit what is taken here", n.expects(), raw)
	}
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
	f, err := strconv.ParseFloat(string(raw), 64)
	*v = f
	const exact = 1 << 53
	if f >= exact || f <= -exact {
		if i, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
			*v = i
		} else if u, err := strconv.ParseUint(string(raw), 10, 64); err == nil {
			*v = u
		}
	}
	return err
}))

func (d *decoder) number(n *node, dst reflect.Value, raw jsontext.Value, p *path) {
	whole := true
	switch n.kind {
	case intKind:
		i, isWhole, fits := integer(raw)
		if whole = isWhole; fits && !dst.OverflowInt(i) {
			dst.SetInt(i)
			return
		}
	case uintKind:
		u, isWhole, fits := unsigned(raw)
		if whole = isWhole; fits && !dst.OverflowUint(u) {
			dst.SetUint(u)
			return
		}
	default:
		f, err := strconv.ParseFloat(string(raw), n.typ.Bits())
		if err == nil {
			dst.SetFloat(f)
			return
		}
	}
	if !whole {
		d.problem(p, "is not a whole number", n.expects(), raw)
		return
	}
	d.problem(p, "is out of range", n.expects(), raw)
}

// integer reads a whole number exactly; 5.0 and 1e3 are whole.
func integer(raw jsontext.Value) (i int64, whole, inRange bool) {
	if i, plain := digits(raw); plain {
		return i, true, true
	}
	b, whole := exactInteger(raw)
	if b == nil {
		return 0, whole, false
	}
	return b.Int64(), true, b.IsInt64()
}

func unsigned(raw jsontext.Value) (u uint64, whole, inRange bool) {
	if i, plain := digits(raw); plain && i >= 0 {
		return uint64(i), true, true
	}
	b, whole := exactInteger(raw)
	if b == nil {
		return 0, whole, false
	}
	return b.Uint64(), true, b.IsUint64()
}

// digits reads the common case: at most 18 digits and nothing else.
func digits(raw []byte) (i int64, plain bool) {
	negative := len(raw) > 0 && raw[0] == '-'
	if negative {
		raw = raw[1:]
	}
	if len(raw) == 0 || len(raw) > 18 {
		return 0, false
	}
	for _, c := range raw {
		if c < '0' || c > '9' {
			return 0, false
		}
		i = i*10 + int64(c-'0')
	}
	if negative {
		i = -i
	}
	return i, true
}

// exactInteger is the slow case: fractions, exponents, many digits. A nil integer that is
// whole is far out of range.
func exactInteger(raw jsontext.Value) (i *big.Int, whole bool) {
	s := string(raw)
	mantissa, exponent, _ := strings.Cut(strings.ToLower(s), "e")
	if strings.Trim(mantissa, "-0.") == "" {
		return new(big.Int), true
	}
	if e, err := strconv.Atoi(exponent); exponent != "" && (err != nil || e > 400 || e < -400) || len(mantissa) > 800 {
		return nil, !strings.HasPrefix(exponent, "-")
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok || !r.IsInt() {
		return nil, false
	}
	return r.Num(), true
}
