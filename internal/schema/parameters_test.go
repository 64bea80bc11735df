package schema

import (
	stdjson "encoding/json" //nolint:depguard // json.Number is a type of it
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/big"
	"net/netip"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/samber/mo"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the schemas in testdata, and the tables in docs/parameters.md")

// row is a line of the table in docs/parameters.md: a declaration, and values that show
// what it means.
type row struct {
	in      any // a struct; the line is about its last field, x
	taken   string
	refused string
}

// readsItself takes texts and objects.
type readsItself struct{ text string }

func (r *readsItself) UnmarshalJSON(b []byte) error {
	if r.text = string(b); b[0] != '"' && b[0] != '{' {
		return errors.New("neither")
	}
	return nil
}

// saysItself takes texts of small letters, and says which.
type saysItself struct{ text string }

func (s *saysItself) UnmarshalJSON(b []byte) error { s.text = string(b); return nil }

func (saysItself) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Pattern: "^[a-z]+$"}
}

// parameterRows has values with ; between them. Those of structs with one field are values
// of it, others are all arguments.
var parameterRows = []row{
	{struct{ X string }{}, `"a"; ""`, `5; null`},
	{struct{ X bool }{}, `true`, `1; null`},
	{struct{ X int }{}, `5; 5.0; 1e3`, `5.5; "a"`},
	{struct{ X int8 }{}, `-128; 127`, `128`},
	{struct{ X int16 }{}, `-32768; 32767`, `32768`},
	{struct{ X int32 }{}, `-2147483648; 2147483647`, `2147483648`},
	{struct{ X uint }{}, `0; 5`, `-1; 0.5`},
	{struct{ X uint8 }{}, `0; 255`, `-1; 256`},
	{struct{ X uint16 }{}, `0; 65535`, `-1; 65536`},
	{struct{ X uint32 }{}, `0; 4294967295`, `-1; 4294967296`},
	{struct{ X int64 }{}, `-9223372036854775808; 9223372036854775807`, `9223372036854775808`},
	{struct{ X uint64 }{}, `18446744073709551615`, `-1; 18446744073709551616`},
	{struct{ X float64 }{}, `5; 0.5`, `"NaN"`},
	{struct{ X float32 }{}, `0.5`, `1e39`},
	{struct{ X []string }{}, `["a"]; []`, `null; [null]`},
	{struct{ X [2]int }{}, `[1,2]`, `[1]; [1,2,3]`},
	{struct{ X map[string]int }{}, `{"a":1}; {}`, `{"a":"b"}; null`},
	{struct{ X map[int8]bool }{}, `{"1":true}`, `{"a":true}; {"128":true}`},
	{struct{ X struct{ City string } }{}, `{"city":"Bonn"}`, `{}; {"town":"Bonn"}`},
	{struct{ X []byte }{}, `"aGk="`, `"a!"; [104,105]`},
	{struct{ X any }{}, `5; "a"; null; {"a":[]}`, ``},
	{struct{ X jsontext.Value }{}, `5; "a"; null; {"a":[]}`, ``},
	{struct{ X time.Time }{}, `"2026-01-31T09:30:00Z"`, `"2026-01-31"; 0`},
	{struct{ X time.Duration }{}, `"1h30m"`, `"soon"; 90`},
	{struct{ X url.URL }{}, `"https://example.com"`, `"http://[x"; 5`},
	{struct{ X big.Int }{}, `123456789012345678901234567890`, `0.5`},
	{struct{ X stdjson.Number }{}, `5; 0.1`, `"a"`},
	{struct{ X netip.Addr }{}, `"192.0.2.1"; "2001:db8::1"`, `"192.0.2"; 5`},
	{struct{ X map[netip.Addr]bool }{}, `{"192.0.2.1":true}`, `{"a":true}`},
	{struct{ X readsItself }{}, `"a"; {"a":1}`, `5`},
	{struct{ X saysItself }{}, `"ab"`, `"AB"; "ß"; 5`},
	{struct{ X *string }{}, `"a"; null`, `5`},
	{struct{ X mo.Option[string] }{}, `"a"; null`, `5`},
	{struct {
		X string `json:"x,omitempty"`
	}{}, `"a"; null`, `5`},
	{struct {
		X int `json:"x,string"`
	}{}, `"5"`, `5; "a"`},
	{struct {
		X int `validate:"default=20"`
	}{}, `5; null`, `"a"`},
	{struct {
		X *string `validate:"required"`
	}{}, `"a"`, `null`},
	{struct {
		X int `validate:"min=1,max=9"`
	}{}, `1; 9`, `0; 10`},
	{struct {
		X float64 `validate:"gt=0,lt=1"`
	}{}, `0.5`, `0; 1`},
	{struct {
		X string `validate:"min=2,max=3"`
	}{}, `"äöü"`, `"a"; "abcd"`},
	{struct {
		X string `validate:"len=2"`
	}{}, `"ab"`, `"a"`},
	{struct {
		X []int `validate:"gte=1,lte=2"`
	}{}, `[1]`, `[]; [1,2,3]`},
	{struct {
		X map[string]int `validate:"min=1"`
	}{}, `{"a":1}`, `{}`},
	{struct {
		X time.Duration `validate:"max=1h"`
	}{}, `"1h"`, `"2h"`},
	{struct {
		X []byte `validate:"max=2"`
	}{}, `"aGk="`, `"YWJj"`},
	{struct {
		X string `validate:"eq=a"`
	}{}, `"a"`, `"b"`},
	{struct {
		X int `validate:"ne=0"`
	}{}, `1`, `0`},
	{struct {
		X string `validate:"oneof=a 'b c'"`
	}{}, `"b c"`, `"b"`},
	{struct {
		X int `validate:"oneof=1 2"`
	}{}, `1; 2.0`, `3`},
	{struct {
		X []int `validate:"unique"`
	}{}, `[1,2]`, `[1,1]; [1,1.0]`},
	{struct {
		X []string `validate:"dive,min=1"`
	}{}, `["a"]`, `[""]`},
	{struct {
		X map[string]int `validate:"dive,keys,max=2,endkeys,min=1"`
	}{}, `{"ab":1}`, `{"abc":1}; {"a":0}`},
	{struct {
		X string `validate:"startswith=ab"`
	}{}, `"abc"`, `"b"`},
	{struct {
		X string `validate:"endswith=c"`
	}{}, `"abc"`, `"b"`},
	{struct {
		X string `validate:"contains=b"`
	}{}, `"abc"`, `"a"`},
	{struct {
		X string `validate:"datetime=2006-01-02"`
	}{}, `"2026-01-31"`, `"31.01.2026"`},
	{struct {
		X string `validate:"datetime=15:04"`
	}{}, `"09:30"`, `"9.30"`},
	{struct {
		X int `validate:"example=5"`
	}{}, `7`, `"a"`},
	{struct {
		X *string `validate:"deprecated"`
	}{}, `"a"`, `5`},
	{struct {
		X string `validate:"header=Region"`
	}{}, `"eu"`, `5`},
}

