package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/result"
)

func prompts(f *fusion.App[App]) {
	f.Prompt("test_simple_prompt").Describe("A simple prompt").
		Handle(func(*fusion.Ctx[App], fusion.NoInput) result.Result[string] {
			return result.OK("This is a simple prompt for testing.")
		})

	f.Prompt("test_prompt_with_arguments").Describe("A prompt with arguments").
		WithString("arg1", "First test argument").
		WithString("arg2", "Second test argument").
		Complete("arg1", func(_ *fusion.Ctx[App], prefix string) []string {
			return slices.DeleteFunc([]string{"paris", "park", "party"}, func(v string) bool { return !strings.HasPrefix(v, prefix) })
		}).
		Handle(func(_ *fusion.Ctx[App], in struct{ Arg1, Arg2 string }) result.Result[string] {
			return result.OK(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", in.Arg1, in.Arg2))
		})

	f.Prompt("test_prompt_with_embedded_resource").Describe("A prompt with a resource").
		WithString("resourceUri", "URI of the resource to embed").
		Handle(func(_ *fusion.Ctx[App], in struct{ ResourceURI string }) result.Result[[]result.Message] {
			return result.OK([]result.Message{
				{Role: result.RoleUser, Content: embedded(in.ResourceURI, "text/plain", "Embedded resource content for testing.")},
				result.User("Please process the embedded resource above."),
			})
		})

	f.Prompt("test_prompt_with_image").Describe("A prompt with an image").
		Handle(func(*fusion.Ctx[App], fusion.NoInput) result.Result[[]result.Message] {
			return result.OK([]result.Message{
				{Role: result.RoleUser, Content: result.Image{Data: png, MIMEType: "image/png"}},
				result.User("Please analyze the image above."),
			})
		})
}

func resources(f *fusion.App[App]) {
	f.Resource("test://static-text").Name("Static text").Describe("A static text").MIMEType("text/plain").
		Handle(func(*fusion.Ctx[App], fusion.NoInput) result.Result[string] {
			return result.OK("This is the content of the static text resource.")
		})
	f.Resource("test://static-binary").Name("Static binary").Describe("A static image").MIMEType("image/png").
		Handle(func(*fusion.Ctx[App], fusion.NoInput) result.Result[[]byte] { return result.OK(png) })
	f.Resource("test://watched-resource").Name("Watched resource").Describe("A resource that changes").MIMEType("text/plain").
		Handle(func(*fusion.Ctx[App], fusion.NoInput) result.Result[string] {
			return result.OK("Watched resource content")
		})
	f.Resource("test://template/{id}/data").Name("Template").Describe("Data by id").MIMEType("application/json").
		Handle(func(_ *fusion.Ctx[App], in struct{ ID string }) result.Result[string] {
			return result.OK(fmt.Sprintf(`{"id":%q,"templateTest":true,"data":"Data for ID: %s"}`, in.ID, in.ID))
		})
}
