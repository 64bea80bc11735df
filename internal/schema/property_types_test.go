package schema

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"fmt"
	"math/big"
	"math/bits"
	"net/netip"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/samber/mo"
	"pgregory.net/rapid"
)

// The named types that a drawn type may contain: what reflect cannot make.
type (
	poolPoint struct {
		X int8    `validate:"min=-2,max=9"`
		Y float64 `json:"y,omitzero" validate:"lt=5.5"`
	}
	poolTree struct {
		Name string     `json:"name" validate:"min=1,max=3"`
		Kids []poolTree `json:"kids" validate:"max=2"`
		Next *poolTree  `json:"next"`
	}
	PoolBase struct { // exported, so that it can be embedded
		Base  string `json:"base_id" validate:"oneof=x 'y z'"`
		Extra *bool  `json:"base_extra"`
	}
	poolEmbeds struct {
		*PoolBase
		Own uint8
	}
	poolOpen struct {
		A    int              `json:"a,omitempty"`
		Rest map[string]int16 `json:",embed"`
	}
	poolSelf struct{ text string } // reads itself, and does not say what
)

func (p poolSelf) MarshalJSON() ([]byte, error) { return json.Marshal(p.text) }
func (p *poolSelf) UnmarshalJSON(b []byte) error {
	if err := json.Unmarshal(b, &p.text); err != nil || !strings.HasPrefix(p.text, "ok") {
		return errors.New("only what begins with ok")
	}
	return nil
}

// simpleTypes are those that a drawn type ends in.
var simpleTypes = []reflect.Type{
	reflect.TypeFor[bool](), reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[int16](), reflect.TypeFor[int32](),
	reflect.TypeFor[int64](), reflect.TypeFor[uint](), reflect.TypeFor[uint8](), reflect.TypeFor[uint16](), reflect.TypeFor[uint32](),
	reflect.TypeFor[uint64](), reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[string](), reflect.TypeFor[string](),
	reflect.TypeFor[string](), reflect.TypeFor[status](), timeType, durationType, reflect.TypeFor[[]byte](), reflect.TypeFor[[2]byte](),
	urlType, reflect.TypeFor[netip.Addr](), bigType, rawType, reflect.TypeFor[any](), reflect.TypeFor[money](), reflect.TypeFor[level](),
	reflect.TypeFor[poolSelf](), reflect.TypeFor[span](), reflect.TypeFor[octet](), reflect.TypeFor[poolPoint](), reflect.TypeFor[poolTree](),
	reflect.TypeFor[poolEmbeds](), reflect.TypeFor[poolOpen](),
}

// optionTypes are those of mo.Option that are drawn; the common ones have a way of their own.
var optionTypes = []reflect.Type{
	reflect.TypeFor[mo.Option[string]](), reflect.TypeFor[mo.Option[bool]](), reflect.TypeFor[mo.Option[int]](), reflect.TypeFor[mo.Option[int32]](),
	reflect.TypeFor[mo.Option[int64]](), reflect.TypeFor[mo.Option[uint64]](), reflect.TypeFor[mo.Option[float64]](), reflect.TypeFor[mo.Option[time.Time]](),
	reflect.TypeFor[mo.Option[time.Duration]](), reflect.TypeFor[mo.Option[[]string]](), reflect.TypeFor[mo.Option[[]int]](), reflect.TypeFor[mo.Option[[]int64]](),
	reflect.TypeFor[mo.Option[[]byte]](), reflect.TypeFor[mo.Option[any]](), reflect.TypeFor[mo.Option[map[string]any]](),
	reflect.TypeFor[mo.Option[uint8]](), reflect.TypeFor[mo.Option[netip.Addr]](), reflect.TypeFor[mo.Option[url.URL]](), reflect.TypeFor[mo.Option[big.Int]](),
	reflect.TypeFor[mo.Option[poolPoint]](), reflect.TypeFor[mo.Option[poolTree]](), reflect.TypeFor[mo.Option[jsontext.Value]](),
}

var keyTypes = []reflect.Type{
	reflect.TypeFor[string](), reflect.TypeFor[string](), reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[uint16](), reflect.TypeFor[level](),
}

// mostDepth is how deep the drawn types nest.
const mostDepth = 3

