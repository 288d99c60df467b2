package coder_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/sandbox"
)

// reacher is a name under which the test's program tries to reach somebody: its arguments are a network and an address.
const reacher = "reach"

func init() {
	if filepath.Base(os.Args[0]) != reacher {
		return
	}
	conn, err := net.Dial(os.Args[1], os.Args[2])
	if err == nil {
		_, err = conn.Write([]byte("x"))
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

// needsSandbox skips a test where the kernel can't hold anything.
func needsSandbox(t *testing.T) {
	t.Helper()
	if s := sandbox.Supported(); !s.OK {
		t.Skip("no sandbox: ", s.Reason)
	}
}

// call has the model call a tool, and returns what it is told of that.
func (s *scene) call(name string, input any) string {
	s.Helper()
	text, err := json.Marshal(input)
	if err != nil {
		s.Fatal(err)
	}
	s.model.mu.Lock()
	s.model.requests, s.model.answers = nil, [][]any{callOf(name, string(text))}
	s.model.mu.Unlock()
	s.turn("go", acp.StopReasonEndTurn)
	return s.results()[0]
}

// outcome runs a line and says "ok", "refused" if the kernel did that, "no home" for a home folder that isn't there, or else
// all there is to say.
func (s *scene) outcome(shell, line string) string {
	s.Helper()
	got := s.call(shell, map[string]any{"command": line, "timeout_seconds": 30})
	switch {
	case strings.HasPrefix(got, "The command ended with status 0"):
		return "ok"
	case strings.Contains(got, "ermission denied"), strings.Contains(got, "not permitted"):
		return "refused"
	case strings.Contains(got, "/nonexistent/"):
		return "no home"
	}
	return got
}

// A neighbourhood is what is around a session: a home folder with a key, a folder that is none of its roots, and programs that
// listen. Commands find it in the environment.
type neighbourhood struct {
	*scene
	outside string
}

func newNeighbourhood(t *testing.T, c *client) *neighbourhood {
	t.Helper()
	needsSandbox(t)
	home, outside := realDir(t), realDir(t)
	for path, text := range map[string]string{filepath.Join(home, ".ssh/id_ed25519"): "key\n", filepath.Join(outside, "old"): "old\n"} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", home)
	t.Setenv("OWNER", home)
	t.Setenv("OUTSIDE", outside)
	t.Setenv("OPENAI_API_KEY", "word")
	t.Setenv("TCP", listen(t, "tcp", "127.0.0.1:0"))
	t.Setenv("SOCKET", listen(t, "unix", filepath.Join(outside, "socket")))
	t.Setenv("UDP", receive(t))
	n := &neighbourhood{stage(t, c), outside}
	if out, err := exec.Command("git", "init", "-q", n.dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.WriteFile(filepath.Join(n.dir, "a.txt"), []byte("a\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	copied(t, program, filepath.Join(n.dir, reacher))
	return n
}

// listen returns the address of somebody who takes connections.
func listen(t *testing.T, network, address string) string {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l.Addr().String()
}

func receive(t *testing.T) string {
	t.Helper()
	p, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p.LocalAddr().String()
}

// copied makes a program known by another path, where the first can't be seen.
func copied(t *testing.T, from, to string) {
	t.Helper()
	if os.Link(from, to) == nil {
		return
	}
	program, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, program, 0o755); err != nil {
		t.Fatal(err)
	}
}

// A deed is a shell line, and what comes of it: without bounds, for looking only, and in the sandbox.
type deed struct{ line, full, look, sandbox string }

var deeds = []deed{
	{`cat a.txt`, "ok", "ok", "ok"},
	{`ls /usr/bin | tail -1`, "ok", "ok", "ok"},
	{`git status --short`, "ok", "ok", "ok"},
	{`go version`, "ok", "ok", "ok"},
	{`test -z "$OPENAI_API_KEY"`, "ok", "ok", "ok"},
	{`echo x > new.txt`, "ok", "refused", "ok"},
	{`mkdir -p sub && mv a.txt sub/b.txt && mv sub/b.txt a.txt`, "ok", "refused", "ok"},
	{`chmod 600 a.txt`, "ok", "refused", "ok"},
	{`echo x > "$(mktemp)"`, "ok", "refused", "ok"},
	{`mkdir "$HOME/.cache"`, "ok", "no home", "ok"},
	{`echo x > "$OUTSIDE/new"`, "ok", "refused", "refused"},
	{`echo x >> "$OUTSIDE/old"`, "ok", "refused", "refused"},
	{`setsid -w sh -c 'echo x > "$OUTSIDE/session"'`, "ok", "refused", "refused"},
	{`(echo x > "$OUTSIDE/child") & wait $!`, "ok", "refused", "refused"},
	{`ln -sf "$OUTSIDE/old" way && cat way`, "ok", "refused", "refused"},
	{`cat "$OWNER/.ssh/id_ed25519"`, "ok", "refused", "refused"},
	{`cat /proc/$PPID/environ`, "ok", "refused", "refused"},
	{`./reach tcp "$TCP"`, "ok", "refused", "refused"},
	{`./reach udp "$UDP"`, "ok", "refused", "refused"},
	{`./reach unix "$SOCKET"`, "ok", "refused", "refused"},
}

// S002.13, F175: the kernel is the second wall. Commands that get past a mode's list of tools nevertheless look only, or stay
// in the sandbox; without bounds they do all of it, so that it is the bounds that hold them. Ordinary commands work.
func TestTheKernelHoldsWhatAModeSays(t *testing.T) {
	for _, in := range []struct {
		mode  acp.SessionModeID
		shell string
		want  func(deed) string
	}{
		{"read-only", "shell", func(d deed) string { return d.look }},
		{"safe", "shell", func(d deed) string { return d.look }},
		{"plan", "shell", func(d deed) string { return d.look }},
		{"read-only", "sandbox_shell", func(d deed) string { return d.look }},
		{"sandbox", "shell", func(d deed) string { return d.sandbox }},
		{"full", "sandbox_shell", func(d deed) string { return d.sandbox }},
		{"full", "shell", func(d deed) string { return d.full }},
	} {
		t.Run(fmt.Sprintf("%s in %s", in.shell, in.mode), func(t *testing.T) {
			n := newNeighbourhood(t, &client{})
			n.coder.Trespass(n.session, in.mode)
			for _, d := range deeds {
				if got := n.outcome(in.shell, d.line); got != in.want(d) {
					t.Errorf("%s: got %s, want %s", d.line, got, in.want(d))
				}
			}
			n.wantOutside(in.shell == "shell" && in.mode == "full")
		})
	}
}

// wantOutside looks whether anything outside has changed.
func (n *neighbourhood) wantOutside(changed bool) {
	n.Helper()
	entries, err := os.ReadDir(n.outside)
	if err != nil {
		n.Fatal(err)
	}
	old, err := os.ReadFile(filepath.Join(n.outside, "old"))
	if err != nil {
		n.Fatal(err)
	}
	if got := len(entries) > 2 || string(old) != "old\n"; got != changed { // beside what was there, which is old and a socket
		n.Errorf("something outside has changed: %t, found %v", got, entries)
	}
}

// S002.13: the mode sandbox has a shell of its own, in which a session works as usual, and stays where it is.
func TestTheModeSandbox(t *testing.T) {
	n := newNeighbourhood(t, &client{})
	n.coder.Enter(n.session, "sandbox")
	for _, d := range deeds {
		if got := n.outcome("sandbox_shell", d.line); got != d.sandbox {
			t.Errorf("%s: got %s, want %s", d.line, got, d.sandbox)
		}
	}
	n.wantOutside(false)
}
