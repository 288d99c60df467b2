package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// answerProbe finds out in a child what can be held, and writes it down.
func answerProbe(w io.Writer) (status int) {
	s := Support{ABI: landlockABI()}
	if err := s.try(); err != nil {
		s.Reason = err.Error()
	}
	s.OK = s.Reason == ""
	if s.OK {
		s.Gaps = gaps(s.ABI)
	}
	if json.NewEncoder(w).Encode(s) != nil {
		return 1
	}
	return 0
}

func (s *Support) try() error {
	switch {
	case s.ABI == 0:
		return errors.New("this kernel has no Landlock, or it was not switched on when it started")
	case s.ABI < minABI:
		return fmt.Errorf("this kernel's Landlock is version %d, and %d is needed (Linux 6.2)", s.ABI, minABI)
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	if err := (order{Read: []string{"/proc"}, Frozen: true}).bind(); err != nil {
		return err
	}
	return tryWalls()
}

// tryWalls does a little of what is refused.
func tryWalls() error {
	if fd, err := unix.Open("/etc", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0); err != unix.EACCES {
		_ = unix.Close(fd)
		return fmt.Errorf("the kernel lets a process read what Landlock refuses (%v)", err)
	}
	if fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0); err != unix.EACCES {
		_ = unix.Close(fd)
		return fmt.Errorf("the kernel lets a process have a socket that seccomp refuses (%v)", err)
	}
	return nil
}
