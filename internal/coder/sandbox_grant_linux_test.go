package coder_test

import (
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
)

// F59: "always" for a command in the sandbox covers what was shown, which is that command there. The same line outside is asked
// about again, and what is said of that covers both.
func TestF59_AlwaysInTheSandboxEndsThere(t *testing.T) {
	needsSandbox(t)
	const line = `{"command":"go version"}`
	in, out := "sandbox_shell", "shell"
	c, _ := ruled(t, &client{permit: answers(acp.PermissionOptionKindAllowAlways)}, "mode = 'sandbox'", in, line, in, line, out, line, out, line, in, line)
	for i, step := range []struct {
		mode  string
		asked bool
	}{{"sandbox", true}, {"sandbox", false}, {"full", true}, {"full", false}, {"sandbox", false}} {
		if _, err := c.set("mode", choice(step.mode)); err != nil {
			t.Fatal(err)
		}
		c.turn("go", acp.StopReasonEndTurn)
		if asked := len(c.asked) > 0; asked != step.asked {
			t.Errorf("call %d: asked %t", i, asked)
		}
		if i == 0 {
			if name := c.asked[0].Options[1].Name; name != "Always allow Bash(go version *) in this session's sandbox" {
				t.Errorf("the option is %q", name)
			}
			if said := saidText(c.turn("/permissions", acp.StopReasonEndTurn)); !strings.Contains(said, "* 1: allowed in the sandbox `Bash(go version *)`") {
				t.Errorf("/permissions says %q", said)
			}
		}
	}
}
