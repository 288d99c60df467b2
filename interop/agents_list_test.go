package interop_test

import (
	"path/filepath"
	"slices"
	"testing"
)

// A peer is an agent of others that runs without an account, against a model server on this machine. What is known of each
// comes from running it; the table of docs/agents.md says what it can do.
type peer struct {
	name    string   // of its folder in agents, and what AGENTS says
	title   string   // for people
	npm     string   // the package that has its version
	command []string // the first word may be "node"; places under agents/NAME begin with "./"
	node24  bool     // wants a newer node than Debian has
	always  bool     // runs in every test, since it is small
	asked   bool     // runs only when it is asked for by name: it, or a part of it, is not free software

	config map[string]string // files of its home; STUB is the model server's address, HOME the home
	env    []string          // likewise

	mode   string // the mode in which it asks for permission, if that is not the one it begins in
	acts   bool   // it has no model: its only turn is an act, whatever it is told
	blanks bool   // wants an empty text for a file that is not there (client.Files.MissingIsEmpty)
}

// stubProvider is a provider of the agents that come from OpenCode.
const stubProvider = `{"autoupdate":false,"share":"disabled","model":"stub/stub-model","small_model":"stub/stub-model",
"permission":{"edit":"ask","bash":"ask"},"provider":{"stub":{"npm":"@ai-sdk/openai-compatible","name":"Stub",
"options":{"baseURL":"STUB/v1","apiKey":"stub-key"},"models":{
"stub-model":{"name":"Stub Model","tool_call":true,"limit":{"context":128000,"output":8000}},
"stub-other":{"name":"Stub Other","tool_call":true,"limit":{"context":128000,"output":8000}}}}}}`

// codexConfig has Codex use the model server. Both adapters read it.
var codexConfig = map[string]string{".codex/config.toml": `model = "gpt-5"
model_provider = "stub"
approval_policy = "on-request"
sandbox_mode = "read-only"
check_for_update_on_startup = false
[model_providers.stub]
name = "Stub"
base_url = "STUB/v1"
env_key = "LOCAL_KEY"
wire_api = "responses"
`}

// quietSettings are those of the agents that come from Gemini's.
func quietSettings(auth, model string) string {
	return `{"security":{"auth":{"selectedType":"` + auth + `"}},"privacy":{"usageStatisticsEnabled":false},` +
		`"telemetry":{"enabled":false},"general":{"disableAutoUpdate":true},"model":{"name":"` + model + `"}}`
}

