package ledger

import (
	"os"
	"time"

	"github.com/patchbay-dev/patchbay/internal/filelock"
)

// LockTime is how long a change waits for other processes. They hold the lock for milliseconds; one that holds it for longer
// has been stopped, and nobody waits for that.
const LockTime = 10 * time.Second

// lock takes the lock of a file. Closing the file gives it free, and so does the end of the process.
func lock(f *os.File) error { return filelock.Take(f, LockTime) }
