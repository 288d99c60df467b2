//go:build unix

package policy_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/policy"
)

// Real shells agree: what Bash(git *) allows runs git, programs that add nothing to it, and nothing else, and writes no
// file. All other programs are stubs that say that they were run.
func TestAllowedLinesRunNothingElse(t *testing.T) {
	harmless := []string{"git", "timeout", "nice", "nohup", "env"}
	bin, home := t.TempDir(), t.TempDir()
	log := filepath.Join(t.TempDir(), "log")
	for _, name := range append([]string{"rm", "sh", "bash", "cat", "find", "xargs", "sudo", "time"}, harmless...) {
		stub := "#!/bin/sh\necho " + name + " >> " + log + "\n[ \"$1\" != pull ]\n" // which ends the corpus' loop
		if err := os.WriteFile(filepath.Join(bin, name), []byte(stub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p := policy.Policy{Allow: rules(t, "Bash(git *)")}
	for _, name := range []string{"bash", "dash"} {
		program, err := exec.LookPath(name)
		if err != nil {
			t.Logf("no %s here", name)
			continue
		}
		for _, c := range readLines(t) {
			if p.Decide(shell(c.line)).Verdict != policy.Allow {
				continue
			}
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			cmd := exec.CommandContext(ctx, program, "-c", c.line)
			cmd.Dir, cmd.Env = home, []string{"PATH=" + bin, "HOME=" + home}
			_ = cmd.Run() // git's stub is no git: what matters is what was run
			if ctx.Err() != nil {
				t.Fatalf("%s: %s goes on and on with %q", c.at, name, c.line)
			}
			cancel()
			ran, err := os.ReadFile(log)
			if err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			for _, other := range strings.Fields(string(ran)) {
				if !slices.Contains(harmless, other) && other != "time" && other != "cat" {
					t.Errorf("%s: %s runs %s for %q", c.at, name, other, c.line)
				}
			}
			if files, err := os.ReadDir(home); err != nil || len(files) > 0 {
				t.Fatalf("%s: %s wrote %v for %q (%v)", c.at, name, files, c.line, err)
			}
			_ = os.Remove(log)
		}
	}
}
