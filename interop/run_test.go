package interop_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"slices"
	"testing"
)

// run calls `patchbay run` with peers/agent.mjs as its agent and without a terminal.
func run(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	agent := sdkAgent(t)
	args = slices.Concat([]string{"run", "--cwd", folder(t)}, args, []string{"--", agent.Path}, agent.Args)
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(deadline(t), patchbay(t), args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// The numbers are those of docs/run.md.
func TestPatchbayRunDrivesTheSDKAgent(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]struct {
		flags []string
		code  int
		shown string
	}{
		"say hello":                {nil, 0, "hello\n"},
		"run echo from a terminal": {[]string{"--allow", "Bash(env GREETING=hello echo *)"}, 0, "from a terminal\n"},
		"run echo unasked":         {nil, 1, ""}, // it doesn't ask before it has us run that (F55)
		"permission":               {nil, 6, "reject_once"},
		"permission please":        {[]string{"--permissions", "bypassPermissions"}, 0, "allow_once"},
		"fail":                     {nil, 1, ""},
	} {
		stdout, stderr, code := run(t, append(want.flags, prompt)...)
		if code != want.code {
			t.Errorf("%q: code %d, want %d\n%s%s", prompt, code, want.code, stdout, stderr)
		}
		contains(t, stdout, want.shown)
	}
}

func TestPatchbayRunPrintsJSON(t *testing.T) {
	t.Parallel()
	stdout, stderr, code := run(t, "--format", "json", "say hello")
	same(t, "code", code, 0)
	var got struct {
		Agent      struct{ Name string }
		Text       string
		StopReason string
		Usage      struct{ TotalTokens int }
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatalf("%v: %s%s", err, stdout, stderr)
	}
	same(t, "agent", got.Agent.Name, "peer")
	same(t, "text", got.Text, "hello")
	same(t, "stop reason", got.StopReason, "end_turn")
	same(t, "tokens", got.Usage.TotalTokens, 3)
}
