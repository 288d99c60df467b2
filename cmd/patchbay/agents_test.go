package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// doctor examines an agent in a few lines of shell, and returns what it has found.
func doctor(t *testing.T, script string, args ...string) *diagnosis {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the agents are written for a Unix shell")
	}
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	agent := filepath.Join(dir, "agent")
	if err := os.WriteFile(agent, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, append(append([]string{"agents", "doctor", "--format", "json"}, args...), "--", agent)...)
	cmd.Dir = dir
	out, runErr := cmd.Output()
	d := &diagnosis{}
	if err := json.Unmarshal(out, d); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if code := cmd.ProcessState.ExitCode(); code != d.ExitCode || (runErr == nil) != d.Works {
		t.Errorf("it ended with %d, and says %d, works: %t", code, d.ExitCode, d.Works)
	}
	return d
}

// hi is an agent's answer to initialize, with capabilities.
func hi(capabilities string) string {
	return "read line\necho '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":1,\"agentInfo\":{\"name\":\"a\",\"version\":\"1\"},\"agentCapabilities\":" + capabilities + "}}'\n"
}

// S001.26: what an agent can do is discovered by its capabilities: the doctor says which methods it has, which it lacks, and
// which content it takes.
func TestS001_26_CapabilitiesAreDiscovered(t *testing.T) {
	d := doctor(t, hi(`{"loadSession":true,"promptCapabilities":{"image":true},"mcpCapabilities":{"http":true},"sessionCapabilities":{"list":{},"fork":{}}}`)+"read end\n", "--no-session")
	if !d.Works || d.Session != nil {
		t.Errorf("%+v", d)
	}
	for _, c := range []struct {
		got  []string
		want string
	}{
		{d.Hello.Has, "session/load session/fork session/list"}, {d.Hello.Prompt, "image"}, {d.Hello.MCP, "http"},
	} {
		if strings.Join(c.got, " ") != c.want {
			t.Errorf("got %q, want %s", c.got, c.want)
		}
	}
	if lacks := d.Hello.Lacks; !slices.Contains(lacks, "session/resume") || slices.Contains(lacks, "session/load") || slices.Contains(lacks, "session/set_title") {
		t.Errorf("it lacks %q", lacks) // the last one is not part of the specification yet
	}
}

// F101: the doctor survives every agent: one that goes away, that answers with an error, that has another version of the
// protocol, that prints escape sequences, and that starts what outlives it.
func TestF101_TheDoctorSurvivesItsPatients(t *testing.T) {
	newSession := "read line\necho '{\"jsonrpc\":\"2.0\",\"id\":2,"
	for name, c := range map[string]struct {
		script  string
		code    int
		problem string
	}{
		"goes away":       {hi("{}") + "read line\nexit 3\n", exitFailure, "exit status 3"},
		"an error":        {hi("{}") + newSession + "\"error\":{\"code\":-32603,\"message\":\"no disk\"}}'\nread end\n", exitFailure, "no disk"},
		"another version": {strings.Replace(hi("{}"), "protocolVersion\":1", "protocolVersion\":7", 1) + "read end\n", exitStart, "version 7"},
		"escapes":         {"printf '\\033]0;owned\\007\\n'\nexit 1\n", exitStart, "exit status 1"},
		"a long answer":   {hi("{}") + newSession + "\"result\":{\"sessionId\":\"s\",\"modes\":{\"currentModeId\":\"x\",\"availableModes\":[]}}}'\nread end\n", exitOK, ""},
		"leaves children": {hi("{}") + newSession + "\"result\":{\"sessionId\":\"s\"}}'\n(trap '' TERM HUP; sleep 600) &\necho $! >child\nread end\nread end\n", exitOK, ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := doctor(t, c.script)
			if d.ExitCode != c.code || !strings.Contains(d.Problem, c.problem) || strings.Contains(clean(d.Problem), "\x1b") {
				t.Errorf("%d: %q, want %d: %q", d.ExitCode, d.Problem, c.code, c.problem)
			}
			if pid, err := os.ReadFile(filepath.Join(filepath.Dir(d.Found.Path), "child")); err == nil {
				state, _ := exec.Command("ps", "-o", "stat=", "-p", strings.TrimSpace(string(pid))).Output()
				if s := strings.TrimSpace(string(state)); s != "" && s[0] != 'Z' { // dead, though nobody may have reaped it yet
					t.Errorf("its child is still there: %s", s)
				}
			}
		})
	}
}
