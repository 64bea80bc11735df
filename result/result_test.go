package result_test

import (
	"errors"
	"strconv"
	"testing"

	"github.com/samber/mo"
	"github.com/stretchr/testify/assert"

	"github.com/mcpfusion/go/result"
)

var errBoom = errors.New("boom")

func TestMapAndThenGoOnWithAValueOnly(t *testing.T) {
	text := result.OK(7).Map(strconv.Itoa)
	assert.Equal(t, result.OK("7"), text)
	assert.Equal(t, result.OK(7), text.Then(func(s string) result.Result[int] { return result.Of(strconv.Atoi(s)) }))

	called := false
	failed := result.Err[int](errBoom).
		Map(func(int) string { called = true; return "" }).
		Then(func(string) result.Result[bool] { called = true; return result.OK(true) })
	_, err := failed.Get()
	assert.Equal(t, errBoom, err)
	assert.False(t, called)
}

func TestMatchAndOrElseEndAResult(t *testing.T) {
	read := func(r result.Result[int]) string {
		return r.Match(strconv.Itoa, func(err error) string { return err.Error() })
	}
	assert.Equal(t, "5", read(result.OK(5)))
	assert.Equal(t, "boom", read(result.Err[int](errBoom)))
	assert.Equal(t, 5, result.OK(5).OrElse(9))
	assert.Equal(t, 9, result.Err[int](errBoom).OrElse(9))
}

func TestOfDropsTheValueBesideAnError(t *testing.T) {
	v, err := result.Of(5, errBoom).Get()
	assert.Zero(t, v)
	assert.Equal(t, errBoom, err)
}

func TestANilErrorIsNeverASuccess(t *testing.T) {
	for name, r := range map[string]result.Result[int]{"Err": result.Err[int](nil), "Fail": result.Fail[int](nil)} {
		_, err := r.Get()
		assert.Error(t, err, name)
	}
}

func TestTheZeroResultIsASuccess(t *testing.T) {
	var r result.Result[string]
	v, err := r.Get()
	assert.NoError(t, err)
	assert.Empty(t, v)
}

func TestMoResultsComeAndGo(t *testing.T) {
	assert.Equal(t, result.OK(5), result.FromMo(mo.Ok(5)))
	assert.Equal(t, mo.Ok(5), result.ToMo(result.OK(5)))
	assert.Equal(t, errBoom, result.ToMo(result.FromMo(mo.Err[int](errBoom))).Error())
}
