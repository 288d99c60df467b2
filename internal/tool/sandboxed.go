package tool

import (
	"fmt"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
)

// SandboxPrefix begins the names of sandboxed tools.
const SandboxPrefix = "sandbox_"

// Sandboxed returns a tool for files or commands under another name, which works in the sandbox of the session: what it does
// there is the same, and it asks as the original does, though a permission for a command there is none for one outside. What the session has read and what runs in the background is
// shared with the original.
func Sandboxed(t *Tool) *Tool {
	sandboxed := *t
	sandboxed.Name = SandboxPrefix + t.Name
	sandboxed.Description = sandboxNames.Replace(t.Description)
	runs := t.Name == shellName
	if runs {
		sandboxed.Description += " Commands can change the session's folders and a temporary one, and have no network."
	}
	sandboxed.prepare = func(env Env, input acp.Raw) (*Job, error) {
		inside, err := env.Sandbox()
		if err != nil {
			return nil, fmt.Errorf("%s can't be used: %w", sandboxed.Name, err)
		}
		job, err := t.prepare(inside, input)
		if err == nil && runs {
			job.Title += ", in the sandbox"
			job.Call.Sandboxed = true
		}
		return job, err
	}
	return &sandboxed
}

// sandboxNames changes the names of tools in descriptions to those that there are beside a sandboxed one.
var sandboxNames = strings.NewReplacer("the tool job", "the tool "+SandboxPrefix+"job", "that shell has", "that "+SandboxPrefix+"shell has")
