package interop_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// An acpx runs the command acpx with `patchbay agent` as its agent. Its sessions live in a home of their own.
type acpx struct {
	t         *testing.T
	home, cwd string
	flags     []string // before the subcommand
	env       []string // default: that of this process
}

// newAcpx prepares calls with these flags. The test runs beside others from here on, since each call takes seconds.
func newAcpx(t *testing.T, flags ...string) acpx {
	t.Helper()
	if testing.Short() {
		t.Skip("a call of acpx takes seconds")
	}
	requirePeers(t)
	if runtime.GOOS == "windows" {
		t.Skip("acpx splits the agent's command line as a Unix shell does")
	}
	agent := fmt.Sprintf("'%s' agent", patchbay(t))
	t.Parallel()
	cwd := folder(t)
	flags = append([]string{"--cwd", cwd, "--agent", agent}, flags...)
	return acpx{t: t, home: folder(t), cwd: cwd, flags: flags}
}

// command is one call of acpx, not started yet.
func (a acpx) command(args ...string) *exec.Cmd {
	command := node(a.t, "node_modules/acpx/dist/cli.js", slices.Concat(a.flags, args)...)
	cmd := exec.CommandContext(deadline(a.t), command.Path, command.Args...)
	cmd.Env = append(slices.Clone(a.env), "HOME="+a.home)
	if a.env == nil {
		cmd.Env = append(os.Environ(), cmd.Env...)
	}
	cmd.Dir = a.cwd
	return cmd
}

// run calls acpx and returns what it printed and its exit code.
func (a acpx) run(args ...string) (stdout, stderr string, code int) {
	a.t.Helper()
	var out, errs bytes.Buffer
	cmd := a.command(args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		a.t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// must calls acpx and fails the test if that does not succeed.
func (a acpx) must(args ...string) string {
	a.t.Helper()
	stdout, stderr, code := a.run(args...)
	if code != 0 {
		a.t.Fatalf("acpx %q ended with code %d:\n%s\n%s", args, code, stdout, stderr)
	}
	return stdout
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in:\n%s", part, text)
		}
	}
}

func TestAcpxReads(t *testing.T) {
	a := newAcpx(t, "--approve-all")
	write(t, a.cwd, "notes.txt", "a line with TODO in it\n")
	contains(t, a.must("exec", "find TODO then read notes.txt"), "a line with TODO in it", "[done] end_turn")
}

func TestAcpxApproves(t *testing.T) {
	a := newAcpx(t, "--approve-all")
	out := a.must("exec", "write new.txt: some text then run echo it ran > ran.txt")
	contains(t, out, "session/request_permission", "[done] end_turn")
	same(t, "what was written", strings.TrimSpace(read(t, a.cwd, "new.txt")), "some text")
	same(t, "what ran", read(t, a.cwd, "ran.txt"), "it ran\n")
}

// acpx ends with code 5 when it denied something. The turn itself ends well.
func TestAcpxDenies(t *testing.T) {
	a := newAcpx(t, "--deny-all")
	stdout, stderr, code := a.run("exec", "write new.txt: some text")
	if code != 5 {
		t.Errorf("code %d, want 5\n%s%s", code, stdout, stderr)
	}
	if _, err := os.Stat(a.cwd + "/new.txt"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a denied write: %v", err)
	}
}

// A wire is what acpx prints with --format json: every message, of both directions, without saying which.
type wire []struct {
	ID     any
	Method string
	Params struct {
		ClientCapabilities object
		Update             object
		Options            []object
	}
	Result object
	Error  *peerError
}

func parseWire(t *testing.T, text string) (w wire) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	for d.More() {
		w = append(w, wire{{}}...)
		if err := d.Decode(&w[len(w)-1]); err != nil {
			t.Fatalf("%v in:\n%s", err, text)
		}
	}
	return w
}

// methods are those of the requests and notifications, each once, in order of first appearance.
func (w wire) methods() (list []string) {
	for _, m := range w {
		if m.Method != "" && !slices.Contains(list, m.Method) {
			list = append(list, m.Method)
		}
	}
	return list
}

// toolStates are the states that tool calls went through, in order.
func (w wire) toolStates() (list []string) {
	for _, m := range w {
		if s, ok := m.Params.Update["status"].(string); ok {
			list = append(list, s)
		}
	}
	return list
}

func TestAcpxShowsTheWire(t *testing.T) {
	a := newAcpx(t, "--approve-all", "--format", "json")
	w := parseWire(t, a.must("exec", "run echo hello"))
	methods := w.methods()
	for _, want := range []string{"initialize", "session/new", "session/prompt", "session/update", "session/request_permission"} {
		if !slices.Contains(methods, want) {
			t.Errorf("no %s in %v", want, methods)
		}
	}
	states := slices.Compact(w.toolStates())
	same(t, "states of the tool call", states, []string{"pending", "in_progress", "completed"})
	ended := false
	for _, m := range w {
		if ended && m.Method != "" { // acpx may answer the release of the terminal later
			t.Errorf("after the prompt's answer came %+v", m)
		}
		ended = ended || m.Result["stopReason"] == "end_turn"
	}
	if !ended {
		t.Error("the prompt was not answered with end_turn")
	}
	for _, m := range w {
		if m.Error != nil {
			t.Errorf("an error crossed the wire: %+v", *m.Error)
		}
	}
}

// W11: a client without file system and terminal is not asked for them, and the agent does its work all the same.
func TestW11_AcpxAdvertisesNothing(t *testing.T) {
	a := newAcpx(t, "--approve-all", "--format", "json", "--no-fs", "--no-terminal")
	w := parseWire(t, a.must("exec", "write new.txt: some text then run echo it ran > ran.txt"))
	for _, method := range w.methods() {
		if strings.HasPrefix(method, "fs/") || strings.HasPrefix(method, "terminal/") {
			t.Errorf("%s was called", method)
		}
	}
	same(t, "what was written", strings.TrimSpace(read(t, a.cwd, "new.txt")), "some text")
	same(t, "what ran", read(t, a.cwd, "ran.txt"), "it ran\n")
}

// background starts a call of acpx and returns what it prints, as it prints it, and a function that waits for its end.
func (a acpx) background(args ...string) (out *tail, stop func()) {
	a.t.Helper()
	out = new(tail)
	cmd := a.command(args...)
	cmd.Stdout = out
	if err := cmd.Start(); err != nil {
		a.t.Fatal(err)
	}
	return out, func() {
		a.t.Helper()
		if err := cmd.Wait(); err != nil {
			a.t.Fatalf("acpx %q: %v\n%s", args, err, out)
		}
	}
}

// await waits until a text has been written.
func (l *tail) await(t *testing.T, text string) {
	t.Helper()
	if !eventually(patience, func() bool { return strings.Contains(l.String(), text) }) {
		t.Fatalf("%q was not written:\n%s", text, l)
	}
}

// closeSession ends the session of a name and with it its owner, and sees that the owner's process is gone.
func (a acpx) closeSession(name string) {
	a.t.Helper()
	status, _, _ := a.run("status", "-s", name)
	a.must("sessions", "close", name)
	pid := regexp.MustCompile(`pid: (\d+)`).FindStringSubmatch(status)
	if pid == nil {
		return
	}
	id, err := strconv.Atoi(pid[1])
	if err != nil {
		a.t.Fatal(err)
	}
	owner, err := os.FindProcess(id)
	if err != nil {
		return
	}
	if !eventually(5*time.Second, func() bool { return owner.Signal(syscall.Signal(0)) != nil }) {
		a.t.Errorf("acpx's owner %d lives on after its session was closed", id)
		owner.Kill()
	}
}
