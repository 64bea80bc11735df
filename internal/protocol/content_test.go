package protocol

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/mcpfusion/go/result"
)

// encoded is a block as the newest revision has it.
func encoded(c result.Content) (string, error) {
	e := encoder{rev: rev20260728}
	e.block(c)
	return string(e.dst), e.err
}

func TestAPointerToABlockIsTheBlock(t *testing.T) {
	meta := map[string]any{"a": 1}
	for _, pair := range [][2]result.Content{
		{result.Text{Text: "t", Meta: meta}, &result.Text{Text: "t", Meta: meta}},
		{result.Image{Data: []byte("i"), MIMEType: "m"}, &result.Image{Data: []byte("i"), MIMEType: "m"}},
		{result.Audio{Data: []byte("a"), MIMEType: "m"}, &result.Audio{Data: []byte("a"), MIMEType: "m"}},
		{result.ResourceLink{URI: "u", Name: "n"}, &result.ResourceLink{URI: "u", Name: "n"}},
		{result.EmbeddedResource{}, &result.EmbeddedResource{}},
	} {
		value, err := encoded(pair[0])
		pointer, err2 := encoded(pair[1])
		if value != pointer || errors.Join(err, err2) != nil {
			t.Errorf("%s and %s, %v, %v", value, pointer, err, err2)
		}
	}
}

func TestABlockThatIsNilIsAnError(t *testing.T) {
	for _, c := range []result.Content{nil, (*result.Text)(nil), (*result.Image)(nil), (*result.Audio)(nil), (*result.ResourceLink)(nil), (*result.EmbeddedResource)(nil)} {
		if got, err := encoded(c); !errors.Is(err, errNoBlock) {
			t.Errorf("%T gives %s, %v", c, got, err)
		}
	}
}

func TestOptionalPartsOfABlockAreLeftOut(t *testing.T) {
	for want, c := range map[string]result.Content{
		`{"type":"text","text":""}`:                                     result.Text{Meta: map[string]any{}},
		`{"type":"text","text":"","annotations":{"audience":["user"]}}`: result.Text{Annotations: &result.Annotations{Audience: []result.Role{result.RoleUser}}},
		`{"type":"text","text":"","annotations":{"priority":0}}`:        result.Text{Annotations: &result.Annotations{Priority: new(0.0)}},
		`{"type":"image","data":"","mimeType":""}`:                      result.Image{},
		`{"type":"resource_link","uri":"","name":""}`:                   result.ResourceLink{},
		`{"type":"resource","resource":{"uri":"","text":""}}`:           result.EmbeddedResource{},
		`{"type":"resource","resource":{"uri":"","blob":""}}`:           result.EmbeddedResource{Resource: result.ResourceContents{Blob: []byte{}}},
	} {
		if got, err := encoded(c); got != want || err != nil {
			t.Errorf("got %s, want %s, %v", got, want, err)
		}
	}
}

func TestTheFirstThingThatCannotBeEncodedIsTheError(t *testing.T) {
	got, err := encoded(result.Text{Annotations: &result.Annotations{Priority: new(math.NaN())}, Meta: map[string]any{"f": func() {}}})
	if err == nil || !strings.Contains(err.Error(), "NaN") {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestAResourceLinkIsATextWhereTheRevisionHasNone(t *testing.T) {
	for want, c := range map[string]result.ResourceLink{
		`{"type":"text","text":"n: u"}`:    {URI: "u", Name: "n", Title: "t", Meta: map[string]any{"a": 1}},
		`{"type":"text","text":"n: u\nd"}`: {URI: "u", Name: "n", Description: "d"},
	} {
		e := encoder{rev: rev20250326}
		e.block(c)
		if string(e.dst) != want {
			t.Errorf("got %s, want %s", e.dst, want)
		}
	}
}