// betweenRows are those of rules on two or more fields.
var betweenRows = []row{
	{struct {
		Kind string
		X    *string `validate:"required_if=Kind card"`
	}{}, `{"kind":"cash"}; {"kind":"card","x":"a"}`, `{"kind":"card"}`},
	{struct {
		Kind string
		X    *string `validate:"required_unless=Kind cash"`
	}{}, `{"kind":"cash"}; {"kind":"card","x":"a"}`, `{"kind":"card"}`},
	{struct {
		Street *string
		City   *string
		X      *string `validate:"required_with=Street City"`
	}{}, `{}; {"street":"a","x":"b"}`, `{"street":"a"}; {"city":"a"}`},
	{struct {
		Street *string
		City   *string
		X      *string `validate:"required_with_all=Street City"`
	}{}, `{"street":"a"}; {"street":"a","city":"b","x":"c"}`, `{"street":"a","city":"b"}`},
	{struct {
		Street *string
		City   *string
		X      *string `validate:"required_without=Street City"`
	}{}, `{"x":"a"}; {"street":"a","city":"b"}`, `{"street":"a"}; {}`},
	{struct {
		Street *string
		City   *string
		X      *string `validate:"required_without_all=Street City"`
	}{}, `{"x":"a"}; {"street":"a"}`, `{}`},
	{struct {
		Kind string
		X    *string `validate:"excluded_if=Kind cash"`
	}{}, `{"kind":"card","x":"a"}; {"kind":"cash"}`, `{"kind":"cash","x":"a"}`},
	{struct {
		Kind string
		X    *string `validate:"excluded_unless=Kind card"`
	}{}, `{"kind":"card","x":"a"}`, `{"kind":"cash","x":"a"}`},
	{struct {
		Street *string
		City   *string
		X      *string `validate:"excluded_with=Street City"`
	}{}, `{"x":"a"}; {"street":"a"}`, `{"street":"a","x":"b"}`},
	{struct {
		Street *string
		City   *string
		X      *string `validate:"excluded_with_all=Street City"`
	}{}, `{"street":"a","x":"b"}`, `{"street":"a","city":"b","x":"c"}`},
	{struct {
		Street *string
		City   *string
		X      *string `validate:"excluded_without=Street City"`
	}{}, `{"street":"a","city":"b","x":"c"}`, `{"street":"a","x":"b"}`},
	{struct {
		Street *string
		City   *string
		X      *string `validate:"excluded_without_all=Street City"`
	}{}, `{"street":"a","x":"b"}; {}`, `{"x":"a"}`},
	{struct {
		From string
		X    string `validate:"eqfield=From"`
	}{}, `{"from":"a","x":"a"}`, `{"from":"a","x":"b"}`},
	{struct {
		From string
		X    string `validate:"nefield=From"`
	}{}, `{"from":"a","x":"b"}`, `{"from":"a","x":"a"}`},
	{struct {
		From int
		X    int `validate:"gtfield=From"`
	}{}, `{"from":1,"x":2}`, `{"from":1,"x":1}`},
	{struct {
		From time.Time
		X    time.Time `validate:"gtefield=From"`
	}{}, `{"from":"2026-01-01T00:00:00Z","x":"2026-01-01T00:00:00Z"}`, `{"from":"2026-01-02T00:00:00Z","x":"2026-01-01T00:00:00Z"}`},
	{struct {
		From float64
		X    float64 `validate:"ltfield=From"`
	}{}, `{"from":1,"x":0.5}`, `{"from":1,"x":1}`},
	{struct {
		From time.Duration
		X    time.Duration `validate:"ltefield=From"`
	}{}, `{"from":"1h","x":"60m"}`, `{"from":"1h","x":"61m"}`},
}