// typeDraw draws input types with rules, and counts what it draws.
type typeDraw struct {
	*rapid.T
	seen map[string]int
}

// upTo draws a number from 0 on, each as often as another: ranges of rapid's prefer the small.
func upTo(t *rapid.T, most int) (n int) {
	for range bits.Len(uint(most)) + 2 {
		n = n<<1 | btoi(coin.Draw(t, ""))
	}
	return n % (most + 1)
}

var coin = rapid.Bool()

func oneIn(t *rapid.T, n int) bool           { return upTo(t, n-1) == n-1 }
func oneOfThem[T any](t *rapid.T, all []T) T { return all[upTo(t, len(all)-1)] }
func (d *typeDraw) count(name string)        { d.seen[name]++ }
func (d *typeDraw) rule(words ...string) []string {
	for _, word := range words {
		name, _, _ := strings.Cut(word, "=")
		d.count("rule " + name)
	}
	return words
}

// input draws the type of a tool's arguments.
func (d *typeDraw) input() reflect.Type { return d.structure(mostDepth, true) }

// structure draws a struct whose fields nest at most depth deep.
func (d *typeDraw) structure(depth int, root bool) reflect.Type {
	d.count("struct")
	var fields []reflect.StructField
	for i := range 1 + upTo(d.T, 3) {
		fields = append(fields, d.field(i, depth, root))
	}
	if root { // so that each of the many rules for texts is drawn often enough
		for _, name := range []string{"T1", "T2"} {
			rule := d.rule(oneOfThem(d.T, textRuleNames))[0]
			fields = append(fields, reflect.StructField{Name: name, Type: reflect.TypeFor[string](), Tag: reflect.StructTag(`validate:"` + rule + `"`)})
		}
	}
	if root || oneIn(d.T, 4) {
		p := oneOfThem(d.T, fieldPairs)
		name, _, _ := strings.Cut(p.rule, "=")
		d.count("rule " + name)
		fields = append(fields,
			reflect.StructField{Name: "PA", Type: p.a, Tag: `json:"pa,omitzero"`},
			reflect.StructField{Name: "PB", Type: p.b, Tag: reflect.StructTag(`json:"pb,omitzero" validate:` + strconv.Quote(p.rule))})
	}
	switch upTo(d.T, 7) {
	case 1:
		d.count("json -")
		fields = append(fields, reflect.StructField{Name: "Skipped", Type: reflect.TypeFor[func()](), Tag: `json:"-"`})
	case 2:
		d.count("embedded")
		fields = append(fields, reflect.StructField{Name: "PoolBase", Type: reflect.TypeFor[PoolBase](), Anonymous: true})
	}
	return reflect.StructOf(fields)
}

// field draws one field: its type, how it may be absent, its name and its rules.
func (d *typeDraw) field(i, depth int, root bool) reflect.StructField {
	f := reflect.StructField{Name: "F" + strconv.Itoa(i)}
	var words, options []string
	t, rules := d.place(depth)
	switch upTo(d.T, 8) {
	case 1:
		d.count("pointer")
		t = reflect.PointerTo(t)
	case 2, 3:
		d.count("mo.Option")
		t = oneOfThem(d.T, optionTypes)
		d.count(t.String())
		rules = d.rulesOf(t.Field(1).Type)
	case 4:
		options = append(options, oneOfThem(d.T, []string{"omitempty", "omitzero"}))
	case 5:
		if k := t.Kind(); isNumeric(k) && t != durationType && t != reflect.TypeFor[level]() {
			options = append(options, "string")
			rules = slices.DeleteFunc(rules, func(w string) bool {
				return strings.HasPrefix(w, "eq=") || strings.HasPrefix(w, "ne=") || strings.HasPrefix(w, "oneof=")
			})
		}
	}
	for _, option := range options {
		d.count("json " + option)
	}
	words = append(words, d.wholeFieldRules(i, t, rules, options, root)...)
	words = append(words, rules...)
	f.Type = t
	f.Tag = reflect.StructTag(`json:` + strconv.Quote(strings.Join(append([]string{d.name(i)}, options...), ",")))
	if len(words) > 0 {
		f.Tag += reflect.StructTag(` validate:` + strconv.Quote(strings.Join(words, ",")))
	}
	return f
}

