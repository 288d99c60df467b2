package coder

import (
	"cmp"
	"slices"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/tool"
)

// A mode says which tools a session has, and what the processes that they start may touch. What passes without asking is
// another matter, and has an option of its own.
type mode struct {
	id                acp.SessionModeID
	name, description string

	tools   []string // names of the agent's own tools that there are; see sandboxed
	servers bool     // the tools of MCP servers are there too
	bounds  bounds   // of child processes
	words   string   // what the model is told about it
}

// bounds say what the kernel lets child processes touch.
type bounds int

const (
	unbounded       bounds = iota
	boundToRead            // they look at the session's folders and change nothing; there is no network
	boundToTheRoots        // they change the session's folders and nothing else; there is no network
)

// The modes. Tests and docs/permissions.md are made from this table (S000.13, S001.14, S002.9, S002.13).
var modes = []*mode{
	{
		id: "full", name: "Full Access", description: "All tools available",
		tools: slices.Concat(looking, changing, running, []string{"fetch", "plan", "ask", "task"}), servers: true,
	},
	{
		id: "read-only", name: "Read-Only", description: "No local writes or execution",
		tools: slices.Concat(looking, []string{"fetch", "plan", "ask", "task"}), bounds: boundToRead,
		words: "You can look and not change anything: there is no tool that writes or executes.",
	},
	{
		id: "safe", name: "Safe Mode", description: "Excludes potentially dangerous tools: commands, the network, MCP servers",
		tools: slices.Concat(looking, changing, []string{"plan", "ask", "task"}), bounds: boundToRead,
		words: "You can change files, and run nothing: there are no commands, no network and no MCP servers.",
	},
	{
		id: "sandbox", name: "Sandbox Mode", description: "Disable local file/shell tools; use sandbox_* tools instead",
		tools: slices.Concat(sandboxed(looking, changing, running), []string{"fetch", "plan", "ask", "task"}), servers: true, bounds: boundToTheRoots,
		words: "Commands run in a sandbox: they can change the session's folders and a temporary one, and have no network.",
	},
	{
		id: "plan", name: "Plan", description: "Looks and proposes a plan; asks to switch before anything is changed",
		tools: slices.Concat(looking, []string{"plan", "ask", "task", "propose"}), bounds: boundToRead,
		words: `You plan and change nothing: there is no tool that writes or executes. Look at what matters, ask what is unclear, and then put the whole plan
before the user with the tool "propose". If the user agrees, the mode changes and you carry it out.`,
	},
	{
		id: "architect", name: "Architect", description: "High-level design and analysis; changes nothing",
		tools: slices.Concat(looking, []string{"fetch", "plan", "ask", "task"}), bounds: boundToRead,
		words: "You design and analyse, on the level of parts and how they fit together. There is no tool that writes or executes.",
	},
	{
		id: "ask", name: "Ask", description: "Answers questions; no actions",
		tools: slices.Concat(looking, []string{"fetch", "ask"}), bounds: boundToRead,
		words: "You answer questions and do nothing else: there is no tool that writes or executes.",
	},
}

// Tools by what they do.
var (
	looking  = []string{"list", "glob", "grep", "read"}
	changing = []string{"write", "edit"}
	running  = []string{"shell", "job"}
)

// sandboxPrefix begins the names of the tools that take the places of local ones in the mode "sandbox".
const sandboxPrefix = tool.SandboxPrefix

// sandboxed are the names that local tools have in the mode "sandbox".
func sandboxed(lists ...[]string) []string {
	names := slices.Concat(lists...)
	for i := range names {
		names[i] = sandboxPrefix + names[i]
	}
	return names
}

// modeNamed returns a mode by its id or one of its other names, or nil.
func modeNamed(id acp.SessionModeID) *mode {
	id = cmp.Or(modeAliases[id], id)
	i := slices.IndexFunc(modes, func(m *mode) bool { return m.id == id })
	if i < 0 {
		return nil
	}
	return modes[i]
}

// has reports whether a tool can be used.
func (m *mode) has(tool string) bool {
	if strings.HasPrefix(tool, serverPrefix) {
		return m.servers
	}
	return slices.Contains(m.tools, tool)
}
