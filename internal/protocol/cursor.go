package protocol

import (
	"encoding/base64"
	"encoding/binary"
	"hash/fnv"

	"github.com/mcpfusion/go/internal/catalog"
)

// Cursors are opaque to clients, see server/utilities/pagination. One holds a print of the
// collection and the ordinal in it of the item that the page begins with. So a page never
// repeats or skips an item when others appear and vanish between pages, and a cursor of
// another list or catalog is refused instead of misread.

// fingerprint tells collections apart by their key and the names of their items.
func fingerprint(key string, items []*catalog.Item) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(key))
	for _, i := range items {
		_, _ = h.Write([]byte(i.Name))
		_, _ = h.Write([]byte{0})
	}
	return h.Sum32()
}

// appendCursor appends the cursor of the page that begins with an item.
func appendCursor(dst []byte, print uint32, ordinal int) []byte {
	var raw [8]byte
	binary.BigEndian.PutUint32(raw[:4], print)
	binary.BigEndian.PutUint32(raw[4:], uint32(ordinal))
	return base64.RawURLEncoding.AppendEncode(dst, raw[:])
}

// parseCursor reads a cursor that appendCursor wrote for a collection with that many items. A
// cursor has one form only: the decoder alone would read over line breaks.
func parseCursor(cursor []byte, print uint32, items int) (ordinal int, ok bool) {
	if len(cursor) != base64.RawURLEncoding.EncodedLen(8) {
		return 0, false
	}
	raw, err := base64.RawURLEncoding.Strict().AppendDecode(nil, cursor)
	if err != nil || len(raw) != 8 || binary.BigEndian.Uint32(raw) != print {
		return 0, false
	}
	ordinal = int(binary.BigEndian.Uint32(raw[4:]))
	return ordinal, ordinal > 0 && ordinal < items
}
