package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"github.com/patchbay-dev/patchbay/internal/sandbox"
)

// built returns the path of the command, built once.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "patchbay-test-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "patchbay")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		os.Stderr.Write(out)
		return "", err
	}
	return path, nil
})

func TestMain(m *testing.M) {
	state, err := os.MkdirTemp("", "patchbay-state-")
	if err == nil {
		err = os.Setenv("XDG_STATE_HOME", state) // sessions of tests are nobody's
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	code := m.Run()
	_ = os.RemoveAll(state)
	if err := goleak.Find(goleak.IgnoreTopFunction("go.opencensus.io/stats/view.(*worker).start")); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	if path, err := built(); err == nil {
		_ = os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// The scripts run the command as a user does, against the built-in agent and against agents in a few lines of shell. Each
// is a page of what the user types and sees.
//
// F58: what is denied for want of a terminal is said, and is status 6 (permissions). F72, F73: a session that is gone is status
// 12, or a new one that is announced if that is wanted (open). F170: each stop reason has a status (endings, limits).
func TestScripts(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the agents in the scripts are written for a Unix shell")
	}
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", filepath.Dir(path)+string(filepath.ListSeparator)+env.Getenv("PATH"))
			env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, ".state"))
			return nil
		},
		Condition: func(name string) (bool, error) {
			if name == "sandbox" {
				return sandbox.Supported().OK, nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status":    statusCommand,
			"jsonl":     jsonLinesCommand,
			"interrupt": signalCommand(os.Interrupt),
			"terminate": signalCommand(syscall.SIGTERM),
			"hangup":    signalCommand(syscall.SIGHUP),
			"first":     firstCommand,
			"head":      headCommand,
		},
	})
}

// statusCommand is `status N command...`: it runs a command that has to end with a status.
func statusCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit, ok := err.(*exec.ExitError); ok {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// firstCommand is `first TEXT`: it sets SESSION to the id of the first session in a list of sessions whose line has a text.
func firstCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: first TEXT")
	}
	ts.Check(ts.Exec("patchbay", "sessions", "--archived", "include"))
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		if strings.Contains(line, args[0]) {
			ts.Setenv("SESSION", strings.Fields(line)[0])
			return
		}
	}
	ts.Fatalf("no session has %q in its line", args[0])
}

// jsonLinesCommand is `jsonl FILE`: every line of a file has to be a JSON object.
func jsonLinesCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: jsonl FILE")
	}
	lines := bufio.NewScanner(strings.NewReader(ts.ReadFile(args[0])))
	lines.Buffer(nil, 64<<20)
	n := 0
	for ; lines.Scan(); n++ {
		var object map[string]jsontext.Value
		if err := json.Unmarshal(lines.Bytes(), &object); err != nil {
			ts.Fatalf("line %d is no JSON object: %v: %s", n+1, err, lines.Bytes())
		}
	}
	if n == 0 {
		ts.Fatalf("%s is empty", args[0])
	}
}

// signalCommand is `interrupt TEXT TIMES command...`, or with SIGTERM `terminate`, with SIGHUP `hangup`: it runs a command, sends it a Ctrl-C as often
// as said, the first once it has printed the text and each other one once it has printed "cancelling", and prints its exit
// status.
func signalCommand(sig os.Signal) func(ts *testscript.TestScript, neg bool, args []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) < 3 {
			ts.Fatalf("usage: interrupt TEXT TIMES command...")
		}
		runAndSignal(ts, sig, args)
	}
}

func runAndSignal(ts *testscript.TestScript, sig os.Signal, args []string) {
	times, err := strconv.Atoi(args[1])
	ts.Check(err)
	path, err := built()
	ts.Check(err)
	cmd := exec.Command(path, args[3:]...)
	cmd.Dir, cmd.Env = ts.Getenv("WORK"), os.Environ()
	for _, name := range []string{"PATH", "HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	watch := &trigger{cues: append([]string{args[0]}, slices.Repeat([]string{"cancelling"}, times-1)...), pull: func() { _ = cmd.Process.Signal(sig) }}
	cmd.Stdout, cmd.Stderr = watch, watch
	if err := cmd.Run(); err != nil {
		if _, ok := err.(*exec.ExitError); !ok {
			ts.Check(err)
		}
	}
	ts.Check(os.WriteFile(ts.MkAbs("printed"), watch.seen.Bytes(), 0o600))
	ts.Logf("%s", watch.seen.Bytes())
	ts.Check(os.WriteFile(ts.MkAbs("status"), []byte(strconv.Itoa(cmd.ProcessState.ExitCode())+"\n"), 0o600))
}

// A trigger does something each time that the next cue has been printed.
type trigger struct {
	pull func()

	mu   sync.Mutex
	seen bytes.Buffer
	cues []string
}

func (g *trigger) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.seen.Write(p)
	for len(g.cues) > 0 && bytes.Contains(g.seen.Bytes(), []byte(g.cues[0])) {
		g.cues = g.cues[1:]
		g.pull()
	}
	return len(p), nil
}
