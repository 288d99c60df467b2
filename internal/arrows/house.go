package arrows

// Floors, from the ground up. A package imports from the floors below its own.
const (
	ground  = iota // JSON text, processes, paths; knows nothing of messages
	wire           // JSON-RPC messages on a framed connection
	words          // the protocol as data
	streams        // framed connections to somewhere
	dialects
	sides  // an agent, a client, and what they share
	hosts  // many agents, many clients, and what the command is made of
	street // programs
	aside  // checks of the repository: they import nothing of ours, and nothing imports them
)

// A Room is a package's place.
type Room struct {
	Path  string // below the module; "x/..." is any package below x
	Floor int

	// Only, if not nil, names all packages of ours that this one may import, where its floor would allow more.
	Only []string

	// Beside lists packages on the same floor that this one may import.
	Beside []string

	// Public is set for what others import.
	Public bool

	// Modules lists the modules of others that may come with this package, at any remove. Open allows any.
	Modules []string
	Open    bool
}

const (
	json = "github.com/go-json-experiment/json"
	sys  = "golang.org/x/sys"
	sh   = "mvdan.cc/sh/v3"
	toml = "github.com/pelletier/go-toml/v2"
)

var (
	nothing = []string{}
	light   = []string{json, sys}
	models  = []string{"acp", "internal/model", "internal/model/wire"} // what the wires of providers are made of
)

// House has a place for every package of the design. Its public packages stay light: no database, no model SDK, no
// message broker and no telemetry SDK ever comes with them.
var House = []Room{
	{Path: "internal/rawjson", Floor: ground, Modules: nothing},
	{Path: "internal/process", Floor: ground, Modules: []string{sys}},
	{Path: "internal/confine", Floor: ground, Modules: []string{sys}},
	{Path: "internal/filelock", Floor: ground, Modules: []string{sys}},
	{Path: "internal/terminal", Floor: wire, Modules: []string{sys}},
	{Path: "jsonrpc", Public: true, Floor: wire, Modules: []string{json}},
	{Path: "acp", Public: true, Floor: words, Modules: []string{json}},
	{Path: "acp/acpv2", Public: true, Floor: words, Beside: []string{"acp"}, Modules: []string{json}},

	{Path: "transport", Public: true, Floor: streams, Modules: light},
	{Path: "dialect", Public: true, Floor: dialects, Modules: light},

	{Path: "agent", Public: true, Floor: sides, Modules: light},
	{Path: "client", Public: true, Floor: sides, Modules: light},
	{Path: "policy", Public: true, Floor: sides, Modules: []string{json, sys, sh}},
	{Path: "policy/ledger", Public: true, Floor: sides, Beside: []string{"policy"}, Modules: []string{json, sys, sh}},
	{Path: "trace", Floor: sides, Modules: light},
	{Path: "journal", Floor: sides, Open: true},

	{Path: "conform", Floor: hosts, Modules: light},
	{Path: "gateway", Floor: hosts, Open: true},
	{Path: "internal/console", Floor: hosts, Open: true},
	{Path: "internal/config", Floor: sides, Only: []string{"policy"}, Beside: []string{"policy"}, Modules: []string{json, toml, sys, sh}},
	{Path: "internal/model", Floor: hosts, Modules: light},
	{Path: "internal/model/wire", Floor: hosts, Only: []string{"acp", "internal/model"}, Beside: []string{"internal/model"}, Modules: light},
	{Path: "internal/model/anthropic", Floor: hosts, Only: models, Beside: models, Open: true},
	{Path: "internal/model/openai", Floor: hosts, Only: models, Beside: models, Open: true},
	{Path: "internal/model/gemini", Floor: hosts, Only: models, Beside: models, Open: true},
	{Path: "internal/model/offline", Floor: hosts, Beside: []string{"internal/model"}, Modules: light},
	{Path: "internal/model/catalog", Floor: hosts, Beside: []string{"internal/model"}, Open: true},
	{Path: "internal/model/provider", Floor: hosts, Open: true, Beside: []string{
		"internal/model", "internal/model/anthropic", "internal/model/catalog", "internal/model/gemini", "internal/model/offline", "internal/model/openai",
		"internal/model/wire",
	}},
	{Path: "internal/model/modeltest", Floor: hosts, Only: []string{"acp"}, Open: true},
	{Path: "internal/mcp", Floor: hosts, Only: []string{"acp", "internal/process", "transport"}, Open: true},
	{Path: "internal/registry", Floor: hosts, Open: true},
	{Path: "internal/sandbox", Floor: hosts, Only: nothing, Modules: []string{sys, "github.com/landlock-lsm/go-landlock", "kernel.org/pub/linux/libs/security/libcap/psx"}},
	{Path: "internal/tool", Floor: hosts, Beside: []string{"internal/sandbox"}, Open: true},
	{
		// The built-in agent is made of what everyone has: its only way to a client is package agent.
		Path: "internal/coder", Floor: hosts, Open: true,
		Only: []string{
			"acp", "agent", "policy", "internal/coder/store", "internal/config", "internal/confine", "internal/mcp", "internal/rawjson",
			"internal/model", "internal/model/catalog", "internal/model/offline", "internal/model/provider", "internal/sandbox", "internal/tool",
		},
		Beside: []string{
			"internal/coder/store", "internal/mcp", "internal/model", "internal/model/catalog", "internal/model/offline", "internal/model/provider", "internal/sandbox",
			"internal/tool",
		},
	},
	{Path: "internal/coder/store", Floor: hosts, Only: []string{"acp"}, Open: true}, // keeps what it is given, and knows no agent

	{Path: "cmd/patchbay", Floor: street, Open: true},
	{Path: "docs", Floor: street, Modules: light}, // the test of what the guides show
	{Path: "examples", Floor: street, Modules: light},
	{Path: "examples/...", Floor: street, Open: true},
	{Path: "interop", Floor: street, Modules: light},

	{Path: "internal/arrows", Floor: aside, Only: nothing, Modules: nothing},
	{Path: "internal/promises", Floor: aside, Only: nothing, Modules: nothing},
}
