package policy_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/policy"
)

func call(t *testing.T, text string) policy.Call {
	t.Helper()
	var u acp.ToolCallUpdate
	if err := json.Unmarshal([]byte(`{"toolCallId":"1",`+strings.TrimPrefix(text, "{")), &u); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return policy.FromToolCall(here, u)
}

// What real agents send is understood. Each case is from a recorded session, with the paths changed.
func TestCallsOfRealAgents(t *testing.T) {
	for _, c := range []struct{ agent, text, want string }{
		{"claude", `{"rawInput":{"file_path":"/w/p/hello.txt","old_string":"a","new_string":"b","replace_all":false},"title":"Edit hello.txt","kind":"edit","locations":[{"path":"/w/p/hello.txt"}]}`, "Edit(/w/p/hello.txt)"},
		{"claude", `{"name":"Write","rawInput":{"file_path":"/w/p/new.txt","content":"x"},"title":"Write new.txt","kind":"edit","content":[{"type":"diff","path":"/w/p/new.txt","oldText":null,"newText":"x"}]}`, "Write(/w/p/new.txt)"},
		{"claude", `{"title":"echo a && ls","rawInput":{"command":"echo a && ls","description":"Stub bash"},"_meta":{"claudeCode":{"toolName":"Bash"}}}`, "Bash(echo a && ls)"},
		{"claude", `{"title":"Terminal","kind":"execute","rawInput":{},"_meta":{"claudeCode":{"toolName":"Bash"}}}`, "unclear: runs a command that it doesn't say"},
		{"claude", `{"title":"x","kind":"other","rawInput":{"message":"hi","path":"/etc"},"_meta":{"claudeCode":{"toolName":"mcp__everything__echo"}}}`, "mcp__everything__echo"},
		{"claude", `{"title":"Ready to code?","kind":"switch_mode","rawInput":{"plan":"x"},"_meta":{"claudeCode":{"toolName":"ExitPlanMode"}}}`, "Tool(ExitPlanMode)"},
		{"claude", `{"title":"Update TODOs","kind":"think","rawInput":{"todos":[]},"_meta":{"claudeCode":{"toolName":"TodoWrite"}}}`, "Think"},
		{"claude", `{"title":"Fetch","kind":"fetch","rawInput":{"url":"https://go.dev/x","prompt":"y"},"_meta":{"claudeCode":{"toolName":"WebFetch"}}}`, "WebFetch(https://go.dev/x)"},
		{"codex", `{"kind":"search","title":"List /w/p","rawInput":{"call_id":"c","command":["/bin/bash","-lc","echo a && ls"],"cwd":"/w/p","parsed_cmd":[{"type":"list_files","cmd":"ls","path":null}]}}`, "Bash(echo a && ls)"},
		{"codex", `{"kind":"execute","title":"git log","rawInput":{"command":["git","log","--format=%h %s"],"cwd":"/w/p/sub"}}`, "Bash(git log '--format=%h %s') in /w/p/sub"},
		{"codex", `{"title":"exec_command","rawInput":{"cmd":"echo a && ls"}}`, "Bash(echo a && ls)"},
		{"codex", `{"title":"mcp.everything.echo","kind":"execute","rawInput":{"server":"everything","tool":"echo","arguments":{"message":"x"}}}`, "mcp__everything__echo"},
		{"codex", `{"title":"Edit /w/p/a","kind":"edit","rawInput":{"changes":{"/w/p/a":{"update":{"unified_diff":"x","move_path":"/etc/b"}}}}}`, "Edit(/etc/b, /w/p/a)"},
		{"codex", `{"title":"update_plan","rawInput":{"plan":[]}}`, "Think"},
		{"codex", `{"title":"List files","kind":"read"}`, "unclear: names no file"},
		{"gemini", `{"toolCallId":"run_shell_command__run_shell_command_17_0","title":"echo a && ls","kind":"execute","locations":[]}`, "Bash(echo a && ls)"},
		{"gemini", `{"toolCallId":"run_shell_command__run_shell_command_17_0","title":"echo a && ls...","kind":"execute"}`, "unclear: runs a command that it doesn't say"},
		{"gemini", `{"toolCallId":"write_file__write_file_17_0","title":"Writing to new.txt","content":[{"type":"diff","path":"/w/p/new.txt","oldText":"","newText":"x"}],"locations":[{"path":"/w/p/new.txt"}],"kind":"edit"}`, "Write(/w/p/new.txt)"},
		{"gemini", `{"toolCallId":"replace__replace_17_0","title":"hello.txt: a => b","locations":[{"path":"/w/p/hello.txt"}],"kind":"edit"}`, "Edit(/w/p/hello.txt)"},
		{"gemini", `{"toolCallId":"mcp_everything_echo__mcp_everything_echo_17_0","title":"echo (everything MCP Server)","locations":[],"kind":"other"}`, "mcp__everything__echo"},
		{"gemini", `{"toolCallId":"mcp_evil_x__mcp_evil_x_17_0","title":"echo (everything MCP Server)","kind":"other"}`, "unclear: can't be understood: echo (everything MCP Server)"},
		{"gemini", `{"toolCallId":"write_todos__write_todos_17_0","title":"Set 3 todo(s)","content":[],"locations":[],"kind":"other"}`, "Think"},
		{"gemini", `{"toolCallId":"resolve-prompt-/w/x-6c","title":"Allow access to absolute path: /w/x","locations":[],"kind":"read"}`, "unclear: names no file"},
		{"opencode", `{"title":"echo a && ls","kind":"execute","locations":[],"rawInput":{"command":"echo a && ls"}}`, "Bash(echo a && ls)"},
		{"opencode", `{"title":"/w/p/new.txt","kind":"edit","locations":[{"path":"/w/p/new.txt"}],"rawInput":{"filepath":"/w/p/new.txt","diff":"Index"}}`, "Edit(/w/p/new.txt)"},
		{"opencode", `{"title":"read","kind":"read","rawInput":{"filePath":"/w/p/hello.txt"}}`, "Read(/w/p/hello.txt)"},
		{"opencode", `{"title":"everything_echo","kind":"other","rawInput":{"message":"x"},"locations":[]}`, "Tool(everything_echo)"},
		{"opencode", `{"title":"bash","kind":"execute","rawInput":{"cwd":"/w/p"},"locations":[{"path":"/w/p"}]}`, "unclear: runs a command that it doesn't say"},
		{"pi", `{"title":"echo a && ls","kind":"execute","rawInput":null}`, "Bash(echo a && ls)"},
		{"pi", `{"title":"edit","kind":"edit","rawInput":{"path":"hello.txt","edits":[]}}`, "Edit(/w/p/hello.txt)"},
		{"qwen", `{"title":"Shell: echo a && ls (Stub bash)","kind":"execute","rawInput":{"command":"echo a && ls","description":"Stub bash"},"_meta":{"toolName":"run_shell_command"}}`, "Bash(echo a && ls)"},
		{"sdk", `{"title":"Modifying critical configuration file","kind":"edit","status":"pending","locations":[{"path":"/w/p/config.json"}],"rawInput":{"path":"/w/p/config.json","content":"{}"}}`, "Edit(/w/p/config.json)"},
		{"sdk", `{"title":"Reading project files","kind":"read","rawInput":{"path":"/project/README.md"},"locations":[{"path":"/project/README.md"}]}`, "Read(/project/README.md)"},
		{"editor", `{"name":"str_replace_based_edit_tool","rawInput":{"command":"view","path":"/w/p/x"}}`, "Read(/w/p/x)"},
		{"editor", `{"name":"str_replace_based_edit_tool","rawInput":{"command":"create","path":"/w/p/x"}}`, "Write(/w/p/x)"},
		{"ours", `{"name":"grep","kind":"search","rawInput":{"pattern":"x"}}`, "Grep"},
		{"ours", `{"name":"shell","kind":"execute","rawInput":{"command":"make"}}`, "Bash(make)"},
		{"ours", `{"name":"fetch","kind":"fetch","rawInput":{"url":"https://go.dev"}}`, "WebFetch(https://go.dev)"},
		{"windows", `{"kind":"execute","rawInput":{"command":["powershell.exe","-Command","git status"]}}`, "PowerShell: powershell.exe -Command git status"},
		{"windows", `{"kind":"execute","rawInput":{"command":["C:\\Windows\\System32\\cmd.exe","/c","dir"]}}`, `cmd.exe: C:\Windows\System32\cmd.exe /c dir`},
	} {
		if got := described(call(t, c.text)); got != c.want {
			t.Errorf("%s: %s\n got %s\nwant %s", c.agent, c.text, got, c.want)
		}
	}
}

