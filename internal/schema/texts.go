package schema

import (
	"errors"
	"reflect"
	"regexp"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// textRule is a rule of validator's for strings, in words and in JSON Schema.
type textRule struct {
	what    string // what a legal string is
	example string
	format  string
	pattern string
}

var textRules = map[string]textRule{
	"email": {what: "an email address", example: "ann@example.com", format: "email"},
	"url":   {what: "a URL", example: "https://example.com", format: "uri"},
	"uri":   {what: "a URI", example: "https://example.com", format: "uri"},
	"uuid":  {what: "a UUID", example: "9b2d7c1e-4f6a-4b7e-9a51-0c3f5d8e7a10", format: "uuid"},
	"uuid3": {what: "a version 3 UUID", example: "9b2d7c1e-4f6a-3b7e-9a51-0c3f5d8e7a10", format: "uuid"},
	"uuid4": {what: "a version 4 UUID", example: "9b2d7c1e-4f6a-4b7e-9a51-0c3f5d8e7a10", format: "uuid"},
	"uuid5": {what: "a version 5 UUID", example: "9b2d7c1e-4f6a-5b7e-9a51-0c3f5d8e7a10", format: "uuid"},
	"ipv4":  {what: "an IPv4 address", example: "192.0.2.1", format: "ipv4"},
	"ipv6":  {what: "an IPv6 address", example: "2001:db8::1", format: "ipv6"},
	"ip":    {what: "an IP address", example: "192.0.2.1"},
	"cidr":  {what: "a network", example: "192.0.2.0/24"},
	"mac":   {what: "a MAC address", example: "00:00:5e:00:53:01"},
	"fqdn":  {what: "a full domain name", example: "www.example.com"},

	"http_url":         {what: "an http or https URL", example: "https://example.com", format: "uri"},
	"https_url":        {what: "an https URL", example: "https://example.com", format: "uri"},
	"hostname":         {what: "a host name", example: "example.com"},
	"hostname_rfc1123": {what: "a host name", example: "example.com", format: "hostname"},
	"hostname_port":    {what: "a host name and port", example: "example.com:443"},

	"alpha":         {what: "text of the letters a to z", example: "abc", pattern: `^[a-zA-Z]+$`},
	"alphaspace":    {what: "text of the letters a to z and spaces", example: "abc def", pattern: `^[a-zA-Z ]+$`},
	"alphanum":      {what: "text of the letters a to z and digits", example: "abc1", pattern: `^[a-zA-Z0-9]+$`},
	"alphanumspace": {what: "text of the letters a to z, digits and spaces", example: "abc 1", pattern: `^[a-zA-Z0-9 ]+$`},
	"alphaunicode":  {what: "text of letters", example: "abc"},
	"numeric":       {what: "a number in a string", example: "-1.5", pattern: `^[-+]?[0-9]+(?:\.[0-9]+)?$`},
	"number":        {what: "a string of digits", example: "123", pattern: `^[0-9]+$`},
	"hexadecimal":   {what: "a hexadecimal number", example: "1f", pattern: `^(0[xX])?[0-9a-fA-F]+$`},
	"hexcolor":      {what: "a color", example: "#ff8800", pattern: `^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$`},
	"e164":          {what: "a phone number", example: "+15555550100", pattern: `^\+?[1-9][0-9]{7,14}$`},
	"lowercase":     {what: "text without capital letters", example: "abc"},
	"uppercase":     {what: "text without small letters", example: "ABC"},
	"ascii":         {what: "ASCII text", example: "abc", pattern: `^[\x00-\x7F]*$`},
	"printascii":    {what: "printable ASCII text", example: "abc", pattern: `^[\x20-\x7E]*$`},

	"boolean":            {what: "a boolean in a string", example: "true"},
	"base64":             {what: "base64 text", example: "aGk="},
	"json":               {what: "JSON in a string", example: `{"a":1}`},
	"jwt":                {what: "a JSON Web Token", example: "aaa.bbb.ccc"},
	"semver":             {what: "a semantic version", example: "1.2.3"},
	"timezone":           {what: "a time zone", example: "Europe/Berlin"},
	"cron":               {what: "a cron expression", example: "0 9 * * 1"},
	"bcp47_language_tag": {what: "a language tag", example: "en-US"},
	"iso3166_1_alpha2":   {what: "a country code of two letters", example: "DE"},
	"iso3166_1_alpha3":   {what: "a country code of three letters", example: "DEU"},
	"iso4217":            {what: "a currency code", example: "EUR"},
	"credit_card":        {what: "a card number", example: "4242424242424242"},
	"ulid":               {what: "a ULID", example: "01ARZ3NDEKTSV4RRFFQ69G5FAV"},
	"datauri":            {what: "a data URI", example: "data:text/plain;base64,aGk="},
	"country_code":       {what: "a country code", example: "DE"},
}

// rule makes the rule; tag is how validator knows it.
func (t textRule) rule(tag string) rule {
	r := rule{
		holds:   func(v reflect.Value) bool { return holdsTag(v.String(), tag) },
		problem: "is not " + t.what, expected: t.what + " such as " + t.example}
	if t.format != "" || t.pattern != "" {
		r.write = func(s *jsonschema.Schema) { s.Format, s.Pattern = t.format, t.pattern }
	}
	return r
}

// datetime takes a Go layout. The two that JSON Schema has a name for are written.
func datetime(n *node, layout string) (rule, error) {
	if n.kind != stringKind {
		return rule{}, errMisfit
	}
	if layout == "" {
		return rule{}, errors.New("it needs a layout such as 2006-01-02")
	}
	r := rule{
		holds:    func(v reflect.Value) bool { _, err := time.Parse(layout, v.String()); return err == nil },
		problem:  "is not a date or time in the right form",
		expected: "a text such as " + time.Date(2026, 1, 31, 9, 30, 0, 0, time.UTC).Format(layout)}
	switch layout {
	case time.RFC3339:
		r.holds = func(v reflect.Value) bool { _, ok := dateTime(v.String()); return ok }
		r.write = func(s *jsonschema.Schema) { s.Format = "date-time" }
	case time.DateOnly:
		r.write = func(s *jsonschema.Schema) { s.Format = "date" }
	}
	return r, nil
}

func startsWith(n *node, parameter string) (rule, error) {
	return partRule(n, parameter, "begin with", strings.HasPrefix, "^"+regexp.QuoteMeta(parameter))
}

func endsWith(n *node, parameter string) (rule, error) {
	return partRule(n, parameter, "end with", strings.HasSuffix, regexp.QuoteMeta(parameter)+"$")
}

func contains(n *node, parameter string) (rule, error) {
	return partRule(n, parameter, "contain", strings.Contains, regexp.QuoteMeta(parameter))
}

// partRule makes a rule about a part of a string.
func partRule(n *node, parameter, verb string, holds func(s, part string) bool, pattern string) (rule, error) {
	if n.kind != stringKind {
		return rule{}, errMisfit
	}
	if parameter == "" {
		return rule{}, errors.New("it names no text; write one behind the =")
	}
	shown := literal(parameter)
	return rule{
		holds:   func(v reflect.Value) bool { return holds(v.String(), parameter) },
		problem: "must " + verb + " " + shown, expected: "text to " + verb + " " + shown,
		write: func(s *jsonschema.Schema) { s.Pattern = pattern },
	}, nil
}
