package schema

import (
	"encoding/json/jsontext"
	"fmt"
	"math"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/samber/mo"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/result"
)

// decodeInto decodes arguments by the declaration that T is.
func decodeInto[T any](t *testing.T, args string) (T, []result.Field) {
	t.Helper()
	var v T
	in, problems := NewInput(reflect.TypeFor[T](), nil, Config{})
	require.Empty(t, problems)
	fields := in.Decode(jsontext.Value(args), reflect.ValueOf(&v).Elem())
	return v, fields
}

func paths(fields []result.Field) (all []string) {
	for _, f := range fields {
		all = append(all, f.Path)
	}
	return all
}

func TestB1_IntegersPast2To53ArriveExactly(t *testing.T) {
	type in struct {
		I int64
		U uint64
		D int `validate:"default=10"`
	}
	for _, i := range []int64{1<<53 + 1, math.MaxInt64, math.MinInt64, -1, 0} {
		v, problems := decodeInto[in](t, fmt.Sprintf(`{"i":%d,"u":%d}`, i, uint64(math.MaxUint64)))
		assert.Empty(t, problems)
		assert.Equal(t, in{i, math.MaxUint64, 10}, v)
	}
	for _, args := range []string{`{"i":9223372036854775808,"u":1}`, `{"i":1,"u":18446744073709551616}`, `{"i":1,"u":-1}`, `{"i":1e30,"u":1}`, `{"i":1e999999999,"u":1}`} {
		_, problems := decodeInto[in](t, args)
		require.Len(t, problems, 1, args)
		assert.Equal(t, "is out of range", problems[0].Problem)
	}
	v, problems := decodeInto[in](t, `{"i":5.0,"u":1e3}`)
	assert.Empty(t, problems)
	assert.Equal(t, in{5, 1000, 10}, v)
	_, problems = decodeInto[in](t, `{"i":5.5,"u":1e-3}`)
	assert.Equal(t, "is not a whole number", problems[0].Problem)
	assert.Len(t, problems, 2)
}

func TestB13_ADefaultIsForAbsenceOnly(t *testing.T) {
	type in struct {
		N int     `validate:"default=10"`
		B bool    `validate:"default=true"`
		S string  `validate:"default=x"`
		F float64 `validate:"default=0.5"`
	}
	v, problems := decodeInto[in](t, `{}`)
	assert.Empty(t, problems)
	assert.Equal(t, in{10, true, "x", 0.5}, v)
	v, problems = decodeInto[in](t, `{"n":0,"b":false,"s":"","f":0}`)
	assert.Empty(t, problems)
	assert.Equal(t, in{}, v)
	v, _ = decodeInto[in](t, `{"n":null}`)
	assert.Equal(t, 10, v.N)
}

func TestB15_ADefaultIsFreshForEachCall(t *testing.T) {
	in, problems := NewInput(reflect.TypeFor[struct {
		L []string `json:"l" validate:"default=[\"a\"]"`
	}](), nil, Config{})
	require.Empty(t, problems)
	for range 2 {
		var v struct {
			L []string `json:"l" validate:"default=[\"a\"]"`
		}
		require.Empty(t, in.Decode(nil, reflect.ValueOf(&v).Elem()))
		assert.Equal(t, []string{"a"}, v.L)
		v.L[0] = "changed"
	}
}

func TestB11_AnEmptyListIsNotAnAbsentOne(t *testing.T) {
	type in struct {
		Tags  mo.Option[[]string]
		More  []string `json:"more,omitempty"`
		Price mo.Option[float64]
	}
	v, problems := decodeInto[in](t, `{"tags":[],"more":[],"price":null}`)
	assert.Empty(t, problems)
	assert.True(t, v.Tags.IsPresent())
	assert.NotNil(t, v.More)
	assert.False(t, v.Price.IsPresent())
	v, _ = decodeInto[in](t, `{"tags":null}`)
	assert.False(t, v.Tags.IsPresent())
	assert.Nil(t, v.More)
	_, problems = decodeInto[in](t, `{"price":""}`)
	assert.Equal(t, []string{"price"}, paths(problems))
}

func TestB9_UnknownNamesAreRefusedAtEveryDepthWithTheNearestOne(t *testing.T) {
	type in struct {
		Quantity int
		Item     struct{ Name string }
	}
	_, problems := decodeInto[in](t, `{"qunatity":3,"item":{"nam":"x"}}`)
	assert.Equal(t, []string{"qunatity", "item.nam", "item.name", "quantity"}, paths(problems))
	assert.Contains(t, problems[0].Problem, `did you mean "quantity"?`)
	assert.Contains(t, problems[1].Problem, `did you mean "name"?`)
}

