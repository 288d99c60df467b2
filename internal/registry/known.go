package registry

// providers are the keys and the addresses of providers of models, for the agents that speak with whichever the user has.
var providers = []string{
	"ANTHROPIC_*", "AZURE_*", "CEREBRAS_API_KEY", "DEEPSEEK_API_KEY", "FIREWORKS_API_KEY", "GEMINI_API_KEY", "GOOGLE_*", "GROQ_API_KEY",
	"MISTRAL_API_KEY", "OLLAMA_*", "OPENAI_*", "OPENROUTER_API_KEY", "TOGETHER_API_KEY", "XAI_API_KEY",
}

// with returns the providers' variables and an agent's own.
func with(own ...string) []string { return append(own, providers...) }

// known are the agents that are known to be started so. Those that come from npm were started and shook hands, save Junie and
// iFlow; what is said of these and of the others is what their documentation says.
var known = []Agent{
	{
		ID: "claude", Aliases: []string{"claude-code", "claude-acp", "claude-agent-acp", "claude-code-acp"}, Title: "Claude Code",
		Site: "https://github.com/agentclientprotocol/claude-agent-acp", Program: "claude-agent-acp",
		Package: "@agentclientprotocol/claude-agent-acp", Older: []Start{{Program: "claude-code-acp"}},
		Environment: []string{"ANTHROPIC_*", "AWS_*", "CLAUDE_*", "DISABLE_*", "IS_SANDBOX", "VERTEX_*"},
		Needs:       []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"},
		Quirks:      Quirks{AsksInMode: "default", Serves: true},
	},
	{
		ID: "codex", Aliases: []string{"codex-acp"}, Title: "Codex",
		Site: "https://github.com/agentclientprotocol/codex-acp", Program: "codex-acp", Package: "@agentclientprotocol/codex-acp",
		Environment: []string{"CODEX_*", "NO_BROWSER", "OPENAI_*"}, Needs: []string{"OPENAI_API_KEY", "CODEX_API_KEY"},
		Quirks: Quirks{Serves: true},
	},
	{
		ID: "gemini", Aliases: []string{"gemini-cli"}, Title: "Gemini CLI",
		Site: "https://github.com/google-gemini/gemini-cli", Program: "gemini", Args: []string{"--acp"}, Package: "@google/gemini-cli",
		Older:       []Start{{Program: "gemini", Args: []string{"--experimental-acp"}, Before: "0.33.0"}},
		Environment: []string{"CLOUDSDK_*", "GEMINI_*", "GOOGLE_*", "NO_BROWSER"}, Needs: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"},
		Quirks: Quirks{NoFileReads: true, Lingers: true},
	},
	{
		ID: "opencode", Aliases: []string{"opencode-ai"}, Title: "OpenCode",
		Site: "https://opencode.ai", Program: "opencode", Args: []string{"acp"}, Package: "opencode-ai",
		Environment: with("AWS_*", "OPENCODE_*"),
	},
	{
		ID: "kilo", Aliases: []string{"kilocode", "kilo-code"}, Title: "Kilo Code",
		Site: "https://kilo.ai", Program: "kilo", Args: []string{"acp"}, Package: "@kilocode/cli",
		Environment: with("AWS_*", "KILO_*", "KILOCODE_*"),
	},
	{
		ID: "qwen", Aliases: []string{"qwen-code"}, Title: "Qwen Code",
		Site: "https://github.com/QwenLM/qwen-code", Program: "qwen", Args: []string{"--acp"}, Package: "@qwen-code/qwen-code",
		Environment: []string{"ANTHROPIC_*", "DASHSCOPE_*", "GEMINI_*", "GOOGLE_*", "OPENAI_*", "QWEN_*"},
		Quirks:      Quirks{AsksInMode: "default"},
	},
	{
		ID: "copilot", Aliases: []string{"github-copilot", "github-copilot-cli"}, Title: "GitHub Copilot",
		Site: "https://github.com/github/copilot-cli", Program: "copilot", Args: []string{"--acp"}, Package: "@github/copilot",
		Environment: []string{"COPILOT_*", "GH_*", "GITHUB_TOKEN"},
	},
	{
		ID: "pi", Aliases: []string{"pi-acp"}, Title: "Pi",
		Site: "https://github.com/svkozak/pi-acp", Program: "pi-acp", Package: "pi-acp", Extra: []string{"@earendil-works/pi-coding-agent"},
		Environment: with("AWS_*", "PI_*"), Quirks: Quirks{Serves: true},
	},
	{
		ID: "cline", Title: "Cline",
		Site: "https://cline.bot", Program: "cline", Args: []string{"--acp"}, Package: "cline",
		Environment: with("AWS_*", "CLINE_*"),
	},
	{
		ID: "auggie", Aliases: []string{"augment"}, Title: "Auggie",
		Site: "https://docs.augmentcode.com/cli/acp/agent", Program: "auggie", Args: []string{"--acp"}, Package: "@augmentcode/auggie",
		Env: map[string]string{"AUGMENT_DISABLE_AUTO_UPDATE": "1"}, Environment: []string{"AUGMENT_*"},
	},
	{
		ID: "droid", Aliases: []string{"factory-droid", "factorydroid"}, Title: "Factory Droid",
		Site: "https://factory.ai", Program: "droid", Args: []string{"exec", "--output-format", "acp"}, Package: "@factory/cli",
		Env:         map[string]string{"DROID_DISABLE_AUTO_UPDATE": "true", "FACTORY_DROID_AUTO_UPDATE_ENABLED": "false"},
		Environment: []string{"DROID_*", "FACTORY_*"}, Quirks: Quirks{ShellLines: true},
	},
	{
		ID: "qoder", Aliases: []string{"qodercli"}, Title: "Qoder",
		Site: "https://qoder.com", Program: "qodercli", Args: []string{"--acp"}, Package: "@qoder-ai/qodercli",
		Environment: []string{"QODER_*"}, Quirks: Quirks{Lingers: true},
	},
	{
		ID: "junie", Aliases: []string{"junie-acp"}, Title: "Junie",
		Site: "https://github.com/jetbrains-junie/junie", Program: "junie", Args: []string{"--acp=true"}, Package: "@jetbrains/junie-cli",
		Environment: with("JUNIE_*"),
	},
	{
		ID: "iflow", Aliases: []string{"iflow-cli"}, Title: "iFlow CLI",
		Site: "https://cli.iflow.cn", Program: "iflow", Args: []string{"--experimental-acp"}, Package: "@iflow-ai/iflow-cli",
		Environment: []string{"IFLOW_*", "OPENAI_*"},
	},
	{
		ID: "goose", Title: "Goose",
		Site: "https://github.com/block/goose", Program: "goose", Args: []string{"acp"}, Hint: "see https://github.com/block/goose",
		Environment: with("AWS_*", "DATABRICKS_*", "GOOSE_*"),
	},
	{
		ID: "kimi", Aliases: []string{"kimi-cli"}, Title: "Kimi CLI",
		Site: "https://github.com/MoonshotAI/kimi-cli", Program: "kimi", Args: []string{"acp"}, Hint: "uv tool install kimi-cli",
		Environment: []string{"KIMI_*", "MOONSHOT_*", "OPENAI_*"},
	},
	{
		ID: "vibe", Aliases: []string{"mistral-vibe", "mistral"}, Title: "Mistral Vibe",
		Site: "https://github.com/mistralai/mistral-vibe", Program: "vibe-acp", Hint: "uv tool install mistral-vibe",
		Environment: []string{"MISTRAL_*", "VIBE_*"}, Needs: []string{"MISTRAL_API_KEY"}, Quirks: Quirks{Serves: true},
	},
	{
		ID: "cursor", Aliases: []string{"cursor-agent"}, Title: "Cursor",
		Site: "https://cursor.com/cli", Program: "cursor-agent", Args: []string{"acp"}, Hint: "see https://cursor.com/cli",
		Environment: []string{"CURSOR_*"},
	},
	{
		ID: "kiro", Aliases: []string{"kiro-cli"}, Title: "Kiro",
		Site: "https://kiro.dev/cli", Program: "kiro-cli", Args: []string{"acp"}, Hint: "see https://kiro.dev/cli",
		Older: []Start{{Program: "kiro-cli-chat", Args: []string{"acp"}}}, Environment: []string{"AWS_*", "KIRO_*"},
	},
	{
		ID: "cagent", Aliases: []string{"docker-agent"}, Title: "Docker cagent",
		Site: "https://github.com/docker/cagent", Program: "cagent", Args: []string{"acp"}, Hint: "see https://github.com/docker/cagent",
		Environment: with("CAGENT_*"),
	},
	{
		ID: "openhands", Title: "OpenHands",
		Site: "https://docs.openhands.dev", Program: "openhands", Args: []string{"acp"}, Hint: "uv tool install openhands",
		Environment: with("LLM_*", "OPENHANDS_*"),
	},
	{
		ID: "fast-agent", Title: "fast-agent",
		Site: "https://fast-agent.ai", Program: "fast-agent-acp", Hint: "uv tool install fast-agent-mcp",
		Environment: with("FAST_AGENT_*"), Quirks: Quirks{Serves: true},
	},
	{
		ID: "stakpak", Title: "Stakpak",
		Site: "https://github.com/stakpak/agent", Program: "stakpak", Args: []string{"acp"}, Hint: "see https://github.com/stakpak/agent",
		Environment: with("AWS_*", "STAKPAK_*"),
	},
	{
		ID: "code-assistant", Title: "Code Assistant",
		Site: "https://github.com/stippi/code-assistant", Program: "code-assistant", Args: []string{"acp"}, Hint: "see https://github.com/stippi/code-assistant",
		Environment: with("CODE_ASSISTANT_*"),
	},
}
