package coder_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
)

// S002.13: the files of sandboxed tools are this machine's, which are those that sandboxed commands see, whatever the client
// serves. Nobody leaves the roots.
func TestSandboxedToolsLeaveTheClientAlone(t *testing.T) {
	c := &client{}
	c.can.FS = acp.FileSystemCapabilities{ReadTextFile: true, WriteTextFile: true}
	c.can.Terminal = true
	n := newNeighbourhood(t, c)
	n.coder.Enter(n.session, "sandbox")
	for _, step := range []struct {
		tool  string
		input map[string]any
		want  string
	}{
		{"sandbox_write", map[string]any{"path": "a.txt", "text": "b\n"}, "failed: "},
		{"sandbox_read", map[string]any{"path": "a.txt"}, "a.txt has 1 line"},
		{"sandbox_edit", map[string]any{"path": "a.txt", "edits": []any{map[string]any{"old": "a", "new": "b"}}}, "Replaced 1 place in a.txt"},
		{"sandbox_shell", map[string]any{"command": "cat a.txt"}, "The command ended with status 0\nb\n"},
		{"sandbox_write", map[string]any{"path": "new/c.txt", "text": "c\n"}, "Wrote the new file new/c.txt"},
		{"sandbox_list", map[string]any{"path": "new"}, "new has 1 entry"},
		{"sandbox_glob", map[string]any{"pattern": "**/c.txt"}, "1 file"},
		{"sandbox_grep", map[string]any{"pattern": "^c$", "path": "new"}, "1 line in 1 file"},
		{"sandbox_job", map[string]any{"action": "list"}, "0 jobs in the background"},
		{"sandbox_read", map[string]any{"path": "new"}, "failed: reading new: it is a folder: list it instead"}, // not by a name that isn't there
		{"sandbox_read", map[string]any{"path": 7}, "failed: the input doesn't fit its schema"},
		{"sandbox_shell", map[string]any{"command": " "}, "failed: the input has no command"},
		{"sandbox_read", map[string]any{"path": filepath.Join(n.outside, "old")}, "failed: "},
		{"sandbox_write", map[string]any{"path": filepath.Join(n.outside, "new"), "text": "x"}, "failed: "},
	} {
		if got := n.call(step.tool, step.input); !strings.HasPrefix(got, step.want) {
			t.Errorf("%s %v: got %q, want %q", step.tool, step.input, got, step.want)
		}
		if len(n.calls) > 0 {
			t.Errorf("%s: the client is called: %v", step.tool, n.calls)
		}
	}
	n.wantOutside(false)
}

// What is read by one kind of tool can be changed by the other.
func TestSandboxedToolsShareWhatWasRead(t *testing.T) {
	n := newNeighbourhood(t, &client{})
	n.coder.Trespass(n.session, "full")
	for _, way := range []struct{ read, write string }{{"read", "sandbox_write"}, {"sandbox_read", "write"}} {
		name := way.read + ".txt"
		n.call("shell", map[string]any{"command": "echo x > " + name})
		change := map[string]any{"path": name, "text": "y\n"}
		if got := n.call(way.write, change); !strings.HasPrefix(got, "failed: ") {
			t.Errorf("%s: got %q", way.write, got)
		}
		n.call(way.read, map[string]any{"path": name})
		if got := n.call(way.write, change); !strings.HasPrefix(got, "Replaced "+name) {
			t.Errorf("%s after %s: got %q", way.write, way.read, got)
		}
	}
}

// A bounded command is shown as one that this process runs, however it ends, to a client with terminals too.
func TestBoundedCommandsAreShown(t *testing.T) {
	c := &client{}
	c.can.Terminal = true
	n := newNeighbourhood(t, c)
	n.coder.Enter(n.session, "sandbox")
	for line, want := range map[string]string{
		`echo one`:                    "[The command ended with status 0]",
		`echo one; sleep 0.3; exit 3`: "[The command ended with status 3]",
	} {
		if got := n.call("sandbox_shell", map[string]any{"command": line}); !strings.Contains(got, "\none\n") {
			t.Errorf("%s: the model is told %q", line, got)
		}
		got := n.script(n.seen())
		if !strings.HasPrefix(got, "Run `"+line+"`, in the sandbox | sandbox_shell execute pending\n") || !strings.Contains(got, want) || strings.Contains(got, "terminal") {
			t.Errorf("%s is shown as\n%s", line, got)
		}
		if last := lastShown(n.seen()); !strings.Contains(last, "one") {
			t.Errorf("%s: at the end is shown %q", line, last)
		}
	}
}

// lastShown is the text that a call shows when all is over.
func lastShown(updates []acp.SessionUpdate) (text string) {
	for _, u := range updates {
		if u, ok := u.(*acp.ToolCallUpdate); ok && lastText(u) != "" {
			text = lastText(u)
		}
	}
	return text
}

