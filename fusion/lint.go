package fusion

// The rules of what MCP allows and known clients refuse. The first five make build errors,
// the others warnings. [Options.LintOff] switches them off for an app, LintOff on a chain
// for a tool. docs/lint.md says what to do instead.
const (
	// LintRootCombinator: the input schema has oneOf, anyOf, allOf, enum or not at its root.
	// The APIs of Anthropic and OpenAI refuse the whole request, Claude Code drops the tool.
	//
	// Source: https://github.com/anthropics/claude-code/issues/95504
	LintRootCombinator LintRule = "root-combinator"

	// LintArrayItems: an array in the input schema has no items. OpenAI's API refuses the
	// whole request, VS Code the tool.
	//
	// Source: https://github.com/apify/apify-mcp-server/issues/36
	LintArrayItems LintRule = "array-items"

	// LintBooleanSchema: a property's schema is true or false, in what goes in or comes out.
	// The Claude Agent SDK and others drop every tool of the server, Copilot CLI fails each
	// request to Gemini.
	//
	// Source: https://github.com/anthropics/claude-code/issues/92900
	LintBooleanSchema LintRule = "boolean-schema"

	// LintParameterName: a parameter's name has other characters than A-Z a-z 0-9 _ . -, or
	// more than 64. Anthropic's API refuses the whole request, in Claude Code for the rest of
	// the session.
	//
	// Source: https://github.com/anthropics/claude-code/issues/79418
	LintParameterName LintRule = "parameter-name"

	// LintNameStart: a tool's name begins with a digit or -. Gemini's API refuses the whole
	// request.
	//
	// Source: https://github.com/21st-dev/magic-mcp/issues/34
	LintNameStart LintRule = "name-start"

	// LintNameTogether: a tool's name and the server's have more than 59 characters together.
	// Cursor hides the tool.
	//
	// Source: https://github.com/ComposioHQ/composio/issues/2788
	LintNameTogether LintRule = "name-together"

	// LintNameDots: KeepDots keeps the dots of tools' names. Claude Desktop and claude.ai drop
	// every tool of the server, Codex fails each request.
	//
	// Source: https://github.com/evoila/meho/issues/2745
	LintNameDots LintRule = "name-dots"

	// LintReferences: the input schema has a $ref. Fusion writes one only where a Go type
	// contains itself. Home Assistant drops every tool of the server, VS Code and Claude
	// Desktop lose what it refers to, Meta's API and Gemini CLI fail each request where it
	// leads back to itself.
	//
	// Source: https://github.com/home-assistant/core/issues/169509
	LintReferences LintRule = "references"

	// LintMissingType: a part of the input schema says no type, as for the Go type any. Home
	// Assistant drops every tool of the server, Moonshot's API refuses the whole request.
	//
	// Source: https://github.com/home-assistant/core/issues/175628
	LintMissingType LintRule = "missing-type"

	// LintTypeUnion: a part of the input schema has a list of types, or null among its
	// alternatives. Copilot CLI, opencode and others fail each request to Gemini.
	//
	// Source: https://github.com/github/copilot-cli/issues/4623
	LintTypeUnion LintRule = "type-union"

	// LintEnumValues: an enum in the input schema has values that are no strings, or stands on
	// what is no string. Gemini Enterprise fails each request, VS Code leaves the enum out
	// for Gemini.
	//
	// Source: https://github.com/kensho-technologies/kfinance/pull/128
	LintEnumValues LintRule = "enum-values"

	// LintMissingProperties: the input schema has no properties at its root. OpenAI's API
	// refuses the whole request of clients that do not add it, smolagents cannot load the
	// server.
	//
	// Source: https://github.com/nextlevelbuilder/goclaw/pull/321
	LintMissingProperties LintRule = "missing-properties"

	// LintSchemaDepth: the input schema is nested more than 10 levels deep. The APIs of Meta
	// and Moonshot refuse the whole request.
	//
	// Source: https://github.com/anomalyco/opencode/issues/50297
	LintSchemaDepth LintRule = "schema-depth"

	// LintDescriptionLength: a tool's description, with its instructions, or the server's
	// instructions have more than 2048 characters. Claude Code cuts off the rest.
	//
	// Source: https://github.com/anthropics/claude-code/issues/87650
	LintDescriptionLength LintRule = "description-length"

	// LintToolCount: the server has more than 80 tools. Cursor warns above 80 tools of all
	// servers together, Copilot refuses each request above 128.
	//
	// Source: https://github.com/Snowflake-Labs/mcp/issues/77
	LintToolCount LintRule = "tool-count"

	// LintDefinitionsSize: the names, descriptions and input schemas of all tools have more
	// than 100 000 bytes, about 25 000 tokens. Claude Code warns that the server fills the
	// model's context.
	//
	// Source: https://github.com/anthropics/claude-code/issues/12241
	LintDefinitionsSize LintRule = "definitions-size"
)
