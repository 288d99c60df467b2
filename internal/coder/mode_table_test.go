package coder_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder"
	"github.com/patchbay-dev/patchbay/internal/config"
	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/sandbox"
)

// inputs are what each tool can be called with, so that it would do what it is there for. A tool without one is called with
// nothing. "propose" is the last: it changes the mode.
var inputs = map[string]string{
	"list": `{}`, "glob": `{"pattern":"*"}`, "grep": `{"pattern":"a"}`, "read": `{"path":"a.txt"}`,
	"write": `{"path":"written.txt","text":"x"}`, "edit": `{"path":"a.txt","edits":[{"old":"a","new":"b"}]}`,
	"shell": `{"command":"echo x > run.txt"}`, "job": `{"action":"list"}`, "fetch": `{"url":"http://127.0.0.1:1/"}`,
	"plan": `{"entries":[{"content":"look"}]}`, "ask": `{"question":"which?"}`, "propose": `{"plan":"Look, and leap."}`,
}

// A row is one of the table of modes.
type row struct{ coder.ModeRow }

const serverTool = "mcp__s__echo"

// S002.13, S002.9, S001.14, F60: in each mode the model is offered the tools that the table of modes names, and no other. One
// that it calls all the same is refused with words that name the mode, and does nothing.
func TestS002_13_EveryModeHasItsToolsAndNoOther(t *testing.T) {
	for _, each := range coder.ModeTable() {
		row := row{each}
		t.Run(string(row.ID), func(t *testing.T) {
			t.Parallel()
			m := &scripted{forever: finished}
			c, a := withServers(t, &client{}, m, mcpCommand(t, "s", "full"))
			a.Wall(sandbox.Support{OK: true}, slog.Default())
			if err := os.WriteFile(filepath.Join(c.dir, "a.txt"), []byte("a"), 0o600); err != nil {
				t.Fatal(err)
			}
			tools := append(a.Tools(), serverTool)
			slices.SortStableFunc(tools, func(a, b string) int { return index(b == "propose") - index(a == "propose") })
			slices.Reverse(tools)
			m.answers = [][]any{callsOf(tools)}
			c.must(acp.MethodSessionSetMode, &acp.SetSessionModeRequest{SessionID: c.session, ModeID: row.ID}, nil)
			c.turn("use everything", acp.StopReasonEndTurn)
			var offered, want []string
			for _, tool := range m.requests[0].Tools {
				if !strings.HasPrefix(tool.Name, "mcp__") || tool.Name == serverTool {
					offered = append(offered, tool.Name)
				}
			}
			results := map[string]model.Result{}
			for _, r := range m.requests[1].Messages[2].Results {
				results[r.Name] = r
			}
			for _, tool := range tools {
				has := slices.Contains(row.Tools, tool) || tool == serverTool && row.Servers
				if has {
					want = append(want, tool)
				}
				refusal := fmt.Sprintf("the mode %q has no tool %q; nothing was done", row.ID, tool)
				if r, ok := results[tool]; !ok || (r.Text == refusal) != !has || !has && !r.Failed {
					t.Errorf("%s: the model is told %+v", tool, r)
				}
			}
			slices.Sort(want)
			slices.Sort(offered)
			if diff := cmp.Diff(want, offered); diff != "" {
				t.Errorf("offered (-want +got):\n%s", diff)
			}
			for file, tool := range map[string]string{"written.txt": "write", "run.txt": "shell"} {
				if tool == "shell" && row.Bounds != "as you may" && !sandbox.Supported().OK {
					continue // nothing runs without the walls that it should have
				}
				_, err := os.Stat(filepath.Join(c.dir, file))
				if done := err == nil; done != row.has(tool) {
					t.Errorf("%s: done %t", tool, done)
				}
			}
			if changed := c.file("a.txt") != "a"; changed != row.has("edit") {
				t.Errorf("edit: done %t", changed)
			}
			if row.Words != "" && !strings.Contains(m.requests[0].System, row.Words) {
				t.Errorf("the model isn't told of the mode:\n%s", m.requests[0].System)
			}
		})
	}
}

// has reports whether a mode has a tool, or the one that takes its place in the sandbox.
func (r row) has(tool string) bool {
	return slices.Contains(r.Tools, tool) || slices.Contains(r.Tools, "sandbox_"+tool)
}

func index(b bool) int {
	if b {
		return 1
	}
	return 0
}

// callsOf is an answer that calls tools.
func callsOf(tools []string) (answer []any) {
	for i, tool := range tools {
		input := inputs[strings.TrimPrefix(tool, "sandbox_")]
		if input == "" {
			input = `{}`
		}
		answer = append(answer, &model.Call{ID: fmt.Sprint(i), Name: tool, Input: acp.Raw(input)})
	}
	return append(answer, stop(model.StopCalls))
}

// S002.13, S001.14: whatever else the table says, what is to change nothing has no tool that writes or executes.
func TestS002_13_ReadingModesOnlyRead(t *testing.T) {
	for _, row := range coder.ModeTable() {
		reads := slices.Contains([]acp.SessionModeID{"read-only", "plan", "architect", "ask"}, row.ID)
		acts := row.Servers || slices.ContainsFunc(row.Tools, func(tool string) bool {
			return slices.Contains([]string{"write", "edit", "shell", "job"}, strings.TrimPrefix(tool, "sandbox_"))
		})
		if reads == acts {
			t.Errorf("%s: has tools that act: %t, %v", row.ID, acts, row.Tools)
		}
	}
}

// What a project's file may choose is what the table of modes says to be stricter.
func TestProjectsModesAreStricter(t *testing.T) {
	modes := coder.ModeTable()
	for _, user := range modes {
		if !slices.Contains(config.Modes, string(user.ID)) {
			t.Errorf("%s can't be configured", user.ID)
		}
		for _, project := range modes {
			home := t.TempDir()
			dir := filepath.Join(home, "project")
			write := func(path string, mode acp.SessionModeID) {
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, fmt.Appendf(nil, "mode = %q\n", mode), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			write(filepath.Join(home, "own", config.FileName), user.ID)
			write(filepath.Join(dir, config.FileName), project.ID)
			c, err := config.Load(config.Options{Dir: dir, Home: home, UserDir: filepath.Join(home, "own"), Env: func(string) string { return "" }})
			if err != nil {
				t.Fatal(err)
			}
			want := user.ID
			if coder.Stricter(project.ID, user.ID) {
				want = project.ID
			}
			if got := acp.SessionModeID(c.Mode.Value); got != want {
				t.Errorf("the user's is %s, the project's %s: got %s, want %s", user.ID, project.ID, got, want)
			}
		}
	}
}
