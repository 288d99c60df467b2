//go:build unix

package coder_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
)

// inMemory is what heap and stacks take after a collection, in bytes.
func inMemory() int64 {
	runtime.GC()
	runtime.GC() // finalizers of the first one let go of more
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}

// worked is how long this process has had a processor.
func worked(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// F172: a session in which something was said and nothing is going on takes less than 256 KiB, and next to no time of a
// processor: what some hundreds of them in folders of their own take, all that looks after them included, is divided by them.
func TestF172_IdleSessionsCostNextToNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector takes memory and time of its own")
	}
	many := 300
	if os.Getenv("PATCHBAY_SOAK") != "" {
		many = 1000
	}
	c := beginWith(t, &client{}, in(openStore(t, t.TempDir())))
	c.turn("list", acp.StopReasonEndTurn)
	root, long := t.TempDir(), []byte(strings.Repeat("a line of a file\n", 2000))
	before := inMemory()
	for i := range many {
		c.dir = filepath.Join(root, strconv.Itoa(i))
		if err := os.Mkdir(c.dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(c.dir, "long.txt"), long, 0o666); err != nil {
			t.Fatal(err)
		}
		c.session = c.openAnother()
		for range 2 {
			c.turn("read long.txt", acp.StopReasonEndTurn)
		}
	}
	c.forget()
	each := (inMemory() - before) / int64(many)
	t.Logf("an idle session takes %d KiB", each>>10)
	if each > 256<<10 {
		t.Errorf("an idle session takes %d KiB, want less than 256", each>>10)
	}
	const span = 4 * time.Second // in which commands are looked for twice
	start := worked(t)
	<-time.After(span)
	busy := worked(t) - start
	t.Logf("%d idle sessions take %v of a processor in %v", many, busy, span)
	if share := float64(busy) / float64(span); share > 0.3 { // a twentieth of that, as a rule

		t.Errorf("%d idle sessions take %.0f %% of a processor", many, 100*share)
	}
}
