package coder_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder"
	"github.com/patchbay-dev/patchbay/internal/config"
)

// offered are the lists of commands that came since the last look, without those that there always are.
func (c *client) offered() (lists []string) {
	synctest.Wait()
	for _, u := range c.seen() {
		if commands, ok := u.(*acp.AvailableCommandsUpdate); ok {
			var names []string
			for _, command := range commands.AvailableCommands[coder.OwnCommands():] {
				names = append(names, command.Name+": "+command.Description)
			}
			lists = append(lists, strings.Join(names, ", "))
		}
	}
	c.forget()
	return lists
}

func (c *client) write(path, text string) {
	c.Helper()
	path = filepath.Join(c.dir, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		c.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		c.Fatal(err)
	}
}

// watching starts an agent and a session whose folder is in a repository, and whose user has a folder of commands.
func watching(t *testing.T) *client {
	t.Helper()
	repo := t.TempDir()
	a, err := coder.New(coder.Options{Config: func(dir string) (*config.Config, error) {
		return config.Load(config.Options{Dir: dir, Home: repo, UserDir: filepath.Join(repo, "user"), Env: func(string) string { return "" }})
	}})
	if err != nil {
		t.Fatal(err)
	}
	c := &client{T: t, dir: repo}
	c.write(".git/HEAD", "")
	c.write("app/a.txt", "a")
	c.connect(t, a)
	c.dir = filepath.Join(repo, "app")
	if err := c.newSession(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.rpc.Close()
		_ = c.agent.Wait()
		a.Close() // returns when the watch has ended
	})
	c.dir = repo
	return c
}

// S004.9, F161: commands are offered again when their files change, without a prompt: in the working directory, above it, and
// in the user's folder, none of which need exist when the session begins.
func TestF161_ChangedCommandsAreOffered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := watching(t)
		const soon = 3 * time.Second
		step := func(what string, change func(), want ...string) {
			t.Helper()
			change()
			time.Sleep(soon)
			if diff := cmp.Diff(want, c.offered()); diff != "" {
				t.Errorf("%s: offered (-want +got):\n%s", what, diff)
			}
		}
		step("at first", func() {}, "")
		step("one appears", func() { c.write("app/.patchbay/commands/fix.md", "Fix it.") }, "fix: Fix it.")
		step("one above", func() { c.write(".patchbay/commands/ship.md", "Ship it.") }, "fix: Fix it., ship: Ship it.")
		step("its description changes", func() { c.write(".patchbay/commands/ship.md", "Ship it now.") }, "fix: Fix it., ship: Ship it now.")
		step("words that no client sees change", func() { c.write(".patchbay/commands/ship.md", "Ship it now.\nBe quick.") })
		step("a file that is no command", func() { c.write(".patchbay/commands/notes.txt", "x") })
		step("one of the user's", func() { c.write("user/commands/mine.md", "Mine.") }, "fix: Fix it., mine: Mine., ship: Ship it now.")
		step("one goes", func() { _ = os.RemoveAll(filepath.Join(c.dir, ".patchbay")) }, "fix: Fix it., mine: Mine.")
		step("nothing happens", func() { time.Sleep(time.Hour) })
	})
}

// What is being written is not read before it has stayed the same for a while.
func TestCommandsAreReadWhenTheyAreWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := watching(t)
		c.offered()
		for n := range 40 { // an editor that takes 4 seconds
			c.write("app/.patchbay/commands/fix.md", "Fix"+strings.Repeat(" it", n))
			time.Sleep(100 * time.Millisecond)
		}
		time.Sleep(3 * time.Second)
		if got := c.offered(); len(got) != 1 || !strings.HasSuffix(got[0], strings.Repeat(" it", 39)) {
			t.Errorf("offered %q", got)
		}
	})
}

// F172, F173: commands are watched by one goroutine for a connection, while it has sessions.
func TestF172_CommandsAreWatchedWhileThereAreSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := watching(t)
		first := c.session
		var ids []acp.SessionID
		for range 10 {
			var opened acp.NewSessionResponse
			c.must(acp.MethodSessionNew, &acp.NewSessionRequest{CWD: c.dir, MCPServers: []acp.MCPServer{}}, &opened)
			ids = append(ids, opened.SessionID)
		}
		c.offered()
		if n := watchers(); n != 1 {
			t.Errorf("%d goroutines watch", n)
		}
		for _, id := range append(ids, first) {
			c.must(acp.MethodSessionClose, &acp.CloseSessionRequest{SessionID: id}, nil)
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if n := watchers(); n != 0 {
			t.Errorf("%d goroutines watch though there are no sessions", n)
		}
		if err := c.newSession(); err != nil {
			t.Fatal(err)
		}
		c.offered()
		c.write(".patchbay/commands/ship.md", "Ship it.")
		time.Sleep(3 * time.Second)
		if got := c.offered(); !slices.Equal(got, []string{"ship: Ship it."}) {
			t.Errorf("offered %q", got)
		}
	})
}

// watchers counts the goroutines that watch commands.
func watchers() int {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	return strings.Count(string(stacks), "coder.(*Coder).look(")
}
