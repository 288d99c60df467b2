package ledger_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/patchbay-dev/patchbay/policy"
	"github.com/patchbay-dev/patchbay/policy/ledger"
)

// TestMain is also the other process of tests that need one: it adds lines to the log that LEDGER_LOG names.
func TestMain(m *testing.M) {
	if path := os.Getenv("LEDGER_LOG"); path != "" {
		if err := addLines(path, linesOfAProcess); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

const linesOfAProcess = 25

func addLines(path string, n int) error {
	log, err := ledger.OpenLog(path)
	for i := 0; i < n && err == nil; i++ {
		err = log.Append(entry(fmt.Sprintf("git show %d", i)))
	}
	return err
}

// entry is a decision about a line.
func entry(line string) ledger.Entry {
	call := policy.Call{Place: policy.Place{Session: "s1", CWD: "/w/p"}, Tool: policy.Bash, Command: line}
	p := policy.Policy{Allow: []policy.Rule{policy.MustRule("Bash(git *)")}}
	return ledger.EntryOf(call, p.Decide(call))
}
