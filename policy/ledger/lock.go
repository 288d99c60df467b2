package ledger

import (
	"fmt"
	"os"
	"time"
)

// LockTime is how long a change waits for other processes. They hold the lock for milliseconds; one that holds it for longer
// has been stopped, and nobody waits for that.
const LockTime = 10 * time.Second

// lock takes the lock of a file. Closing the file gives it free, and so does the end of the process.
func lock(f *os.File) error {
	deadline := time.Now().Add(LockTime)
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		taken, err := tryLock(f)
		switch {
		case err != nil:
			return fmt.Errorf("lock %s: %w", f.Name(), err)
		case taken:
			return nil
		case time.Now().After(deadline):
			return fmt.Errorf("lock %s: another process has held it for %v", f.Name(), LockTime)
		}
		time.Sleep(pause)
	}
}
