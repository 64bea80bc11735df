package schema

import (
	"encoding/json/jsontext"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/samber/mo"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type payment struct {
	Kind    string            `json:"kind" validate:"oneof=card cash iban,default=card"`
	Card    mo.Option[string] `json:"card" validate:"required_if=Kind card"`
	IBAN    string            `json:"iban,omitempty" validate:"required_if=kind iban,excluded_unless=Kind iban"`
	Street  *string           `json:"street"`
	City    *string           `json:"city" validate:"required_with=Street"`
	Zip     *string           `json:"zip" validate:"required_with_all=Street City"`
	Phone   *string           `json:"phone" validate:"required_without=Email"`
	Email   *string           `json:"email" validate:"required_without=Phone"`
	Fax     *string           `json:"fax" validate:"excluded_with=Phone Email"`
	Min     mo.Option[int]    `json:"min"`
	Max     mo.Option[int]    `json:"max" validate:"gtfield=Min"`
	From    time.Time         `json:"from,omitzero"`
	To      time.Time         `json:"to,omitzero" validate:"gtefield=From"`
	Again   string            `json:"again,omitempty" validate:"eqfield=Kind"`
	Other   float64           `json:"other,omitempty"`
	Differs float64           `json:"differs,omitempty" validate:"nefield=Other"`
}

func TestRulesBetweenFieldsLookAtWhatIsThere(t *testing.T) {
	in := inputOf[payment](t)
	for args, want := range map[string]string{
		`"card":"1","phone":"1"`:                             "",
		`"phone":"1"`:                                        `card is missing: a string, required when kind is "card"`,
		`"card":null,"phone":"1"`:                            `card is missing: a string, required when kind is "card"`,
		`"kind":"cash","phone":"1"`:                          "",
		`"kind":"iban","phone":"1"`:                          `iban is missing: a string, required when kind is "iban"`,
		`"kind":"iban","phone":"1","iban":""`:                "",
		`"kind":"cash","phone":"1","iban":"x"`:               `iban must be left out unless kind is "iban": no value`,
		`"kind":"cash"`:                                      `phone is missing: a string, required without email|email is missing: a string, required without phone`,
		`"kind":"cash","email":"e"`:                          "",
		`"kind":"cash","phone":"1","street":"s"`:             `city is missing: a string, required together with street`,
		`"kind":"cash","phone":"1","street":"s","city":null`: `city is missing: a string, required together with street`,
		`"kind":"cash","phone":"1","street":"s","city":"c"`:  `zip is missing: a string, required together with all of street and city`,
		`"kind":"cash","phone":"1","city":"c"`:               "",
		`"kind":"cash","phone":"1","fax":"f"`:                `fax must be left out together with phone or email: no value`,
		`"kind":"cash","phone":"1","min":2,"max":2`:          `max must be greater than min: an integer, greater than min`,
		`"kind":"cash","phone":"1","min":2,"max":3`:          "",
		`"kind":"cash","phone":"1","max":-3`:                 "",
		`"kind":"cash","phone":"1","from":"2026-01-02T00:00:00Z","to":"2026-01-01T00:00:00Z"`: `to must be at least from: a date-time string such as "2026-01-31T09:30:00Z", at least from`,
		`"kind":"cash","phone":"1","again":"card"`:                                            `again must be equal to kind: a string, equal to kind`,
		`"phone":"1","card":"1","again":"card"`:                                               "",
		`"kind":"cash","phone":"1","other":1,"differs":1`:                                     `differs must be different from other: a number, different from other`,
	} {
		var v payment
		var problems []string
		for _, f := range in.Decode(jsontext.Value("{"+args+"}"), reflect.ValueOf(&v).Elem()) {
			problems = append(problems, f.Path+" "+f.Problem+": "+f.Expected)
		}
		assert.Equal(t, want, strings.Join(problems, "|"), args)
	}
	assert.Contains(t, string(in.JSON()), `"dependentRequired":{"street":["city"]}`)
}

func TestRulesBetweenParametersNeedNoStruct(t *testing.T) {
	in, problems := NewInput(nil, []Param{
		{Name: "low", Type: reflect.TypeFor[int64](), Description: "d"},
		{Name: "high", Type: reflect.TypeFor[int64](), Description: "d", Optional: true, Rules: []string{"gtfield=low"}},
		{Name: "unit", Type: reflect.TypeFor[string](), Description: "d", Optional: true, Rules: []string{"required_with=high"}},
	}, Config{})
	require.Empty(t, problems)
	_, fields := in.DecodeMap(jsontext.Value(`{"low":2,"high":1}`))
	require.Len(t, fields, 2)
	assert.Equal(t, "must be greater than low", fields[0].Problem)
	assert.Equal(t, "unit", fields[1].Path)
	assert.Contains(t, string(in.JSON()), `"dependentRequired":{"high":["unit"]}`)
}

func TestRulesBetweenFieldsThatCannotBe(t *testing.T) {
	for want, problem := range map[string]string{
		`"b" has the rule "required_with": the field is required anyway`: problemOf[struct {
			A string
			B string `validate:"required_with=A"`
		}](t),
		`"b" has the rule "required_if": it names no fields, or not all of their values; write it like "required_if=Kind card"`: problemOf[struct {
			A string
			B *string `validate:"required_if=A"`
		}](t),
		`"b" has the rule "required_with": there is no other field "C"`: problemOf[struct {
			A string
			B *string `validate:"required_with=C"`
		}](t),
		`"b" has the rule "required_with": there is no other field "B"`: problemOf[struct {
			A string
			B *string `validate:"required_with=B"`
		}](t),
		`"b" has the rule "required_if": of the field "a" its value "x" is not an integer`: problemOf[struct {
			A int
			B *string `validate:"required_if=A x"`
		}](t),
		`"b" has the rule "gtfield": the fields are not of one type`: problemOf[struct {
			A string
			B string `validate:"gtfield=A"`
		}](t),
		`"b[]" has the rule "gtfield=A", but elements have no other fields beside them`: problemOf[struct {
			A int
			B []int `validate:"dive,gtfield=A"`
		}](t),
		`"b" has the rule "eqcsfield": rules that look into other structs are not supported`: problemOf[struct {
			A string
			B string `validate:"eqcsfield=A.B"`
		}](t),
	} {
		assert.Contains(t, problem, want)
	}
}
