package policy_test

import (
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/policy"
)

// The longest lines, with as much in one another as fits, neither stop the program nor take long, and are not allowed.
// What takes a stack that is too deep ends a program that parses it.
func TestDeepLinesAreSafe(t *testing.T) {
	p := policy.Policy{Deny: rules(t, "Bash(rm x *)"), Allow: rules(t, "Bash(git *)")}
	for _, c := range []struct{ begin, again, end string }{
		{"", "(", ""}, {"", "\"$(", ""}, {"", "if ", ""}, {"", "time ", "x"}, {"$((", "!", "1))"}, {"[[ ", "! ", "x ]]"}, {"", "eval ", "rm x"}, {"", "sudo ", "rm x"},
		{"rm ", "-a ", "x"},
	} {
		line := c.begin + strings.Repeat(c.again, (60<<10)/len(c.again)) + c.end
		if d := p.Decide(shell(line)); d.Verdict == policy.Allow {
			t.Errorf("%s%s…: %+v", c.begin, c.again, d)
		}
	}
	long := "git log " + strings.Repeat("x", 1<<20)
	if d := p.Decide(shell(long)); d.Verdict != policy.Ask || !strings.Contains(d.Reason, "may be about this") {
		t.Errorf("a line that is too long to be read: %v", d)
	}
}
