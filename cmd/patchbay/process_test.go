package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// A process is `patchbay agent` as a child and no more: what it is told and what it says are bytes, and nothing looks after it
// but the end of the test.
type process struct {
	*testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// startProcess starts the agent in a folder of its own, without the user's configuration, with variables such as "A=b" and
// arguments.
func startProcess(t *testing.T, env []string, args ...string) *process {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, append([]string{"agent"}, args...)...)
	cmd.Dir, cmd.Stderr = t.TempDir(), os.Stderr
	cmd.Env = append(append(os.Environ(), "XDG_CONFIG_HOME="+t.TempDir()), env...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	overdue := time.AfterFunc(10*time.Minute, func() { _ = cmd.Process.Kill() })
	t.Cleanup(func() {
		overdue.Stop()
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // if the test has not
	})
	return &process{t, cmd, in, bufio.NewReader(out)}
}

// write sends lines, all at once.
func (p *process) write(lines ...string) {
	p.Helper()
	if _, err := io.WriteString(p.in, strings.Join(lines, "\n")+"\n"); err != nil {
		p.Fatal(err)
	}
}

// line reads the next line, without its end.
func (p *process) line() string {
	p.Helper()
	line, err := p.out.ReadString('\n')
	if err != nil {
		p.Fatalf("the agent has ended: %v", err)
	}
	return strings.TrimSuffix(line, "\n")
}

// end closes the agent's input, upon which it has to end soon, and well.
func (p *process) end() {
	p.Helper()
	_ = p.in.Close()
	force := time.AfterFunc(10*time.Second, func() { _ = p.cmd.Process.Kill() })
	defer force.Stop()
	if err := p.cmd.Wait(); err != nil {
		p.Errorf("the agent did not end well at the end of its input: %v", err)
	}
}