func TestB23_HostileDepthIsOneBoundedProblem(t *testing.T) {
	type tree struct {
		Kids []tree `json:"kids,omitempty"`
		Any  any    `json:"any,omitempty"`
	}
	_, problems := decodeInto[tree](t, strings.Repeat(`{"kids":[`, 5000)+strings.Repeat(`]}`, 5000))
	require.Len(t, problems, 1)
	assert.Contains(t, problems[0].Problem, "nested too deeply")
	_, problems = decodeInto[tree](t, `{"any":`+strings.Repeat(`[`, 20_000)+strings.Repeat(`]`, 20_000)+`}`)
	assert.Len(t, problems, 1)
}

func TestB24_TextIsNotTouched(t *testing.T) {
	type in struct{ S string }
	v, problems := decodeInto[in](t, `{"s":"<h2>a & b</h2> \u0041 \"\\ 日本"}`)
	assert.Empty(t, problems)
	assert.Equal(t, "<h2>a & b</h2> A \"\\ 日本", v.S)
}

func TestEveryProblemIsReportedInTheOrderOfTheArguments(t *testing.T) {
	type in struct {
		A string `validate:"min=3"`
		B int    `validate:"max=5"`
		C bool
		D []struct{ X int }
	}
	_, problems := decodeInto[in](t, `{"d":[{"x":1},{"x":"2"},{}],"b":6,"a":"ab","e":1,"a":"abc"}`)
	assert.Equal(t, []string{"d[1].x", "d[2].x", "b", "a", "e", "a", "c"}, paths(problems))
	assert.Equal(t, "occurs twice", problems[5].Problem)
	assert.Equal(t, result.Field{Path: "b", Problem: "must be at most 5", Expected: "at most 5", Received: "6"}, problems[2])
}

func TestProblemsAndExcerptsAreBounded(t *testing.T) {
	type in struct{ L []int }
	_, problems := decodeInto[in](t, `{"l":[`+strings.Repeat(`"x",`, 500)+`"x"]}`)
	assert.Len(t, problems, maxProblems)
	_, problems = decodeInto[in](t, `{"l":"`+strings.Repeat("ä", 500)+`"}`)
	assert.Less(t, len(problems[0].Received), 100)
	assert.True(t, strings.HasSuffix(problems[0].Received, "…"))
}

func TestPathsTellEmptyNamesFromIndexes(t *testing.T) {
	type in struct{ M map[string][]int }
	_, problems := decodeInto[in](t, `{"m":{"":[1,"x"],"a b":["y"]},"":1}`)
	assert.Equal(t, []string{`m[""][1]`, `m.a b[0]`, `[""]`}, paths(problems))
}

func TestB3_B4_WhatIsNoObjectIsRefusedAndNothingIsAnEmptyOne(t *testing.T) {
	type in struct{ S mo.Option[string] }
	for _, args := range []string{"", "null", " {} ", "{}"} {
		_, problems := decodeInto[in](t, args)
		assert.Empty(t, problems, args)
	}
	for _, args := range []string{`[]`, `5`, `"{}"`, `{`, `{} {}`, `{"s":"\xff"}`, "{\"s\":\"\xff\"}", `{"s"}`, `nul`} {
		_, problems := decodeInto[in](t, args)
		assert.NotEmpty(t, problems, args)
	}
}

func TestLeavesTravelAsTheyAreDescribed(t *testing.T) {
	type in struct {
		At   time.Time
		For  time.Duration
		Raw  []byte
		URL  url.URL
		IP   netip.Addr
		JSON jsontext.Value
		Any  any
	}
	v, problems := decodeInto[in](t, `{"at":"2026-01-31T09:30:00+01:00","for":"1h30m","raw":"aGk=","url":"https://example.com/x","ip":"192.0.2.1","json":{"a":[1]},"any":{"n":9007199254740993}}`)
	require.Empty(t, problems)
	assert.Equal(t, 90*time.Minute, v.For)
	assert.Equal(t, "hi", string(v.Raw))
	assert.Equal(t, "example.com", v.URL.Host)
	assert.Equal(t, "192.0.2.1", v.IP.String())
	assert.Equal(t, `{"a":[1]}`, string(v.JSON))
	assert.Equal(t, map[string]any{"n": int64(9007199254740993)}, v.Any)
	_, problems = decodeInto[in](t, `{"at":"2026-01-31","for":"soon","raw":"?","url":"::","ip":"x","json":1,"any":1}`)
	assert.Equal(t, []string{"at", "for", "raw", "url", "ip"}, paths(problems))
	assert.Contains(t, problems[0].Expected, "2026-01-31T09:30:00Z")
}

func TestWhatADecodedValueHoldsIsItsOwn(t *testing.T) {
	args := []byte(`{"s":"text","json":[1]}`)
	in, problems := NewInput(reflect.TypeFor[struct {
		S    string
		JSON jsontext.Value
	}](), nil, Config{})
	require.Empty(t, problems)
	var v struct {
		S    string
		JSON jsontext.Value
	}
	before := string(args)
	require.Empty(t, in.Decode(args, reflect.ValueOf(&v).Elem()))
	assert.Equal(t, before, string(args), "the arguments are not changed")
	for i := range args {
		args[i] = 'x'
	}
	assert.Equal(t, "text", v.S)
	assert.Equal(t, "[1]", string(v.JSON))
}

