package coder_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
	ourclient "github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/internal/coder"
	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/transport"
)

// A willing user allows everything.
type willing struct{}

func (willing) Update(context.Context, *ourclient.Session, acp.SessionUpdate) {}

func (willing) RequestPermission(ctx context.Context, _ *ourclient.Session, req *acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
	return answers(acp.PermissionOptionKindAllowOnce)(ctx, req), nil
}

// work has the model make calls, a name and an input with single quotes each, in a folder, and returns what it is told of
// the last. Files, if any, is how the client serves files.
func work(t *testing.T, dir string, files *ourclient.Files, calls ...string) string {
	t.Helper()
	m := &scripted{forever: []any{model.Text("done"), model.Stop{Reason: model.StopEnd}}}
	for i := 0; i < len(calls); i += 2 {
		input := acp.Raw(strings.ReplaceAll(calls[i+1], "'", `"`))
		m.answers = append(m.answers, []any{&model.Call{ID: fmt.Sprint(i), Name: calls[i], Input: input}, model.Stop{Reason: model.StopCalls}})
	}
	a := coder.With(m)
	theirs, ours := transport.Pipe()
	served, err := agent.Connect(theirs, a, a.AgentOptions())
	if err != nil {
		t.Fatal(err)
	}
	c, err := ourclient.Connect(t.Context(), ours, willing{}, ourclient.Options{Files: files})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = c.Close()
		_ = served.Wait()
	}()
	s, err := c.NewSession(t.Context(), acp.NewSessionRequest{CWD: dir})
	if err != nil {
		t.Fatal(err)
	}
	turn, err := s.Prompt(t.Context(), acp.Text("go"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := turn.Wait(); err != nil {
		t.Fatal(err)
	}
	all := (&scene{model: m}).results()
	if len(all) != len(calls)/2 {
		t.Fatalf("the model is told %q", all)
	}
	return all[len(all)-1]
}

// bothWays runs a test where the agent works on files by itself, and where the client does for it.
func bothWays(t *testing.T, test func(t *testing.T, files *ourclient.Files)) {
	t.Run("directly", func(t *testing.T) { test(t, nil) })
	t.Run("by the client", func(t *testing.T) { test(t, &ourclient.Files{}) })
}

// F152, F154, F156: an edit ends with exactly the right bytes, or with a clear error and the bytes that were there.
func TestF156_EditsAreSafe(t *testing.T) {
	edit := func(old, new string) string {
		return fmt.Sprintf(`{'path':'f','edits':[{'old':'%s','new':'%s'}]}`, old, new)
	}
	for _, c := range []struct {
		name, text string
		calls      []string
		says, want string
	}{
		{"changed since it was read", "one\n", []string{"read", `{'path':'f'}`, "shell", `{'command':'echo typed >> f'}`, "edit", edit("one", "1")},
			"failed: f has changed since it was read: read it again; nothing was written", "one\ntyped\n"},
		{"written over unread", "one\n", []string{"write", `{'path':'f','text':'two'}`}, "failed: f is there already and has not been read", "one\n"},
		{"CRLF", "a\r\nb\r\n", []string{"edit", edit(`a\nb`, `x\ny\nz`)}, "Replaced 1 place", "x\r\ny\r\nz\r\n"},
		{"CRLF, written over", "a\r\nb\r\n", []string{"read", `{'path':'f'}`, "write", `{'path':'f','text':'x\n'}`}, "Replaced f", "x\r\n"},
		{"mixed line ends", "a\nb\r\nc\n", []string{"edit", edit(`a\nb\nc`, `a\nx\nc`)}, "Replaced 1 place", "a\nx\r\nc\n"},
		{"a byte order mark", "\ufeffa\n", []string{"edit", edit("a", "b")}, "Replaced 1 place", "\ufeffb\n"},
		{"a byte order mark, written over", "\ufeffa\n", []string{"read", `{'path':'f'}`, "write", `{'path':'f','text':'b\n'}`}, "Replaced f", "\ufeffb\n"},
		{"no end of the last line", "a\nb", []string{"edit", edit("b", "c")}, "Replaced 1 place", "a\nc"},
		{"Latin-1", "caf\xe9 a\n", []string{"edit", edit("a\\n", "b\\n")}, "Replaced 1 place", "caf\xe9 b\n"},
		{"two encodings", "é caf\xe9 a\n\x83\x5c\n", []string{"edit", edit("a\\n", "ü\\n")}, "Replaced 1 place", "é caf\xe9 ü\n\x83\x5c\n"},
		{"Latin-1, written over", "caf\xe9\n", []string{"read", `{'path':'f'}`, "write", `{'path':'f','text':'b'}`}, "failed: f has bytes that are not UTF-8 (1), which would be lost", "caf\xe9\n"},
		{"UTF-16", "\xff\xfea\x00\n\x00", []string{"edit", edit("a", "b")}, "failed: changing f: it is UTF-16, which would be lost", "\xff\xfea\x00\n\x00"},
		{"binary", "a\x00b", []string{"edit", edit("a", "b")}, "failed: changing f: it is binary", "a\x00b"},
		{"a real U+FFFD", "a \uFFFD\n", []string{"edit", edit("a", "b")}, "Replaced 1 place", "b \uFFFD\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bothWays(t, func(t *testing.T, files *ourclient.Files) {
				dir := realDir(t)
				put(t, dir, "f", c.text)
				if says := work(t, dir, files, c.calls...); !strings.HasPrefix(says, c.says) {
					t.Errorf("the model is told %q, want %q", says, c.says)
				}
				wantFiles(t, dir, map[string]string{"f": c.want})
			})
		})
	}
}

