package presenter

import (
	"strings"
	"unicode"

	"github.com/mcpfusion/go/result"
)

// Block is something for a person to see. It travels as a text block of Markdown. An empty
// one is left out.
type Block struct{ text string }

// Markdown is Markdown as it is given. Data in it is not escaped; see [Table], [Code] and
// [Summary] for what is.
func Markdown(text string) Block { return Block{text} }

// Summary is one line of plain text: nothing in it is formatting.
func Summary(text string) Block { return Block{plain(text)} }

// Table is a table of plain text: nothing in its cells is formatting. Rows that are too
// short are filled up.
func Table(headers []string, rows [][]string) Block {
	width := len(headers)
	for _, row := range rows {
		width = max(width, len(row))
	}
	if width == 0 {
		return Block{}
	}
	var b strings.Builder
	writeRow(&b, headers, width)
	b.WriteString("\n|" + strings.Repeat(" --- |", width))
	for _, row := range rows {
		b.WriteByte('\n')
		writeRow(&b, row, width)
	}
	return Block{b.String()}
}

func writeRow(b *strings.Builder, cells []string, width int) {
	b.WriteByte('|')
	for i := range width {
		cell := ""
		if i < len(cells) {
			cell = plain(cells[i])
		}
		b.WriteString(" " + cell + " |")
	}
}

// Mermaid is a diagram in the language of Mermaid.
func Mermaid(diagram string) Block { return Code("mermaid", diagram) }

// Code is a text that is shown as it is, in a fence that nothing in it can close.
func Code(language, text string) Block {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	name := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("+-#._", r) {
			return r
		}
		return -1
	}, language)
	return Block{fence + name + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence}
}

// formatting are the signs that mean something within a line of Markdown.
const formatting = "\\`*_[]<>|~&$#"

// plain is a text on one line in which nothing is Markdown.
func plain(text string) string {
	var b strings.Builder
	for _, r := range strings.Join(strings.Fields(text), " ") {
		switch {
		case unicode.IsControl(r):
			r = unicode.ReplacementChar
		case strings.ContainsRune(formatting, r):
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// content is the block as it travels; nil for an empty one.
func (b Block) content() result.Content {
	if b.text == "" {
		return nil
	}
	return result.Text{Text: b.text, Annotations: &result.Annotations{Audience: []result.Role{result.RoleUser}}}
}
