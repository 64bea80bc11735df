package main

import (
	"encoding/base64"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/result"
)

// A red pixel, and a moment of silence.
var (
	png = decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==")
	wav = decode("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=")
)

func decode(text string) []byte {
	b, _ := base64.StdEncoding.DecodeString(text)
	return b
}

// says declares a tool without parameters that returns v.
func says[T any](f *fusion.App[App], id, description string, v T) {
	f.Query(id).Describe(description).Handle(func(*fusion.Ctx[App], fusion.NoInput) result.Result[T] { return result.OK(v) })
}

func embedded(uri, mimeType, text string) result.EmbeddedResource {
	return result.EmbeddedResource{Resource: result.ResourceContents{URI: uri, MIMEType: mimeType, Text: text}}
}

func tools(f *fusion.App[App]) {
	says(f, "test_simple_text", "Returns a text", result.Text{Text: "This is a simple text response for testing."})
	says(f, "test_image_content", "Returns an image", result.Image{Data: png, MIMEType: "image/png"})
	says(f, "test_audio_content", "Returns audio", result.Audio{Data: wav, MIMEType: "audio/wav"})
	says(f, "test_embedded_resource", "Returns an embedded resource",
		embedded("test://embedded-resource", "text/plain", "This is an embedded resource content."))
	says(f, "test_multiple_content_types", "Returns blocks of several kinds", []result.Content{
		result.Text{Text: "Multiple content types test:"},
		result.Image{Data: png, MIMEType: "image/png"},
		embedded("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`),
	})

	f.Query("test_error_handling").Describe("Fails").
		Handle(func(*fusion.Ctx[App], fusion.NoInput) result.Result[result.Unit] {
			return result.Fail[result.Unit](result.Error("TEST", "This tool intentionally returns an error for testing"))
		})

	f.Query("json_schema_2020_12_tool").Describe("Has a schema of 2020-12").RawSchema([]byte(schema2020)).
		LintOff(fusion.LintRootCombinator, fusion.LintReferences). // the suite asks for what some clients refuse
		Handle(func(_ *fusion.Ctx[App], in fusion.Args) result.Result[string] {
			return result.OK("received " + string(in.Raw()))
		})
}

const schema2020 = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",` +
	`"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},` +
	`"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},` +
	`"phone":{"type":"string"},"email":{"type":"string"}},` +
	`"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],` +
	`"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},` +
	`"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}`
