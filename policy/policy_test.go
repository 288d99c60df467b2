package policy_test

import (
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/policy"
)

// calls are of all sorts, for tables.
var calls = map[string]policy.Call{
	"read inside":     read("/w/p/main.go"),
	"read outside":    read("/etc/passwd"),
	"grep the folder": {Place: here, Tool: policy.Grep},
	"list a parent":   {Place: here, Tool: policy.List, Paths: []string{"/w"}},
	"edit inside":     edit("/w/p/main.go"),
	"edit outside":    edit("/w/q/main.go"),
	"edit the hooks":  edit("/w/p/.git/hooks/pre-commit"),
	"write inside":    {Place: here, Tool: policy.Write, Paths: []string{"/w/p/new"}},
	"delete inside":   {Place: here, Tool: policy.Delete, Paths: []string{"/w/p/old"}},
	"delete the root": {Place: here, Tool: policy.Delete, Paths: []string{"/w/p"}},
	"move inside":     {Place: here, Tool: policy.Move, Paths: []string{"/w/p/a", "/w/p/b"}},
	"move out":        {Place: here, Tool: policy.Move, Paths: []string{"/w/p/a", "/tmp/b"}},
	"mkdir":           shell("mkdir -p a && mv x a"),
	"git status":      shell("git status"),
	"rm home":         shell("rm -rf ~"),
	"nonsense":        shell("git status '"),
	"PowerShell":      {Place: here, Tool: policy.Bash, Command: "git status", Foreign: "PowerShell"},
	"fetch":           {Place: here, Tool: policy.WebFetch, URL: "https://example.com/x"},
	"search the web":  {Place: here, Tool: policy.WebSearch},
	"mcp":             {Place: here, Server: "docs", ServerTool: "find"},
	"mcp that reads":  {Place: here, Server: "docs", ServerTool: "find", Kind: acp.ToolKindRead},
	"task":            {Place: here, Tool: policy.Task},
	"think":           {Place: here, Tool: policy.Think},
	"switch mode":     {Place: here, Name: "ExitPlanMode", Kind: acp.ToolKindSwitchMode},
	"own tool":        {Place: here, Name: "deploy"},
	"unclear":         {Place: here, Unclear: "can't be understood"},
}

// S000.13: what each mode makes of each sort of call.
func TestModes(t *testing.T) {
	for name, want := range map[string]string{ // plan, default, acceptEdits, bypassPermissions
		"read inside":     "allow allow allow allow",
		"read outside":    "ask   ask   ask   allow",
		"grep the folder": "allow allow allow allow",
		"list a parent":   "ask   ask   ask   allow",
		"edit inside":     "deny  ask   allow allow",
		"edit outside":    "deny  ask   ask   allow",
		"edit the hooks":  "deny  ask   ask   allow",
		"write inside":    "deny  ask   allow allow",
		"delete inside":   "deny  ask   allow allow",
		"delete the root": "deny  ask   ask   allow",
		"move inside":     "deny  ask   allow allow",
		"move out":        "deny  ask   ask   allow",
		"mkdir":           "deny  ask   allow allow",
		"git status":      "deny  ask   ask   allow",
		"rm home":         "deny  ask   ask   allow",
		"nonsense":        "deny  ask   ask   allow",
		"PowerShell":      "deny  ask   ask   allow",
		"fetch":           "ask   ask   ask   allow",
		"search the web":  "ask   ask   ask   allow",
		"mcp":             "deny  ask   ask   allow",
		"mcp that reads":  "ask   ask   ask   allow",
		"task":            "ask   ask   ask   allow",
		"think":           "allow allow allow allow",
		"switch mode":     "ask   ask   ask   allow",
		"own tool":        "deny  ask   ask   allow",
		"unclear":         "deny  ask   ask   allow",
	} {
		call, ok := calls[name]
		if !ok {
			t.Fatalf("no call %q", name)
		}
		for i, verdict := range strings.Fields(want) {
			p := policy.Policy{Mode: policy.Modes[i]}
			d := p.Decide(call)
			if d.Verdict.String() != verdict || d.Source != policy.SourceMode || d.Reason == "" {
				t.Errorf("%s: %s: %v by %s, want %s (%s)", p.Mode, name, d.Verdict, d.Source, verdict, d.Reason)
			}
		}
	}
}

