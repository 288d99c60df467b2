//go:build unix

package process_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/internal/process"
	"github.com/patchbay-dev/patchbay/internal/sandbox"
)

// parent is what a child of the tests does: it sees one command out, starts another, and waits to be killed.
func parent(line string) {
	first := exec.Command("true")
	f, err := process.StartGuarded(first)
	if err != nil {
		panic(err)
	}
	seeOut(first, f)
	cmd := exec.Command("sh", "-c", line)
	cmd.Stdout = os.Stdout
	if os.Getenv(sandboxed) != "" {
		if err := sandbox.ReadOnly().Wrap(cmd); err != nil {
			panic(err)
		}
	}
	if _, err = process.StartGuarded(cmd); err != nil {
		panic(err)
	}
	fmt.Println("started")
	select {}
}

// sandboxed is set for a parent that starts the other command in a sandbox.
const sandboxed = "PROCESS_TEST_SANDBOXED"

// F48, F92: who is killed with SIGKILL can't end what it started. The guard does, and ends as well.
func TestF92_AGroupEndsWithItsKilledParent(t *testing.T) { killParent(t) }

// F92: so does what runs in a sandbox, which is no less a group.
func TestF92_ASandboxedGroupEndsWithItsKilledParent(t *testing.T) {
	if s := sandbox.Supported(); !s.OK {
		t.Skip("no sandbox: ", s.Reason)
	}
	killParent(t, sandboxed+"=yes")
}

// killParent kills a parent and wants the command to end that it has started.
func killParent(t *testing.T, env ...string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), env...), `PROCESS_TEST_PARENT=trap "" HUP TERM; sleep 1000 & sleep 1000`)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe() // which the sleepers hold open
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	if line, err := lines.ReadString('\n'); strings.TrimSpace(line) != "started" {
		t.Fatalf("the parent says %q: %v", line, err)
	}
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	ended := make(chan error, 1)
	go func() {
		_, err := io.ReadAll(lines)
		ended <- err
	}()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Error("the command goes on")
		_ = out.Close()
		<-ended
	}
	_ = cmd.Wait()
}
