package catalog

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// heard is a Listener that counts.
type heard []string

func (h *heard) Heard(_ Change, uri string) { *h = append(*h, uri) }

func TestAChangeIsToldToWhomItConcerns(t *testing.T) {
	c := New(Info{}, nil, nil, nil)
	var ann, ben heard
	stop := c.Listen("ann", "s1", &ann)
	defer c.Listen("ben", "s2", &ben)()

	c.Changed(t.Context(), ToolsChanged, Audience{Subjects: []string{"ann"}})
	c.Updated(t.Context(), "test://a", Audience{Sessions: []string{"s2"}})
	c.Changed(t.Context(), ToolsChanged, Audience{Subjects: []string{""}})
	c.Updated(t.Context(), "test://b", Audience{})
	stop()
	c.Updated(t.Context(), "test://c", Audience{})

	assert.Equal(t, heard{"", "test://b"}, ann)
	assert.Equal(t, heard{"test://a", "test://b", "test://c"}, ben)
}
