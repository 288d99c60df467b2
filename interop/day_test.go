package interop_test

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// put makes a file and the folders that it is in.
func put(t *testing.T, folder, name, text string) {
	t.Helper()
	path := filepath.Join(folder, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// untouched is the address of a server that fails the test when it is asked for anything.
func untouched(t *testing.T) string {
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("a server on this machine was asked for %s", r.URL)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// files returns what is in a folder, by path.
func files(t *testing.T, folder string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := fs.WalkDir(os.DirFS(folder), ".", func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			found[path] = read(t, folder, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// inEachFormat lets a day be driven with a model of each format, at the same time, and compares what came of it.
func inEachFormat(t *testing.T, script func() day, drive func(w *workday) []*story) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands of the day are for a Unix shell")
	}
	requirePeers(t)
	patchbay(t) // before anybody's patience begins to wear
	var mu sync.Mutex
	told := map[string][]*story{}
	t.Run("with", func(t *testing.T) {
		for _, f := range formats {
			t.Run(f.name, func(t *testing.T) {
				t.Parallel()
				w := begin(t, script(), f)
				stories := drive(w)
				for i := range w.day {
					w.tells(stories[i], &w.day[i])
				}
				w.end()
				mu.Lock()
				defer mu.Unlock()
				told[f.name] = stories
			})
		}
	})
	if !t.Failed() {
		sameStories(t, told)
	}
}

// Each task is a call of `patchbay run`, and so a session of its own.
func TestDayThroughPatchbayRun(t *testing.T) {
	t.Parallel()
	inEachFormat(t, unattended, func(w *workday) (all []*story) {
		for _, k := range w.day {
			all = append(all, w.run(k)...)
		}
		return all
	})
}

func (w *workday) run(k task) []*story {
	w.t.Helper()
	path := filepath.Join(w.home, "trace.ndjson")
	permissions, code := "bypassPermissions", 0
	if k.rejects { // there is nobody to ask
		permissions, code = "default", 6
	}
	if k.unasked {
		code = 6
	}
	cmd := exec.CommandContext(deadline(w.t), patchbay(w.t), "run", "--cwd", w.dir, "--trace", path, "--permissions", permissions, k.prompt)
	cmd.Env = w.env
	output, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		w.t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != code {
		w.t.Errorf("%s: exit status %d, want %d\n%s", k.prompt, got, code, output)
	}
	return w.stories(path)
}

// The SDK's client has one session for all of the day, forms to ask by, and more to show than words.
func TestDayThroughTheSDKClient(t *testing.T) {
	t.Parallel()
	inEachFormat(t, func() day { return append(script(), shown()) }, func(w *workday) []*story {
		path := filepath.Join(w.home, "trace.ndjson")
		c := connect(w.t, w.env, patchbay(w.t), "agent", "--trace", path)
		session := c.start(w.dir)
		for _, k := range w.day {
			s := prompt(session, k.prompt)
			params := s.Params.(object)
			params["prompt"] = append(params["prompt"].([]object), k.with...)
			s.Content = object{"choice": "blue"}
			if k.rejects {
				s.Answer = "reject_once"
			}
			same(w.t, k.prompt+": stop reason", c.must(s).Result["stopReason"], "end_turn")
		}
		w.checkShown()
		w.afterHours(c, session)
		c.end()
		return w.stories(path)
	})
}

// afterHours has the agent say what the day has cost, and forget all of it but a summary.
func (w *workday) afterHours(c *sdkClient, session string) {
	w.t.Helper()
	requests := len(w.server.Heard())
	contains(w.t, c.must(prompt(session, "/cost")).text(), fmt.Sprintf("has made %d requests", requests), "has cost about $")
	same(w.t, "requests for /cost", len(w.server.Heard()), requests)

	compacted := c.must(prompt(session, "/compact"))
	contains(w.t, strings.Join(compacted.lines(), "\n"), "compaction_update\n")
	contains(w.t, w.server.Last().Messages[0].Text, "Let it greet in French, and write down how.", "Bonjour, Zoé", "Then not.")

	last := w.day[len(w.day)-1]
	c.must(prompt(session, last.prompt))
	heard := w.server.Last()
	if len(heard.Messages) != 3 || !strings.Contains(heard.Messages[0].Text, summary) || heard.Messages[2].Text != last.prompt {
		w.t.Errorf("after the summary the model was told %+v", heard.Messages)
	}
}

// acpx has a session for the whole day, which is one task of the project's own command. It is told not to lend the agent its
// terminals, as the others do, so that commands are the agent's own children here.
func TestDayThroughAcpx(t *testing.T) {
	if testing.Short() {
		t.Skip("a call of acpx takes seconds")
	}
	t.Parallel()
	inEachFormat(t, func() day { return script().atOnce() }, func(w *workday) []*story {
		path := filepath.Join(w.home, "trace.ndjson")
		cmd := node(w.t, "node_modules/acpx/dist/cli.js", "--cwd", w.dir, "--approve-all", "--format", "json", "--no-terminal",
			"--agent", fmt.Sprintf("'%s' agent --trace '%s'", patchbay(w.t), path), "exec", w.day[0].prompt)
		acpx := exec.CommandContext(deadline(w.t), cmd.Path, cmd.Args...)
		acpx.Env, acpx.Dir = w.env, w.dir
		if output, err := acpx.CombinedOutput(); err != nil {
			w.t.Fatalf("acpx: %v\n%s", err, output)
		}
		return w.stories(path)
	})
}

// The day calls every tool, whichever way it is driven, and each of them does its work at least once: but for fetch, since
// there is no server that may be asked, and task, which TestSDKClientSeesASubagent is for.
func TestDayCallsEveryTool(t *testing.T) {
	for name, d := range map[string]day{"one task after the other": script(), "all at once": script().atOnce()} {
		done := map[string]bool{}
		for _, k := range d {
			for _, a := range k.answers {
				for _, c := range a.calls {
					done[c.tool] = done[c.tool] || !c.failed || c.tool == "fetch" || c.tool == "task"
				}
			}
		}
		for _, each := range toolsOfTheDay() {
			if !done[each.Name] {
				t.Errorf("%s: no call of %s does its work", name, each.Name)
			}
		}
	}
}