func TestNoRequestBytesAreKeptBehindACall(t *testing.T) {
	for _, text := range []string{`{"a":1} and more`, `{"a":"x"}`, `{"a":`, `{}`} {
		d := decoderOf([]byte(text))
		d.object(inputOf[struct{ A int }](t).root, target{dst: reflect.New(reflect.TypeFor[struct{ A int }]()).Elem()}, false)
		d.finish()
		assert.Nil(t, d.text)
		assert.Zero(t, d.buf.Cap())
		assert.Zero(t, cap(d.dec.UnreadBuffer()), text)
	}
}

func TestLenientTakesUnknownArgumentsButNoUnknownMembers(t *testing.T) {
	type in struct{ Item struct{ Name string } }
	lenient, problems := NewInput(reflect.TypeFor[in](), nil, Config{Lenient: true})
	require.Empty(t, problems)
	assert.Equal(t, `{"type":"object","properties":{"item":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"],"additionalProperties":false}},"required":["item"]}`, string(lenient.JSON()))
	var v in
	assert.Empty(t, lenient.Decode(jsontext.Value(`{"more":[1],"item":{"name":"x"}}`), reflect.ValueOf(&v).Elem()))
	assert.Equal(t, []string{"item.more"}, paths(lenient.Decode(jsontext.Value(`{"item":{"name":"x","more":1}}`), reflect.ValueOf(&v).Elem())))
}

func TestDecodingThreeFieldsAllocatesOnlyWhatItKeeps(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector empties pools")
	}
	in := inputOf[refund](t)
	var v refund
	dst := reflect.ValueOf(&v).Elem()
	in.Decode(refundArgs, dst)
	allocs := testing.AllocsPerRun(200, func() {
		if in.Decode(refundArgs, dst) != nil {
			t.Fatal("refused")
		}
	})
	assert.LessOrEqual(t, allocs, 3.0, "two strings and one place for the option's value")
}

func TestManyUnknownNamesAreCheapToRefuse(t *testing.T) {
	var args strings.Builder
	args.WriteString(`{"a":1`)
	for i := range 100_000 {
		fmt.Fprintf(&args, `,"unknown_%d":1`, i)
	}
	args.WriteString(`}`)
	in := inputOf[struct{ A int }](t)
	var v struct{ A int }
	text, dst := jsontext.Value(args.String()), reflect.ValueOf(&v).Elem()
	assert.Less(t, testing.AllocsPerRun(1, func() { in.Decode(text, dst) }), 5000.0, "reading ends with the last problem that is told")
}

func TestEmbeddedStructsAreLookedThroughAsInEncodingJSON(t *testing.T) {
	type Base struct {
		ID   string
		Name string
	}
	type Deep struct{ Extra string }
	type in struct {
		Base
		*Deep
		Name    int `json:"name"` // shadows Base.Name
		Skipped int `json:"-"`
		Dash    int `json:"-,"` //nolint:staticcheck // as encoding/json reads it
	}
	v, problems := decodeInto[in](t, `{"id":"x","name":5,"-":1}`)
	require.Empty(t, problems)
	assert.Equal(t, "x", v.ID)
	assert.Equal(t, 5, v.Name)
	assert.Nil(t, v.Deep, "nothing was sent for it")
	v, problems = decodeInto[in](t, `{"id":"x","name":5,"-":1,"extra":"e"}`)
	require.Empty(t, problems)
	assert.Equal(t, "e", v.Extra)
}

func TestObjectsWithManyFieldsKnowEachOfThem(t *testing.T) {
	params := make([]Param, 100)
	for i := range params {
		params[i] = Param{Name: fmt.Sprintf("p%d", i), Type: reflect.TypeFor[int64](), Optional: i%2 == 0}
	}
	in, problems := NewInput(nil, params, Config{})
	require.Empty(t, problems)
	values, fields := in.DecodeMap(jsontext.Value(`{"p0":1,"p99":2,"p99":3}`))
	assert.Len(t, fields, 50, "49 are missing, and one occurs twice")
	assert.EqualValues(t, 1, values["p0"])
}

func TestSnakeCase(t *testing.T) {
	for name, want := range map[string]string{
		"ID": "id", "AmountCents": "amount_cents", "UserID": "user_id", "UserIDs": "user_ids",
		"HTTPServer": "http_server", "OAuth2Token": "o_auth2_token", "A": "a", "X1": "x1", "Snake_Case": "snake_case",
	} {
		assert.Equal(t, want, snake(name), name)
	}
}
