package builder

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTheNameOnTheWire(t *testing.T) {
	for id, want := range map[string]string{
		"a":                            "a",
		"billing.refund":               "billing_refund",
		"admin.users.list":             "admin_users_list",
		"user_accounts.list-all":       "user_accounts_list-all",
		"UPPER.9":                      "UPPER_9",
		"a_.-b":                        "a__-b",
		strings.Repeat("x", 64):        strings.Repeat("x", 64),
		strings.Repeat("x.", 31) + "x": strings.Repeat("x_", 31) + "x",
	} {
		name, err := wireName(id, false)
		assert.NoError(t, err, id)
		assert.Equal(t, want, name)
		name, err = wireName(id, true)
		assert.NoError(t, err, id)
		assert.Equal(t, id, name, "with its dots")
	}
}

func TestNamesThatAreNone(t *testing.T) {
	for id, want := range map[string]string{
		"":                               "empty segment",
		" ":                              "empty segment",
		".":                              "empty segment",
		".a":                             "empty segment",
		"a.":                             "empty segment",
		"a..b":                           "empty segment",
		"a.\t.b":                         "empty segment",
		"---":                            "no letter or digit",
		"a.__":                           "no letter or digit",
		"New Tool":                       `' '`,
		"a b.c":                          `in "a b"`,
		"naïve":                          `'ï'`,
		"a/b":                            `'/'`,
		"a:b":                            `':'`,
		"a\n":                            `'\n'`,
		"\xff":                           `'�'`,
		"日本":                             `'日'`,
		strings.Repeat("x", 65):          "65 characters; clients accept 64",
		"a." + strings.Repeat("x", 63):   "65 characters",
		strings.Repeat("a.", 2000) + "b": "4001 characters",
	} {
		for _, keepDots := range []bool{false, true} {
			_, err := wireName(id, keepDots)
			assert.ErrorContains(t, err, want, "%q", id)
		}
	}
}

func TestAPrefixIsJoinedByADot(t *testing.T) {
	assert.Equal(t, "a.b", join("a", "b"))
	assert.Equal(t, "a", join("a", ""))
	assert.Equal(t, "b", join("", "b"))
	assert.Empty(t, join("", ""))
}
