package schema

import (
	"encoding/json/jsontext"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// A model reads Go types and tags by itself, without the compiler that it is a check of,
// and knows arguments that are right and arguments that are wrong for them.
type model struct{ known map[reflect.Type]*spec }

// spec is what may be written in one place.
type spec struct {
	right func(p *pen) string
	ways  []mistake                                      // to be wrong here
	inner func(p *pen) (text string, w mistake, ok bool) // wrong in a part
	null  *mistake                                       // null where it is no value; nil if it is right
	any   bool                                           // any JSON is right, or the type says nothing of it
}

// mistake is one way to be wrong. If it has a leniency, schema and decoder disagree as that says.
type mistake struct {
	name, leniency string
	write          func(p *pen) string
}

// pen writes values. Types that contain themselves end when the budget is spent.
type pen struct {
	*rapid.T
	budget int
}

func (p *pen) deeper() *pen { return &pen{p.T, p.budget - 1} }

// wrong writes a value that is wrong here or somewhere inside.
func (s *spec) wrong(p *pen) (string, mistake) {
	if s.inner != nil && p.budget > 0 && !oneIn(p.T, 4) {
		if text, w, ok := s.inner(p); ok {
			return text, w
		}
	}
	ways := s.ways
	if s.null != nil {
		ways = append(slices.Clip(ways), *s.null)
	}
	w := oneOfThem(p.T, ways)
	text := w.write(p)
	return text, w
}

func fixed(name, leniency string, texts ...string) mistake {
	return mistake{name, leniency, func(p *pen) string { return oneOfThem(p.T, texts) }}
}

// wrongTypes are values of all other JSON types.
func wrongTypes(legal string) mistake {
	samples := map[string]string{"boolean": "true", "number": "7", "string": `"x"`, "array": `[]`, "object": `{}`}
	delete(samples, legal)
	var texts []string
	for _, name := range []string{"boolean", "number", "string", "array", "object"} {
		if text, there := samples[name]; there {
			texts = append(texts, text)
		}
	}
	return fixed("wrong type", "", texts...)
}

var nullWay = fixed("null", "", "null")

// place is the spec of a type with rules.
func (m *model) place(t reflect.Type, words []string, quoted bool) *spec {
	if t.Kind() == reflect.Pointer {
		return m.place(t.Elem(), words, quoted)
	}
	if isOption(t) {
		return m.place(t.Field(1).Type, words, quoted)
	}
	if s := specialSpec(t, words); s != nil {
		return s
	}
	switch k := t.Kind(); {
	case k == reflect.Bool:
		return boolSpec(words)
	case k == reflect.String:
		return stringSpec(words)
	case k >= reflect.Float32 && k <= reflect.Float64:
		return floatSpec(t, words, quoted)
	case isNumeric(k):
		return intSpec(t, words, quoted)
	case k == reflect.Slice, k == reflect.Array:
		return m.list(t, words)
	case k == reflect.Map:
		return m.mapping(t, words)
	}
	return m.structure(t)
}

func boolSpec(words []string) *spec {
	s := &spec{null: &nullWay, ways: []mistake{wrongTypes("boolean"), fixed("a string for a boolean", "", `"true"`, `"1"`)}}
	s.right = func(p *pen) string { return oneOfThem(p.T, []string{"true", "false"}) }
	for _, word := range words {
		if name, _, _ := strings.Cut(word, "="); name == "eq" || name == "ne" {
			s.right = func(*pen) string { return "true" }
			s.ways = append(s.ways, fixed("breaks "+name, "", "false"))
		}
	}
	return s
}

// numberRange is what rules leave of numbers, in steps of halves for floats.
type numberRange struct {
	low, high       float64
	ruledLow        bool
	ruledHigh       bool
	listed, refused []float64
}

func rangeOf(low, high, step float64, words []string) numberRange {
	r := numberRange{low: low, high: high}
	for _, word := range words {
		name, parameter, _ := strings.Cut(word, "=")
		var limits []float64
		for one := range strings.FieldsSeq(parameter) {
			limit, _ := strconv.ParseFloat(one, 64)
			limits = append(limits, limit)
		}
		switch name {
		case "min", "gte":
			r.low, r.ruledLow = max(r.low, limits[0]), true
		case "gt":
			r.low, r.ruledLow = max(r.low, limits[0]+step), true
		case "max", "lte":
			r.high, r.ruledHigh = min(r.high, limits[0]), true
		case "lt":
			r.high, r.ruledHigh = min(r.high, limits[0]-step), true
		case "eq", "oneof", "len":
			r.listed = limits
		case "ne":
			r.refused = limits
		}
	}
	return r
}

// pick draws a legal number; those at the ends more often than others.
func (r *numberRange) pick(p *pen, step float64) float64 {
	if r.listed != nil {
		return oneOfThem(p.T, r.listed)
	}
	for {
		width := min(r.high-r.low, 1000)
		offset := float64(upTo(p.T, int(width/step))) * step
		f := r.low + offset
		switch {
		case r.low < -1000 && r.high > 1000:
			f = float64(upTo(p.T, 2000))*step - 100
		case oneIn(p.T, 3):
			f = r.high - offset
		}
		if oneIn(p.T, 6) {
			f = oneOfThem(p.T, []float64{r.low, r.high})
		}
		if !slices.Contains(r.refused, f) {
			return f
		}
	}
}

// wrong are the ways to leave the range by one step.
func (r *numberRange) wrong(step float64, leniency string, spell func(p *pen, f float64) string) (ways []mistake) {
	add := func(name string, f float64) {
		ways = append(ways, mistake{name, leniency, func(p *pen) string { return spell(p, f) }})
	}
	if r.ruledLow {
		add("one below a bound", r.low-step)
	}
	if r.ruledHigh {
		add("one above a bound", r.high+step)
	}
	for _, f := range r.refused {
		add("the value that is refused", f)
	}
	if len(r.listed) > 0 {
		add("none of the listed", r.listed[len(r.listed)-1]+step)
	}
	return ways
}

const safeInteger = 1<<53 - 1

func intSpec(t reflect.Type, words []string, quoted bool) *spec {
	low, high := -float64(safeInteger), float64(safeInteger)
	wide := t.Bits() == 64
	unsigned := t.Kind() >= reflect.Uint && t.Kind() <= reflect.Uint64
	switch {
	case unsigned && wide:
		low = 0
	case unsigned:
		low, high = 0, math.Pow(2, float64(t.Bits()))-1
	case !wide:
		low, high = -math.Pow(2, float64(t.Bits()-1)), math.Pow(2, float64(t.Bits()-1))-1
	}
	r := rangeOf(low, high, 1, words)
	if quoted && unsigned && r.low == 0 {
		r.ruledLow = false // the form has no sign
	}
	if quoted {
		return quotedSpec(&r, 1, []string{`"1.0"`, `"01"`, `""`, `" 1"`, `"1e2"`, `"x"`})
	}
	s := &spec{null: &nullWay, right: func(p *pen) string { return spellInt(p, r.pick(p, 1)) }}
	s.ways = append(r.wrong(1, "", spellInt), wrongTypes("number"),
		fixed("a fraction", "", "1.5", "-0.5", "25e-1", "1e-1"), fixed("a string for a number", "", `"1"`, `"1.0"`))
	if unsigned || !wide {
		s.ways = append(s.ways, mistake{"below the width", "", func(p *pen) string { return spellInt(p, low-1) }})
	}
	if !wide {
		s.ways = append(s.ways, mistake{"above the width", "", func(p *pen) string { return spellInt(p, high+1) }})
	}
	return s
}

// spellInt writes a whole number in one of its spellings.
func spellInt(p *pen, f float64) string {
	plain := strconv.FormatFloat(f, 'f', -1, 64)
	switch spelling := upTo(p.T, 9); {
	case spelling == 1:
		return plain + ".0"
	case spelling == 2 && f != 0:
		return plain + "0e-1"
	case spelling == 3:
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	return plain
}

func spellFloat(p *pen, f float64) string {
	return strconv.FormatFloat(f, oneOfThem(p.T, []byte("gef")), -1, 64)
}

func floatSpec(t reflect.Type, words []string, quoted bool) *spec {
	r := rangeOf(-1e9, 1e9, 0.5, words)
	if quoted {
		return quotedSpec(&r, 0.5, []string{`".5"`, `"01"`, `""`, `"1."`, `"NaN"`, `"Inf"`, `"0x1p1"`, `"+1"`})
	}
	s := &spec{null: &nullWay, right: func(p *pen) string { return spellFloat(p, r.pick(p, 0.5)) }}
	s.ways = append(r.wrong(0.5, "", spellFloat), wrongTypes("number"), fixed("a string for a number", "", `"1"`, `"0.5"`))
	s.ways = append(s.ways, fixed("beyond every number", "", "1e400", "-1e309"))
	if t.Bits() == 32 {
		s.ways = append(s.ways, fixed("above the width", "", "1e39", "-3.5e38"))
	}
	if len(words) == 0 {
		plain := s.right
		s.right = func(p *pen) string {
			if oneIn(p.T, 3) {
				return oneOfThem(p.T, []string{"0.1", "1e-9", "3.3", "123456.789", "-0.0", "1e30"})
			}
			return plain(p)
		}
	}
	return s
}

// quotedSpec is a number inside a string, whose bounds JSON Schema cannot say.
func quotedSpec(r *numberRange, step float64, misspelt []string) *spec {
	spell := func(_ *pen, f float64) string { return `"` + strconv.FormatFloat(f, 'f', -1, 64) + `"` }
	s := &spec{null: &nullWay, right: func(p *pen) string { return spell(p, r.pick(p, step)) }}
	s.ways = append(r.wrong(step, numbersInStrings, spell), wrongTypes("string"), fixed("misspelt in a string", "", misspelt...))
	return s
}

// textRange is what rules leave of strings.
type textRange struct {
	low, high              int
	prefix, suffix, middle string
	refused                string
}

func stringSpec(words []string) *spec {
	s := &spec{null: &nullWay, ways: []mistake{wrongTypes("string")}}
	r := textRange{high: -1}
	s.right = func(p *pen) string { return spellText(p, r.pick(p)) }
	for _, word := range words {
		name, parameter, _ := strings.Cut(word, "=")
		limit, _ := strconv.Atoi(parameter)
		known, isText := textRules[name]
		switch {
		case isText:
			s.right = func(p *pen) string { return spellText(p, known.example) }
			s.ways = append(s.ways, textWay(name, known))
		case name == "oneof" || name == "eq":
			listed := quotedWords(parameter)
			s.right = func(p *pen) string { return spellText(p, oneOfThem(p.T, listed)) }
			s.ways = append(s.ways, fixed("none of the listed", "", `"A"`, `""`, `"a "`, `"abc"`))
		case name == "datetime":
			s.right = func(p *pen) string { return spellText(p, dateSamples[parameter].right) }
			s.ways = append(s.ways, fixed("no date", dateSamples[parameter].leniency, `"2026-13-01"`, `"today"`, `""`))
		case name == "min" || name == "gte":
			r.low = limit
		case name == "gt":
			r.low = limit + 1
		case name == "max" || name == "lte":
			r.high = limit
		case name == "lt":
			r.high = limit - 1
		case name == "len":
			r.low, r.high = limit, limit
		default:
			r.affix(name, parameter)
			s.ways = append(s.ways, fixed("breaks "+name, "", literal(parameterBreaker(name, parameter))))
		}
	}
	if r.low > 0 {
		s.ways = append(s.ways, mistake{"one too short", "", func(p *pen) string { return spellText(p, strings.Repeat("é", r.low-1)) }})
	}
	if r.high >= 0 {
		s.ways = append(s.ways, mistake{"one too long", "", func(p *pen) string { return spellText(p, strings.Repeat("é", r.high+1)) }})
	}
	return s
}

func (r *textRange) affix(name, parameter string) {
	switch name {
	case "startswith":
		r.prefix = parameter
	case "endswith":
		r.suffix = parameter
	case "contains":
		r.middle = parameter
	case "ne":
		r.refused = parameter
	}
}

func parameterBreaker(name, parameter string) string {
	if name == "ne" {
		return parameter
	}
	return "~"
}

var dateSamples = map[string]struct{ right, leniency string }{
	"2006-01-02":                {"2026-01-31", formats},
	"2006-01-02T15:04:05Z07:00": {"2026-01-31T09:30:00+01:00", formats},
	"15:04":                     {"09:30", rulesWithoutKeyword},
}

// textWay is a string that a rule for texts refuses.
func textWay(name string, rule textRule) mistake {
	text := `"~ ~é"`
	switch name {
	case "lowercase":
		text = `"ABC"`
	case "uppercase":
		text = `"abc"`
	}
	switch {
	case rule.pattern != "":
		return fixed("breaks "+name, "", text)
	case rule.format != "":
		return fixed("breaks "+name, formats, text)
	}
	return fixed("breaks "+name, rulesWithoutKeyword, text)
}

func (r *textRange) pick(p *pen) string {
	fixedPart := r.prefix + r.middle + r.suffix
	high := r.high
	if high < 0 {
		high = r.low + 4
	}
	have := utf8.RuneCountInString(fixedPart)
	count := max(r.low-have, 0)
	if high > have+count {
		count += upTo(p.T, high-have-count)
	}
	var filler strings.Builder
	for range count {
		filler.WriteRune(oneOfThem(p.T, []rune("aZ9 é😀\"\\/<\n\u2028")))
	}
	if text := r.prefix + r.middle + filler.String() + r.suffix; text != r.refused || text == "" {
		return text
	}
	return strings.Repeat("y", utf8.RuneCountInString(r.refused))
}

// spellText writes a string, now and then with an escape where none is needed.
func spellText(p *pen, text string) string {
	quoted, _ := jsontext.AppendQuote(nil, text)
	if text != "" && text[0] < 0x7f && text[0] >= 'A' && oneIn(p.T, 6) {
		return `"\u00` + strconv.FormatInt(int64(text[0]), 16) + string(quoted[1+len(strconv.Quote(text[:1]))-2:])
	}
	return string(quoted)
}

// stringOf undoes [spellText].
func stringOf(text string) string {
	b, _ := jsontext.AppendUnquote(nil, text)
	return string(b)
}