// peers are all that we know how to run, in the order of the table.
var peers = []*peer{
	{
		name: "example", title: "SDK example agent", npm: "../../node_modules/acp-sdk-0.28", always: true, acts: true,
		command: []string{"node", "../../node_modules/acp-sdk-0.28/dist/examples/agent.js"},
	},
	{
		name: "claude", title: "Claude Code (claude-agent-acp)", npm: "./node_modules/@agentclientprotocol/claude-agent-acp",
		node24: true, asked: true, mode: "default",
		command: []string{"node", "./node_modules/@agentclientprotocol/claude-agent-acp/dist/index.js"},
		env: []string{"ANTHROPIC_BASE_URL=STUB", "ANTHROPIC_API_KEY=stub-key", "DISABLE_TELEMETRY=1", "DISABLE_AUTOUPDATER=1",
			"DISABLE_ERROR_REPORTING=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "IS_SANDBOX=1"},
	},
	{
		name: "codex", title: "Codex (codex-acp)", npm: "./node_modules/@agentclientprotocol/codex-acp", mode: "workspace-write",
		command: []string{"node", "./node_modules/@agentclientprotocol/codex-acp/dist/index.js"},
		config:  codexConfig, env: []string{"LOCAL_KEY=stub", "OPENAI_API_KEY=stub", "NO_BROWSER=1"},
	},
	{
		name: "codex-zed", title: "Codex (Zed's codex-acp)", npm: "./node_modules/@zed-industries/codex-acp",
		command: []string{"./node_modules/@zed-industries/codex-acp-linux-x64/bin/codex-acp"},
		config:  codexConfig, env: []string{"LOCAL_KEY=stub", "OPENAI_API_KEY=stub", "NO_BROWSER=1"},
	},
	{
		name: "copilot", title: "GitHub Copilot CLI", npm: "./node_modules/@github/copilot-linux-x64", asked: true,
		command: []string{"./node_modules/@github/copilot-linux-x64/copilot", "--acp"},
		env: []string{"COPILOT_PROVIDER_BASE_URL=STUB/v1", "COPILOT_PROVIDER_TYPE=openai", "COPILOT_PROVIDER_API_KEY=stub",
			"COPILOT_MODEL=stub-model", "COPILOT_OFFLINE=true"},
	},
	{
		name: "droid", title: "Factory Droid", npm: "./node_modules/@factory/cli-linux-x64", asked: true,
		command: []string{"./node_modules/@factory/cli-linux-x64/bin/droid", "exec", "--output-format", "acp"},
		config: map[string]string{".factory/settings.json": `{"customModels":[{"model":"stub-model","id":"custom:stub-model-0","index":0,
"displayName":"Stub","baseUrl":"STUB/v1","apiKey":"stub","provider":"generic-chat-completion-api","maxOutputTokens":8000}],
"model":"custom:stub-model-0"}`},
		env: []string{"FACTORY_API_KEY=stub"},
	},
	{
		name: "gemini", title: "Gemini CLI", npm: "./node_modules/@google/gemini-cli", blanks: true,
		command: []string{"node", "./node_modules/@google/gemini-cli/bundle/gemini.js", "--acp"},
		config:  map[string]string{".gemini/settings.json": quietSettings("gemini-api-key", "gemini-2.5-flash")},
		env:     []string{"GEMINI_API_KEY=stub-key", "GOOGLE_GEMINI_BASE_URL=STUB", "GEMINI_CLI_TRUST_WORKSPACE=true"},
	},
	{
		name: "kilo", title: "Kilo Code", npm: "./node_modules/@kilocode/cli-linux-x64",
		command: []string{"./node_modules/@kilocode/cli-linux-x64/bin/kilo", "acp"},
		config:  map[string]string{".config/kilo/kilo.json": stubProvider},
		env:     []string{"KILO_DISABLE_AUTOUPDATE=1", "KILO_DISABLE_MODELS_FETCH=1"},
	},
	{
		name: "opencode", title: "OpenCode", npm: "./node_modules/opencode-linux-x64",
		command: []string{"./node_modules/opencode-linux-x64/bin/opencode", "acp"},
		config:  map[string]string{".config/opencode/opencode.json": stubProvider},
		env:     []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1"},
	},
	{
		name: "pi", title: "pi (pi-acp)", npm: "./node_modules/pi-acp", node24: true,
		command: []string{"node", "./node_modules/pi-acp/dist/index.js"},
		config: map[string]string{
			".pi/agent/models.json": `{"providers":{"stub":{"baseUrl":"STUB/v1","api":"openai-completions","apiKey":"stub-key","models":[
{"id":"stub-model","name":"Stub Model","reasoning":true,"input":["text"],"contextWindow":128000,"maxTokens":8000,
"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0}}]}}}`,
			".pi/agent/settings.json": `{"defaultProvider":"stub","defaultModel":"stub-model"}`,
		},
		env: []string{"PI_OFFLINE=1"},
	},
	{
		name: "qwen", title: "Qwen Code", npm: "./node_modules/@qwen-code/qwen-code", node24: true, mode: "default",
		command: []string{"node", "./node_modules/@qwen-code/qwen-code/cli-entry.js", "--acp"},
		config:  map[string]string{".qwen/settings.json": quietSettings("openai", "stub-model")},
		env:     []string{"OPENAI_API_KEY=stub-key", "OPENAI_BASE_URL=STUB/v1", "OPENAI_MODEL=stub-model"},
	},
}

// Each agent that is installed has its folder, and each folder its agent.
func TestAgentsAreThoseOfTheFolders(t *testing.T) {
	folders, err := filepath.Glob("agents/*/package.json")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, path := range folders {
		if name := filepath.Base(filepath.Dir(path)); name != "node24" {
			found = append(found, name)
		}
	}
	var known []string
	for _, p := range peers {
		if !p.always {
			known = append(known, p.name)
		}
	}
	slices.Sort(known)
	same(t, "folders in interop/agents", found, known)
}
