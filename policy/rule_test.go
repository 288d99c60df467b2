package policy_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/policy"
)

// S000.14: the patterns of the seed, and the rest, are written as they are read.
func TestRuleIsWrittenAsItIsRead(t *testing.T) {
	for _, text := range []string{
		"Bash(git *)", "Bash(npm test)", "Read", "Grep", "Edit(src/**)", "Read(~/.ssh/**)", "Read(//etc/hosts)", "mcp__server__tool", "mcp__server",
		"WebFetch(domain:example.com)", "WebFetch(domain:*.example.com)", "Bash(npm run test:*)", "Bash(=ls *.go | sort)", "Tool(deploy)", "Bash",
		"Bash(echo (a))", "Task", "WebSearch", "Bash(CI=1 npm *)", "Glob(src/*)",
	} {
		r, err := policy.ParseRule(text)
		if err != nil || r.String() != text {
			t.Errorf("%s: %s, %v", text, r, err)
		}
	}
}

func TestRuleTakesOtherNames(t *testing.T) {
	for text, want := range map[string]string{
		"bash(git *)": "Bash(git *)", "run_shell_command(ls)": "Bash(ls)", "MultiEdit": "Edit", "Bash(*)": "Bash", "LS": "List", "mcp__server__*": "mcp__server",
		"TodoWrite": "Think", "write_file(x)": "Write(x)", "Read(*)": "Read",
	} {
		r, err := policy.ParseRule(text)
		if err != nil || r.String() != want {
			t.Errorf("%s: %s, %v, want %s", text, r, err, want)
		}
	}
}

// What is wrong with a rule is said, with the place.
func TestWrongRuleSaysWhere(t *testing.T) {
	for text, want := range map[string]struct {
		offset int
		says   string
	}{
		"":                     {0, "no tool"},
		"(x)":                  {0, "no tool"},
		"Bsah(git *)":          {0, `unknown tool "Bsah": it is one of Bash`},
		"Bash(git *":           {10, "not closed"},
		"Bash(git *) ":         {12, "not closed"},
		"Bash)":                {4, "none opens"},
		"Bash()":               {5, "nothing between"},
		"Bash( )":              {5, "blanks"},
		"Bash('git *)":         {5, "not finished"},
		`Bash(git \)`:          {9, "not finished"},
		"Bash(git * | sh)":     {11, "more than one command"},
		"Bash(git *; rm *)":    {10, "more than one command"},
		"Bash(=)":              {6, "no line"},
		"Bash(:*)":             {5, "no command"},
		"Read(../x)":           {5, "upward"},
		"Read(a/../b)":         {7, "upward"},
		"Read(a/[b)":           {7, "bracket"},
		"Read(!x)":             {5, "another list"},
		"WebFetch(example)":    {9, "domain:example.com"},
		"WebFetch(domain:a/b)": {16, "not the name of a host"},
		"WebFetch(domain:)":    {16, "not the name of a host"},
		"mcp__":                {5, "no server"},
		"mcp__a__":             {8, "no tool"},
		"mcp__a__b*":           {9, "all tools of a server"},
		"mcp__a(x)":            {6, "takes no pattern"},
		"Task(x)":              {5, "takes no pattern"},
		"Tool":                 {5, "no name"},
		"Bash(git\u202e *)":    {8, "invisible"},
		"Bash(git \x00)":       {9, "invisible"},
		"Re ad":                {2, "a blank"},
	} {
		_, err := policy.ParseRule(text)
		var wrong *policy.RuleError
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), want.says) {
			t.Errorf("%q: %v, want %q", text, err, want.says)
			continue
		}
		if text != "Tool" && wrong.Offset != want.offset {
			t.Errorf("%q: at %d, want %d: %v", text, wrong.Offset, want.offset, err)
		}
	}
}

func TestAllWrongRulesAreNamed(t *testing.T) {
	got, err := policy.ParseRules("Read", "Bsah", "Bash(")
	if len(got) != 1 || err == nil || !strings.Contains(err.Error(), "Bsah") || !strings.Contains(err.Error(), `"Bash("`) {
		t.Errorf("%v, %v", got, err)
	}
}

// Policies can be written to files, and one that is not understood is not taken (fail closed).
func TestPolicyInJSON(t *testing.T) {
	text := `{"mode":"acceptEdits","deny":["Read(~/.ssh/**)"],"ask":["Bash(npm publish *)"],"allow":["Bash(git *)","mcp__docs"]}`
	var p policy.Policy
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(&p)
	if err != nil || string(again) != text {
		t.Errorf("%s, %v", again, err)
	}
	for _, bad := range []string{`{"mode":"yolo"}`, `{"mode":""}`, `{"mode":"AcceptEdits"}`, `{"deny":["Bsah"]}`, `{"allow":[""]}`} {
		if err := json.Unmarshal([]byte(bad), &policy.Policy{}); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}

func TestVerdictFailsClosed(t *testing.T) {
	var zero policy.Verdict
	if zero != policy.Deny {
		t.Errorf("a verdict that nobody gave is %v", zero)
	}
	if _, err := policy.ParseVerdict("maybe"); err == nil || !strings.Contains(err.Error(), "deny, ask, allow") {
		t.Errorf("an unknown verdict: %v", err)
	}
	if _, err := policy.Verdict(7).MarshalText(); err == nil {
		t.Error("an unknown verdict is written")
	}
	for _, v := range []policy.Verdict{policy.Deny, policy.Ask, policy.Allow} {
		if again, err := policy.ParseVerdict(v.String()); err != nil || again != v {
			t.Errorf("%v: %v, %v", v, again, err)
		}
	}
}
