package protocol

import (
	"encoding/base64"
	"encoding/binary"
	"hash/fnv"

	"github.com/mcpfusion/go/internal/catalog"
)

// Cursors are opaque to clients, see server/utilities/pagination. One holds a print of the
// catalog and the ordinal in it of the tool that the page begins with. So a page never
// repeats or skips a tool when others appear and vanish between pages, and a cursor of
// another catalog is refused instead of misread.

// fingerprint tells catalogs apart by their tools' names.
func fingerprint(tools []*catalog.Tool) uint32 {
	h := fnv.New32a()
	for _, t := range tools {
		_, _ = h.Write([]byte(t.Name))
		_, _ = h.Write([]byte{0})
	}
	return h.Sum32()
}

// appendCursor appends the cursor of the page that begins with a tool.
func appendCursor(dst []byte, print uint32, ordinal int) []byte {
	var raw [8]byte
	binary.BigEndian.PutUint32(raw[:4], print)
	binary.BigEndian.PutUint32(raw[4:], uint32(ordinal))
	return base64.RawURLEncoding.AppendEncode(dst, raw[:])
}

// parseCursor reads a cursor that appendCursor wrote for a catalog with that many tools. A
// cursor has one form only: the decoder alone would read over line breaks.
func parseCursor(cursor []byte, print uint32, tools int) (ordinal int, ok bool) {
	if len(cursor) != base64.RawURLEncoding.EncodedLen(8) {
		return 0, false
	}
	raw, err := base64.RawURLEncoding.Strict().AppendDecode(nil, cursor)
	if err != nil || len(raw) != 8 || binary.BigEndian.Uint32(raw) != print {
		return 0, false
	}
	ordinal = int(binary.BigEndian.Uint32(raw[4:]))
	return ordinal, ordinal > 0 && ordinal < tools
}
