package interop_test

import (
	"bytes"
	"os/exec"
	"slices"
	"testing"

	"github.com/patchbay-dev/patchbay/transport"
)

// sessions calls `patchbay sessions` for an agent.
func sessions(t *testing.T, agent transport.Command, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(deadline(t), patchbay(t), slices.Concat([]string{"sessions"}, args, []string{"--", agent.Path}, agent.Args)...)
	cmd.Stdout, cmd.Stderr, cmd.Dir = &out, &errs, folder(t)
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// S004.6, S001.31: the sessions of any agent, older ones too, are managed by the command as far as the agent has what that needs,
// and what it does not have is told apart from what went wrong. The numbers are those of docs/sessions.md.
func TestPatchbayManagesSessionsOfAgents(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		agent transport.Command
		args  []string
		code  int
		said  string
	}{
		{sdkAgent(t), nil, 0, ""},
		{sdkAgent(t), []string{"list", "--format", "json"}, 0, ""},
		{sdkAgent(t), []string{"show", "unknown"}, 12, "unknown"},
		{sdkAgent(t), []string{"fork", "unknown"}, 12, "unknown"},
		{sdkAgent(t), []string{"delete", "unknown"}, 0, ""},
		{sdkAgent(t), []string{"rename", "unknown", "title"}, 13, "peer has no session/set_title"},
		{sdkAgent(t), []string{"archive", "unknown"}, 13, "peer has no session/archive"},
		{exampleAgent(t), nil, 13, "the agent has no session/list"},
		{exampleAgent(t), []string{"show", "unknown"}, 13, "the agent has no session/load"},
		{exampleAgent(t), []string{"export", "unknown"}, 13, "the agent has no session/load"},
		{exampleAgent(t), []string{"close", "unknown"}, 13, "the agent has no session/close"},
	} {
		stdout, stderr, code := sessions(t, c.agent, c.args...)
		if code != c.code {
			t.Errorf("%v of %v: code %d, want %d\n%s%s", c.args, c.agent.Args, code, c.code, stdout, stderr)
		}
		contains(t, stderr, c.said)
	}
}
