package schema

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// countRange is what rules leave of the length of a list or map.
func countRange(words []string) (low, high int) {
	high = math.MaxInt
	for _, word := range words {
		name, parameter, _ := strings.Cut(word, "=")
		limit, _ := strconv.Atoi(parameter)
		switch name {
		case "min", "gte":
			low = limit
		case "gt":
			low = limit + 1
		case "max", "lte":
			high = limit
		case "lt":
			high = limit - 1
		case "len":
			low, high = limit, limit
		}
	}
	return low, high
}

// divided are the rules in front of dive, those of a map's names, and those of the elements.
func divided(words []string) (own, names, elements []string) {
	at := slices.Index(words, "dive")
	if at < 0 {
		return words, nil, nil
	}
	own, elements = words[:at], words[at+1:]
	if len(elements) > 0 && elements[0] == "keys" {
		end := slices.Index(elements, "endkeys")
		names, elements = elements[1:end], elements[end+1:]
	}
	return own, names, elements
}

func (p *pen) countOf(low, high int) int {
	if p.budget <= 0 {
		return low
	}
	return low + upTo(p.T, min(high-low, 2))
}

// joined puts parts between brackets, now and then with blanks.
func (p *pen) joined(brackets string, parts []string) string {
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
	comma := ","
	if oneIn(p.T, 5) {
		comma = " ,\n\t"
	}
	return brackets[:1] + strings.Join(parts, comma) + brackets[1:]
}

func (m *model) list(t reflect.Type, words []string) *spec {
	own, _, inner := divided(words)
	low, high := countRange(own)
	if t.Kind() == reflect.Array {
		low, high = t.Len(), t.Len()
	}
	elem, distinct := m.place(t.Elem(), inner, false), slices.Contains(own, "unique")
	items := func(p *pen, count int) (all []string) {
		for len(all) < count {
			all = append(all, elem.right(p.deeper()))
		}
		return all
	}
	s := &spec{null: &nullWay, ways: []mistake{wrongTypes("array")}}
	s.right = func(p *pen) string {
		all := items(p, p.countOf(low, high))
		if distinct {
			all = withoutSame(all, t.Elem().Kind() == reflect.Float32)
		}
		return p.joined("[]", all)
	}
	s.inner = func(p *pen) (string, mistake, bool) {
		if high == 0 {
			return "", mistake{}, false
		}
		text, w := elem.wrong(p.deeper())
		all := items(p, max(p.countOf(low, high), 1))
		all[upTo(p.T, len(all)-1)] = text
		return p.joined("[]", all), w, true
	}
	if low > 0 {
		s.ways = append(s.ways, mistake{"one item too few", "", func(p *pen) string { return p.joined("[]", items(p, low-1)) }})
	}
	if high < math.MaxInt {
		s.ways = append(s.ways, mistake{"one item too many", "", func(p *pen) string { return p.joined("[]", items(p, high+1)) }})
	}
	if distinct {
		leniency := ""
		if k := t.Elem().Kind(); k == reflect.Float32 || t.Elem() == durationType {
			leniency = uniqueParts
		}
		s.ways = append(s.ways, mistake{"an item twice", leniency, func(p *pen) string {
			item := elem.right(p)
			return p.joined("[]", []string{item, item})
		}})
	}
	return s
}

// withoutSame leaves out items that mean the same as another.
func withoutSame(all []string, narrow bool) []string {
	seen := map[any]bool{}
	return slices.DeleteFunc(all, func(text string) bool {
		v := mustAny([]byte(text))
		if f, is := v.(float64); is && narrow {
			v = float32(f)
		}
		defer func() { seen[v] = true }()
		return seen[v]
	})
}

// nameSpec is what the names of a map may be.
func nameSpec(t reflect.Type, words []string) (right []string, wrong mistake) {
	switch {
	case t == reflect.TypeFor[level]():
		return []string{"", "*", "**", "***"}, fixed("no legal name", namesOfMaps, `"x"`)
	case t.Kind() == reflect.Int8:
		return []string{"0", "-1", "127", "-128"}, fixed("a name beyond the width", namesOfMaps, `"128"`, `"-129"`)
	case t.Kind() == reflect.Uint16:
		return []string{"0", "1", "65535", "12"}, fixed("no whole number", "", `"01"`, `"-1"`, `"1.0"`, `""`, `"x"`)
	case t.Kind() == reflect.Int:
		return []string{"0", "1", "-5", "12"}, fixed("no whole number", "", `"01"`, `"-0"`, `"+1"`, `""`, `"1e1"`)
	case len(words) == 0:
		return []string{"", "a", "x.y", "é b", "<\"", "Z"}, mistake{}
	case words[0] == "min=1":
		return []string{"a", "x.y", "é b", "<\""}, fixed("a name too short", "", `""`)
	case words[0] == "max=3":
		return []string{"", "a", "é b", "😀😀😀"}, fixed("a name too long", "", `"abcd"`)
	case words[0] == "alphanum":
		return []string{"a", "B2", "33", "zz"}, fixed("a name that breaks a rule", "", `"a-b"`, `""`)
	}
	return []string{"k", "ka", "k b", "ké"}, fixed("a name that breaks a rule", "", `"a"`, `"Kk"`)
}

