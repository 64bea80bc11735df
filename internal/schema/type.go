// Package schema compiles a Go type into one tree that writes its JSON Schema, decodes
// and checks arguments strictly, and encodes results.
//
// [NewInput] compiles what a tool takes, [NewOutput] what it returns, and [NewRaw] takes
// a schema from elsewhere. All three are safe for concurrent use once they are made.
//
// The tree names a field by its json tag, or else in snake_case, in both directions.
package schema

import (
	"encoding/json/jsontext"
	"fmt"
	"math/big"
	"net/netip"
	"net/url"
	"reflect"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// Problem is a mistake in a declaration. Name is the parameter or field that it is
// about, "" for the whole; the message says how to mend it.
type Problem struct{ Name, Message string }

// String is one line.
func (p Problem) String() string {
	if p.Name == "" {
		return p.Message
	}
	return fmt.Sprintf("%q %s", p.Name, p.Message)
}

// kind is how a type travels in JSON.
type kind uint8

const (
	boolKind kind = iota
	intKind
	uintKind
	floatKind
	stringKind
	bytesKind    // a base64 string
	timeKind     // an RFC 3339 string
	durationKind // a string like "1h30m"
	urlKind      // a string
	textKind     // a string that the type reads and writes itself
	bigKind      // an integer of any size
	customKind   // JSON that the type reads and writes itself
	rawKind      // any JSON, kept as bytes
	anyKind      // any JSON, as Go values
	objectKind
	listKind
	mapKind
)

// node is one type in the tree. It does not change once it is compiled.
type node struct {
	typ    reflect.Type
	kind   kind
	fields []*field          // of an object
	byName map[string]*field // of an object with many fields
	rest   *field            // of an object: takes the names that are no field's
	across []*across         // of an object: the rules between its members
	elem   slot              // of a list or map
	key    *keyCodec         // of a map
	def    string            // the name in $defs of a type that contains itself
	own    *ownSchema        // of a type that says what its JSON looks like
	quoted bool              // a number inside a string
	zeroer bool              // has IsZero
	// Of what is sent, see [Shape].
	partial  bool // not all of it is shown
	redacted bool // its text is not shown
}

// presence is how a place for a value says that there is none.
type presence uint8

const (
	bare     presence = iota // it cannot
	nilable                  // a nil slice, map or interface
	pointer                  // a nil pointer
	optional                 // an mo.Option
)

// slot is a place for a value, with the rules for what may be put there.
type slot struct {
	typ      reflect.Type // as declared: a pointer or mo.Option too
	presence presence
	node     *node
	rules    *rules        // nil: none
	option   *optionAccess // of an mo.Option
}

// field is a member of an object.
type field struct {
	slot
	name         string
	quotedName   []byte // with the colon, as it is written
	description  string
	index        []int // the way to the struct field, through embedded structs
	required     bool
	tagged       bool // the json tag gives the name
	examples     []jsontext.Value
	deprecated   bool
	across       []string // the rules that look at other members, as written
	omit         omission
	defaultJSON  jsontext.Value
	defaultValue reflect.Value // of a scalar, ready to be set
	pos          int
}

// omission is when an output leaves a member out.
type omission uint8

const (
	never omission = iota
	omitZero
	omitEmpty
)

var (
	timeType     = reflect.TypeFor[time.Time]()
	durationType = reflect.TypeFor[time.Duration]()
	rawType      = reflect.TypeFor[jsontext.Value]()
	urlType      = reflect.TypeFor[url.URL]()
	bigType      = reflect.TypeFor[big.Int]()
)

// textExamples are values of text types that models cannot guess the form of.
var textExamples = map[reflect.Type]string{
	reflect.TypeFor[netip.Addr]():     `an IP address such as "192.0.2.1"`,
	reflect.TypeFor[netip.AddrPort](): `an IP address and port such as "192.0.2.1:443"`,
	reflect.TypeFor[netip.Prefix]():   `a network such as "192.0.2.0/24"`,
	reflect.TypeFor[big.Float]():      `a number in a string such as "1.5"`,
	reflect.TypeFor[big.Rat]():        `a fraction in a string such as "3/4"`,
}

// Provider is a type that says what its JSON looks like, for types with marshalling
// of their own. The schema is enforced before the type decodes a value.
type Provider interface{ JSONSchema() *jsonschema.Schema }