func TestEachLineOfTheTableOfParametersIsProvedByDecoding(t *testing.T) {
	lines := []string{"| Go type or rule | schema written | required | taken | refused | beyond the schema |", "|---|---|---|---|---|---|"}
	for _, r := range slices.Concat(parameterRows, betweenRows) {
		lines = append(lines, r.line(t, r.in))
	}
	for _, name := range slices.Sorted(maps.Keys(textRules)) {
		rule := textRules[name]
		if rule.format == "" && rule.pattern == "" {
			continue
		}
		field := reflect.StructField{Name: "X", Type: reflect.TypeFor[string](), Tag: reflect.StructTag(fmt.Sprintf("validate:%q", name))}
		r := row{taken: quotedText(rule.example), refused: `"ß"`}
		lines = append(lines, r.line(t, reflect.New(reflect.StructOf([]reflect.StructField{field})).Elem().Interface()))
	}
	page(t, "parameters", strings.Join(lines, "\n"))
}

// refusedTexts are values that rules without a trace in the schema refuse.
var refusedTexts = map[string]string{
	"alphaunicode": "a1", "base64": "a!", "bcp47_language_tag": "e", "boolean": "maybe", "cidr": "192.0.2.0", "country_code": "XX",
	"credit_card": "4242424242424241", "cron": "daily", "datauri": "data", "fqdn": "localhost", "hostname": "a_b",
	"hostname_port": "example.com", "ip": "192.0.2", "iso3166_1_alpha2": "de", "iso3166_1_alpha3": "DE", "iso4217": "EURO",
	"json": "{", "jwt": "a.b", "lowercase": "Abc", "mac": "00:00", "semver": "1.2", "timezone": "Berlin", "ulid": "01", "uppercase": "Abc",
}

func TestTheEnforcedOnlyRulesRefuseAndLeaveNoTraceInTheSchema(t *testing.T) {
	lines := []string{"| rule | taken | refused |", "|---|---|---|"}
	for _, name := range slices.Sorted(maps.Keys(textRules)) {
		rule := textRules[name]
		if rule.format != "" || rule.pattern != "" {
			continue
		}
		taken, refused := quotedText(rule.example), quotedText(refusedTexts[name])
		in, problems := NewInput(nil, []Param{{Name: "x", Type: reflect.TypeFor[string](), Rules: []string{name}}}, Config{})
		require.Empty(t, problems, name)
		assert.Contains(t, string(in.JSON()), `"x":{"type":"string"}`, name)
		_, fields := in.DecodeMap(jsontext.Value(`{"x":` + taken + `}`))
		assert.Empty(t, fields, "%s takes its own example", name)
		_, fields = in.DecodeMap(jsontext.Value(`{"x":` + refused + `}`))
		require.NotEmpty(t, fields, "%s refuses %s", name, refused)
		lines = append(lines, fmt.Sprintf("| %s | %s | %s %s |", codeCell(name), codeCell(taken), codeCell(refused), cell(fields[0].Problem)))
	}
	page(t, "enforced only", strings.Join(lines, "\n"))
}

func TestTheListOfLeniencies(t *testing.T) {
	lines := []string{"| what | example | taken only by |", "|---|---|---|"}
	for _, l := range leniencies {
		example := l.Example
		if len(example) > 60 {
			example = example[:12] + "…" + example[len(example)-4:]
		}
		lines = append(lines, fmt.Sprintf("| %s | %s | %s |", cell(l.What), codeCell(example), l.TakenBy))
	}
	page(t, "leniencies", strings.Join(lines, "\n"))
}