func described(c policy.Call) string {
	switch {
	case c.Unclear != "":
		return "unclear: " + c.Unclear
	case c.Foreign != "":
		return c.Foreign + ": " + c.Command
	case c.Dir != "" && c.Dir != c.CWD:
		return c.String() + " in " + c.Dir
	}
	return c.String()
}

// A call that says two things, or nothing, is not understood: the narrow meaning is never taken for the wide one.
func TestContradictionIsUnclear(t *testing.T) {
	for _, text := range []string{
		`{"title":""}`,
		`{"kind":"other","title":"Doing things"}`,
		`{"name":"Read","kind":"edit","rawInput":{"path":"/w/p/x"}}`,
		`{"name":"Read","kind":"read","rawInput":{"path":"/w/p/x","command":"rm -rf ~"}}`,
		`{"name":"Think","kind":"execute","rawInput":{}}`,
		`{"kind":"think","title":"x y","rawInput":{"path":"/etc/x"}}`,
		`{"kind":"execute","rawInput":{"command":"git status","cmd":"rm -rf ~"}}`,
		`{"kind":"execute","rawInput":{"command":{"run":"rm -rf ~"}},"title":"git status"}`,
		`{"kind":"execute","rawInput":{"command":[["rm"]]},"title":"git status"}`,
		`{"kind":"read","rawInput":{"path":"https://example.com/x"}}`,
		`{"kind":"fetch","rawInput":{"url":"https://a.example","uri":"https://b.example"}}`,
		`{"kind":"edit","title":"Edit main.go"}`,
	} {
		c := call(t, text)
		if c.Unclear == "" {
			t.Errorf("%s is taken for %s", text, described(c))
		}
		p := policy.Policy{Allow: rules(t, "Bash(git *)", "Read(**)", "Edit(**)", "WebFetch(domain:a.example)")}
		if d := p.Decide(c); d.Verdict == policy.Allow {
			t.Errorf("%s is allowed: %s", text, d.Reason)
		}
	}
}

