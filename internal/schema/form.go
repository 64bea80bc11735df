package schema

import (
	"cmp"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcpfusion/go/result"
)

// Form is what a person is asked for: a flat object of strings, numbers, booleans and
// choices, see client/elicitation. It is safe for concurrent use.
type Form struct {
	input  *Input
	legacy formSchema // of 2025-06-18
	modern jsontext.Value
}

// formSchema is a schema, or the field that the revision cannot ask for.
type formSchema struct {
	json    jsontext.Value
	tooMuch string
}

// Titled is a legal value of a choice that has a name for people.
type Titled interface{ Title() string }

var titledType = reflect.TypeFor[Titled]()

// forms keeps the *Form of each type.
var forms sync.Map

// NewForm compiles what a person is asked for. All problems are returned at once.
func NewForm(t reflect.Type) (*Form, []Problem) {
	if known, ok := forms.Load(t); ok {
		return known.(*Form), nil
	}
	if t.Kind() != reflect.Struct {
		return nil, []Problem{{"", "is a " + t.String() + ", but a form is a struct; use one with a field for each thing to ask"}}
	}
	input, problems := NewInput(t, nil, Config{Lenient: true})
	if len(problems) > 0 {
		return nil, problems
	}
	f := &Form{input: input}
	if problems = f.write(); len(problems) > 0 {
		return nil, problems
	}
	known, _ := forms.LoadOrStore(t, f)
	return known.(*Form), nil
}

// Schema is the form as clients of a revision are sent it. It is false if the revision
// cannot ask for what the field with that name holds.
func (f *Form) Schema(revision string) (schema jsontext.Value, field string, ok bool) {
	if revision < "2025-11-25" {
		return f.legacy.json, f.legacy.tooMuch, f.legacy.tooMuch == ""
	}
	return f.modern, "", true
}

// Decode reads a form that was filled in into dst, as [Input.Decode] does.
func (f *Form) Decode(content jsontext.Value, dst reflect.Value) []result.Field {
	return f.input.Decode(content, dst)
}

// formObject is the schema of a form.
type formObject struct {
	Type       string    `json:"type"`
	Properties formNames `json:"properties"`
	Required   []string  `json:"required,omitempty"`
}

// formNames are the fields in their order.
type formNames []formField

// MarshalJSONTo implements [json.MarshalerTo].
func (n formNames) MarshalJSONTo(e *jsontext.Encoder) error {
	if err := e.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for i := range n {
		if err := e.WriteToken(jsontext.String(n[i].name)); err != nil {
			return err
		}
		if err := json.MarshalEncode(e, &n[i]); err != nil {
			return err
		}
	}
	return e.WriteToken(jsontext.EndObject)
}

// formField is all that a form can say of a field.
type formField struct {
	name string

	Type        string         `json:"type"`
	Title       string         `json:"title,omitempty"`
	Description string         `json:"description,omitempty"`
	MinLength   *int           `json:"minLength,omitempty"`
	MaxLength   *int           `json:"maxLength,omitempty"`
	Format      string         `json:"format,omitempty"`
	Minimum     *float64       `json:"minimum,omitempty"`
	Maximum     *float64       `json:"maximum,omitempty"`
	MinItems    *int           `json:"minItems,omitempty"`
	MaxItems    *int           `json:"maxItems,omitempty"`
	Enum        []string       `json:"enum,omitempty"`
	EnumNames   []string       `json:"enumNames,omitempty"`
	OneOf       []formChoice   `json:"oneOf,omitempty"`
	Items       *formItems     `json:"items,omitempty"`
	Default     jsontext.Value `json:"default,omitempty"`
}

// formItems are the choices of which several may be taken.
type formItems struct {
	Type  string       `json:"type,omitempty"`
	Enum  []string     `json:"enum,omitempty"`
	AnyOf []formChoice `json:"anyOf,omitempty"`
}

type formChoice struct {
	Const string `json:"const"`
	Title string `json:"title"`
}

// write writes the schemas and finds what no form can ask for.
func (f *Form) write() (problems []Problem) {
	schema := f.input.schema
	modern := formObject{Type: "object", Properties: formNames{}, Required: schema.Required}
	legacy := modern
	for _, field := range f.input.root.fields {
		if problem := unaskable(field, schema.Properties[field.name]); problem != "" {
			problems = append(problems, Problem{field.name, problem})
			continue
		}
		now := fieldOf(field, schema.Properties[field.name])
		modern.Properties = append(modern.Properties, now)
		old := now.before20251125()
		if old.Items != nil {
			f.legacy.tooMuch = field.name
		}
		legacy.Properties = append(legacy.Properties, old)
	}
	if f.input.root.rest != nil {
		problems = append(problems, Problem{f.input.root.rest.name, "takes any names, but a form has a fixed set of fields; remove it"})
	}
	if len(problems) > 0 {
		return problems
	}
	f.modern, f.legacy.json = formBytes(&modern), formBytes(&legacy)
	return nil
}

