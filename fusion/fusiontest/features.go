package fusiontest

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"testing"

	"github.com/mcpfusion/go/result"
)

// Icon is a picture as clients are told of it.
type Icon struct {
	Src      string   `json:"src"`
	MIMEType string   `json:"mimeType"`
	Sizes    []string `json:"sizes"`
	Theme    string   `json:"theme"`
}

// Prompt is a prompt as clients are told of it.
type Prompt struct {
	Name        string         `json:"name"`
	Title       string         `json:"title"`
	Description string         `json:"description"`
	Arguments   []Argument     `json:"arguments"`
	Icons       []Icon         `json:"icons"`
	Meta        jsontext.Value `json:"_meta"`
}

// Argument is an argument of a prompt as clients are told of it.
type Argument struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
}

// Resource is a resource or a template as clients are told of it.
type Resource struct {
	URI         string         `json:"uri"`
	URITemplate string         `json:"uriTemplate"`
	Name        string         `json:"name"`
	Title       string         `json:"title"`
	Description string         `json:"description"`
	MIMEType    string         `json:"mimeType"`
	Size        int64          `json:"size"`
	Annotations jsontext.Value `json:"annotations"`
	Icons       []Icon         `json:"icons"`
	Meta        jsontext.Value `json:"_meta"`
}

// Prompts are what the caller is shown, on all pages.
func (t *Tester) Prompts() []Prompt {
	t.tb.Helper()
	return listed[Prompt](t, "prompts/list", "prompts")
}

// Resources are what the caller is shown, on all pages, without templates.
func (t *Tester) Resources() []Resource {
	t.tb.Helper()
	return listed[Resource](t, "resources/list", "resources")
}

// Templates are the resource templates that the caller is shown, on all pages.
func (t *Tester) Templates() []Resource {
	t.tb.Helper()
	return listed[Resource](t, "resources/templates/list", "resourceTemplates")
}

// Answer is what a client gets back from a prompt, a resource or a completion. A method
// that asks for what it is not ends the test.
type Answer struct {
	heard

	tb     testing.TB
	what   string
	result jsontext.Value
	fault  *result.ProtocolError
}

// Prompt gets a prompt by its name on the wire. The arguments are any value that encodes
// as JSON; nil sends none. Clients send strings.
func (t *Tester) Prompt(name string, arguments any) *Answer {
	t.tb.Helper()
	params := map[string]any{"name": name}
	t.arguments(name, params, arguments)
	return t.ask("prompts/get", name, params)
}

// Resource reads a resource.
func (t *Tester) Resource(uri string) *Answer {
	t.tb.Helper()
	return t.ask("resources/read", uri, map[string]any{"uri": uri})
}

// Complete asks for values of an argument of a prompt, or of a variable of a resource
// template, that go on from prefix. Known are the arguments that are filled in already;
// nil for none.
func (t *Tester) Complete(promptOrTemplate, argument, prefix string, known map[string]string) *Answer {
	t.tb.Helper()
	ref := map[string]any{"type": "ref/prompt", "name": promptOrTemplate}
	for _, template := range t.catalog.Templates() {
		if template.Name == promptOrTemplate {
			ref = map[string]any{"type": "ref/resource", "uri": promptOrTemplate}
		}
	}
	params := map[string]any{"ref": ref, "argument": map[string]any{"name": argument, "value": prefix}}
	if known != nil {
		params["context"] = map[string]any{"arguments": known}
	}
	return t.ask("completion/complete", promptOrTemplate, params)
}

func (t *Tester) ask(method, what string, params map[string]any) *Answer {
	t.tb.Helper()
	raw, fault, h := t.request(method, params)
	return &Answer{heard: h, tb: t.tb, what: what, result: raw, fault: fault}
}

// Raw is the result as it travels, byte for byte; nil when it is a JSON-RPC error.
func (a *Answer) Raw() jsontext.Value { return a.result }

// Fault is the JSON-RPC error that was answered instead of a result.
func (a *Answer) Fault() *result.ProtocolError {
	a.tb.Helper()
	if a.fault == nil {
		a.tb.Fatalf("%s was no JSON-RPC error but %s", a.what, a.result)
	}
	return a.fault
}

// Text is the text of the first message of a prompt, or of the first part of a resource.
func (a *Answer) Text() string {
	a.tb.Helper()
	var wire struct {
		Messages []struct {
			Content wireBlock `json:"content"`
		} `json:"messages"`
		Contents []struct {
			Text string `json:"text"`
		} `json:"contents"`
	}
	a.read(&wire)
	switch {
	case len(wire.Messages) > 0:
		return wire.Messages[0].Content.Text
	case len(wire.Contents) > 0:
		return wire.Contents[0].Text
	}
	a.tb.Fatalf("%s has no text: %s", a.what, a.result)
	return ""
}

// Values are the suggestions of a completion.
func (a *Answer) Values() []string {
	a.tb.Helper()
	var wire struct {
		Completion struct {
			Values []string `json:"values"`
		} `json:"completion"`
	}
	a.read(&wire)
	return wire.Completion.Values
}

func (a *Answer) read(wire any) {
	a.tb.Helper()
	if a.fault != nil {
		a.tb.Fatalf("%s did not succeed: %v", a.what, a.fault)
	}
	if err := json.Unmarshal(a.result, wire); err != nil {
		a.tb.Fatalf("%s: %v in %s", a.what, err, a.result)
	}
}
