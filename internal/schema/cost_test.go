package schema

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// parcel is an argument object of ten fields, with rules that JSON Schema can say. Its json
// tags are for jsonschema-go, which names fields as they do.
type parcel struct {
	ID       string         `json:"id" validate:"min=1,max=64"`
	Cents    int64          `json:"cents" validate:"min=1,max=100000000"`
	Rate     float64        `json:"rate" validate:"gte=0,lt=1"`
	Gift     bool           `json:"gift"`
	Tags     []string       `json:"tags" validate:"max=5,dive,min=1"`
	Counts   map[string]int `json:"counts" validate:"max=3"`
	Address  parcelAddress  `json:"address"`
	Currency string         `json:"currency" validate:"oneof=EUR USD GBP"`
	Priority int            `json:"priority" validate:"min=0,max=9"`
	Lines    []parcelLine   `json:"lines" validate:"min=1,max=10"`
}

type (
	parcelAddress struct {
		Street string `json:"street" validate:"min=1"`
		Zip    string `json:"zip" validate:"len=5"`
	}
	parcelLine struct {
		SKU string `json:"sku" validate:"min=1"`
		Qty int    `json:"qty" validate:"min=1"`
	}
)

const parcelArguments = `{"id":"ord_1","cents":1250,"rate":0.19,"gift":true,"tags":["a","b"],"counts":{"x":1},"address":{"street":"Main 1","zip":"12345"},"currency":"EUR","priority":3,"lines":[{"sku":"s1","qty":2},{"sku":"s2","qty":1}]}`

// fastest times several ways to do a thing in interleaved rounds of one run. Of short rounds
// some run undisturbed, also on a busy machine.
func fastest(rounds, times int, ways ...func()) []time.Duration {
	best := slices.Repeat([]time.Duration{time.Hour}, len(ways))
	for range rounds {
		for i, run := range ways {
			start := time.Now()
			for range times {
				run()
			}
			best[i] = min(best[i], time.Since(start)/time.Duration(times))
		}
	}
	return best
}

func skipUnlessTimed(t *testing.T) {
	t.Helper()
	if raceEnabled || testing.Short() {
		t.Skip("the race detector distorts what is compared here")
	}
}

// compileAnew compiles a type as if for the first time.
func compileAnew[T any](tb testing.TB) {
	tb.Helper()
	c := compiler{}
	if _, problems := newInput(c.slot(reflect.TypeFor[T](), "").node, c.problems, Config{}); len(problems) > 0 {
		tb.Fatal(problems)
	}
}

// schemaByReferee makes a schema that validates and travels, as a server on jsonschema-go does.
func schemaByReferee[T any](tb testing.TB) {
	tb.Helper()
	s, err := jsonschema.For[T](nil)
	require.NoError(tb, err)
	_, err = s.Resolve(nil)
	require.NoError(tb, err)
	_, err = json.Marshal(s)
	require.NoError(tb, err)
}

// TestCompilingCostsAtMostThreeTimesTheSchemaAlone compares with jsonschema-go's For, which
// knows no rules; with rules, with all that it takes until its schema can be used.
func TestCompilingCostsAtMostThreeTimesTheSchemaAlone(t *testing.T) {
	skipUnlessTimed(t)
	best := fastest(301, 3,
		func() { compileAnew[tenFields](t) }, func() { _, _ = jsonschema.For[tenFields](nil) },
		func() { compileAnew[parcel](t) }, func() { schemaByReferee[parcel](t) })
	for i, name := range map[int]string{0: "without rules", 2: "with rules"} {
		ratio := float64(best[i]) / float64(best[i+1])
		t.Logf("%s: compiled in %v, by jsonschema-go in %v: %.2f times", name, best[i], best[i+1], ratio)
		assert.LessOrEqual(t, ratio, 3.0, name)
	}
}

func TestATypeIsCompiledOnce(t *testing.T) {
	first, second := inputOf[parcel](t), inputOf[parcel](t)
	assert.Same(t, first, second)
	assert.LessOrEqual(t, testing.AllocsPerRun(100, func() { NewInput(reflect.TypeFor[parcel](), nil, Config{}) }), 3.0, "a look into a map")
}

// parcelByReferee validates and unmarshals as a server on jsonschema-go does.
func parcelByReferee(schema *jsonschema.Resolved, arguments []byte) (parcel, error) {
	var document map[string]any
	if err := json.Unmarshal(arguments, &document); err != nil {
		return parcel{}, err
	}
	if err := schema.Validate(document); err != nil {
		return parcel{}, err
	}
	var v parcel
	err := json.Unmarshal(arguments, &v)
	return v, err
}

func TestDecodingIsFiveTimesFasterThanValidatingAndUnmarshalling(t *testing.T) {
	skipUnlessTimed(t)
	in, arguments := inputOf[parcel](t), []byte(parcelArguments)
	schema := referee(t, in)
	decode := func() (v parcel) {
		if problems := in.Decode(jsontext.Value(arguments), reflect.ValueOf(&v).Elem()); problems != nil {
			t.Fatal(problems)
		}
		return v
	}
	want, err := parcelByReferee(schema, arguments)
	require.NoError(t, err)
	require.Equal(t, want, decode())
	best := fastest(401, 10, func() { decode() }, func() { _, _ = parcelByReferee(schema, arguments) })
	ratio := float64(best[1]) / float64(best[0])
	t.Logf("decoded in %v, by jsonschema-go in %v: %.2f times faster", best[0], best[1], ratio)
	assert.GreaterOrEqual(t, ratio, 5.0)
}

func BenchmarkParcel(b *testing.B) {
	in, arguments := inputOf[parcel](b), []byte(parcelArguments)
	schema := referee(b, in)
	for _, way := range []struct {
		name string
		run  func()
	}{
		{"compile/ours", func() { compileAnew[parcel](b) }},
		{"compile/jsonschema-go", func() { _, _ = jsonschema.For[parcel](nil) }},
		{"decode/ours", func() {
			var v parcel
			in.Decode(jsontext.Value(arguments), reflect.ValueOf(&v).Elem())
		}},
		{"decode/jsonschema-go", func() { _, _ = parcelByReferee(schema, arguments) }},
	} {
		b.Run(way.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				way.run()
			}
		})
	}
}

// TestTypesAreCompiledAndUsedByManyAtOnce is for the race detector.
func TestTypesAreCompiledAndUsedByManyAtOnce(t *testing.T) {
	type fresh struct { // compiled here for the first time
		Order parcel
		Tree  *poolTree
		Text  string `json:"text" validate:"email"`
	}
	arguments := `{"order":` + parcelArguments + `,"tree":{"name":"a","kids":[{"name":"b","kids":[]}]},"text":"ann@example.com"}`
	var group sync.WaitGroup
	ready := make(chan struct{})
	for range 64 {
		group.Go(func() {
			<-ready
			for range 20 {
				useFresh(t, reflect.TypeFor[fresh](), arguments)
			}
		})
	}
	close(ready)
	group.Wait()
}

func useFresh(t *testing.T, typ reflect.Type, arguments string) {
	t.Helper()
	in, problems := NewInput(typ, nil, Config{})
	assert.Empty(t, problems)
	v, again := reflect.New(typ).Elem(), reflect.New(typ).Elem()
	assert.Empty(t, in.Decode(jsontext.Value(arguments), v))
	assert.Len(t, in.Decode(jsontext.Value(`{"order":{},"text":"x"}`), again), 11)
	out, err := NewOutput(typ)
	assert.NoError(t, err)
	_, err = out.Append(nil, v)
	assert.NoError(t, err)
	assert.NotEmpty(t, in.Schema().Properties)
}
