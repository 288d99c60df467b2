package terminal_test

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A descendant that has left both the group and its environment can't be found. It holds the output open, and the command
// ends a second later all the same.
func TestLostDescendantDoesNotHoldUpTheEnd(t *testing.T) {
	term := line(t, "env -i setsid sleep 1000 & until grep -q sleep /proc/$!/comm; do :; done; echo $!")
	began := time.Now()
	if got := wait(t, term); got != "0" {
		t.Errorf("ended with %s", got)
	}
	if took := time.Since(began); took < time.Second || took > 6*time.Second {
		t.Errorf("it took %v", took)
	}
	lost, err := strconv.Atoi(strings.TrimSpace(term.Output().Text))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(lost, syscall.SIGKILL); err != nil {
		t.Error("it was not there to hold anything up:", err)
	}
}

// Terminals leave neither descriptors nor goroutines.
func TestTerminalsLeaveNothing(t *testing.T) {
	descriptors := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	wait(t, line(t, "true"))
	files, goroutines := descriptors(), runtime.NumGoroutine()
	for i := range 50 {
		term := line(t, "echo x; sleep 0.0"+strconv.Itoa(i%3))
		if i%2 == 0 {
			term.Close()
		} else {
			wait(t, term)
		}
	}
	eventually(t, "no more is left than there was", func() bool {
		return descriptors() <= files && runtime.NumGoroutine() <= goroutines
	})
}
