package tool

import (
	"crypto/sha256"
	"slices"
	"sync"
)

// maxSeen bounds how many files a session remembers to have read. The one that was read longest ago is forgotten first.
const maxSeen = 4096

// Seen is what a session has read, or written, of files: what they held then, by their real paths. A file that holds
// something else by now must be read again before it is changed, since what the model means to change is not what is
// there. The zero Seen has seen nothing.
type Seen struct {
	mu    sync.Mutex
	files map[string][sha256.Size]byte
	order []string // the paths, the last ones at the end
}

// Forget empties it, for a conversation that begins anew.
func (s *Seen) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files, s.order = nil, nil
}

// note remembers what a file holds.
func (s *Seen) note(path Path, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.files == nil {
		s.files = map[string][sha256.Size]byte{}
	}
	key := path.place.Path
	if _, known := s.files[key]; known {
		s.order = slices.DeleteFunc(s.order, func(other string) bool { return other == key })
	} else if len(s.order) == maxSeen {
		delete(s.files, s.order[0])
		s.order = slices.Delete(s.order, 0, 1)
	}
	s.order = append(s.order, key)
	s.files[key] = sha256.Sum256([]byte(text))
}

// compare reports whether the session has seen a file, and whether it held this text then.
func (s *Seen) compare(path Path, text string) (seen, same bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum, seen := s.files[path.place.Path]
	return seen, seen && sum == sha256.Sum256([]byte(text))
}