func isNumeric(k reflect.Kind) bool {
	return k >= reflect.Int && k <= reflect.Float64 && k != reflect.Uintptr
}

func (d *typeDraw) name(i int) string {
	if oneIn(d.T, 3) {
		d.count("json name")
		return fmt.Sprintf("%s%d", oneOfThem(d.T, []string{"n", "x-", "é", "a.b", "<", "$"}), i)
	}
	return ""
}

// wholeFieldRules draws what is said of a field, not of its value.
func (d *typeDraw) wholeFieldRules(i int, t reflect.Type, rules, options []string, root bool) []string {
	k, quoted := t.Kind(), slices.Contains(options, "string")
	switch upTo(d.T, 9) {
	case 1:
		return d.rule("required")
	case 2:
		return d.rule("deprecated")
	case 3, 4:
		text, usable := d.sample(t, rules, quoted)
		if word := "example="; usable {
			if oneIn(d.T, 2) {
				word = "default="
			}
			return d.rule(word + text)
		}
	case 5, 6:
		if root && !quoted && (k == reflect.Bool || k == reflect.String || isNumeric(k) && k < reflect.Float32) && t != durationType && t != reflect.TypeFor[level]() {
			return d.rule("header=H" + strconv.Itoa(i))
		}
	}
	return nil
}

// sample draws a legal value as a tag can have it.
func (d *typeDraw) sample(t reflect.Type, rules []string, quoted bool) (text string, usable bool) {
	if isOption(t) || t.Kind() == reflect.Pointer {
		return "", false
	}
	text = (&model{}).place(t, rules, quoted).right(&pen{T: d.T})
	if strings.HasPrefix(text, `"`) {
		text = stringOf(text)
	}
	bare := isScalar(t.Kind()) || t.Kind() == reflect.Slice
	return text, bare && t != rawType && text != "" && strings.TrimSpace(text) == text &&
		!strings.ContainsAny(text, "\\'`\t\n") && !strings.Contains(text, "0x") && (text[0] == '[' || !strings.Contains(text, ","))
}

// place draws a type and the rules of its values.
func (d *typeDraw) place(depth int) (reflect.Type, []string) {
	if depth == 0 {
		d.count("depth 3")
	}
	if depth == 0 || oneIn(d.T, 3) {
		t := oneOfThem(d.T, simpleTypes)
		d.count(t.String())
		return t, d.rulesOf(t)
	}
	if oneIn(d.T, 3) {
		return d.structure(depth-1, false), nil
	}
	elem, inner := d.place(depth - 1)
	if oneIn(d.T, 8) {
		d.count("pointer in a list")
		elem = reflect.PointerTo(elem)
	}
	var t reflect.Type
	switch upTo(d.T, 2) {
	case 0:
		t = reflect.SliceOf(elem)
	case 1:
		t = reflect.ArrayOf(1+upTo(d.T, 2), elem)
	default:
		t = reflect.MapOf(oneOfThem(d.T, keyTypes), elem)
	}
	if isBytes(t) {
		return t, d.bytesRules(t)
	}
	d.count(t.Kind().String())
	return t, d.manyRules(t, inner)
}

// manyRules draws the rules of a list or map, with those of its elements behind them.
func (d *typeDraw) manyRules(t reflect.Type, inner []string) (words []string) {
	if t.Kind() != reflect.Array {
		words = d.lengths(3)
	}
	if elem := t.Elem(); t.Kind() == reflect.Slice && isScalar(elem.Kind()) && elem != reflect.TypeFor[level]() && len(words) == 0 && oneIn(d.T, 2) {
		words = append(words, d.rule("unique")...)
	}
	keyed := t.Kind() == reflect.Map && t.Key().Kind() == reflect.String && oneIn(d.T, 2)
	if len(inner) == 0 && !keyed {
		return words
	}
	words = append(words, d.rule("dive")...)
	if keyed {
		words = append(words, d.rule("keys")...)
		words = append(words, d.rule(oneOfThem(d.T, []string{"min=1", "max=3", "startswith=k", "alphanum"}))...)
		words = append(words, "endkeys")
	}
	return append(words, inner...)
}

