package presenter

import (
	"context"
	"encoding/json/jsontext"
	"fmt"
	"reflect"
	"strings"

	"github.com/mcpfusion/go/internal/schema"
	"github.com/mcpfusion/go/result"
)

// Form is how the values of a tool come.
type Form uint8

// The forms.
const (
	One   Form = iota // a value
	Many              // a slice of them
	Paged             // a [Page] of them
)

// View is a compiled presenter. It is what package builder makes of one; those who declare
// tools have no use for it.
type View struct {
	form    Form
	item    *schema.Output
	list    *schema.List // nil for one value
	convert converter
	limit   int
	voice   *voice
	always  []result.NextAction
}

// Compile compiles a presenter for values of a form, with what is wrong with it in words.
func Compile[R any](p Shows[R], form Form) (*View, []string) {
	var none R
	s, convert := p.source(none)
	voice, problems := s.compile()
	if k := s.typ.Kind(); form == One && s.limit > 0 && (k == reflect.Slice || k == reflect.Array) {
		problems = append(problems, fmt.Sprintf("%q: Limit is for ReturnsList and ReturnsPage; present the elements", s.name))
	}
	if len(problems) > 0 {
		return nil, problems
	}
	v := &View{form: form, item: voice.output, convert: convert, limit: s.limit, voice: voice}
	for _, n := range voice.always(nil) {
		v.always = append(v.always, n.action)
	}
	if form != One {
		list, err := schema.NewList(v.item, form == Paged)
		if err != nil {
			return nil, []string{fmt.Sprintf("%q cannot show a list of its type: %v", s.name, err)}
		}
		v.list = list
	}
	return v, nil
}

// Schema is that of the data, byte for byte.
func (v *View) Schema() jsontext.Value {
	if v.list != nil {
		return v.list.JSON()
	}
	return v.item.JSON()
}

// Suggested are the calls that every reply suggests.
func (v *View) Suggested() []result.NextAction { return v.always }

// Append appends what is shown of a handler's value as JSON.
func (v *View) Append(dst []byte, value reflect.Value) ([]byte, error) {
	return v.append(dst, v.take(value))
}

// Present shows a handler's value. The narrowing are the parameters of the tool, for the
// notice of a list that was cut.
func (v *View) Present(ctx context.Context, value reflect.Value, narrowing []string) (*result.Response, error) {
	t := v.take(value)
	data, err := v.append(make([]byte, 0, 256), t)
	if err != nil {
		return nil, err
	}
	resp := &result.Response{Data: jsontext.Value(data)}
	if v.form == One && v.convert == nil && t.items[0].Kind() == reflect.String {
		resp.Data = t.items[0].Interface() // so that its text is bare
	}
	g := guide{resp: resp}
	if !v.voice.silent() {
		v.speak(ctx, &g, t.items)
	}
	g.suggest(v.voice.always(nil))
	if left := t.all - len(t.items); left > 0 {
		resp.Guidance.Notices = []string{v.notice(t, left, narrowing)}
	}
	return resp, nil
}

// speak asks the functions, which are given nothing but what is shown.
func (v *View) speak(ctx context.Context, g *guide, items []reflect.Value) {
	seen := make([]reflect.Value, len(items))
	for i, item := range items {
		if seen[i] = v.item.Seen(item); seen[i].Kind() == reflect.Pointer && seen[i].IsNil() {
			seen[i] = reflect.New(seen[i].Type().Elem()) // as it was sent
		}
	}
	listUI := v.voice.spec.listUI
	whole := v.form != One && len(listUI) > 0
	for _, s := range seen {
		v.voice.speak(ctx, g, s, !whole)
	}
	if whole {
		for _, ui := range listUI {
			g.show(ui(seen))
		}
	}
}

// taken are the values of one reply.
type taken struct {
	items []reflect.Value // those that are shown
	all   int             // how many there were
	total int             // and elsewhere
	next  string
}

// take applies the limit, and converts what is left.
func (v *View) take(value reflect.Value) (t taken) {
	switch v.form {
	case One:
		return taken{items: []reflect.Value{v.converted(value)}, all: 1, total: 1}
	case Paged:
		t.total, t.next = int(value.Field(1).Int()), value.Field(2).String()
		value = value.Field(0)
	}
	t.all = value.Len()
	t.total = max(t.total, t.all)
	shown := t.all
	if v.limit > 0 {
		shown = min(shown, v.limit)
	}
	t.items = make([]reflect.Value, shown)
	for i := range t.items {
		t.items[i] = v.converted(value.Index(i))
	}
	return t
}

func (v *View) converted(value reflect.Value) reflect.Value {
	if v.convert == nil {
		return value
	}
	return v.convert(value)
}

func (v *View) append(dst []byte, t taken) ([]byte, error) {
	if v.list != nil {
		return v.list.Append(dst, t.items, t.total, t.next)
	}
	return v.item.Append(dst, t.items[0])
}

// notice says what was left out of a list, and what to do about it.
func (v *View) notice(t taken, left int, narrowing []string) string {
	where := ""
	if v.form == Paged {
		where = " on this page"
	}
	text := fmt.Sprintf("Shown: %d of %d%s. Left out: %d.", len(t.items), t.all, where, left)
	if len(narrowing) > 0 {
		text += " Parameters that narrow the search: " + strings.Join(narrowing, ", ") + "."
	}
	return text
}
