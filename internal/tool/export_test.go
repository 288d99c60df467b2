package tool

import (
	"context"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/confine"
)

// IsPublic is isPublic.
var IsPublic = isPublic

// Define is define.
func Define[T any](t Tool, prepare func(env Env, in T) (*Job, error)) *Tool {
	return define(t, prepare)
}

// NewJob makes a job.
func NewJob(preview func(context.Context) ([]acp.ToolCallContent, error), run func(context.Context) (*Result, error)) *Job {
	return &Job{preview: preview, run: run}
}

// Note notes that the file at a real path has been read, and found to be empty.
func (s *Seen) Note(real string) { s.note(Path{place: confine.Place{Path: real}}, "") }

// Knows reports whether the session remembers to have read it.
func (s *Seen) Knows(real string) bool {
	seen, _ := s.compare(Path{place: confine.Place{Path: real}}, "")
	return seen
}
