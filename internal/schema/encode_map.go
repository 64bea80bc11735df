package schema

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// entry is a member of a map under its name in JSON.
type entry struct {
	name  string
	value reflect.Value
}

func (n *node) appendMap(dst []byte, v reflect.Value, depth int) (_ []byte, err error) {
	dst = append(dst, '{')
	if dst, err = n.appendEntries(dst, v, depth, nil); err != nil {
		return dst, err
	}
	return append(dst, '}'), nil
}

// appendEntries writes a map's members in the order of their names, but for those to skip.
func (n *node) appendEntries(dst []byte, v reflect.Value, depth int, skip func(name string) bool) (_ []byte, err error) {
	entries, err := n.entries(v)
	if err != nil {
		return dst, err
	}
	for _, e := range entries {
		if skip != nil && skip(e.name) {
			continue
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(quote(dst, e.name), ':')
		if dst, err = n.elem.append(dst, e.value, depth); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// entries are a map's members, sorted by names that all differ.
func (n *node) entries(v reflect.Value) ([]entry, error) {
	entries := make([]entry, 0, v.Len())
	mended := false
	for key, value := range v.Seq2() {
		name, err := n.key.write(key)
		if err != nil {
			return nil, err
		}
		mended = mended || !utf8.ValidString(name)
		entries = append(entries, entry{name, value})
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	if mended || n.key.text {
		tellApart(entries)
	}
	return entries, nil
}

// tellApart makes names valid UTF-8 and adds to those that become equal by it.
func tellApart(entries []entry) {
	const replacement = "\uFFFD"
	taken := make(map[string]bool, len(entries))
	for i := range entries {
		name := strings.ToValidUTF8(entries[i].name, replacement)
		for taken[name] {
			name += replacement
		}
		taken[name] = true
		entries[i].name = name
	}
}
