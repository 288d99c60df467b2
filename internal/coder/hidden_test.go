package coder_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
)

// tree makes files in the client's folder, and links where a text begins with an arrow.
func (c *client) tree(files map[string]string) {
	c.Helper()
	for name, text := range files {
		path := filepath.Join(c.dir, name)
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if target, link := strings.CutPrefix(text, "-> "); link {
			err = errors.Join(err, os.Symlink(target, path))
		} else {
			err = errors.Join(err, os.WriteFile(path, []byte(text), 0o600))
		}
		if err != nil {
			c.Fatal(err)
		}
	}
}

// F56: what a rule denies to read, or has asked about, isn't read by itself either: a project's instructions, commands and types of
// subagents may be links to it. What is no such file is read as ever.
func TestF56_FilesForTheAgentAreNoWayAroundARule(t *testing.T) {
	for _, rule := range []string{"deny = ['Read(.env)']", "ask = ['Read(.env)']"} {
		t.Run(rule, func(t *testing.T) {
			c, m := ruled(t, &client{permit: answers(acp.PermissionOptionKindAllowOnce)}, rule,
				"write", `{"path":"sub/a.txt","text":"a"}`, "task", `{"description":"x","prompt":"x","subagent_type":"leak"}`)
			c.tree(map[string]string{
				".env": "password xyzzy", "AGENTS.md": "Be brief.", "CLAUDE.md": "-> .env", "sub/AGENTS.md": "-> ../.env",
				".patchbay/commands/leak.md": "-> ../../.env", ".patchbay/commands/ok.md": "Go.", ".patchbay/agents/leak.md": "-> ../../.env",
			})
			for range 2 {
				c.turn("go", acp.StopReasonEndTurn)
			}
			if said := saidText(c.turn("/leak", acp.StopReasonEndTurn)); !strings.Contains(said, "There is no command /leak") {
				t.Errorf("/leak says %q", said)
			}
			if said := saidText(c.turn("/help", acp.StopReasonEndTurn)); !strings.Contains(said, "/ok") || strings.Contains(said, "xyzzy") {
				t.Errorf("/help says %q", said)
			}
			for _, r := range m.requests {
				all := r.System
				for _, message := range r.Messages {
					for _, result := range message.Results {
						all += result.Text
					}
				}
				if strings.Contains(all, "xyzzy") {
					t.Errorf("the model is told %s", all)
				}
				if !strings.Contains(all, "Be brief.") {
					t.Error("the model isn't told how to work with the project")
				}
			}
			if r := told(t, m, 1); !strings.Contains(r.Text, `no type of subagents named "leak"`) {
				t.Errorf("the model is told %q", r.Text)
			}
		})
	}
}

// F56: a search passes over what a rule has asked about, unless it was the search itself that was asked about.
func TestF56_SearchesPassOverWhatIsAsked(t *testing.T) {
	c, m := ruled(t, &client{permit: answers(acp.PermissionOptionKindAllowOnce)}, "ask = ['Read(secret/**)']",
		"grep", `{"pattern":"xyzzy"}`, "grep", `{"pattern":"xyzzy","path":"secret"}`)
	c.tree(map[string]string{"a.txt": "xyzzy\n", "secret/key": "xyzzy\n"})
	for i, want := range []struct {
		found string
		asked int
	}{{"a.txt", 0}, {"secret/key", 1}} {
		c.turn("go", acp.StopReasonEndTurn)
		if r := told(t, m, i); !strings.HasPrefix(r.Text, "1 line in 1 file") || !strings.Contains(r.Text, want.found) || len(c.asked) != want.asked {
			t.Errorf("asked %d times, and the model is told %q", len(c.asked), r.Text)
		}
	}
}
