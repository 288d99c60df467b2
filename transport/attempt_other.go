//go:build !unix

package transport

import (
	"io"
	"syscall"
)

// rawConn returns nil: nothing can be written here without waiting.
func rawConn(io.Writer) syscall.RawConn { return nil }

// An attempt is never made here.
type attempt struct{}

func (*attempt) write(syscall.RawConn, []byte) (int, error) { return 0, nil }