func (m *model) mapping(t reflect.Type, words []string) *spec {
	own, nameWords, inner := divided(words)
	low, high := countRange(own)
	elem := m.place(t.Elem(), inner, false)
	names, badName := nameSpec(t.Key(), nameWords)
	entries := func(p *pen, count int) (all []string) {
		first := upTo(p.T, len(names)-1)
		for i := range min(count, len(names)) {
			all = append(all, spellText(p, names[(first+i)%len(names)])+":"+elem.right(p.deeper()))
		}
		for i := len(all); i < count; i++ {
			all = append(all, fmt.Sprintf(`"k%d":`, i)+elem.right(p.deeper()))
		}
		return all
	}
	s := &spec{null: &nullWay, ways: []mistake{wrongTypes("object")}}
	s.right = func(p *pen) string { return p.joined("{}", entries(p, p.countOf(low, min(high, len(names))))) }
	s.inner = func(p *pen) (string, mistake, bool) {
		if high == 0 {
			return "", mistake{}, false
		}
		text, w := elem.wrong(p.deeper())
		all := entries(p, max(p.countOf(low, min(high, len(names))), 1))
		name, _, _ := strings.Cut(all[0], `":`)
		all[0] = name + `":` + text
		return p.joined("{}", all), w, true
	}
	if badName.write != nil && high > 0 {
		s.ways = append(s.ways, mistake{badName.name, badName.leniency, func(p *pen) string {
			all := entries(p, max(low, 1))
			all[0] = badName.write(p) + ":" + elem.right(p.deeper())
			return p.joined("{}", all)
		}})
	}
	s.ways = append(s.ways, mistake{"a name twice", "", func(p *pen) string {
		all := entries(p, max(low, 1))
		return p.joined("{}", append(all, all[0]))
	}})
	if low > 0 {
		s.ways = append(s.ways, mistake{"one entry too few", "", func(p *pen) string { return p.joined("{}", entries(p, low-1)) }})
	}
	if high < math.MaxInt {
		s.ways = append(s.ways, mistake{"one entry too many", "", func(p *pen) string { return p.joined("{}", entries(p, high+1)) }})
	}
	return s
}

// memberSpec is a field of a struct as its tags say.
type memberSpec struct {
	*spec
	name     string
	index    []int
	optional bool
	rest     bool   // takes all other names
	def      string // the default's JSON
}

// structSpec is kept for a type that contains itself.
type structSpec struct {
	members []memberSpec
	skipped string // a field that does not travel
	pair    *fieldPair
}

func (m *model) structure(t reflect.Type) *spec {
	if known, there := m.known[t]; there {
		return known
	}
	if m.known == nil {
		m.known = map[reflect.Type]*spec{}
	}
	s := &spec{null: &nullWay, ways: []mistake{wrongTypes("object")}}
	m.known[t] = s
	parts := &structSpec{}
	m.members(t, nil, false, parts)
	parts.fill(s)
	return s
}