// A mode that isn't known lets nothing pass; no mode is the default one.
func TestUnknownModeLetsNothingPass(t *testing.T) {
	for name, call := range calls {
		p := policy.Policy{Mode: "yolo"}
		if d := p.Decide(call); d.Verdict == policy.Allow {
			t.Errorf("%s passes: %s", name, d.Reason)
		}
		none, standard := policy.Policy{}, policy.Policy{Mode: policy.ModeDefault}
		if a, b := none.Decide(call), standard.Decide(call); a.Verdict != b.Verdict {
			t.Errorf("%s: without a mode %v, by default %v", name, a.Verdict, b.Verdict)
		}
	}
}

// Deny before ask before allow before the mode.
func TestOrder(t *testing.T) {
	for _, c := range []struct {
		policy policy.Policy
		want   policy.Verdict
		source policy.Source
	}{
		{policy.Policy{Deny: rules(t, "Bash(git *)"), Ask: rules(t, "Bash(git *)"), Allow: rules(t, "Bash"), Mode: policy.ModeBypass}, policy.Deny, policy.SourceDeny},
		{policy.Policy{Ask: rules(t, "Bash(git *)"), Allow: rules(t, "Bash"), Mode: policy.ModeBypass}, policy.Ask, policy.SourceAsk},
		{policy.Policy{Allow: rules(t, "Bash(git *)")}, policy.Allow, policy.SourceAllow},
		{policy.Policy{Allow: rules(t, "Bash(git *)"), Mode: policy.ModePlan}, policy.Deny, policy.SourceMode},
		{policy.Policy{Ask: rules(t, "Bash"), Mode: policy.ModePlan}, policy.Deny, policy.SourceMode},
		{policy.Policy{Mode: policy.ModeBypass}, policy.Allow, policy.SourceMode},
		{policy.Policy{}, policy.Ask, policy.SourceMode},
	} {
		if d := c.policy.Decide(shell("git status")); d.Verdict != c.want || d.Source != c.source {
			t.Errorf("%+v: %v by %s, want %v by %s", c.policy, d.Verdict, d.Source, c.want, c.source)
		}
	}
}

// Reading inside the roots is no risk, but a rule may still ask about it.
func TestAskAboutReading(t *testing.T) {
	p := policy.Policy{Ask: rules(t, "Read(.env)"), Allow: rules(t, "Read")}
	if d := p.Decide(read("/w/p/.env")); d.Verdict != policy.Ask || d.Rules[0].String() != "Read(.env)" {
		t.Error(d)
	}
}

// What isn't understood is allowed by a rule for all of its tool, if that is known, and by no other. A rule that denies
// part of a tool asks about it.
func TestUnclearCall(t *testing.T) {
	call := policy.Call{Place: here, Tool: policy.Bash, Unclear: "runs a command that it doesn't say"}
	for _, c := range []struct {
		policy policy.Policy
		call   policy.Call
		want   policy.Verdict
	}{
		{policy.Policy{Allow: rules(t, "Bash(git *)", "Read", "Edit")}, call, policy.Ask},
		{policy.Policy{Allow: rules(t, "Bash")}, call, policy.Allow},
		{policy.Policy{Allow: rules(t, "Bash"), Deny: rules(t, "Bash(rm *)")}, call, policy.Ask},
		{policy.Policy{Mode: policy.ModeBypass, Deny: rules(t, "Bash(rm *)")}, call, policy.Ask},
		{policy.Policy{Mode: policy.ModeBypass, Deny: rules(t, "Edit(x)")}, call, policy.Allow},
		{policy.Policy{Deny: rules(t, "Bash")}, call, policy.Deny},
		{policy.Policy{Allow: rules(t, "Bash", "Read", "Edit", "mcp__a", "Tool(x)")}, calls["unclear"], policy.Ask},
		{policy.Policy{Mode: policy.ModeBypass, Deny: rules(t, "Edit(x)")}, calls["unclear"], policy.Ask},
		{policy.Policy{Mode: policy.ModeBypass, Deny: rules(t, "mcp__a")}, calls["unclear"], policy.Ask},
	} {
		if d := c.policy.Decide(c.call); d.Verdict != c.want {
			t.Errorf("%+v, %v: %v, want %v (%s)", c.policy, &c.call, d.Verdict, c.want, d.Reason)
		}
	}
}

