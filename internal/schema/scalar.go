package schema

import (
	"encoding"
	"encoding/base64"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"math"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// scalar reads a value that is no struct, list or map.
func (d *decoder) scalar(n *node, r *rules, dst reflect.Value) {
	raw := d.read()
	if raw == nil {
		return
	}
	switch k := raw.Kind(); {
	case n.kind >= customKind:
		d.free(n, r, dst, raw)
	case n.quoted:
		d.quoted(n, r, dst, raw)
	case k == '0' && n.isNumber():
		d.number(n, r, dst, raw, raw)
	case k == '"' && n.kind >= stringKind && n.kind <= textKind:
		d.string(n, r, dst, raw)
	case (k == 't' || k == 'f') && n.kind == boolKind:
		dst.SetBool(k == 't')
		r.check(d, dst, raw)
	case d.spelt(n, r, dst, raw):
	default:
		d.mismatch(n, r, raw)
	}
}

func (n *node) isNumber() bool {
	return n.kind == intKind || n.kind == uintKind || n.kind == floatKind || n.kind == bigKind
}

// string reads the kinds that travel as strings.
func (d *decoder) string(n *node, r *rules, dst reflect.Value, raw jsontext.Value) {
	s, ok := text(raw), true
	switch n.kind {
	case stringKind:
		dst.SetString(s)
	case bytesKind:
		ok = setBytes(dst, s)
	case timeKind:
		t, _ := reflect.TypeAssert[*time.Time](dst.Addr())
		*t, ok = dateTime(s)
	case durationKind:
		v, err := time.ParseDuration(s)
		dst.SetInt(int64(v))
		ok = err == nil
	case urlKind:
		u, err := url.Parse(s)
		if ok = err == nil && u.IsAbs(); ok {
			dst.Set(reflect.ValueOf(*u))
		}
	default:
		u, _ := reflect.TypeAssert[encoding.TextUnmarshaler](dst.Addr())
		ok = u.UnmarshalText([]byte(s)) == nil
	}
	if !ok {
		d.problem("is not in the right form", n.expects(r), raw)
		return
	}
	r.check(d, dst, raw)
}

// dateTime reads a time of RFC 3339. Package time also takes hours of one digit, a comma
// before the fraction, and offsets of more than a day.
func dateTime(s string) (time.Time, bool) {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil || s[13] != ':' || strings.ContainsRune(s, ',') {
		return t, false
	}
	offset := s[len(s)-1] == 'Z' || s[len(s)-5:len(s)-3] <= "23" && s[len(s)-2:] <= "59"
	return t, offset
}

// setBytes decodes base64. An array takes exactly as many bytes as it has.
func setBytes(dst reflect.Value, s string) bool {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return false
	}
	if dst.Kind() == reflect.Slice {
		dst.SetBytes(b)
		return true
	}
	return reflect.Copy(dst, reflect.ValueOf(b).Convert(reflect.SliceOf(dst.Type().Elem()))) == len(b) && len(b) == dst.Len()
}

// free reads any JSON.
func (d *decoder) free(n *node, r *rules, dst reflect.Value, raw jsontext.Value) {
	sent := raw
	if d.coerce && n.own != nil {
		if meant, spelt := spelled(n.own.schema.Type, raw); spelt {
			raw = meant
		}
	}
	switch {
	case raw.Kind() == 'n' && n.kind == customKind && n.own == nil: // most types take it for their zero value
		d.mismatch(n, r, raw)
	case !raw.IsValid(): // it is JSON, but a name occurs twice in it
		d.problem("has a name twice", "each name once", sent)
	case n.own != nil && !n.own.allows(raw), !setFree(n, dst, raw):
		d.problem("does not fit what is taken here", n.expects(r), sent)
	default:
		r.check(d, dst, sent)
	}
}

func setFree(n *node, dst reflect.Value, raw jsontext.Value) bool {
	if n.kind == rawKind {
		dst.SetBytes(raw.Clone())
		return true
	}
	return json.Unmarshal(raw, dst.Addr().Interface(), exactNumbers) == nil
}

// quoted reads a number inside a string.
func (d *decoder) quoted(n *node, r *rules, dst reflect.Value, raw jsontext.Value) {
	if raw.Kind() != '"' {
		d.mismatch(n, r, raw)
		return
	}
	number := jsontext.Value(text(raw))
	if !n.quotedForm().MatchString(string(number)) {
		d.problem("is not in the right form", n.expects(r), raw)
		return
	}
	d.number(n, r, dst, number, raw)
}

// number reads a number; raw is the JSON that it came in.
func (d *decoder) number(n *node, r *rules, dst reflect.Value, number []byte, raw jsontext.Value) {
	switch n.kind {
	case floatKind:
		d.float(n, r, dst, number, raw)
	case bigKind:
		i, isWhole := bigOf(number)
		if d.wholeInRange(n, r, raw, isWhole, i != nil) {
			dst.Set(reflect.ValueOf(i).Elem())
			r.check(d, dst, raw)
		}
	case uintKind:
		w, isWhole := wholeOf(number)
		u, fits := w.uint64()
		if d.wholeInRange(n, r, raw, isWhole, fits && !dst.OverflowUint(u)) {
			dst.SetUint(u)
			r.check(d, dst, raw)
		}
	default:
		w, isWhole := wholeOf(number)
		i, fits := w.int64()
		if d.wholeInRange(n, r, raw, isWhole, fits && !dst.OverflowInt(i)) {
			dst.SetInt(i)
			r.check(d, dst, raw)
		}
	}
}

func (d *decoder) wholeInRange(n *node, r *rules, raw jsontext.Value, isWhole, inRange bool) bool {
	switch {
	case !isWhole:
		d.problem("is not a whole number", n.expects(r), raw)
	case !inRange:
		d.problem("is out of range", n.expects(r), raw)
	}
	return isWhole && inRange
}

// float reads a float. The rules see it before a narrow type rounds it, as a schema does.
func (d *decoder) float(n *node, r *rules, dst reflect.Value, number []byte, raw jsontext.Value) {
	f, err := strconv.ParseFloat(string(number), 64)
	if err != nil || n.typ.Bits() == 32 && math.Abs(f) > math.MaxFloat32 {
		d.problem("is out of range", n.expects(r), raw)
		return
	}
	dst.SetFloat(f)
	r.checkFloat(d, f, raw)
}
