package result_test

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mcpfusion/go/result"
)

func TestFluentMethodsLeaveThePackageLevelFailureAlone(t *testing.T) {
	base := result.NotFound("gone").Actions("a")
	first, second := base.Actions("b"), base.Actions("c")
	_ = base.Suggest("s").Details(1).RetryAfter(time.Second).Warning().Critical().Because(errBoom)
	assert.Equal(t, result.NotFound("gone").Actions("a"), base)
	assert.Equal(t, []string{"a", "b"}, first.AvailableActions)
	assert.Equal(t, []string{"a", "c"}, second.AvailableActions)
}

func TestAFailureIsFoundByItsCodeThroughAnyWrapping(t *testing.T) {
	err := fmt.Errorf("while paying: %w", errors.Join(errBoom, result.Conflict("taken")))
	assert.ErrorIs(t, err, result.Conflict(""))
	assert.NotErrorIs(t, err, result.NotFound(""))
	f, ok := result.AsFailure(err)
	assert.True(t, ok)
	assert.Equal(t, "taken", f.Message)
}

func TestBecauseKeepsTheCauseForErrorsIs(t *testing.T) {
	f := result.Unavailable("later").Because(errBoom)
	assert.ErrorIs(t, f, errBoom)
	assert.Equal(t, "UNAVAILABLE: later", f.Error(), "the text is without the cause")
}

func TestE9_OnlyAPositiveDelayIsADelay(t *testing.T) {
	cases := map[time.Duration]float64{
		-time.Second:            0,
		0:                       0,
		time.Nanosecond:         0.001,
		1500 * time.Millisecond: 1.5,
		math.MaxInt64:           9223372036.855,
	}
	for d, want := range cases {
		f := result.Conflict("c").RetryAfter(d)
		assert.Equal(t, want, f.RetryAfterSeconds(), "%v", d)
		assert.Equal(t, want > 0, f.Retryable, "%v", d)
	}
}

func TestTheUsualCodesAreRetryableAsTheContractSays(t *testing.T) {
	for f, want := range map[*result.Failure]bool{
		result.InvalidArguments(): false,
		result.NotFound(""):       false,
		result.Conflict(""):       false,
		result.Precondition(""):   false,
		result.Unauthorized(""):   false,
		result.Forbidden(""):      false,
		result.Timeout(""):        false,
		result.RateLimited(""):    true,
		result.Unavailable(""):    true,
		result.Overloaded(""):     true,
	} {
		assert.Equal(t, want, f.Retryable, f.Code)
	}
}

func TestE10_TheCodeComesFromTheTypeAlone(t *testing.T) {
	f := result.FromError(errors.New("RATE_LIMITED: NOT_FOUND")).Failure
	assert.Nil(t, f)
}

func TestAProtocolErrorKeepsItsCode(t *testing.T) {
	err := result.Protocol(-1, "on purpose", map[string]any{"a": 1})
	var p *result.ProtocolError
	assert.ErrorAs(t, err, &p)
	assert.Equal(t, -1, p.Code)
	assert.Equal(t, "on purpose (JSON-RPC error -1)", err.Error())
}
