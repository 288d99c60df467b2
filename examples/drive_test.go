package examples_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// relayLog names a file. If it is set, the test binary is an agent's command that hands all lines on to the agent and back, and
// writes them down: what the client says with > before it, what the agent says with <.
const relayLog = "EXAMPLES_TEST_RELAY"

func relay(name string, command []string) {
	log, err := os.Create(name)
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	in, errIn := cmd.StdinPipe()
	out, errOut := cmd.StdoutPipe()
	if errIn != nil || errOut != nil || cmd.Start() != nil {
		panic(fmt.Sprint("the agent does not start: ", command))
	}
	var mu sync.Mutex
	hand := func(mark string, from io.Reader, to io.Writer) {
		for r := bufio.NewReader(from); ; {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			mu.Lock()
			fmt.Fprint(log, mark, line)
			mu.Unlock()
			_, _ = io.WriteString(to, line)
		}
	}
	go func() { // ends with the process
		hand("> ", os.Stdin, in)
		_ = in.Close()
	}()
	hand("< ", out, os.Stdout)
	_ = cmd.Wait()
}

// A drive is the example at work, with an agent whose messages are written down.
type drive struct {
	*testing.T
	cmd  *exec.Cmd
	in   io.WriteCloser
	wire string

	mu   sync.Mutex // guards what follows
	said strings.Builder
	news *sync.Cond
}

func (d *drive) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.news.Broadcast()
	return d.said.Write(p)
}

// startDrive starts the example in a folder.
func startDrive(t *testing.T, dir string, flags ...string) *drive {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	d := &drive{T: t, wire: filepath.Join(t.TempDir(), "wire")}
	d.news = sync.NewCond(&d.mu)
	d.cmd = exec.Command(program("drive"), append(flags, self, program("patchbay"), "agent", "--model", "offline")...)
	d.cmd.Dir, d.cmd.Stdout, d.cmd.Stderr = dir, d, d
	d.cmd.Env = append(os.Environ(), relayLog+"="+d.wire)
	if d.in, err = d.cmd.StdinPipe(); err == nil {
		err = d.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.cmd.Process.Kill() })
	return d
}

// says waits until the example has printed something, as often as said.
func (d *drive) says(text string, times int) {
	d.Helper()
	late := time.AfterFunc(30*time.Second, d.news.Broadcast)
	defer late.Stop()
	end := time.Now().Add(30 * time.Second)
	d.mu.Lock()
	defer d.mu.Unlock()
	for strings.Count(d.said.String(), text) < times {
		if time.Now().After(end) {
			d.Fatalf("%q was not printed %d times:\n%s", text, times, d.said.String())
		}
		d.news.Wait()
	}
}

func (d *drive) types(line string) {
	d.Helper()
	if _, err := io.WriteString(d.in, line+"\n"); err != nil {
		d.Fatal(err)
	}
}

// ends lets the example come to its end, and returns what crossed the wire.
func (d *drive) ends() []byte {
	d.Helper()
	_ = d.in.Close()
	if err := d.cmd.Wait(); err != nil {
		d.Fatalf("%v:\n%s", err, d.said.String())
	}
	wire, err := os.ReadFile(d.wire)
	if err != nil {
		d.Fatal(err)
	}
	return wire
}

// The fifteen steps of S000.19, in their order.
var fifteenSteps = [][2]string{
	2:  {"> ", `"initialize"`},
	3:  {"< ", `"agentCapabilities"`},
	4:  {"> ", `"session/new"`},
	5:  {"< ", `"sessionId"`},
	6:  {"> ", `"session/prompt"`},
	7:  {"< ", `"agent_message_chunk"`},
	8:  {"< ", `"sessionUpdate":"tool_call","toolCallId"`},
	9:  {"< ", `"session/request_permission"`},
	10: {"> ", `"outcome":"selected","optionId":"allow_once"`},
	11: {"< ", `"status":"in_progress"`},
	12: {"< ", `"status":"completed"`},
	13: {"< ", `"agent_message_chunk"`},
	14: {"< ", `"stopReason":"end_turn"`},
	15: {"> ", `"session/prompt"`},
}

