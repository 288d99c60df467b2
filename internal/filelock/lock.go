// Package filelock has the lock of a file that several processes change.
package filelock

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// Take takes the lock of an open file, and waits for it so long. Closing the file gives it free, and so does the end of the process.
func Take(f *os.File, patience time.Duration) error {
	deadline := time.Now().Add(patience)
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		taken, err := tryLock(f)
		switch {
		case err != nil:
			return fmt.Errorf("lock %s: %w", f.Name(), err)
		case taken:
			return nil
		case time.Now().After(deadline):
			return fmt.Errorf("lock %s: another process has held it for %v", f.Name(), patience)
		}
		time.Sleep(pause)
	}
}

// With does something while no other process does anything with this file, which is made if it isn't there.
func With(name string, patience time.Duration, do func() error) (err error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := Take(f, patience); err != nil {
		return err
	}
	return do()
}