// A rule for a command is about the session's folders: elsewhere, the same command is another one, as with git -C.
func TestCommandElsewhere(t *testing.T) {
	for _, c := range []struct {
		rule, dir string
		want      policy.Verdict
	}{
		{"Bash(git *)", "", policy.Allow}, {"Bash(git *)", "/w/p/sub", policy.Allow}, {"Bash(git *)", "/tmp", policy.Ask}, {"Bash(git *)", "/w/p/../q", policy.Ask},
		{"Bash", "/tmp", policy.Allow}, {"Bash(git status)", "/tmp", policy.Ask},
	} {
		call := shell("git status")
		call.Dir = c.dir
		if d := (&policy.Policy{Allow: rules(t, c.rule)}).Decide(call); d.Verdict != c.want {
			t.Errorf("%s in %q: %v, want %v (%s)", c.rule, c.dir, d.Verdict, c.want, d.Reason)
		}
	}
	nowhere := policy.Call{Tool: policy.Bash, Command: "git status"}
	if d := (&policy.Policy{Allow: rules(t, "Bash(git *)")}).Decide(nowhere); d.Verdict != policy.Ask {
		t.Errorf("in no folder: %v", d)
	}
}

func TestMCPRules(t *testing.T) {
	known := policy.Call{Place: here, Server: "git_hub", ServerTool: "get_issue"}
	named := policy.Call{Place: here, Name: "mcp__github__get_issue"}
	split := policy.Call{Place: here, Name: "mcp__a__b__c"}
	for _, c := range []struct {
		list, rule string
		call       policy.Call
		want       policy.Verdict
	}{
		{"allow", "mcp__git_hub", known, policy.Allow},
		{"allow", "mcp__git_hub__get_issue", known, policy.Allow},
		{"allow", "mcp__git_hub__get", known, policy.Ask},
		{"allow", "mcp__git", known, policy.Ask},
		{"allow", "mcp__github", named, policy.Allow},
		{"allow", "mcp__github__get_issue", named, policy.Allow},
		{"allow", "mcp__git", named, policy.Ask},
		{"allow", "mcp__a", split, policy.Ask}, // which may be the server a__b
		{"allow", "mcp__a__b__c", split, policy.Allow},
		{"allow", "Bash", known, policy.Ask},
		{"deny", "mcp__a", split, policy.Deny},
		{"deny", "mcp__a__b", split, policy.Deny},
		{"deny", "mcp__GitHub", named, policy.Deny},
		{"deny", "mcp__git_hub", policy.Call{Place: here, Server: "git hub", ServerTool: "x"}, policy.Deny},
		{"deny", "mcp__git", named, policy.Ask},
	} {
		p := policy.Policy{Allow: rules(t, c.rule)}
		if c.list == "deny" {
			p = policy.Policy{Deny: rules(t, c.rule)}
		}
		if d := p.Decide(c.call); d.Verdict != c.want {
			t.Errorf("%s %s, %v: %v, want %v", c.list, c.rule, &c.call, d.Verdict, c.want)
		}
	}
}

func TestFetchRules(t *testing.T) {
	for _, c := range []struct{ rule, url, want string }{
		{"domain:example.com", "https://example.com/x", "allow"},
		{"domain:example.com", "http://EXAMPLE.com.:8080/x", "allow"},
		{"domain:example.com", "https://sub.example.com", "ask"},
		{"domain:*.example.com", "https://sub.example.com", "allow"},
		{"domain:*.example.com", "https://example.com", "ask"},
		{"domain:*.example.com", "https://badexample.com", "ask"},
		{"domain:example.com", "https://example.com@evil.com/", "ask"},
		{"domain:example.com", `https://example.com\@evil.com/`, "ask"},
		{"domain:example.com", "https://evil.com/example.com", "ask"},
		{"domain:example.com", "https://example.com.evil.com/", "ask"},
		{"domain:example.com", "https://exаmple.com/", "ask"},
		{"domain:example.com", "file://example.com/etc/passwd", "ask"},
		{"domain:example.com", "example.com", "ask"},
		{"domain:example.com", "", "ask"},
	} {
		call := policy.Call{Place: here, Tool: policy.WebFetch, URL: c.url}
		p := policy.Policy{Allow: rules(t, "WebFetch("+c.rule+")")}
		if d := p.Decide(call); d.Verdict.String() != c.want {
			t.Errorf("allow %s, %s: %v, want %s", c.rule, c.url, d.Verdict, c.want)
		}
	}
	p := policy.Policy{Mode: policy.ModeBypass, Deny: rules(t, "WebFetch(domain:example.com)")}
	for url, want := range map[string]policy.Verdict{
		"https://example.com": policy.Deny, "https://a.b.example.com": policy.Deny, "ftp://x": policy.Ask, "": policy.Ask, "https://x.org": policy.Allow,
	} {
		if d := p.Decide(policy.Call{Place: here, Tool: policy.WebFetch, URL: url}); d.Verdict != want {
			t.Errorf("deny, %s: %v, want %v", url, d.Verdict, want)
		}
	}
}