// rewrites are two ways to make "old" something else.
func rewrites(name, new string) map[string][]string {
	return map[string][]string{
		"edit":  {"edit", `{'path':'` + name + `','edits':[{'old':'old','new':'` + new + `'}]}`},
		"write": {"read", `{'path':'` + name + `'}`, "write", `{'path':'` + name + `','text':'` + new + `'}`},
	}
}

// A file of 200 MB is refused by its size, and no client is made to send it.
func TestEditsOfAHugeFile(t *testing.T) {
	bothWays(t, func(t *testing.T, files *ourclient.Files) {
		dir := realDir(t)
		put(t, dir, "f", "old")
		if err := os.Truncate(filepath.Join(dir, "f"), 200<<20); err != nil {
			t.Fatal(err)
		}
		for how, calls := range rewrites("f", "new") {
			if says := work(t, dir, files, calls...); !strings.Contains(says, "the file has 200.0 MiB, which is too much for a tool") {
				t.Errorf("%s: the model is told %q", how, says)
			}
		}
		if info, err := os.Stat(filepath.Join(dir, "f")); err != nil || info.Size() != 200<<20 {
			t.Errorf("%v, %v", info, err)
		}
	})
}

// F154: a link out of the roots is not followed. One that stays inside is kept, and what it leads to is changed.
func TestF154_EditsByLinks(t *testing.T) {
	bothWays(t, func(t *testing.T, files *ourclient.Files) {
		dir, outside := realDir(t), realDir(t)
		put(t, dir, "f", "old")
		put(t, outside, "secret", "old")
		for name, target := range map[string]string{"in": "f", "out": filepath.Join(outside, "secret")} {
			if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		for how, calls := range rewrites("out", "new") {
			if says := work(t, dir, files, calls...); !strings.Contains(says, "out leads by a link outside the root") {
				t.Errorf("%s: the model is told %q", how, says)
			}
		}
		wantFiles(t, outside, map[string]string{"secret": "old"})
		for how, calls := range rewrites("in", "new") {
			put(t, dir, "f", "old")
			if says := work(t, dir, files, calls...); !strings.HasPrefix(says, "Replaced ") {
				t.Errorf("%s: the model is told %q", how, says)
			}
			target, err := os.Readlink(filepath.Join(dir, "in"))
			if text, _ := os.ReadFile(filepath.Join(dir, "f")); err != nil || target != "f" || string(text) != "new" {
				t.Errorf("%s: in leads to %q, %v; f is %q", how, target, err, text)
			}
		}
	})
}

// A file that may not be written stays as it is.
func TestEditsOfAReadOnlyFile(t *testing.T) {
	bothWays(t, func(t *testing.T, files *ourclient.Files) {
		dir := realDir(t)
		put(t, dir, "f", "old")
		makeReadOnly(t, filepath.Join(dir, "f"))
		for how, calls := range rewrites("f", "new") {
			says := work(t, dir, files, calls...)
			if !strings.HasPrefix(says, "failed: writing f: ") || !strings.Contains(says, "read-only") && !strings.Contains(says, "permission denied") {
				t.Errorf("%s: the model is told %q", how, says)
			}
		}
		wantFiles(t, dir, map[string]string{"f": "old"})
	})
}

// F156: a disk that is full leaves the old file, no half of a new one, and nothing beside it.
func TestF156_EditsOnAFullDisk(t *testing.T) {
	bothWays(t, func(t *testing.T, files *ourclient.Files) {
		dir := realDir(t)
		mount(t, "tmpfs", dir, "tmpfs", 0, "size=128k")
		put(t, dir, "f", "old")
		ways := rewrites("f", strings.Repeat("new ", 50_000))
		ways["write anew"] = []string{"write", `{'path':'sub/g','text':'` + strings.Repeat("new ", 50_000) + `'}`}
		for how, calls := range ways {
			says := work(t, dir, files, calls...)
			if !strings.HasPrefix(says, "failed: writing ") || !strings.Contains(says, "no space left on device") {
				t.Errorf("%s: the model is told %q", how, says)
			}
			_ = os.Remove(filepath.Join(dir, "sub")) // an empty folder may be left
			wantFiles(t, dir, map[string]string{"f": "old"})
		}
		if says := work(t, dir, files, rewrites("f", "new")["edit"]...); !strings.HasPrefix(says, "Replaced ") {
			t.Errorf("the model is told %q", says)
		}
		wantFiles(t, dir, map[string]string{"f": "new"})
	})
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// wantFiles checks that a folder has these files, and nothing else.
func wantFiles(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if old, ok := want[e.Name()]; err != nil || !ok || string(text) != old {
			t.Errorf("%s has %d bytes, %.60q, %v; want %.60q", e.Name(), len(text), text, err, old)
		}
	}
	if len(entries) != len(want) {
		t.Errorf("there are %d files, want %d", len(entries), len(want))
	}
}

// makeReadOnly makes a file one that this process can't write, even if it is root.
func makeReadOnly(t *testing.T, path string) {
	t.Helper()
	if os.Getuid() != 0 {
		if err := os.Chmod(path, 0o444); err != nil {
			t.Fatal(err)
		}
		return
	}
	mount(t, path, path, "", unix.MS_BIND, "")
	if err := unix.Mount("", path, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
}

// mount mounts something until the test ends. Where that is not allowed, the test is skipped.
func mount(t *testing.T, source, target, kind string, flags uintptr, data string) {
	t.Helper()
	err := unix.Mount(source, target, kind, flags, data)
	switch {
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES):
		t.Skipf("nothing can be mounted here (%v): run this test as root to have it", err)
	case err != nil:
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(target, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}
