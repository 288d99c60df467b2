package policy_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/patchbay-dev/patchbay/policy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// here is the place that most tests are about.
var here = policy.Place{Session: "s1", CWD: "/w/p", Home: "/home/u"}

func shell(line string) policy.Call {
	return policy.Call{Place: here, Tool: policy.Bash, Command: line}
}

func rules(t testing.TB, texts ...string) []policy.Rule {
	t.Helper()
	all, err := policy.ParseRules(texts...)
	if err != nil {
		t.Fatal(err)
	}
	return all
}
