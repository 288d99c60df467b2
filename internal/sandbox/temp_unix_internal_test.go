//go:build unix

package sandbox

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestHoldsTemp is the process that TestFoldersOfKilledProcessesAreRemoved kills.
func TestHoldsTemp(t *testing.T) {
	if os.Getenv("SANDBOX_TEST_HOLDS") == "" {
		t.Skip("it is run by another test")
	}
	dir, err := MakeTemp()
	if err != nil {
		t.Fatal(err)
	}
	os.Stdout.WriteString(dir + "\n")
	_, _ = os.Stdin.Read(make([]byte, 1)) // until it is killed
}

// What a process leaves that is killed is removed by the next one, and what one that lives has is not.
func TestFoldersOfKilledProcessesAreRemoved(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	dead, _ := holder(t)
	if err := dead.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = dead.Wait()
	_, kept := holder(t)
	left, err := filepath.Glob(filepath.Join(temp, tempPrefix+"*"))
	if err != nil || len(left) != 2 || left[0] != kept || left[1] != kept+lockSuffix {
		t.Errorf("left are %q, and in use is %s", left, kept)
	}
	mine, err := MakeTemp()
	if err != nil {
		t.Fatal(err)
	}
	if err := RemoveTemp(mine); err != nil {
		t.Error(err)
	}
	if left, _ = filepath.Glob(filepath.Join(temp, tempPrefix+"*")); len(left) != 2 {
		t.Errorf("left are %q", left)
	}
}

// holder starts a process that has a folder for what is temporary.
func holder(t *testing.T) (cmd *exec.Cmd, dir string) {
	t.Helper()
	cmd = exec.Command(os.Args[0], "-test.run=^TestHoldsTemp$")
	cmd.Env = append(os.Environ(), "SANDBOX_TEST_HOLDS=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close(); _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, _, err := bufio.NewReader(out).ReadLine()
	if err != nil {
		t.Fatal(err)
	}
	return cmd, string(line)
}