// lengths draws bounds between which there is something.
func (d *typeDraw) lengths(most int) (words []string) {
	low := upTo(d.T, most-1)
	high := low + upTo(d.T, most)
	switch upTo(d.T, 5) {
	case 1:
		return d.rule("len=" + strconv.Itoa(low))
	case 2:
		words = d.rule(oneOfThem(d.T, []string{"min=", "gte="}) + strconv.Itoa(low))
	case 3:
		words = d.rule("gt=" + strconv.Itoa(low))
		high++
	}
	switch upTo(d.T, 5) {
	case 1:
		words = append(words, d.rule(oneOfThem(d.T, []string{"max=", "lte="})+strconv.Itoa(high))...)
	case 2:
		words = append(words, d.rule("lt="+strconv.Itoa(high+1))...)
	}
	return words
}

// rulesOf draws rules for a type that is not made here.
func (d *typeDraw) rulesOf(t reflect.Type) []string {
	switch k := t.Kind(); {
	case t == durationType:
		return d.someOf("min=1m", "lt=2h")
	case t == reflect.TypeFor[level](), t == rawType:
		return nil
	case isBytes(t):
		return d.bytesRules(t)
	case k == reflect.Bool:
		return d.someOf("eq=true", "ne=false")
	case k == reflect.String:
		return d.stringRules()
	case isNumeric(k):
		return d.numberRules(t)
	case k == reflect.Slice:
		return d.manyRules(t, d.rulesOf(t.Elem()))
	}
	return nil
}

func (d *typeDraw) someOf(all ...string) []string {
	if at := upTo(d.T, len(all)); at < len(all) {
		return d.rule(all[at])
	}
	return nil
}

func (d *typeDraw) bytesRules(t reflect.Type) []string {
	d.count("bytes")
	if t.Kind() == reflect.Array {
		return nil
	}
	return d.someOf("min=1", "max=2", "len=2", "gt=0", "lt=3")
}

// numberRules draws bounds in halves for floats, in wholes for others.
func (d *typeDraw) numberRules(t reflect.Type) (words []string) {
	low := -upTo(d.T, 3)
	if t.Kind() >= reflect.Uint && t.Kind() <= reflect.Uint64 {
		low = upTo(d.T, 3)
	}
	text := strconv.Itoa
	if t.Kind() >= reflect.Float32 {
		text = func(i int) string { return strconv.FormatFloat(float64(i)/2, 'g', -1, 64) }
	}
	switch upTo(d.T, 7) {
	case 1:
		return d.rule(oneOfThem(d.T, []string{"eq=", "len="}) + text(low))
	case 2:
		return d.rule("oneof=" + text(low) + " " + text(low+2))
	case 3:
		words = d.rule("ne=" + text(low+1))
	}
	switch upTo(d.T, 3) {
	case 1:
		words = append(words, d.rule(oneOfThem(d.T, []string{"min=", "gte="})+text(low))...)
	case 2:
		words = append(words, d.rule("gt="+text(low-1+btoi(low == 0)))...)
	}
	switch upTo(d.T, 3) {
	case 1:
		words = append(words, d.rule(oneOfThem(d.T, []string{"max=", "lte="})+text(low+4))...)
	case 2:
		words = append(words, d.rule("lt="+text(low+5))...)
	}
	return words
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (d *typeDraw) stringRules() (words []string) {
	switch upTo(d.T, 12) {
	case 0:
		return nil
	case 1:
		return d.rule("oneof=a bc 'd e' é")
	case 2:
		return d.rule("eq=ab")
	case 3, 4, 5, 6, 7:
		return d.rule(oneOfThem(d.T, textRuleNames))
	case 8:
		words = d.rule("ne=zz")
	case 9:
		return d.rule(oneOfThem(d.T, []string{"datetime=2006-01-02", "datetime=2006-01-02T15:04:05Z07:00", "datetime=15:04"}))
	case 10, 11:
		return d.rule(oneOfThem(d.T, []string{"startswith=a.", "endswith=é", "contains=b+"}))
	}
	return append(words, d.lengths(4)...)
}

var textRuleNames = func() (names []string) {
	for name := range textRules {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}()