func formBytes(o *formObject) jsontext.Value {
	b, err := json.Marshal(o, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err) // of texts and numbers alone
	}
	return b
}

// unaskable says why a form cannot have a field; "" if it can.
func unaskable(f *field, s *jsonschema.Schema) string {
	if isSecret(f.name) {
		return "asks for a secret, which must not go through a form; send the user to a page of yours with ElicitURL, or rename the field if it holds none"
	}
	switch s.Type {
	case "string", "number", "integer", "boolean":
		return ""
	case "array":
		if s.Items != nil && s.Items.Type == "string" && len(s.Items.Enum) > 0 {
			return ""
		}
		return "is a list of anything, but a form can only have a list of choices; give the elements the legal values with dive,oneof="
	}
	return "is no string, number, boolean or list of choices; a form is flat"
}

// secretWords are the last words of names that mean a secret.
var secretWords = []string{
	"password", "passwords", "passwd", "pwd", "pass", "pass_word", "passphrase", "passcode", "secret", "secrets",
	"token", "tokens", "credential", "credentials", "pin", "pin_code", "card_no", "otp", "cvv", "cvc", "ssn", "api_key", "apikey", "private_key", "secret_key", "access_key",
	"card_number", "credit_card", "account_number", "security_code",
}

// isSecret reports that a field's name is that of something which must not be asked for in
// a form.
func isSecret(name string) bool {
	words := "_" + snake(strings.ReplaceAll(name, "-", "_"))
	return slices.ContainsFunc(secretWords, func(secret string) bool { return strings.HasSuffix(words, "_"+secret) })
}

// fieldOf keeps of a field's schema what a form can say. The rest is enforced all the same.
func fieldOf(f *field, s *jsonschema.Schema) formField {
	to := formField{name: f.name, Type: s.Type, Title: s.Title, Description: s.Description, Default: s.Default}
	switch s.Type {
	case "string":
		to.MinLength, to.MaxLength = s.MinLength, s.MaxLength
		if slices.Contains([]string{"email", "uri", "date", "date-time"}, s.Format) {
			to.Format = s.Format
		}
		to.Enum, to.OneOf = choices(f.node.typ, s.Enum)
	case "integer", "number":
		if s.Enum != nil { // which forms have of strings alone
			to.Description = strings.TrimSpace(to.Description + " (" + f.node.expects(f.rules) + ")")
		}
		to.Minimum, to.Maximum = s.Minimum, s.Maximum
		if s.Type == "integer" {
			to.Minimum = tightest(to.Minimum, s.ExclusiveMinimum, 1)
			to.Maximum = tightest(to.Maximum, s.ExclusiveMaximum, -1)
		}
	case "array":
		to.MinItems, to.MaxItems = s.MinItems, s.MaxItems
		enum, titled := choices(f.node.elem.node.typ, s.Items.Enum)
		if to.Items = (&formItems{AnyOf: titled}); titled == nil {
			to.Items = &formItems{Type: "string", Enum: enum}
		}
	}
	return to
}

// tightest is the bound of an integer that must lie on one side of an exclusive one, too.
func tightest(bound, exclusive *float64, step float64) *float64 {
	if exclusive == nil {
		return bound
	}
	whole := math.Floor(*exclusive*step)*step + step
	if bound != nil && *bound*step > whole*step {
		return bound
	}
	return &whole
}

// choices are legal values, with titles if their type has them.
func choices(t reflect.Type, values []any) (plain []string, titled []formChoice) {
	named := t.Kind() == reflect.String && reflect.PointerTo(t).Implements(titledType)
	for _, v := range values {
		text, isText := v.(string)
		switch {
		case !isText:
		case named:
			titled = append(titled, formChoice{text, titleOf(t, text)})
		default:
			plain = append(plain, text)
		}
	}
	return plain, titled
}

// titleOf is the name of a value for people. A type that panics has none.
func titleOf(t reflect.Type, value string) (title string) {
	defer func() {
		if recover() != nil {
			title = value
		}
	}()
	v := reflect.New(t)
	v.Elem().SetString(value)
	return cmp.Or(v.Interface().(Titled).Title(), value)
}

// before20251125 says the same in the words of 2025-06-18, which has no defaults but those
// of booleans and names its choices in a second list.
func (f formField) before20251125() formField {
	if f.Type != "boolean" {
		f.Default = nil
	}
	for _, c := range f.OneOf {
		f.Enum, f.EnumNames = append(f.Enum, c.Const), append(f.EnumNames, c.Title)
	}
	f.OneOf = nil
	return f
}