// F48, F92: a sandboxed job ends with all that it started when it is stopped and when its session ends, which takes what was
// temporary with it.
func TestF92_SandboxedJobsEnd(t *testing.T) {
	const line = `echo $$ > pid; setsid sh -c 'echo $$ > child; echo $TMPDIR > temp; exec sleep 1000' & exec sleep 1000`
	for name, end := range map[string]func(*neighbourhood){
		"stopped": func(n *neighbourhood) {
			n.call("sandbox_job", map[string]any{"action": "stop", "id": "job_1"})
		},
		"session closed": func(n *neighbourhood) {
			n.must(acp.MethodSessionClose, &acp.CloseSessionRequest{SessionID: n.session}, &acp.CloseSessionResponse{})
		},
		"client gone": func(n *neighbourhood) {
			_ = n.rpc.Close()
			_ = n.agent.Wait()
			n.coder.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNeighbourhood(t, &client{})
			n.coder.Enter(n.session, "sandbox")
			n.call("sandbox_shell", map[string]any{"command": line, "background": true})
			pids := []string{n.read("pid"), n.read("child")}
			temp := n.read("temp")
			if _, err := os.Stat(temp); err != nil || !alive(pids[0]) || !alive(pids[1]) {
				t.Fatalf("it does not run: %v", err)
			}
			end(n)
			if slices.ContainsFunc(pids, alive) {
				t.Error("something is alive")
			}
			if _, err := os.Stat(temp); name != "stopped" && !os.IsNotExist(err) {
				t.Errorf("what was temporary is there: %v", err)
			}
		})
	}
}

// A session without anything in the background takes what was temporary with it, too.
func TestWhatIsTemporaryEndsWithTheSession(t *testing.T) {
	n := newNeighbourhood(t, &client{})
	n.coder.Enter(n.session, "sandbox")
	n.call("sandbox_shell", map[string]any{"command": "echo $TMPDIR > temp; echo x > $TMPDIR/x; mkdir -m 0500 $HOME/sealed"})
	temp := n.read("temp")
	if got := n.outcome("sandbox_shell", "cat $TMPDIR/x"); got != "ok" {
		t.Errorf("the next command finds none of it: %s", got)
	}
	_ = n.rpc.Close()
	_ = n.agent.Wait()
	n.coder.Close()
	if _, err := os.Stat(temp); !os.IsNotExist(err) {
		t.Errorf("it is there: %v", err)
	}
}

// A command in the background keeps what it was started with when the mode changes, and later ones don't get that.
func TestJobsKeepTheirBounds(t *testing.T) {
	n := newNeighbourhood(t, &client{})
	const line = `until [ -e go ]; do sleep 0.01; done; echo x > "$OUTSIDE/$NAME" && echo written > "$NAME" || echo refused > "$NAME"`
	n.coder.Trespass(n.session, "full")
	n.call("shell", map[string]any{"command": "NAME=free; " + line, "background": true})
	n.coder.Trespass(n.session, "sandbox")
	n.call("shell", map[string]any{"command": "NAME=bound; " + line, "background": true})
	n.coder.Trespass(n.session, "full")
	if err := os.WriteFile(filepath.Join(n.dir, "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if free, bound := n.read("free"), n.read("bound"); free != "written" || bound != "refused" {
		t.Errorf("what began without bounds was %s, what began with them %s", free, bound)
	}
}

// What can't be bound is not started: here because a root has gone.
func TestNothingRunsWithoutItsBounds(t *testing.T) {
	n := newNeighbourhood(t, &client{})
	gone := realDir(t)
	var opened acp.NewSessionResponse
	n.must(acp.MethodSessionNew, &acp.NewSessionRequest{CWD: n.dir, AdditionalDirectories: []string{gone}, MCPServers: []acp.MCPServer{}}, &opened)
	n.session = opened.SessionID
	n.coder.Enter(n.session, "sandbox")
	if got := n.outcome("sandbox_shell", "echo x > before"); got != "ok" {
		t.Fatal(got)
	}
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	for _, background := range []bool{false, true} {
		got := n.call("sandbox_shell", map[string]any{"command": "echo x > after", "background": background})
		if !strings.HasPrefix(got, "failed: ") || !strings.Contains(got, "preparing a sandbox") {
			t.Errorf("the model is told %q", got)
		}
	}
	if _, err := os.Stat(filepath.Join(n.dir, "after")); err == nil {
		t.Error("it ran")
	}
}

// Programs that tools start for themselves are bound as well, here one that passes for ripgrep. Grep finds the same.
func TestHelpersOfToolsAreBound(t *testing.T) {
	bin := t.TempDir()
	const script = "#!/bin/sh\nread key < \"$OWNER/.ssh/id_ed25519\"\necho \"ran $key $OPENAI_API_KEY\" > ran\nexit 2\n"
	if err := os.WriteFile(filepath.Join(bin, "rg"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	n := newNeighbourhood(t, &client{})
	for _, step := range []struct {
		mode acp.SessionModeID
		tool string
		want string
	}{
		{"read-only", "grep", ""},
		{"sandbox", "sandbox_grep", ""},
		{"full", "grep", "ran key"},
	} {
		n.coder.Enter(n.session, step.mode)
		if got := n.call(step.tool, map[string]any{"pattern": "^a$", "glob": "a.txt"}); !strings.HasPrefix(got, "1 line in 1 file") {
			t.Errorf("%s in %s: got %q", step.tool, step.mode, got)
		}
		ran, _ := os.ReadFile(filepath.Join(n.dir, "ran"))
		if got := strings.TrimSpace(string(ran)); got != step.want {
			t.Errorf("%s in %s: the program has left %q, want %q", step.tool, step.mode, got, step.want)
		}
	}
}
