package schema

import (
	"strings"
	"unicode"
)

// snake turns a Go name into snake_case: AmountCents is amount_cents, UserID is user_id,
// HTTPServer is http_server.
func snake(name string) string {
	runes := []rune(name)
	var b strings.Builder
	for i, r := range runes {
		if unicode.IsUpper(r) && i > 0 && runes[i-1] != '_' {
			afterLower := !unicode.IsUpper(runes[i-1])
			endsAcronym := i+1 < len(runes) && unicode.IsLower(runes[i+1]) && !isPlural(runes[i+1:])
			if afterLower || endsAcronym {
				b.WriteByte('_')
			}
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// isPlural recognises the s of an acronym's plural, as in UserIDs.
func isPlural(rest []rune) bool {
	return rest[0] == 's' && (len(rest) == 1 || unicode.IsUpper(rest[1]))
}

var separators = strings.NewReplacer("_", "", "-", "", ".", "")

// fold is a name without case and underscores, by which parameters find their fields.
func fold(name string) string {
	return strings.ToLower(separators.Replace(name))
}

// pascal is the Go name of a field that a parameter binds to.
func pascal(name string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '_' || r == '-' || r == '.' }) {
		if upper := strings.ToUpper(word); upper == "ID" || upper == "URL" {
			b.WriteString(upper)
			continue
		}
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// nearest is the legal name that is most like name, "" if none is like it.
func nearest(name string, legal []string) string {
	best, bound := "", max(2, len(name)/3)+1
	if len(name) > 64 {
		return ""
	}
	for _, candidate := range legal {
		d := distance(fold(name), fold(candidate))
		if d < bound && d < max(len(name), len(candidate)) {
			best, bound = candidate, d
		}
	}
	return best
}

// distance counts the edits between two names.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
