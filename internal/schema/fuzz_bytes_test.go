package schema

import (
	"encoding/json/jsontext"
	"math/big"
	"net/netip"
	"net/url"
	"reflect"
	"testing"
	"time"

	"github.com/samber/mo"
	"github.com/stretchr/testify/require"

	"github.com/mcpfusion/go/result"
)

// fuzzed are the types into which any bytes are decoded.
type (
	fuzzedKinds struct {
		I8     int8
		U64    uint64    `validate:"min=1"`
		F32    float32   `json:"f32,omitempty"`
		Quoted int       `json:"quoted,string,omitempty"`
		Bool   *bool     `json:"bool"`
		Text   string    `validate:"min=1,max=9,default=x"`
		At     time.Time `json:"at,omitzero"`
		Wait   mo.Option[time.Duration]
		Data   []byte             `json:"data,omitempty"`
		Link   mo.Option[url.URL] `json:"link"`
		Addr   mo.Option[netip.Addr]
		Big    mo.Option[big.Int]
		Money  mo.Option[money]
		Any    any `json:"any,omitempty"`
	}
	fuzzedParts struct {
		PoolBase

		Tree  *poolTree
		Open  poolOpen        `json:"open,omitzero"`
		Lists [][]int16       `json:"lists,omitempty" validate:"max=3,dive,unique,max=3"`
		ByKey map[int8]string `json:"by_key,omitempty" validate:"max=3"`
		Pair  *[2]bool
		Self  *poolSelf
	}
)

func FuzzAnyBytesAreDecodedOrToldOf(f *testing.F) {
	for _, seed := range []string{
		`{"i8":1,"u64":18446744073709551615,"f32":0.1,"quoted":"5","bool":true,"at":"2026-01-31T09:30:00Z","wait":"1h","data":"aGk=","link":"https://example.com/?a=b#c","addr":"::1%eth0","big":123456789012345678901234567890,"money":5,"any":{"a":[null,1e2]}}`,
		`{"i8":"1","u64":"1e3","bool":"TRUE","any":"[1]"}`, `{"tree":{"name":"a","kids":[{"name":"b","kids":[]}]},"open":{"a":1,"z":2},"lists":[[1,2],[]],"by_key":{"-1":"x"},"pair":[true,false],"self":"ok","base_id":"x"}`,
		`{"tree":"{\"name\":\"a\",\"kids\":\"[]\"}","pair":"[1,\"0\"]","base_id":"y z"}`, `null`, ``, `[`, "{\"\xff\":1}", `{"i8":1,"u64":1,"text":"\ud800"}`, `{"i8":-0,"u64":1e0}`,
	} {
		f.Add([]byte(seed))
	}
	kinds, parts := reflect.TypeFor[fuzzedKinds](), reflect.TypeFor[fuzzedParts]()
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, typ := range []reflect.Type{kinds, parts} {
			for _, coerce := range []bool{false, true} {
				in, problems := NewInput(typ, nil, Config{Coerce: coerce})
				require.Empty(t, problems)
				decodeTwice(t, in, typ, text)
			}
		}
	})
}

// decodeTwice decodes any bytes. What is taken is written and taken again for the same
// value; what is not is told in bounded words.
func decodeTwice(t *testing.T, in *Input, typ reflect.Type, text []byte) {
	t.Helper()
	v := reflect.New(typ).Elem()
	if problems := in.Decode(text, v); len(problems) > 0 {
		bounded(t, problems)
		return
	}
	out, err := NewOutput(typ)
	require.NoError(t, err)
	written, err := out.Append(nil, v)
	require.NoError(t, err, "%q", text)
	again := reflect.New(typ).Elem()
	require.Empty(t, in.Decode(written, again), "%q was taken, but not %s", text, written)
	twice, err := out.Append(nil, again)
	require.NoError(t, err)
	require.Equal(t, string(written), string(twice), "%q", text)
}

func bounded(t *testing.T, problems []result.Field) {
	t.Helper()
	require.LessOrEqual(t, len(problems), maxProblems)
	for _, p := range problems {
		require.LessOrEqual(t, len(p.Path), 4096, "path")
		require.LessOrEqual(t, len(p.Expected), 1024, "expected")
		require.LessOrEqual(t, len(p.Received), 100, "received")
		require.NotEmpty(t, p.Problem)
		quoted, err := jsontext.AppendQuote(nil, p.Path+p.Received)
		require.NoError(t, err, "%s is valid text", quoted)
	}
}
