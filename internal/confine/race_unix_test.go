//go:build unix

package confine_test

import (
	"os"
	"sync"
	"syscall"
	"testing"

	"github.com/patchbay-dev/patchbay/internal/confine"
)

// While a file turns into a link that leads out, a pipe, and a file again, as fast as can be, nothing outside is ever read
// or written, and nothing waits (F154).
func TestF154_SwappedAllTheTime(t *testing.T) {
	h := newHouse(t)
	secret := h.file(t, "outside/secret", "secret")
	stop := make(chan struct{})
	var swapper sync.WaitGroup
	swapper.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			next := h.root + "/next"
			switch i % 3 {
			case 0:
				_ = os.WriteFile(next, []byte("mine"), 0o644)
			case 1:
				_ = os.Symlink(secret, next)
			case 2:
				_ = syscall.Mkfifo(next, 0o644)
			}
			_ = os.Rename(next, h.root+"/x")
		}
	})
	defer swapper.Wait()
	defer close(stop)
	var read, written int
	for range 2000 {
		if place, err := h.space.Resolve("x"); err == nil {
			if place.WriteFile([]byte("mine")) == nil {
				written++
			}
			read += readMine(t, place)
		}
	}
	if got := content(t, secret); got != "secret" {
		t.Errorf("what is outside became %q", got)
	}
	if read == 0 || written == 0 {
		t.Errorf("read %d times, written %d times: nothing was tried", read, written)
	}
}

// readMine reads a file if it can, which must hold one text and no other, and returns how often that worked.
func readMine(t *testing.T, place confine.Place) int {
	f, _, err := place.Open()
	if err != nil {
		return 0
	}
	defer f.Close()
	text, err := confine.ReadText(t.Context(), f, confine.Lines{}, 100)
	if err != nil || text != "mine" && text != "" { // the swapper's own writes are not whole
		t.Errorf("read %q and %v", text, err)
	}
	return 1
}
