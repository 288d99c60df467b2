package policy_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/policy"
)

// A linesCase is a line of testdata/lines.txt.
type linesCase struct {
	at     string
	policy policy.Policy
	line   string
	want   policy.Verdict
}

var marks = map[byte]policy.Verdict{'+': policy.Allow, '?': policy.Ask, '!': policy.Deny}

// readLines reads testdata/lines.txt.
func readLines(t testing.TB) []linesCase {
	t.Helper()
	text, err := os.ReadFile("testdata/lines.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []linesCase
	var p policy.Policy
	for i, row := range strings.Split(string(text), "\n") {
		at := fmt.Sprintf("lines.txt:%d", i+1)
		mark, rest, _ := strings.Cut(row, " ")
		switch {
		case row == "":
			p = policy.Policy{}
		case row[0] == '#':
		case mark == "allow":
			p.Allow = append(p.Allow[:len(p.Allow):len(p.Allow)], rules(t, rest)...)
		case mark == "ask":
			p.Ask = append(p.Ask[:len(p.Ask):len(p.Ask)], rules(t, rest)...)
		case mark == "deny":
			p.Deny = append(p.Deny[:len(p.Deny):len(p.Deny)], rules(t, rest)...)
		case mark == "mode":
			if p.Mode, err = policy.ParseMode(rest); err != nil {
				t.Fatalf("%s: %v", at, err)
			}
		default:
			want, ok := marks[mark[0]]
			if ok && mark[1:] == "q" {
				rest, err = strconv.Unquote(rest)
				ok = err == nil
			}
			if !ok {
				t.Fatalf("%s: can't be read: %q", at, row)
			}
			all = append(all, linesCase{at, p, rest, want})
		}
	}
	return all
}

// S000.14: each line of the corpus gets the verdict that it should: no rule allows what it doesn't mean, none that denies is
// slipped past, and ordinary lines pass.
func TestLines(t *testing.T) {
	all := readLines(t)
	if len(all) < 400 {
		t.Fatalf("only %d lines", len(all))
	}
	for _, c := range all {
		if d := c.policy.Decide(shell(c.line)); d.Verdict != c.want {
			t.Errorf("%s: %q is %v, want %v (%s)\n%s", c.at, c.line, d.Verdict, c.want, d.Reason, c.policy.Explain(shell(c.line)))
		}
	}
}
