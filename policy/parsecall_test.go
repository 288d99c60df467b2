package policy_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/policy"
)

// Calls are read as people write them, and as they cross the wire.
func TestParseCall(t *testing.T) {
	for text, want := range map[string]string{ // as it is understood, and what it does
		"Bash(git push --force)":     "Bash(git push --force) terminal_execute git push --force",
		"shell(ls *.go | (sort))":    "Bash(ls *.go | (sort)) terminal_execute ls *.go | (sort)",
		"Edit(src/a.go)":             "Edit(/w/p/src/a.go) file_write /w/p/src/a.go",
		"Read(~/.ssh/id)":            "Read(/home/u/.ssh/id) file_read /home/u/.ssh/id",
		"Delete(/etc/hosts)":         "Delete(/etc/hosts) file_delete /etc/hosts",
		"Grep":                       "Grep file_read ",
		"Task":                       "Task other Task",
		"WebFetch(https://go.dev/x)": "WebFetch(https://go.dev/x) network_access https://go.dev/x",
		"WebSearch":                  "WebSearch network_access ",
		"mcp__github__create_issue":  "mcp__github__create_issue mcp_tool mcp__github__create_issue",
		"Tool(deploy)":               "Tool(deploy) other deploy",
		`{"toolCall":{"toolCallId":"1","kind":"execute","rawInput":{"command":"make"}},"sessionId":"s","options":[]}`:  "Bash(make) terminal_execute make",
		`{"toolCallId":"1","kind":"edit","locations":[{"path":"/w/p/a"}]}`:                                             "Edit(/w/p/a) file_write /w/p/a",
		`{"jsonrpc":"2.0","id":1,"method":"terminal/create","params":{"sessionId":"s","command":"make","args":["x"]}}`: "Bash(make x) terminal_execute make x",
		`{"sessionId":"s","path":"/w/p/a","content":"x"}`:                                                              "Write(/w/p/a) file_write /w/p/a",
		`{"sessionId":"s","path":"/w/p/a"}`:                                                                            "Read(/w/p/a) file_read /w/p/a",
	} {
		c, err := policy.ParseCall(here, text)
		if got := c.String() + " " + string(c.Operation()) + " " + c.Resource(); err != nil || got != want {
			t.Errorf("%s: got %s, %v; want %s", text, got, err, want)
		}
	}
	for text, why := range map[string]string{
		"": "no tool", "(x)": "no tool", "Bash(ls": "not closed", "Bash": "of what", "Edit": "of what", "Frob(x)": "unknown tool", "Task(x)": "nothing between",
		"run git": "no tool", "mcp__github": "mcp__server__tool", "mcp__a__b(x)": "mcp__server__tool", "{": "read the call", "{}": "no permission request",
		`{"method":"session/prompt","params":{}}`: "nothing that a policy decides",
		`{"method":"session/request_permission"}`: "read the call",
	} {
		if c, err := policy.ParseCall(here, text); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: got %v, %v; want %q", text, c.String(), err, why)
		}
	}
}

// S001.7: an operation with its resource is judged as the tool that does it, and what isn't known passes nowhere.
func TestS001_7_OperationsAreJudgedAsTools(t *testing.T) {
	p := policy.Policy{Mode: policy.ModeAcceptEdits, Deny: rules(t, "Delete(*.sql)"), Allow: rules(t, "Bash(git *)", "WebFetch(domain:go.dev)", "mcp__hub__get")}
	for _, c := range []struct {
		operation policy.Operation
		resource  string
		want      policy.Verdict
	}{
		{policy.OperationFileRead, "a.go", policy.Allow},
		{policy.OperationFileRead, "/etc/passwd", policy.Ask},
		{policy.OperationFileWrite, "src/a.go", policy.Allow},
		{policy.OperationFileWrite, "https://x/a.go", policy.Ask},
		{policy.OperationFileDelete, "a.sql", policy.Deny},
		{policy.OperationTerminalExecute, "git log", policy.Allow},
		{policy.OperationTerminalExecute, "git log; rm -rf ~", policy.Ask},
		{policy.OperationNetworkAccess, "https://go.dev/", policy.Allow},
		{policy.OperationNetworkAccess, "https://example.com/", policy.Ask},
		{policy.OperationMCPTool, "mcp__hub__get", policy.Allow},
		{policy.OperationMCPTool, "get", policy.Ask},
		{"fly", "to the moon", policy.Ask},
		{policy.OperationFileRead, " ", policy.Ask},
	} {
		call := policy.FromOperation(here, c.operation, c.resource)
		d := p.Decide(call)
		if d.Verdict != c.want || d.Reason == "" {
			t.Errorf("%s %s: %v, want %v", c.operation, c.resource, d, c.want)
		}
		if o := call.Operation(); call.Unclear == "" && o != c.operation {
			t.Errorf("%s comes back as %s", c.operation, o)
		}
	}
}

// A test of a policy says what it wants, what it gets, and by which rule.
func TestCheck(t *testing.T) {
	p := policy.Policy{Deny: rules(t, "Bash(git push *)"), Allow: rules(t, "Bash(git *)")}
	d := p.Decide(shell("git push"))
	for _, c := range []struct {
		test policy.Test
		fits bool
	}{
		{policy.Test{Verdict: policy.Deny}, true},
		{policy.Test{Verdict: policy.Deny, Rule: policy.MustRule("Bash(git push *)")}, true},
		{policy.Test{Verdict: policy.Deny, Rule: policy.MustRule("Bash(git *)")}, false},
		{policy.Test{Verdict: policy.Allow}, false},
	} {
		if err := c.test.Check(d); (err == nil) != c.fits {
			t.Errorf("%+v: %v", c.test, err)
		}
	}
	err := policy.Test{Call: "Bash(git push)", Verdict: policy.Allow, Rule: policy.MustRule("Bash(git *)")}.Check(d)
	const want = "Bash(git push)\n  want allow by Bash(git *)\n  got  deny by Bash(git push *): Bash(git push *) is to deny"
	if m, ok := errors.AsType[*policy.Mismatch](err); !ok || m.Error() != want {
		t.Errorf("got %v", err)
	}
}

// No text makes ParseCall or what comes after it stumble, and what it takes is judged.
func FuzzParseCall(f *testing.F) {
	for _, text := range []string{"Bash(git push)", "Edit(/a)", "mcp__a__b", `{"toolCall":{"toolCallId":"1"},"sessionId":"s","options":[]}`, "Tool(x)", "Grep"} {
		f.Add(text)
	}
	p := policy.Policy{Deny: []policy.Rule{policy.MustRule("Bash(rm *)")}, Allow: []policy.Rule{policy.MustRule("Read(**)")}}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := policy.ParseCall(here, text)
		if err != nil {
			return
		}
		if d := p.Decide(c); d.Reason == "" || c.String() == "" {
			t.Errorf("%q: %+v", text, d)
		}
	})
}
