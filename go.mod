module github.com/mcpfusion/go

go 1.27.0

toolchain go1.27.3

require github.com/samber/mo v1.16.0