func (m *model) members(t reflect.Type, index []int, behindPointer bool, to *structSpec) {
	for i := range t.NumField() {
		f, at := t.Field(i), append(slices.Clone(index), i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		inner := f.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		switch {
		case name == "-":
			to.skipped = f.Name
		case f.Anonymous:
			m.members(inner, at, behindPointer || f.Type.Kind() == reflect.Pointer, to)
		case name == "pa":
			to.pair = fieldPairOf(t.Field(i + 1))
		case name == "pb":
		default:
			to.members = append(to.members, m.member(&f, name, strings.Split(options, ","), at, behindPointer))
		}
	}
}

func (m *model) member(f *reflect.StructField, name string, options []string, index []int, behindPointer bool) memberSpec {
	var words []string
	if tag := f.Tag.Get("validate"); tag != "" {
		words = tagWords(tag)
	}
	if name == "" {
		name = strings.ToLower(f.Name)
	}
	quoted := slices.Contains(options, "string")
	s := memberSpec{spec: m.place(f.Type, slices.DeleteFunc(slices.Clone(words), ofWholeField), quoted), name: name, index: index, rest: slices.Contains(options, "embed")}
	s.optional = behindPointer || isOption(f.Type) || f.Type.Kind() == reflect.Pointer || slices.Contains(options, "omitempty") || slices.Contains(options, "omitzero")
	for _, word := range words {
		if text, is := strings.CutPrefix(word, "default="); is {
			s.optional, s.def = true, text
			if quoted || f.Type.Kind() == reflect.String || isText(f.Type) {
				s.def = literal(text)
			}
		}
		if word == "required" {
			s.optional = false
		}
		if word == "dive" {
			break
		}
	}
	return s
}

// ofWholeField reports that a word says nothing of the value.
func ofWholeField(word string) bool {
	name, _, _ := strings.Cut(word, "=")
	return slices.Contains([]string{"required", "deprecated", "header", "default", "example"}, name)
}

func isText(t reflect.Type) bool {
	_, writes := methodsOf(t)
	return t == durationType || isBytes(t) || writes == asText
}

// tagWords splits at commas, but for those inside the brackets of a default.
func tagWords(tag string) (words []string) {
	depth, start := 0, 0
	for i, r := range tag {
		switch r {
		case '[':
			depth++
		case ']':
			depth--
		case ',':
			if depth == 0 {
				words, start = append(words, tag[start:i]), i+1
			}
		}
	}
	return append(words, tag[start:])
}

func (s *structSpec) write(p *pen, m *memberSpec, value string) string {
	if m.rest {
		return `"other` + strconv.Itoa(upTo(p.T, 9)) + `":` + value[strings.Index(value, ":")+1:]
	}
	return spellText(p, m.name) + ":" + value
}

// right are the members of a legal object, without those that are left out and the one to skip.
func (s *structSpec) right(p *pen, skip int) (texts []string) {
	for i := range s.members {
		m := &s.members[i]
		switch {
		case i == skip, m.optional && (p.budget <= 0 || oneIn(p.T, 4)):
		case m.rest:
			for at := range upTo(p.T, 2) {
				texts = append(texts, fmt.Sprintf(`"rest%d":%d`, at, at))
			}
		default:
			texts = append(texts, s.write(p, m, m.right(p.deeper())))
		}
	}
	if s.pair != nil && skip != pairMember {
		texts = append(texts, oneOfThem(p.T, s.pair.right))
	}
	if len(texts) > 1 && oneIn(p.T, 3) {
		slices.Reverse(texts)
	}
	return texts
}

const pairMember = -2

// fill gives a struct's spec its ways.
func (s *structSpec) fill(to *spec) {
	to.right = func(p *pen) string { return p.joined("{}", s.right(p, -1)) }
	to.inner = func(p *pen) (string, mistake, bool) {
		at := upTo(p.T, len(s.members)-1)
		m := &s.members[at]
		if m.rest {
			return p.joined("{}", append(s.right(p, at), `"other":"x"`)), mistake{name: "wrong in another name"}, true
		}
		value, w := m.wrong(p)
		switch absent := value == "null" && m.optional; {
		case absent && m.any:
			return "", w, false // it is right
		case absent:
			w.leniency = nullForAbsent
		}
		return p.joined("{}", append(s.right(p, at), s.write(p, m, value))), w, true
	}
	rest := slices.ContainsFunc(s.members, func(m memberSpec) bool { return m.rest })
	if !rest {
		unknown := []string{`"zz":1`, `"F0":1`, `"":null`}
		if s.skipped != "" {
			unknown = append(unknown, `"`+s.skipped+`":1`, `"skipped":1`, `"-":1`)
		}
		to.ways = append(to.ways, mistake{"an unknown name", "", func(p *pen) string {
			return p.joined("{}", append(s.right(p, -1), oneOfThem(p.T, unknown)))
		}})
	}
	s.fillMembers(to)
	if s.pair == nil {
		return
	}
	leniency := rulesBetweenFields
	if s.pair.written {
		leniency = ""
	}
	to.ways = append(to.ways, mistake{"breaks " + s.pair.rule, leniency, func(p *pen) string {
		return p.joined("{}", append(s.right(p, pairMember), oneOfThem(p.T, s.pair.wrong)))
	}})
}

func (s *structSpec) fillMembers(to *spec) {
	for i := range s.members {
		m := &s.members[i]
		if m.rest {
			continue
		}
		to.ways = append(to.ways, mistake{"a name twice", "", func(p *pen) string {
			text := s.write(p, m, m.right(p.deeper()))
			return p.joined("{}", append(s.right(p, i), text, text))
		}})
		if !m.optional {
			to.ways = append(to.ways, mistake{"a field left out", "", func(p *pen) string { return p.joined("{}", s.right(p, i)) }})
		}
	}
}
