package mcp_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/mcp"
)

// alive reports whether a process is there and is no zombie.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(stat), ") Z ") && unix.Kill(pid, 0) == nil
}

// F78, F79, F92
func TestF92_NoProcessOutlivesTheSession(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pids")
	s, _ := ready(t, mcp.Options{Grace: 100 * time.Millisecond}, ours(t, "stubborn", "stubborn", file), ours(t, "good", "full"))
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var leader, child int
	if _, err := fmt.Sscan(string(text), &leader, &child); err != nil || !alive(leader) || !alive(child) {
		t.Fatalf("%q: %v", text, err)
	}
	begun := time.Now()
	s.Close()
	if alive(leader) || alive(child) {
		t.Errorf("the server lives: %v; its child: %v", alive(leader), alive(child))
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("closing took %v", took)
	}
}

// A server that is given up while it starts leaves nothing behind either, nor does one whose session ends meanwhile.
func TestNoProcessOutlivesAStartThatFails(t *testing.T) {
	dir := t.TempDir()
	pids := func(name string) int {
		var pid int
		eventually(t, name+" has started", func() bool {
			text, _ := os.ReadFile(filepath.Join(dir, name))
			_, err := fmt.Sscan(string(text), &pid)
			return err == nil
		})
		return pid
	}
	shell := func(name string) acp.MCPServer {
		script := fmt.Sprintf("echo $$ >%s; trap '' TERM; while :; do sleep 0.05; done", filepath.Join(dir, name))
		return &acp.MCPServerStdio{Name: name, Command: "sh", Args: []string{"-c", script}}
	}
	o := mcp.Options{StartTimeout: 300 * time.Millisecond, Grace: 50 * time.Millisecond}
	s, _ := start(t, o, shell("late"))
	late := pids("late")
	if err := s.Wait(deadline(t)); err != nil {
		t.Fatal(err)
	}
	if alive(late) {
		t.Error("the one that was too late lives")
	}
	o.StartTimeout = 0
	s, _ = start(t, o, shell("young"))
	young := pids("young")
	s.Close()
	if alive(young) {
		t.Error("the one that was young lives")
	}
}

func TestTheContextOfTheSessionEndsItsServers(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := mcp.Start(ctx, []acp.MCPServer{ours(t, "s", "full")}, mcp.Options{})
	defer s.Close()
	if err := s.Wait(deadline(t)); err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Sscan(call(t, s, "mcp__s__pid", "{}").Text, &pid); err != nil {
		t.Fatal(err)
	}
	cancel()
	eventually(t, "the server ends", func() bool { return !alive(pid) })
}

// F175
func TestF175_AServerGetsItsOwnVariablesAndFewOfOurs(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "sk-ours")
	t.Setenv("HTTPS_PROXY", "http://me:pw@proxy:1")
	t.Setenv("LC_TIME", "C")
	dir := t.TempDir()
	config := ours(t, "s", "full")
	config.Env = []acp.EnvVariable{{Name: "MINE", Value: "1"}, {Name: "LC_TIME", Value: "POSIX"}}
	s, _ := ready(t, mcp.Options{Dir: dir}, config)
	for name, want := range map[string]string{
		"ANTHROPIC_API_KEY": "", "HTTPS_PROXY": "", "MINE": "1", "LC_TIME": "POSIX", "PATH": os.Getenv("PATH"),
	} {
		if got := call(t, s, "mcp__s__env", fmt.Sprintf(`{"text":%q}`, name)).Text; got != fmt.Sprintf("%s=%q", name, want) {
			t.Errorf("%s rather than %q", got, want)
		}
	}
	var pid int
	if _, err := fmt.Sscan(call(t, s, "mcp__s__pid", "{}").Text, &pid); err != nil {
		t.Fatal(err)
	}
	if cwd, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid)); err != nil || cwd != dir {
		t.Errorf("it runs in %q: %v", cwd, err)
	}
}

func TestAProgramIsFoundInTheServersOwnPath(t *testing.T) {
	bin := t.TempDir()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, filepath.Join(bin, "my-server")); err != nil {
		t.Fatal(err)
	}
	config := ours(t, "s", "full")
	config.Command = "my-server"
	config.Env = []acp.EnvVariable{{Name: "PATH", Value: "relative:" + bin + ":/usr/bin:/bin"}}
	s, _ := ready(t, mcp.Options{}, config)
	call(t, s, "mcp__s__echo", `{"text":"found"}`)
}
