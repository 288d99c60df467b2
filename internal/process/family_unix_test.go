//go:build unix

package process_test

import (
	"io"
	"os"
	"os/exec"
	"testing"

	"go.uber.org/goleak"

	"github.com/patchbay-dev/patchbay/internal/process"
)

func TestMain(m *testing.M) {
	if line := os.Getenv("PROCESS_TEST_PARENT"); line != "" {
		parent(line)
	}
	goleak.VerifyTestMain(m)
}

// When a leader has died, Finish ends the children that it left behind, which hold its output open (F79).
func TestFinishEndsWhatIsLeft(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := exec.Command("sh", "-c", "sleep 1000 & exit 3")
	cmd.Stdout = w
	f, err := process.Start(cmd)
	_ = w.Close()
	if err != nil {
		t.Fatal(err)
	}
	seeOut(cmd, f)
	if _, err := io.ReadAll(r); err != nil {
		t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != 3 {
		t.Errorf("ended with status %d, want 3", got)
	}
}

// Terminate reaches a command behind a wrapper (F81), and a family that ignores it can be killed (F79).
func TestTerminateAndKillReachTheGroup(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		end    func(*process.Family)
	}{
		"terminate": {`sleep 1000 & echo; wait`, (*process.Family).Terminate},
		"kill":      {`trap "" TERM; sleep 1000 & echo; wait`, (*process.Family).Kill},
	} {
		t.Run(name, func(t *testing.T) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			cmd := exec.Command("sh", "-c", c.script)
			cmd.Stdout = w
			f, err := process.Start(cmd)
			_ = w.Close()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := r.Read(make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			c.end(f)
			seeOut(cmd, f)
			if cmd.ProcessState.Success() {
				t.Error("ended by itself")
			}
		})
	}
}

func seeOut(cmd *exec.Cmd, f *process.Family) {
	f.AwaitDeath()
	f.Finish()
	if cmd.ProcessState == nil {
		_ = cmd.Wait()
	}
	f.Release()
}