// line proves a row, and writes it.
func (r row) line(t *testing.T, of any) string {
	t.Helper()
	typ := reflect.TypeOf(of)
	x := typ.Field(typ.NumField() - 1)
	in, problems := NewInput(typ, nil, Config{})
	require.Empty(t, problems, x.Type)
	allows := referee(t, in)
	var taken, refused, beyond []string
	for value := range values(r.taken + ";" + r.refused) {
		args := value
		if typ.NumField() == 1 {
			args = `{"x":` + value + `}`
		}
		fields := in.Decode(jsontext.Value(args), reflect.New(typ).Elem())
		if wanted := slices.Contains(slices.Collect(values(r.taken)), value); wanted {
			assert.Empty(t, fields, "%s %s %s is taken", x.Type, x.Tag, value)
			taken = append(taken, codeCell(value))
		} else if assert.NotEmpty(t, fields, "%s %s %s is refused", x.Type, x.Tag, value) {
			refused = append(refused, codeCell(value)+" "+cell(fields[0].Problem))
		}
		if says := validates(t, allows, args); says != (len(fields) == 0) {
			beyond = append(beyond, map[bool]string{true: "refuses ", false: "takes "}[says]+codeCell(value))
		}
	}
	return "| " + strings.Join([]string{
		codeCell(declared(x)), codeCell(written(t, in)), map[bool]string{true: "yes", false: "no"}[slices.Contains(partsOf(t, in).Required, "x")],
		strings.Join(taken, "<br>"), strings.Join(refused, "<br>"), strings.Join(beyond, "<br>"),
	}, " | ") + " |"
}

func values(list string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for value := range strings.SplitSeq(list, ";") {
			if value = strings.TrimSpace(value); value != "" && !yield(value) {
				return
			}
		}
	}
}

func validates(t *testing.T, s *jsonschema.Resolved, args string) bool {
	t.Helper()
	var v any
	require.NoError(t, json.Unmarshal([]byte(args), &v))
	return s.Validate(v) == nil
}

// declared is a field as Go code.
func declared(x reflect.StructField) string {
	text := strings.NewReplacer(
		"uint8", "byte", "interface {}", "any",
		"schema.readsItself", "UnmarshalJSON", "schema.saysItself", "UnmarshalJSON and JSONSchema",
	).Replace(x.Type.String())
	if x.Type.Kind() == reflect.Uint8 {
		text = "uint8"
	}
	if x.Type.Kind() == reflect.Struct && x.Type.Name() == "" {
		text = "struct{ City string }"
	}
	if options := strings.TrimPrefix(x.Tag.Get("json"), "x"); options != "" {
		text += ` json:"x` + options + `"`
	}
	if rules := x.Tag.Get("validate"); rules != "" {
		text += " " + rules
	}
	return text
}

// rootParts are those of a schema that the table shows.
type rootParts struct {
	Properties        map[string]jsontext.Value `json:"properties"`
	Required          []string                  `json:"required"`
	DependentRequired jsontext.Value            `json:"dependentRequired"`
}

func partsOf(t *testing.T, in *Input) (parts rootParts) {
	t.Helper()
	require.NoError(t, json.Unmarshal(in.JSON(), &parts))
	return parts
}

func written(t *testing.T, in *Input) string {
	t.Helper()
	parts := partsOf(t, in)
	text := string(parts.Properties["x"])
	if parts.DependentRequired != nil {
		text += ` "dependentRequired":` + string(parts.DependentRequired)
	}
	return text
}

func quotedText(s string) string {
	quoted, _ := jsontext.AppendQuote(nil, s)
	return string(quoted)
}

func cell(s string) string     { return strings.ReplaceAll(s, "|", `\|`) }
func codeCell(s string) string { return "`" + cell(s) + "`" }

// Page and CodeCell are for the tests that declare tools.
var (
	Page     = page
	CodeCell = codeCell
)

// page holds a generated part of docs/parameters.md to what the code does.
func page(t *testing.T, part, text string) {
	t.Helper()
	const file = "../../docs/parameters.md"
	old, err := os.ReadFile(file)
	require.NoError(t, err)
	marked := regexp.MustCompile(`(?s)(<!-- generated: ` + part + ` -->\n)(.*?)(<!-- end -->)`)
	found := marked.FindSubmatch(old)
	require.NotNil(t, found, "the page has no part %q", part)
	if *update {
		fresh := marked.ReplaceAllLiteral(old, []byte(string(found[1])+"\n"+text+"\n\n"+string(found[3])))
		require.NoError(t, os.WriteFile(file, fresh, 0o600))
		return
	}
	assert.Equal(t, "\n"+text+"\n\n", string(found[2]), "go test ./internal/schema -update")
}
