package sandbox_test

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/patchbay-dev/patchbay/internal/sandbox"
)

// A program of this name is the test binary, and does what its arguments say: see acts_linux_test.go.
const actor = "sandbox-test-actor"

func TestMain(m *testing.M) {
	if os.Args[0] == actor {
		for _, deed := range os.Args[1:] {
			fmt.Println(outcome(do(strings.Fields(deed))))
		}
		os.Exit(0)
	}
	code := m.Run()
	if dir, err := scratch(); err == nil {
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}

// scratch is a folder that every user can look into, unlike those of package testing.
var scratch = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "patchbay-sandbox-test-")
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	return dir, err
})

// program is a copy of the test binary that every user can start.
var program = sync.OnceValues(func() (string, error) {
	dir, err := scratch()
	if err != nil {
		return "", err
	}
	in, err := os.Open("/proc/self/exe")
	if err != nil {
		return "", err
	}
	defer in.Close()
	out, err := os.OpenFile(filepath.Join(dir, "program"), os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		return "", err
	}
	if _, err := io.Copy(out, in); err != nil {
		return "", err
	}
	return out.Name(), out.Close()
})

// A world is a machine in small: a home folder with a key, a project, and something outside.
type world struct {
	*testing.T
	dir, home, root, outside, temp string
	who                            *syscall.Credential // nil for who runs the test
}

// inWorlds runs a test as the user that runs it and, if that is root, as nobody too.
func inWorlds(t *testing.T, test func(w *world)) {
	t.Helper()
	if s := sandbox.Supported(); !s.OK {
		t.Skip("no sandbox: ", s.Reason)
	}
	if os.Geteuid() != 0 {
		t.Run("user", func(t *testing.T) { test(newWorld(t, nil)) })
		return
	}
	t.Run("root", func(t *testing.T) { test(newWorld(t, nil)) })
	t.Run("nobody", func(t *testing.T) { test(newWorld(t, &syscall.Credential{Uid: 65534, Gid: 65534})) })
}

func newWorld(t *testing.T, who *syscall.Credential) *world {
	t.Helper()
	base, err := scratch()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(base, "world-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sandbox.RemoveTemp(dir) })
	w := &world{T: t, dir: dir, home: dir + "/home", root: dir + "/home/project", outside: dir + "/outside", who: who}
	t.Setenv("HOME", w.home)
	w.write("home/.ssh/id", "KEY")
	w.write("home/.config/tool/token", "KEY")
	w.write("home/project/file", "inside")
	w.write("home/project/sub/file", "below")
	w.write("outside/file", "outside")
	w.write("outside/folder/file", "outside")
	if w.temp, err = sandbox.MakeTemp(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sandbox.RemoveTemp(w.temp) })
	w.own(dir)
	w.own(w.temp)
	return w
}

// write makes a file, by its path in the world.
func (w *world) write(path, text string) {
	w.Helper()
	path = filepath.Join(w.dir, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.Fatal(err)
	}
}

// own gives all that is in a folder to the user of the world.
func (w *world) own(dir string) {
	if w.who == nil {
		return
	}
	_ = filepath.Walk(dir, func(path string, _ os.FileInfo, _ error) error {
		return os.Lchown(path, int(w.who.Uid), int(w.who.Gid))
	})
}

func (w *world) isRoot() bool { return w.who == nil && os.Geteuid() == 0 }

// ifRoot returns what comes of a deed that only root may do.
func (w *world) ifRoot(free string) string {
	if w.isRoot() {
		return free
	}
	return "-"
}

func (w *world) readOnly() sandbox.Policy  { return sandbox.ReadOnly(w.root) }
func (w *world) workspace() sandbox.Policy { return sandbox.Workspace(w.temp, w.root) }

// command returns a command of the world's user in the project.
func (w *world) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = w.root
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: w.who}
	return cmd
}

// run runs a command under a policy, or freely if that is nil, and returns what it writes, trimmed, and its status.
func (w *world) run(p *sandbox.Policy, cmd *exec.Cmd) (out string, status int) {
	w.Helper()
	if p != nil {
		if err := p.Wrap(cmd); err != nil {
			w.Fatal(err)
		}
	}
	text, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		w.Fatal(err)
	}
	return strings.TrimSpace(string(text)), cmd.ProcessState.ExitCode()
}

func (w *world) sh(p sandbox.Policy, script string) (out string, status int) {
	w.Helper()
	return w.run(&p, w.command("sh", "-c", script))
}

// acting returns a command that does something, one thing an argument, with descriptors from 3 up.
func (w *world) acting(files []*os.File, deeds ...string) *exec.Cmd {
	w.Helper()
	path, err := program()
	if err != nil {
		w.Fatal(err)
	}
	cmd := w.command(path)
	cmd.Args = append([]string{actor}, deeds...)
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0") // the race detector waits for a second at each exit
	cmd.ExtraFiles = files
	return cmd
}

// A deed is something that a process does, what comes of it under a policy, and freely.
type deed struct {
	do   string // words of an act; {home} and so on stand for places
	want string // "ok", or one of several errors, separated by |
	free string // what comes of it without a sandbox: "ok" if empty; "-" if that does not matter
}

// hold tries deeds under a policy, and without one, since a wall proves nothing where there is no way.
func (w *world) hold(p sandbox.Policy, deeds []deed) {
	w.Helper()
	for i, got := range w.try(&p, deeds) {
		if !isOneOf(got, deeds[i].want) {
			w.Errorf("%s: %q, want %q", deeds[i].do, got, deeds[i].want)
		}
	}
	deeds = slices.DeleteFunc(slices.Clone(deeds), func(d deed) bool { return d.free == "-" })
	for i, got := range w.try(nil, deeds) {
		if want := cmp.Or(deeds[i].free, "ok"); !isOneOf(got, want) {
			w.Errorf("%s without a sandbox: %q, want %q: the test proves nothing", deeds[i].do, got, want)
		}
	}
}

// try has one process do all deeds, and returns what comes of each.
func (w *world) try(p *sandbox.Policy, deeds []deed) []string {
	w.Helper()
	if len(deeds) == 0 {
		return nil
	}
	var words []string
	for _, d := range deeds {
		words = append(words, w.expand(d.do))
	}
	out, status := w.run(p, w.acting(nil, words...))
	results := strings.Split(out, "\n")
	if status != 0 || len(results) != len(deeds) {
		w.Fatalf("%d deeds, and %q, status %d", len(deeds), out, status)
	}
	return results
}

func isOneOf(got, want string) bool {
	for one := range strings.SplitSeq(want, "|") {
		if got == one {
			return true
		}
	}
	return false
}

func (w *world) expand(text string) string {
	return strings.NewReplacer("{home}", w.home, "{root}", w.root, "{outside}", w.outside, "{temp}", w.temp,
		"{up}", strings.Repeat("../", strings.Count(w.root, "/"))).Replace(text)
}

// start starts a process of the world's user that is no part of any sandbox, and returns its number.
func (w *world) start() string {
	w.Helper()
	cmd := w.command("sleep", "1000")
	cmd.Env = []string{"TOKEN=KEY"}
	if err := cmd.Start(); err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return strconv.Itoa(cmd.Process.Pid)
}
