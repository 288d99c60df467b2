package interop_test

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
)

// traced has each agent that acpx starts write a trace, named after its process.
func (a *acpx) traced() {
	a.t.Helper()
	put(a.t, a.home, "agent.sh", fmt.Sprintf("exec '%s' agent --trace '%s'/$$.ndjson\n", patchbay(a.t), a.home))
	a.flags[3] = fmt.Sprintf("sh '%s'", filepath.Join(a.home, "agent.sh"))
}

// agents are the processes that acpx has had so far, by their ids, with what they and acpx have said to each other.
func (a *acpx) agents() map[int][]message {
	a.t.Helper()
	list, err := filepath.Glob(filepath.Join(a.home, "*.ndjson"))
	if err != nil || len(list) == 0 {
		a.t.Fatalf("acpx has had no agents: %v", err)
	}
	found := map[int][]message{}
	for _, path := range list {
		pid, err := strconv.Atoi(strings.TrimSuffix(filepath.Base(path), ".ndjson"))
		if err != nil {
			a.t.Fatal(err)
		}
		found[pid] = wireOf(a.t, path)
	}
	return found
}

// checkTraces checks each message between acpx and its agents.
func (a *acpx) checkTraces() {
	a.t.Helper()
	for pid, messages := range a.agents() {
		for _, err := range invalid(messages) {
			a.t.Errorf("agent %d: %v", pid, err)
		}
	}
}

// scripted has the agents of acpx speak with a model that says these things, one after the other, and a user's file that also says
// so.
func (a *acpx) scripted(file string, answers ...modeltest.Answer) *modeltest.Server {
	a.t.Helper()
	put(a.t, a.home, "config/patchbay/patchbay.toml", file+"\n"+formats[0].alike())
	model := modeltest.New(a.t, modeltest.Script(answers...))
	a.env = formats[0].environment(a.home, model)
	return model
}
