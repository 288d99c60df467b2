//go:build unix

package transport_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/patchbay-dev/patchbay/transport"
)

// printed is what the helper "stdio" prints where only the protocol should be.
const printed = "printed by the agent\nwritten to descriptor 1\nprinted by a child\n"

// Whatever is printed, by the agent, past os.Stdout or by a child, goes to standard error, and standard output carries
// messages and nothing else (F1, F3). Neither the agent nor its children can read what is for the stream (F93, F108). The
// helper checks the latter, and that there is only one such stream.
func TestStdioIsPrivate(t *testing.T) {
	p := start(t, "stdio", patient)
	for _, message := range []string{`{"a":1}`, `{"b":"` + strings.Repeat("x", 200_000) + `"}`} {
		mustWrite(t, p, message)
		if got := readOne(t, p); got != message {
			t.Errorf("got %.100q, want %.100q", got, message)
		}
	}
	p.Close()
	if err := wait(t, p); err != nil {
		t.Error(err)
	}
	if got := p.Stderr(); got != printed {
		t.Errorf("standard error has %q, want %q", got, printed)
	}
}

// Close makes a Read return that waits for a pipe (W8), and leaves the pipe in the mode in which it was found.
func TestW8_StdioClose(t *testing.T) {
	theirs, ours, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	defer ours.Close()
	_ = theirs.Fd() // puts it in blocking mode
	runStdio(t, theirs)
	if isNonblocking(t, theirs) {
		t.Error("the pipe was left in non-blocking mode")
	}
}

// A terminal can't be put in non-blocking mode, which is not the agent's alone, nor does a read of it end. Close makes the
// stream's Read return all the same.
func TestW8_StdioCloseOnTerminal(t *testing.T) {
	terminal, other := openTerminal(t)
	runStdio(t, terminal)
	if isNonblocking(t, terminal) || isNonblocking(t, other) {
		t.Error("the terminal was put in non-blocking mode")
	}
}

// runStdio runs the helper "stdio" with a standard input, to close its stream while it reads.
func runStdio(t *testing.T, stdin *os.File) {
	t.Helper()
	cmd := self("stdio")
	cmd.Env = append(cmd.Env, "TRANSPORT_TEST_CLOSE=1")
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &stdout, &stderr
	ended := make(chan error, 1)
	go func() { ended <- cmd.Run() }()
	if err := within(t, "the agent to close", ended); err != nil {
		t.Errorf("%v: %s", err, stderr.String())
	}
	if got := stdout.String(); got != "1\n" {
		t.Errorf("standard output has %q", got)
	}
	if got := stderr.String(); got != printed+"closed\n" {
		t.Errorf("standard error has %q", got)
	}
}

func isNonblocking(t *testing.T, f *os.File) (nonblocking bool) {
	t.Helper()
	raw, err := f.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	err = raw.Control(func(fd uintptr) {
		flags, err := unix.FcntlInt(fd, unix.F_GETFL, 0)
		if err != nil {
			t.Error(err)
		}
		nonblocking = flags&unix.O_NONBLOCK != 0
	})
	if err != nil {
		t.Fatal(err)
	}
	return nonblocking
}

// Files do in the place of pipes, as in "agent < requests > answers".
func TestStdioOnFiles(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	if err := os.WriteFile(in, []byte("{\"a\":1}\n{\"b\":2}"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", `exec "$0" < "$1" > "$2"`, os.Args[0], in, out)
	cmd.Env = helperEnv("stdio")
	if text, err := cmd.CombinedOutput(); err != nil || string(text) != printed {
		t.Errorf("%v: %q", err, text)
	}
	if got, _ := os.ReadFile(out); string(got) != "{\"a\":1}\n{\"b\":2}\n" {
		t.Errorf("wrote %q", got)
	}
}

// One socket may be all of standard input, output and error. It stays in blocking mode then: the text on standard error
// would suffer otherwise.
func TestStdioOnOneSocket(t *testing.T) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	unix.CloseOnExec(pair[0])
	unix.CloseOnExec(pair[1])
	theirs := os.NewFile(uintptr(pair[0]), "theirs")
	defer theirs.Close()
	if err := unix.SetNonblock(pair[1], true); err != nil {
		t.Fatal(err)
	}
	ours := os.NewFile(uintptr(pair[1]), "ours")
	s := transport.New(ours, ours, transport.Options{})
	defer s.Close()
	cmd := self("stdio")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, s, `{"a":1}`)
	want := append(strings.Split(strings.TrimSpace(printed), "\n"), `{"a":1}`)
	var got []string
	for len(got) < len(want) {
		frames, err := s.Read(limit)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range frames {
			got = append(got, show(f))
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if isNonblocking(t, theirs) {
		t.Error("the socket was put in non-blocking mode")
	}
	if err := unix.Shutdown(pair[1], unix.SHUT_WR); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
