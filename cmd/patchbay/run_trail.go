package main

import (
	"maps"
	"path/filepath"
	"slices"
	"sync"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
)

// A trail is which files were changed, as far as that can be seen from here: through us, or because a tool call that was
// completed says so. What a command does to files nobody says.
type trail struct {
	cwd string

	mu       sync.Mutex
	written  map[string]struct{}
	children map[*client.Session]struct{} // the sessions of subagents
}

func newTrail(cwd string) *trail {
	return &trail{cwd: cwd, written: map[string]struct{}{}, children: map[*client.Session]struct{}{}}
}

// see notes that a session is at work.
func (t *trail) see(s *client.Session) {
	if s.Parent() == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.children[s] = struct{}{}
}

// wrote notes a file that was written through us.
func (t *trail) wrote(path string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.add(path)
}

func (t *trail) add(path string) {
	if path == "" {
		return
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(t.cwd, path)
	}
	t.written[filepath.Clean(path)] = struct{}{}
}

// files returns the files that were changed in the turn, in order.
func (t *trail) files(o *outcome) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if o.session != nil {
		t.follow(o.session, o.called)
	}
	for s := range t.children {
		t.follow(s, 0)
	}
	return slices.Sorted(maps.Keys(t.written))
}

// follow adds what the tool calls of a session say, from one on.
func (t *trail) follow(s *client.Session, from int) {
	for i, call := range s.State().ToolCalls().All() {
		if i < from || call.Status != acp.ToolCallStatusCompleted {
			continue
		}
		diffs := call.Diffs()
		for _, d := range diffs {
			t.add(d.Path)
		}
		switch call.Kind {
		case acp.ToolKindEdit, acp.ToolKindDelete, acp.ToolKindMove:
			for _, at := range call.Locations {
				if len(diffs) == 0 {
					t.add(at.Path)
				}
			}
		}
	}
}