func TestOwnToolRule(t *testing.T) {
	p := policy.Policy{Allow: rules(t, "Tool(deploy)")}
	for name, want := range map[string]policy.Verdict{"deploy": policy.Allow, "Deploy": policy.Ask, "deploys": policy.Ask, "": policy.Ask} {
		if d := p.Decide(policy.Call{Place: here, Name: name}); d.Verdict != want {
			t.Errorf("%q: %v, want %v", name, d.Verdict, want)
		}
	}
}

// Explain says of each rule what it has to do with the call, and decides as Decide does.
func TestExplain(t *testing.T) {
	p := policy.Policy{
		Mode: policy.ModeAcceptEdits,
		Deny: rules(t, "Bash(curl *)"), Ask: rules(t, "Bash(npm publish *)"), Allow: rules(t, "Bash(git *)", "Bash(head *)"),
	}
	want := `ask: Bash(git log | head > log; rm -rf ~)
  nothing allows that it runs rm -rf ~
  deny  Bash(curl *): is not about it
  ask   Bash(npm publish *): is not about it
  allow Bash(git *): covers that it runs git log
  allow Bash(head *): covers that it runs head
  mode  acceptEdits
  it runs git log: Bash(git *)
  it runs head: Bash(head *)
  it runs rm -rf ~: nothing
  it changes /w/p/log: mode acceptEdits
`
	if got := p.Explain(shell("git log | head > log; rm -rf ~")).String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// F57: the answer is chosen by kind, and has the id that the agent gave.
func TestChoose(t *testing.T) {
	option := func(id string, kind acp.PermissionOptionKind) acp.PermissionOption {
		return acp.PermissionOption{OptionID: acp.PermissionOptionID(id), Kind: kind, Name: id}
	}
	gemini := []acp.PermissionOption{
		option("proceed_always_server", acp.PermissionOptionKindAllowAlways), option("proceed_always_tool", acp.PermissionOptionKindAllowAlways),
		option("proceed_once", acp.PermissionOptionKindAllowOnce), option("cancel", acp.PermissionOptionKindRejectOnce),
	}
	trap := []acp.PermissionOption{option("allow_once", acp.PermissionOptionKindRejectAlways), option("reject_once", acp.PermissionOptionKindAllowAlways)}
	twins := []acp.PermissionOption{option("x", acp.PermissionOptionKindAllowOnce), option("x", acp.PermissionOptionKindRejectOnce)} // "x" says neither
	for _, c := range []struct {
		verdict policy.Verdict
		options []acp.PermissionOption
		want    string
	}{
		{policy.Allow, gemini, "proceed_once"},
		{policy.Deny, gemini, "cancel"},
		{policy.Ask, gemini, ""},
		{policy.Allow, trap, ""},
		{policy.Deny, trap, "allow_once"},
		{policy.Deny, nil, ""},
		{policy.Allow, twins, ""},
		{policy.Deny, twins, ""},
		{policy.Deny, append(twins, option("no", acp.PermissionOptionKindRejectAlways)), "no"},
	} {
		id, ok := policy.Choose(c.verdict, c.options)
		if string(id) != c.want || ok != (c.want != "") {
			t.Errorf("%v of %v: %q, %v, want %q", c.verdict, c.options, id, ok, c.want)
		}
	}
}