// All files count, wherever the agent names them.
func TestFilesComeFromEverywhere(t *testing.T) {
	c := call(t, `{"kind":"edit","rawInput":{"path":"a"},"locations":[{"path":"/w/p/b"}],"content":[{"type":"diff","path":"/etc/c","newText":""}]}`)
	if want := []string{"/w/p/a", "/etc/c", "/w/p/b"}; !slices.Equal(c.Paths, want) {
		t.Errorf("%q, want %q", c.Paths, want)
	}
	c = call(t, `{"kind":"read","rawInput":{"path":"~/.ssh/id","paths":["file:///etc/x%20y"]}}`)
	if want := []string{"/home/u/.ssh/id", "/etc/x y"}; !slices.Equal(c.Paths, want) {
		t.Errorf("%q, want %q", c.Paths, want)
	}
}

// What an agent does by the client's own methods is judged by the same rules (F55).
func TestFilesAndTerminalsOfTheClient(t *testing.T) {
	p := policy.Policy{Allow: rules(t, "Bash(git *)", "Edit(src/**)")}
	terminal := func(command string, args ...string) policy.Call {
		return policy.FromCreateTerminal(here, acp.CreateTerminalRequest{SessionID: "s1", Command: command, Args: args, CWD: "/w/p"})
	}
	env := policy.FromCreateTerminal(here, acp.CreateTerminalRequest{
		Command: "git", Args: []string{"status"}, Env: []acp.EnvVariable{{Name: "GIT_PAGER", Value: "rm -rf ~"}},
	})
	for _, c := range []struct {
		call policy.Call
		want policy.Verdict
	}{
		{policy.FromReadTextFile(here, acp.ReadTextFileRequest{Path: "/w/p/x"}), policy.Allow},
		{policy.FromReadTextFile(here, acp.ReadTextFileRequest{Path: "/etc/x"}), policy.Ask},
		{policy.FromWriteTextFile(here, acp.WriteTextFileRequest{Path: "/w/p/src/x"}), policy.Allow},
		{policy.FromWriteTextFile(here, acp.WriteTextFileRequest{Path: "/w/p/x"}), policy.Ask},
		{terminal("git status"), policy.Allow},
		{terminal("git status; rm -rf ~"), policy.Ask},
		{terminal("git", "status", "; rm -rf ~"), policy.Allow}, // an argument
		{terminal("git status", "x"), policy.Ask},               // a program with a blank in its name
		{terminal("bash", "-c", "git status"), policy.Allow},
		{terminal("/bin/sh", "-c", "git status; rm -rf ~"), policy.Ask},
		{terminal("/tmp/sh", "-c", "git status"), policy.Ask},
		{terminal("cmd", "/c", "git status"), policy.Ask},
		{terminal(""), policy.Ask},
		{env, policy.Ask},
	} {
		if d := p.Decide(c.call); d.Verdict != c.want {
			t.Errorf("%s: %v, want %v (%s)", described(c.call), d.Verdict, c.want, d.Reason)
		}
	}
	if d := (&policy.Policy{Allow: rules(t, "Bash(GIT_PAGER=* git *)")}).Decide(env); d.Verdict != policy.Allow {
		t.Errorf("a rule that names the variable: %v (%s)", d.Verdict, d.Reason)
	}
}

