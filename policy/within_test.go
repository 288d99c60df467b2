package policy_test

import (
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/policy"
)

// What an agent has the client do counts as asked about if that, and no more, is what it asked for.
func TestACallIsWithinWhatWasAskedAbout(t *testing.T) {
	here := policy.Place{CWD: "/project"}
	run := func(command string, args ...string) policy.Call {
		return policy.FromCreateTerminal(here, acp.CreateTerminalRequest{Command: command, Args: args})
	}
	write := func(path string) policy.Call {
		return policy.FromWriteTextFile(here, acp.WriteTextFileRequest{Path: path})
	}
	asked := func(tool, command string, paths ...string) policy.Call {
		return policy.Call{Place: here, Tool: tool, Command: command, Paths: paths}
	}
	for name, c := range map[string]struct {
		call, asked policy.Call
		want        bool
	}{
		"the line":                        {run("make all"), asked(policy.Bash, "make all"), true},
		"the line, through a shell":       {run("sh", "-c", "make && rm x"), asked(policy.Bash, "make && rm x"), true},
		"a program with arguments":        {run("make", "all"), asked(policy.Bash, "make all"), true},
		"another line":                    {run("make install"), asked(policy.Bash, "make"), false},
		"a longer line":                   {run("make; rm x"), asked(policy.Bash, "make"), false},
		"in another folder":               {policy.FromCreateTerminal(here, acp.CreateTerminalRequest{Command: "make", CWD: "/etc"}), asked(policy.Bash, "make"), false},
		"a line that was an edit":         {run("make"), asked(policy.Edit, "", "/project/make"), false},
		"the file":                        {write("/project/a"), asked(policy.Edit, "", "/project/a"), true},
		"one of the files":                {write("/project/a"), asked(policy.Edit, "", "/project/b", "/project/a"), true},
		"another file":                    {write("/project/b"), asked(policy.Edit, "", "/project/a"), false},
		"a file that was to be read":      {write("/project/a"), asked(policy.Read, "", "/project/a"), false},
		"a read of what is to be changed": {policy.FromReadTextFile(here, acp.ReadTextFileRequest{Path: "/project/a"}), asked(policy.Edit, "", "/project/a"), true},
		"something that isn't clear":      {write("/project/a"), policy.Call{Place: here, Tool: policy.Edit, Paths: []string{"/project/a"}, Unclear: "?"}, false},
		"a tool of a server":              {write("/project/a"), policy.Call{Place: here, Server: "s", ServerTool: "write", Paths: []string{"/project/a"}}, false},
		"nothing at all":                  {policy.Call{}, policy.Call{}, false},
	} {
		if got := c.call.Within(c.asked); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// What agents give to every command so that it neither pages nor draws is no part of the line; what may change what it does is.
func TestVariablesThatChangeNothing(t *testing.T) {
	for _, c := range []struct {
		name, value, want string
	}{
		{"PAGER", "cat", "git log"},
		{"GIT_TERMINAL_PROMPT", "0", "git log"},
		{"NO_COLOR", "1", "git log"},
		{"TERM", "dumb", "git log"},
		{"TERM", "../x", "env 'TERM=../x' git log"},
		{"GIT_PAGER", "sh", "env 'GIT_PAGER=sh' git log"},
		{"PATH", "/tmp", "env 'PATH=/tmp' git log"},
	} {
		call := policy.FromCreateTerminal(policy.Place{CWD: "/project"}, acp.CreateTerminalRequest{
			Command: "git log", Env: []acp.EnvVariable{{Name: "PAGER", Value: "cat"}, {Name: c.name, Value: c.value}},
		})
		if call.Command != c.want || call.Unclear != "" {
			t.Errorf("%s=%s: the line is %q (%s)", c.name, c.value, call.Command, call.Unclear)
		}
	}
}
