module github.com/mcpfusion/go

go 1.27.0

toolchain go1.27.3

require github.com/samber/mo v1.16.0

require (
	github.com/stretchr/testify v1.12.1 // indirect
	go.uber.org/goleak v1.3.0 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	pgregory.net/rapid v1.3.0 // indirect
)