// The shells of Windows read lines in another way, so that none is understood.
func TestShellsOfWindowsAreForeign(t *testing.T) {
	for _, c := range []struct{ system, tool, want string }{
		{"windows", "run_shell_command", "cmd.exe or PowerShell"}, {"windows", "", "cmd.exe or PowerShell"}, {"windows", "Bash", ""},
		{"linux", "run_shell_command", ""}, {"linux", "PowerShell", "PowerShell"}, {"darwin", "", ""},
	} {
		if got := policy.SystemShell(c.system, c.tool); got != c.want {
			t.Errorf("%s, %s: %q, want %q", c.system, c.tool, got, c.want)
		}
	}
}

func TestPermissionHasItsSession(t *testing.T) {
	r := acp.RequestPermissionRequest{SessionID: "s9", ToolCall: acp.ToolCallUpdate{ToolCallID: "1", Kind: acp.Some(acp.ToolKindRead)}}
	if c := policy.FromPermission(policy.Place{CWD: "/w/p"}, r); c.Session != "s9" {
		t.Errorf("session %q", c.Session)
	}
}

// FuzzFromToolCall looks for input that stops the program, or that a narrow rule allows though it can't be understood.
func FuzzFromToolCall(f *testing.F) {
	f.Add("execute", "git status", `{"command":"git status"}`)
	f.Add("edit", "x", `{"changes":{"a":{"update":{"move_path":"b"}}}}`)
	f.Add("", "", `[`)
	p := policy.Policy{Allow: rules(f, "Bash(git *)", "Edit(**)")}
	f.Fuzz(func(t *testing.T, kind, title, input string) {
		c := policy.FromToolCall(here, acp.ToolCallUpdate{
			ToolCallID: "1", Kind: acp.Some(acp.ToolKind(kind)), Title: acp.Some(title), RawInput: acp.Some(acp.Raw(input)),
		})
		if d := p.Decide(c); d.Verdict == policy.Allow && c.Unclear != "" {
			t.Errorf("%s: %s", fmt.Sprint(c), d.Reason)
		}
	})
}
