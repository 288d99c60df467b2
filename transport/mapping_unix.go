//go:build unix

package transport

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// A mapping is memory beside the heap. The beginning of a long message lies there until all of it has come, and is given
// back to the system at that moment: on the heap it would stay, as garbage, while the message is decoded.
type mapping struct {
	b       []byte
	cleanup runtime.Cleanup // for a stream that nobody reads to its end
}

// newMapping returns an empty slice with room for size bytes, and what gives it back; or nil if the system refuses.
func newMapping(size int) (*mapping, []byte) {
	b, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil
	}
	preferLargePages(b)
	m := &mapping{b: b}
	m.cleanup = runtime.AddCleanup(m, func(b []byte) { _ = unix.Munmap(b) }, b)
	return m, b[:0]
}

// free gives the memory back. Nothing may use it any more.
func (m *mapping) free() {
	if m != nil {
		m.cleanup.Stop()
		_ = unix.Munmap(m.b)
	}
}
