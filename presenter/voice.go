package presenter

import (
	"context"
	"encoding/json/v2"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/mcpfusion/go/internal/schema"
	"github.com/mcpfusion/go/result"
)

// voice is what a presenter and those embedded in it say beside the data.
type voice struct {
	spec   *spec
	output *schema.Output
	parts  []part
}

type part struct {
	place *schema.Place
	voice *voice
}

// compile checks the presenter against its type.
func (s *spec) compile() (*voice, []string) {
	var problems []string
	fail := func(format string, args ...any) {
		problems = append(problems, fmt.Sprintf("%q", s.name)+fmt.Sprintf(format, args...))
	}
	for _, p := range s.problems {
		fail(" %s", p)
	}
	if s.shape.Only != nil && len(s.shape.Hide) > 0 {
		fail(": Only and Hide exclude one another; Only names all that is shown")
	}
	output, err := schema.NewOutput(s.typ)
	if err != nil {
		fail(" cannot show its type: %v", err)
	}
	if len(problems) > 0 {
		return nil, problems
	}
	output, wrong := output.Shape(s.shape)
	for _, p := range wrong {
		fail(": %s", p)
	}
	if len(wrong) > 0 {
		return nil, problems
	}
	v := &voice{spec: s, output: output}
	problems = append(problems, v.embed()...)
	return v, problems
}

// embed compiles the embedded presenters and narrows the output by them.
func (v *voice) embed() (problems []string) {
	children := make([]*voice, len(v.spec.embeds))
	for i, e := range v.spec.embeds {
		child, wrong := e.child.compile()
		if problems = append(problems, wrong...); len(wrong) > 0 {
			continue
		}
		output, unfit := v.output.Embed(e.path, child.output)
		for _, p := range unfit {
			problems = append(problems, fmt.Sprintf("%q: Embed(%q) of %q: %s", v.spec.name, e.path, e.child.name, p))
		}
		if len(unfit) == 0 {
			v.output, children[i] = output, child
		}
	}
	if len(problems) > 0 {
		return problems
	}
	for i, e := range v.spec.embeds { // only now: a later one may have narrowed an earlier one
		v.parts = append(v.parts, part{v.output.Place(e.path, children[i].output), children[i]})
	}
	return nil
}

// silent reports that there are no functions to ask.
func (v *voice) silent() bool {
	s := v.spec
	return len(s.rules)+len(s.next)+len(s.ui)+len(s.listUI) == 0 &&
		!slices.ContainsFunc(v.parts, func(p part) bool { return !p.voice.silent() })
}

// always adds the calls that every reply suggests.
func (v *voice) always(to []Next) []Next {
	to = append(to, v.spec.always...)
	for _, p := range v.parts {
		to = p.voice.always(to)
	}
	return to
}

// speak asks the functions about one value, then those of its parts.
func (v *voice) speak(ctx context.Context, g *guide, seen reflect.Value, ui bool) {
	for _, rules := range v.spec.rules {
		g.rule(rules(ctx, seen))
	}
	for _, next := range v.spec.next {
		g.suggest(next(seen))
	}
	if ui {
		for _, blocks := range v.spec.ui {
			g.show(blocks(seen))
		}
	}
	for _, p := range v.parts {
		p.place.Each(seen, func(inner reflect.Value) { p.voice.speak(ctx, g, inner, ui) })
	}
}

// guide collects what is said, each thing once.
type guide struct {
	resp  *result.Response
	known map[string]bool
}

// fresh reports that a thing was not said before.
func (g *guide) fresh(kind byte, text string) bool {
	key := string(kind) + text
	if g.known[key] {
		return false
	}
	if g.known == nil {
		g.known = make(map[string]bool)
	}
	g.known[key] = true
	return true
}

func (g *guide) rule(texts []string) {
	for _, text := range texts {
		if text != "" && g.fresh('r', text) {
			g.resp.Guidance.Rules = append(g.resp.Guidance.Rules, text)
		}
	}
}

func (g *guide) suggest(next []Next) {
	for _, n := range next {
		if n.action.Tool != "" && g.fresh('n', n.key()) {
			g.resp.Guidance.Next = append(g.resp.Guidance.Next, n.action)
		}
	}
}

func (g *guide) show(blocks []Block) {
	for _, b := range blocks {
		if c := b.content(); c != nil && g.fresh('b', b.text) {
			g.resp.UI = append(g.resp.UI, c)
		}
	}
}

// key tells suggestions apart. Arguments that cannot be encoded are dropped later on.
func (n Next) key() string {
	args, _ := json.Marshal(n.action.Arguments, json.Deterministic(true))
	return strconv.Quote(n.action.Tool) + strconv.Quote(n.action.Reason) + string(args)
}