// S000.1, S000.7, S000.12, S000.14, S000.19: the program of the seed, in under a hundred lines, takes all fifteen steps with a real
// agent: it is spawned (1) and shakes hands, and so on to the next prompt (15). On the way a file is attached, a pattern lets pass
// and what no pattern lets pass is rejected, and a plan is seen.
func TestS000_19_AProgramDrivesAnAgent(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(file, []byte("remember"), 0o600); err != nil {
		t.Fatal(err)
	}
	d := startDrive(t, dir, "-allow", "Read;Write(a.txt);Bash(git *)", "-attach", "notes.txt") // step 1
	d.types("write a.txt: hi then read")
	d.says("(end_turn)", 1)
	d.types("run git --version then run ls then plan one; two")
	d.says("(end_turn)", 2)
	wire := d.ends()
	rest := wire
	for n, step := range fifteenSteps[2:] {
		line, after, ok := lineWith(rest, step[0], step[1])
		if !ok {
			t.Fatalf("step %d, %s%s, is missing after %s in\n%s", n+2, step[0], step[1], line, wire)
		}
		rest = after
	}
	said := d.said.String()
	for _, want := range []string{"[Write a.txt: completed]", "1\tremember", "[Run `git --version`: completed]", "[Run `ls`: failed]", "[plan: 2 steps]"} {
		if !strings.Contains(said, want) {
			t.Errorf("%s is missing in\n%s", want, said)
		}
	}
	if _, _, ok := lineWith(wire, "> ", `"uri":"file://`+file+`"`); !ok && runtime.GOOS != "windows" {
		t.Errorf("the file was not attached as what it is:\n%s", wire)
	}
	if _, _, ok := lineWith(wire, "> ", `"optionId":"reject_once"`); !ok {
		t.Errorf("nothing was rejected:\n%s", wire)
	}
}

// S000.13: a mode lets pass what it is for.
func TestS000_13_AProgramHasAMode(t *testing.T) {
	d := startDrive(t, t.TempDir(), "-mode", "acceptEdits")
	d.types("write a.txt: hi then run ls")
	d.says("(end_turn)", 1)
	d.ends()
	if said := d.said.String(); !strings.Contains(said, "[Write a.txt: completed]") || !strings.Contains(said, "[Run `ls`: failed]") {
		t.Errorf("got %s", said)
	}
}

// S000.5: another process goes on with a session, whose history arrives before the answer.
func TestS000_5_AProgramLoadsASession(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d := startDrive(t, dir)
	d.types("list")
	d.says("(end_turn)", 1)
	d.ends()
	id := regexp.MustCompile(`session (\S+), 0 messages`).FindStringSubmatch(d.said.String())
	if id == nil {
		t.Fatalf("no session in %s", d.said.String())
	}
	d = startDrive(t, dir, "-load", id[1])
	d.types("list")
	d.says("(end_turn)", 1)
	d.ends()
	told, now, ok := strings.Cut(d.said.String(), "session "+id[1])
	if !ok || !strings.Contains(told, "has 1 entry") || strings.HasPrefix(now, ", 0 ") {
		t.Errorf("got %s", d.said.String())
	}
}

// S000.6, S000.18: Ctrl-C cancels a turn, or the wait for the next try of one that failed and may be tried again. The session goes on.
func TestS000_6_AProgramCancelsAndRetries(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a test can't type Ctrl-C there")
	}
	d := startDrive(t, t.TempDir())
	d.types("/demo stream 100000 1")
	d.says("word", 3)
	_ = d.cmd.Process.Signal(os.Interrupt)
	d.says("(cancelled)", 1)
	d.types("/demo failure")
	d.says("again in", 1)
	_ = d.cmd.Process.Signal(os.Interrupt)
	d.says("failed:", 1)
	d.types("list")
	d.says("(end_turn)", 1)
	if _, _, ok := lineWith(d.ends(), "> ", `"session/cancel"`); !ok {
		t.Error("nothing was cancelled")
	}
}

// S000.7, S000.8: an image goes to an agent that takes images as it is.
func TestS000_7_AProgramSendsAnImage(t *testing.T) {
	dir := t.TempDir()
	image := filepath.Join(dir, "a.png")
	if err := os.WriteFile(image, []byte("\x89PNG\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program("drive"), "-attach", image, program("media"))
	cmd.Stdin = strings.NewReader("look\n")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "image, image/png, 6 bytes") {
		t.Errorf("%v:\n%s", err, out)
	}
}
