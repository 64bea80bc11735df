package main

import (
	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/result"
)

// headers has a tool with an argument that clients repeat in an HTTP header.
func headers(f *fusion.App[App]) {
	f.Query("test_x_mcp_header").Describe("Says where and how much").
		WithString("region", "The region", "header=Region").
		WithOptionalInteger("level", "How much", "default=1").
		Handle(func(_ *fusion.Ctx[App], in struct {
			Region string
			Level  int
		}) result.Result[result.Text] {
			return result.OK(result.Text{Text: in.Region})
		})
}
