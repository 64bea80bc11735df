package schema

import (
	"encoding/json/jsontext"
	"math/big"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/samber/mo"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/internal/metaschema"
)

type goldenTree struct {
	Name     string
	Children []goldenTree
	Parent   *goldenTree
}

type goldenBase struct {
	ID string `json:"id" jsonschema:"The id"`
}

// goldenProvider reads itself and says how.
type goldenProvider struct{ text string }

func (p *goldenProvider) UnmarshalJSON(b []byte) error { p.text = string(b); return nil }
func (p goldenProvider) MarshalJSON() ([]byte, error)  { return []byte(`"` + p.text + `"`), nil }
func (goldenProvider) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Pattern: "^[a-z]+$"}
}

// goldenText reads and writes itself as text.
type goldenText struct{ text string }

func (p *goldenText) UnmarshalText(b []byte) error { p.text = string(b); return nil }
func (p goldenText) MarshalText() ([]byte, error)  { return []byte(p.text), nil }

type goldenModel struct {
	ID    string            `json:"id" fusion:"update" jsonschema:"The id"`
	Title string            `json:"title" fusion:"create,update?" validate:"min=3"`
	Due   mo.Option[string] `json:"due" fusion:"create"`
	Owner string            `json:"owner" fusion:"guarded"`
}

// goldenInputs are the structs that declare a feature each.
var goldenInputs = map[string]any{
	"structs": struct {
		goldenBase
		Nested struct {
			City string `jsonschema:"The city"`
		}
		Tree goldenTree
	}{},
	"options": struct {
		Option  mo.Option[int]
		Pointer *string
		List    mo.Option[[]string]
		Empty   string `json:"empty,omitempty"`
		Zero    int    `json:"zero,omitzero"`
	}{},
	"known_types": struct {
		At     time.Time
		For    time.Duration
		URL    url.URL
		Big    big.Int
		Bytes  []byte
		Raw    jsontext.Value
		Any    any
		Quoted int `json:"quoted,string"`
	}{},
	"marshalers": struct {
		Says goldenProvider
		Text goldenText
	}{},
	"enums": struct {
		Word   string   `validate:"oneof=a 'b c'"`
		Number int      `validate:"oneof=1 2"`
		List   []string `validate:"dive,oneof=x y"`
	}{},
	"maps": struct {
		Names   map[string]int
		Numbers map[int]bool
		Objects map[string]goldenBase
	}{},
	"defaults": struct {
		Text string   `validate:"default=a0x2Cb,example=c"`
		List []int    `validate:"default=[1,2]"`
		Yes  bool     `validate:"default=true"`
		Old  *float64 `validate:"deprecated"`
	}{},
	"rules": struct {
		Low    int      `validate:"min=1,max=9"`
		Open   float64  `validate:"gt=0,lt=1"`
		Text   string   `validate:"min=2,max=3,startswith=a"`
		Email  string   `validate:"email"`
		Items  []string `validate:"min=1,max=3,unique,dive,min=1"`
		Region string   `validate:"header=Region"`
	}{},
	"rules_between_fields": struct {
		Street *string
		City   *string `validate:"required_with=Street"`
		From   int
		To     int `validate:"gtfield=From"`
	}{},
}

func TestSchemasTravelAsTheGoldenFilesSay(t *testing.T) {
	for name, of := range goldenInputs {
		t.Run(name, func(t *testing.T) {
			in, problems := NewInput(reflect.TypeOf(of), nil, Config{})
			require.Empty(t, problems)
			goldenSchema(t, name, in.JSON())
		})
	}
	for _, profile := range []string{"create", "update"} {
		params, problems := Model(reflect.TypeFor[goldenModel](), profile)
		require.Empty(t, problems)
		in, problems := NewInput(nil, params, Config{})
		require.Empty(t, problems)
		goldenSchema(t, "model_"+profile, in.JSON())
	}
}

func TestWhatAnAppSetsTravelsAsTheGoldenFilesSay(t *testing.T) {
	own := &Rules{}
	require.NoError(t, own.Add(CustomRule{
		Name: "sku", Type: reflect.TypeFor[string](), Holds: func(reflect.Value) bool { return true },
		Problem: "is no SKU", Expected: "a SKU", Schema: `{"pattern":"^AB-","minLength":4}`,
	}))
	for name, cfg := range map[string]Config{"own_rule": {Rules: own}, "lenient": {Rules: own, Lenient: true}} {
		in, problems := NewInput(reflect.TypeFor[struct {
			Item string `validate:"sku,max=9"`
			Base goldenBase
		}](), nil, cfg)
		require.Empty(t, problems)
		goldenSchema(t, name, in.JSON())
	}
}

// goldenResult has what results alone have.
type goldenResult struct {
	At      time.Time
	Took    time.Duration
	Maybe   *time.Time
	Late    mo.Option[time.Time]
	Counts  map[string]int
	ByID    map[int]goldenBase
	Lists   map[string][]string
	Secret  string `json:"secret" fusion:"hidden"`
	Ignored string `json:"-"`
}

func TestResultsTravelAsTheGoldenFilesSay(t *testing.T) {
	for name, of := range map[string]reflect.Type{
		"output_object": reflect.TypeFor[goldenModel](), "output_wrapped": reflect.TypeFor[[]goldenTree](),
		"output_times_and_maps": reflect.TypeFor[goldenResult](), "output_map": reflect.TypeFor[map[string]goldenBase](),
		"output_time": reflect.TypeFor[time.Time](),
	} {
		out, err := NewOutput(of)
		require.NoError(t, err)
		goldenSchema(t, name, out.JSON())
	}
}

func TestRawSchemasTravelAsTheGoldenFilesSay(t *testing.T) {
	for name, text := range map[string]string{
		"raw": `{ "type":"object", "properties":{"a":{"$ref":"#/$defs/b"}}, "$defs":{"b":{"type":"string"}} }`,
		"raw_headers": `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},` +
			`"deep":{"type":"object","properties":{"level":{"type":"integer","default":1,"x-mcp-header":"Level"}}}}}`,
	} {
		goldenSchema(t, name, raw(t, text).JSON())
	}
	assert.Len(t, raw(t, string(readGolden(t, "raw_headers"))).Mirrors(), 2)
}

// goldenSchema compares a schema byte for byte with the one in a file.
func goldenSchema(t *testing.T, name string, got jsontext.Value) {
	t.Helper()
	metaschema.Check(t, got)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o750))
		require.NoError(t, os.WriteFile(goldenFile(name), got, 0o600))
	}
	assert.Equal(t, string(readGolden(t, name)), string(got), "go test ./internal/schema -update")
}

func goldenFile(name string) string { return filepath.Join("testdata", name+".json") }

func readGolden(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(goldenFile(name))
	require.NoError(t, err)
	return text
}
