package protocol

import (
	"bytes"
	"testing"

	"github.com/mcpfusion/go/internal/catalog"
)

func TestACursorOfAnotherCatalogIsUnknown(t *testing.T) {
	here := fingerprint("tools", []*catalog.Item{{Name: "a"}, {Name: "b"}, {Name: "c"}})
	there := fingerprint("tools", []*catalog.Item{{Name: "a"}, {Name: "bc"}})
	cursor := appendCursor(nil, here, 2)
	if n, ok := parseCursor(cursor, here, 3); !ok || n != 2 {
		t.Errorf("its own catalog reads %d, %v", n, ok)
	}
	if _, ok := parseCursor(cursor, there, 3); ok {
		t.Error("another catalog reads it")
	}
	if _, ok := parseCursor(cursor, here, 2); ok {
		t.Error("an ordinal behind the last tool is read")
	}
}

func FuzzCursor(f *testing.F) {
	f.Add([]byte("bogus"), uint32(1), 5)
	f.Add(appendCursor(nil, 7, 300), uint32(7), 1000)
	f.Add([]byte("AAAAB\nwAAACw"), uint32(7), 1000)
	f.Fuzz(func(t *testing.T, cursor []byte, print uint32, tools int) {
		n, ok := parseCursor(cursor, print, tools)
		if !ok {
			return
		}
		if n <= 0 || n >= tools {
			t.Errorf("%q stands for tool %d of %d", cursor, n, tools)
		}
		if again := appendCursor(nil, print, n); !bytes.Equal(again, cursor) {
			t.Errorf("%q and %q both stand for %d", cursor, again, n)
		}
	})
}
