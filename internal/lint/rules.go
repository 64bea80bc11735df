package lint

import "slices"

// Rule is the id of a rule.
type Rule string

// The rules. Package fusion says of each what it is about, whom it protects, and how that
// is known.
const (
	RootCombinator Rule = "root-combinator"
	ArrayItems     Rule = "array-items"
	BooleanSchema  Rule = "boolean-schema"
	ParameterName  Rule = "parameter-name"
	NameStart      Rule = "name-start"

	NameTogether      Rule = "name-together"
	NameDots          Rule = "name-dots"
	References        Rule = "references"
	MissingType       Rule = "missing-type"
	TypeUnion         Rule = "type-union"
	EnumValues        Rule = "enum-values"
	MissingProperties Rule = "missing-properties"
	SchemaDepth       Rule = "schema-depth"
	DescriptionLength Rule = "description-length"
	ToolCount         Rule = "tool-count"
	DefinitionsSize   Rule = "definitions-size"
)

// About is what there is to say of a rule.
type About struct {
	Rule Rule
	// Fatal rules are about what costs a client every tool or its model's API the whole
	// request; the others cost one tool, or only some clients' users.
	Fatal bool
	// Whole rules are about a server and not about one of its tools.
	Whole bool
	// What is against the rule.
	What string
	// Mend says what to do instead.
	Mend string
	// Clients says who is protected, and from what.
	Clients string
	// Sources are public reports of it.
	Sources []string
}

// Limits that rules are about.
const (
	maxTogether    = 59 // and a separator
	maxParameter   = 64
	maxText        = 2048
	maxLevels      = 10
	maxTools       = 80
	maxDefinitions = 100_000
)

const github = "https://github.com/"

