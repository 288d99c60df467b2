package ledger_test

import (
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/patchbay-dev/patchbay/policy"
	"github.com/patchbay-dev/patchbay/policy/ledger"
)

// A line of which the disk has room for the beginning alone is taken back, so that the log can be continued when there is room.
func TestAFullDiskLeavesNoHalfLine(t *testing.T) {
	path, text, _ := written(t, "git log", "git show")
	log, err := ledger.OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	full := was
	full.Cur = uint64(len(text) + 20)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &full); err != nil {
		t.Fatal(err)
	}
	err = log.Append(entry("git diff"))
	if back := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was); back != nil {
		t.Fatal(back)
	}
	if after, _ := os.ReadFile(path); err == nil || string(after) != string(text) {
		t.Errorf("%v, and %d bytes of %d", err, len(after), len(text))
	}
	if err := log.Append(entry("git diff")); err != nil {
		t.Error(err)
	}
}

// What says who may do what, and what was done, is for nobody else to read, nor to be replaced.
func TestFilesAreTheUsersAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	log, err := ledger.OpenLog(filepath.Join(dir, "logs", "audit.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(dir, "answers", "grants.json")
	if _, err := process(kept).Add(always("Read")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{log.Path(), kept, filepath.Dir(log.Path()), filepath.Dir(kept)} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}

// A pipe has no end to be waited for.
func TestAPipeIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ledger.OpenLog(path); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("as a log: %v", err)
	}
	// Somebody who writes into it keeps a reader that is wrong from waiting for ever.
	writer, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{}) // closed by the writer
	go func() {
		defer close(done)
		_, _ = writer.WriteString(`{"grants":[]}`)
		_ = writer.Close()
	}()
	defer func() { <-done }()
	if _, err := process(path).Kept(); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("as grants: %v", err)
	}
}

// The file may be kept elsewhere, with a link to it. A change leaves the link, and changes what it leads to.
func TestGrantsBehindALink(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target.json"), filepath.Join(dir, "grants.json")
	if err := os.WriteFile(target, []byte(`{"grants":[]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	if _, err := process(link).Add(always("Read")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link became %v, %v", info.Mode(), err)
	}
	if kept, err := process(target).Kept(); err != nil || len(kept) != 1 {
		t.Errorf("it leads to %v, %v", kept, err)
	}
}

// A file that is longer than any that was written is not read to a part.
func TestGrantsThatAreTooLong(t *testing.T) {
	path := filepath.Join(t.TempDir(), "grants.json")
	if err := os.WriteFile(path, []byte(`{"grants":[]}`+strings.Repeat(" ", 17<<20)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := process(path).Kept(); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("got %v", err)
	}
}

// A log is not taken for whole where a line is longer than one that was written can be, and an entry says what was unclear.
func TestLinesThatNobodyWrote(t *testing.T) {
	_, text, head := written(t, "git log")
	long := string(text) + strings.Repeat(" ", 2<<20) + "\n"
	if _, err := ledger.Verify(strings.NewReader(long), ""); err == nil || !strings.Contains(err.Error(), "line 2: is longer than") {
		t.Errorf("a long line: %v", err)
	}
	if _, err := ledger.Verify(strings.NewReader(string(text)), strings.ToUpper(head)); err != nil {
		t.Errorf("a head in capitals: %v", err)
	}
	e := ledger.EntryOf(policy.Call{Tool: policy.Bash, Command: "x", Unclear: "says two things"}, policy.Decision{})
	if !strings.Contains(e.Call, "(says two things)") {
		t.Errorf("the call is %q", e.Call)
	}
}
