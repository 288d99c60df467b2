package transport_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/transport"
)

// families are helpers that leave a child behind.
var families = []string{"parent", "parent of a daemon"}

// isGone reports whether a process has ended; what init has not reaped yet counts as gone.
func isGone(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return true
	}
	_, state, _ := bytes.Cut(stat, []byte(") "))
	return bytes.HasPrefix(state, []byte("Z"))
}

// checkGone fails the test unless a process has ended. There is no waiting: the promise is that it has.
func checkGone(t *testing.T, pid int) {
	t.Helper()
	if !isGone(pid) {
		t.Errorf("process %d lives on", pid)
	}
}

// An agent may be a client of further agents. When it dies without ending those, their descendants are found by its own
// mark (F92).
func TestDescendantsOfDescendants(t *testing.T) {
	p := start(t, "client")
	daemon := pidOf(t, p)
	p.Kill()
	_ = wait(t, p)
	checkGone(t, daemon)
}

// Starting and ending processes leaves nothing behind: no process, no descriptor, no goroutine (F92).
func TestCyclesLeaveNothing(t *testing.T) {
	const script = `sleep 1000 & setsid sleep 1000 & echo '{"ready":true}'; cat`
	badge := fmt.Sprintf("TRANSPORT_TEST_CYCLE=%d", os.Getpid())
	cycle := func(i int) {
		p, err := transport.Start(background, transport.Command{
			Path: "sh",
			Args: []string{"-c", script},
			Env:  append(os.Environ(), badge),
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := readOne(t, p); got != `{"ready":true}` {
			t.Fatalf("got %q", got)
		}
		switch i % 3 {
		case 0:
			p.Kill()
			_, err := readAll(p, limit)
			exitOf(t, err)
			p.Close()
		case 1:
			p.Close()
		case 2:
			p.Close()
			p.Kill()
		}
		_ = wait(t, p)
	}
	cycle(0) // opens what is opened once
	before := census(t, badge)
	for i := range 200 {
		cycle(i)
	}
	var after count
	defer func() {
		if t.Failed() {
			t.Logf("before %+v, after %+v", before, after)
		}
	}()
	eventually(t, "no more is left than there was", func() bool {
		after = census(t, badge)
		return after.processes == 0 && after.goroutines <= before.goroutines && after.descriptors <= before.descriptors
	})
}

// A count of what could be left behind.
type count struct{ goroutines, descriptors, processes int }

func census(t *testing.T, badge string) count {
	descriptors, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	c := count{goroutines: runtime.NumGoroutine(), descriptors: len(descriptors)}
	environs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range environs {
		if text, err := os.ReadFile(path); err == nil && strings.Contains(string(text), badge) {
			c.processes++
		}
	}
	return c
}