// rules are all rules, fatal ones first.
var rules = []About{{
	Rule: RootCombinator, Fatal: true,
	What:    "The input schema has `oneOf`, `anyOf`, `allOf`, `enum` or `not` at its root.",
	Mend:    "put it below a property, or declare every property in one object and check the rest in the handler",
	Clients: "the APIs of Anthropic and OpenAI refuse the whole request, Claude Code drops the tool",
	Sources: []string{github + "anthropics/claude-code/issues/95504", github + "langchain-ai/langchainjs/issues/9804"},
}, {
	Rule: ArrayItems, Fatal: true,
	What:    "An array in the input schema has no `items`.",
	Mend:    `add "items" with the type of the elements`,
	Clients: "OpenAI's API refuses the whole request, VS Code the tool",
	Sources: []string{github + "apify/apify-mcp-server/issues/36", github + "microsoft/vscode/issues/284536"},
}, {
	Rule: BooleanSchema, Fatal: true,
	What:    "A property's schema is `true` or `false`, in what goes in or comes out.",
	Mend:    "write an object that says the property's type",
	Clients: "the Claude Agent SDK and others drop every tool of the server, Copilot CLI fails each request to Gemini",
	Sources: []string{
		github + "anthropics/claude-code/issues/92900", github + "github/copilot-cli/issues/4623",
		github + "Azure/Azure-Resource-Manager-MCP/issues/21",
	},
}, {
	Rule: ParameterName, Fatal: true,
	What:    "A parameter's name has other characters than `A-Z a-z 0-9 _ . -`, or more than 64.",
	Mend:    "rename it",
	Clients: "Anthropic's API refuses the whole request, in Claude Code for the rest of the session",
	Sources: []string{github + "anthropics/claude-code/issues/79418", github + "decocms/studio/pull/6874"},
}, {
	Rule: NameStart, Fatal: true,
	What:    "A tool's name begins with a digit or `-`.",
	Mend:    "begin it with a letter or _",
	Clients: "Gemini's API refuses the whole request",
	Sources: []string{
		github + "21st-dev/magic-mcp/issues/34",
		"https://cloud.google.com/vertex-ai/generative-ai/docs/reference/java/latest/com.google.cloud.vertexai.api.FunctionDeclarationOrBuilder",
	},
}, {
	Rule:    NameTogether,
	What:    "A tool's name and the server's have more than 59 characters together.",
	Mend:    "shorten one of them",
	Clients: "Cursor hides the tool",
	Sources: []string{github + "ComposioHQ/composio/issues/2788", github + "PostHog/posthog/pull/51483"},
}, {
	Rule: NameDots, Whole: true,
	What:    "`KeepDots` keeps the dots of tools' names.",
	Mend:    "leave KeepDots out, unless no such client is served",
	Clients: "Claude Desktop and claude.ai drop every tool of the server, Codex fails each request",
	Sources: []string{github + "evoila/meho/issues/2745", github + "openai/codex/issues/8174"},
}, {
	Rule:    References,
	What:    "The input schema has a `$ref`. Fusion writes one only where a Go type contains itself.",
	Mend:    "write what it refers to in its place; take what contains itself as a flat list of nodes that name their parents",
	Clients: "Home Assistant drops every tool of the server, VS Code and Claude Desktop lose what it refers to, Meta's API and Gemini CLI fail each request where it leads back to itself",
	Sources: []string{
		github + "home-assistant/core/issues/169509", github + "PrefectHQ/fastmcp/pull/2808",
		github + "anomalyco/opencode/issues/45823", github + "google-gemini/gemini-cli/issues/14945",
	},
}, {
	Rule:    MissingType,
	What:    "A part of the input schema says no `type`, as for the Go type `any`.",
	Mend:    "say its type",
	Clients: "Home Assistant drops every tool of the server, Moonshot's API refuses the whole request",
	Sources: []string{
		github + "home-assistant/core/issues/175628", github + "jagduvi1/Cellarion/pull/1076",
		github + "MoonshotAI/kimi-code/pull/2216",
	},
}, {
	Rule:    TypeUnion,
	What:    "A part of the input schema has a list of types, or `null` among its alternatives.",
	Mend:    "keep one type; what may be absent is left out of required",
	Clients: "Copilot CLI, opencode and others fail each request to Gemini",
	Sources: []string{
		github + "github/copilot-cli/issues/4623", github + "anomalyco/opencode/issues/48073",
		github + "taylorwilsdon/google_workspace_mcp/issues/1099",
	},
}, {
	Rule:    EnumValues,
	What:    "An `enum` in the input schema has values that are no strings, or stands on what is no string.",
	Mend:    "take strings, or a range of numbers",
	Clients: "Gemini Enterprise fails each request, VS Code leaves the enum out for Gemini",
	Sources: []string{
		github + "kensho-technologies/kfinance/pull/128", github + "microsoft/vscode/pull/328147",
		github + "can1357/oh-my-pi/issues/2652",
	},
}, {
	Rule:    MissingProperties,
	What:    "The input schema has no `properties` at its root.",
	Mend:    `add "properties":{}`,
	Clients: "OpenAI's API refuses the whole request of clients that do not add it, smolagents cannot load the server",
	Sources: []string{github + "nextlevelbuilder/goclaw/pull/321", github + "grll/mcpadapt/issues/78"},
}, {
	Rule:    SchemaDepth,
	What:    "The input schema is nested more than 10 levels deep.",
	Mend:    "flatten it",
	Clients: "the APIs of Meta and Moonshot refuse the whole request",
	Sources: []string{github + "anomalyco/opencode/issues/50297", github + "anomalyco/opencode/issues/25495"},
}, {
	Rule:    DescriptionLength,
	What:    "A tool's description, with its instructions, or the server's instructions have more than 2048 characters.",
	Mend:    "shorten it",
	Clients: "Claude Code cuts off the rest",
	Sources: []string{github + "anthropics/claude-code/issues/87650", github + "RedHatInsights/insights-mcp/issues/340"},
}, {
	Rule: ToolCount, Whole: true,
	What:    "The server has more than 80 tools.",
	Mend:    "split the server, or show each caller fewer with Visible",
	Clients: "Cursor warns above 80 tools of all servers together, Copilot refuses each request above 128",
	Sources: []string{github + "Snowflake-Labs/mcp/issues/77", github + "microsoft/copilot-intellij-feedback/issues/1842"},
}, {
	Rule: DefinitionsSize, Whole: true,
	What:    "The names, descriptions and input schemas of all tools have more than 100 000 bytes, about 25 000 tokens.",
	Mend:    "shorten descriptions and schemas, or show each caller fewer tools with Visible",
	Clients: "Claude Code warns that the server fills the model's context",
	Sources: []string{github + "anthropics/claude-code/issues/12241", github + "getsentry/XcodeBuildMCP/issues/153"},
}}

// Rules are all rules, fatal ones first.
func Rules() []About { return slices.Clone(rules) }

// Find is what there is to say of a rule, if there is one of that id.
func Find(rule Rule) (About, bool) {
	for _, a := range rules {
		if a.Rule == rule {
			return a, true
		}
	}
	return About{}, false
}
