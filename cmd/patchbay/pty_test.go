//go:build unix

package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// A screen is a pseudo-terminal with the command in it.
type screen struct {
	*testing.T
	cmd *exec.Cmd
	tty *os.File
	dir string

	mu   sync.Mutex
	seen bytes.Buffer
	more chan struct{} // of capacity 1: something was printed
	end  chan struct{} // closed when nothing more comes
}

// runOnTerminal runs the command in an empty folder.
func runOnTerminal(t *testing.T, args ...string) *screen {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	s := &screen{T: t, cmd: exec.Command(path, args...), dir: t.TempDir(), more: make(chan struct{}, 1), end: make(chan struct{})}
	s.cmd.Dir = s.dir
	s.cmd.Env = append(os.Environ(), "TERM=xterm", "NO_COLOR=")
	if s.tty, err = pty.Start(s.cmd); err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	go s.watch()
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		_ = s.tty.Close()
		<-s.end
	})
	return s
}

func (s *screen) watch() {
	defer close(s.end)
	var p [4096]byte
	for {
		n, err := s.tty.Read(p[:])
		s.mu.Lock()
		s.seen.Write(p[:n])
		s.mu.Unlock()
		select {
		case s.more <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen.String()
}

// await waits until something is on the screen.
func (s *screen) await(text string) {
	s.Helper()
	deadline := time.After(20 * time.Second)
	for !strings.Contains(s.text(), text) {
		select {
		case <-s.more:
		case <-s.end:
			if !strings.Contains(s.text(), text) {
				s.Fatalf("the screen never showed %q:\n%s", text, s.text())
			}
		case <-deadline:
			s.Fatalf("waited in vain for %q:\n%s", text, s.text())
		}
	}
}

func (s *screen) typed(keys string) {
	s.Helper()
	if _, err := io.WriteString(s.tty, keys); err != nil {
		s.Fatal(err)
	}
}

// ended waits for the end of the command, and checks its status.
func (s *screen) ended(want int) {
	s.Helper()
	done := make(chan error, 1)
	go func() { done <- s.cmd.Wait() }()
	select {
	case err := <-done:
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			s.Fatal(err)
		}
	case <-time.After(20 * time.Second):
		s.Fatalf("the command does not end:\n%s", s.text())
	}
	if got := s.cmd.ProcessState.ExitCode(); got != want {
		s.Fatalf("exit status %d, want %d:\n%s", got, want, s.text())
	}
}

func (s *screen) has(file string) bool {
	_, err := os.Stat(filepath.Join(s.dir, file))
	return err == nil
}

func TestAllowedOnTheTerminal(t *testing.T) {
	s := runOnTerminal(t, "run", "write a.txt: hello")
	s.await("asks for permission: Write a.txt")
	s.await("Choose 1-4, or y or n: ")
	if s.has("a.txt") {
		t.Error("the file is there before the answer")
	}
	s.typed("perhaps\n")
	s.await("perhaps\r\nChoose 1-4") // asked once more
	s.typed("y\n")
	s.ended(0)
	if !s.has("a.txt") {
		t.Error("the file is not there")
	}
	if !strings.Contains(s.text(), "\x1b[32m+hello\x1b[0m") {
		t.Errorf("no diff in colour:\n%q", s.text())
	}
}

func TestRejectedOnTheTerminal(t *testing.T) {
	s := runOnTerminal(t, "run", "write a.txt: hello then write a.txt: x")
	s.await("Write a.txt")
	s.await("Choose")
	s.typed("4\n") // always
	s.ended(0)     // the user knows
	if s.has("a.txt") {
		t.Error("the file was written")
	}
}

// Ctrl-C at a question cancels the turn (T4), and so does the end of the input.
func TestCtrlCAtAQuestion(t *testing.T) {
	s := runOnTerminal(t, "run", "write a.txt: hello")
	s.await("Choose")
	s.typed("\x03")
	s.ended(exitInterrupted)
	if s.has("a.txt") {
		t.Error("the file was written")
	}
	if !strings.Contains(s.text(), "denied, since the turn is cancelled: ") {
		t.Errorf("who has denied it is not said:\n%s", s.text())
	}
}

// What was typed before a question does not answer it.
func TestTypedAheadAnswersNothing(t *testing.T) {
	s := runOnTerminal(t, "run", "/demo stream 20 50 then", "--permissions", "default", "--", "sh", "-c", askAfterGo)
	s.await("WAITING")
	s.typed("y\n")
	s.await("y\r\n") // the terminal has it
	if err := os.WriteFile(filepath.Join(s.dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.await("Choose 1-2")
	s.typed("n\n")
	s.await("CHOSE {\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"nope\"}}")
	s.ended(0)
}

// askAfterGo is an agent that asks for permission when there is a file "go", and says what it was answered.
const askAfterGo = `
say() { echo '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"'"$1"'"}}}}'; }
read line; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}'
read line; echo '{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}'
read line; say WAITING
until [ -e go ]; do sleep 0.01; done
echo '{"jsonrpc":"2.0","id":9,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c","title":"Touch \u001b[2Jit"},"options":[{"optionId":"yep","name":"Fine","kind":"allow_once"},{"optionId":"nope","name":"No","kind":"reject_once"}]}}'
read line; answer=$(echo "$line" | sed 's/.*"result"://; s/}$//; s/"/\\"/g'); say "CHOSE $answer"
echo '{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}'
read line
`
