package policy_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/patchbay-dev/patchbay/internal/confine"
	"github.com/patchbay-dev/patchbay/policy"
)

// F56: a line can move a folder with a link in it to where the same line works, so that a path leads out of the roots which didn't
// when it was looked at. Such a line is asked about.
func TestF56_ALineThatMovesLinksIntoItsWay(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "d"), 0o700), os.Symlink(outside, filepath.Join(dir, "d", "link"))); err != nil {
		t.Skip(err)
	}
	for line, want := range map[string]policy.Verdict{
		"mv d e && rm -rf e/link/x":                            policy.Ask,
		"mv d e && mkdir e/link/x":                             policy.Ask,
		"mv d e; mkdir y > e/link/x":                           policy.Ask,
		"mv d e; mkdir y < e/link/x":                           policy.Ask,
		"for i in 1 2; do rm -rf e/link/x; mv d e; done":       policy.Ask,
		"while rm -rf e/link/x; do mv d e; done":               policy.Ask,
		"rm -rf e/link/x | mv d e":                             policy.Ask,
		"rm -rf e/link/x & mv d e":                             policy.Ask,
		"rm -rf d/link/x":                                      policy.Ask,
		"mv d/link e":                                          policy.Ask,
		"mkdir -p e && mv d e":                                 policy.Allow,
		"mkdir -p e/link && rm -rf e":                          policy.Allow,
		"mv d e":                                               policy.Allow,
		"for i in 1 2; do mkdir -p e; done; rm -f x & mkdir y": policy.Allow,
	} {
		p := policy.Policy{Mode: policy.ModeAcceptEdits, Real: confine.Real}
		if d := p.Decide(policy.Call{Place: policy.Place{CWD: dir}, Tool: policy.Bash, Command: line}); d.Verdict != want {
			t.Errorf("%s: %v, want %v", line, d.Verdict, want)
		}
	}
	p := policy.Policy{Allow: rules(t, "Bash(ln *)", "Bash(git *)", "Edit(out/**)"), Real: confine.Real}
	for line, want := range map[string]policy.Verdict{
		"ln -s / out/x && git log > out/x/etc/motd": policy.Ask, "git log > out/x": policy.Allow, "ln -s / out/x": policy.Allow,
	} {
		if d := p.Decide(policy.Call{Place: policy.Place{CWD: dir}, Tool: policy.Bash, Command: line}); d.Verdict != want {
			t.Errorf("%s: %v, want %v", line, d.Verdict, want)
		}
	}
}
