package agent

// Unrecorded is how many updates wait while others are recorded.
func (s *Session) Unrecorded() int {
	r := s.recording.Load()
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.queue)
}
