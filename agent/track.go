package agent

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/patchbay-dev/patchbay/acp"
)

// track keeps account of tool calls whose updates the author sends, or that stand for something else.
func (t *Turn) track(u acp.SessionUpdate, background bool) error {
	switch u := u.(type) {
	case *acp.ToolCall:
		return t.trackStatus(u.ToolCallID, u.Status, background)
	case *acp.ToolCallUpdate:
		if status, ok := u.Status.Get(); ok {
			return t.trackStatus(u.ToolCallID, status, background)
		}
	}
	return nil
}

func (t *Turn) trackStatus(id acp.ToolCallID, status acp.ToolCallStatus, background bool) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	call := t.open[id]
	switch {
	case call != nil && call.handle != nil:
		return fmt.Errorf("update tool call %s: use its *ToolCall, which knows its status", id)
	case status.Final():
		delete(t.open, id)
	case call == nil:
		t.setOpenLocked(id, &openCall{background: background})
	}
	return nil
}

// closeCalls gives all open tool calls a final status. The turn is over for everybody else.
func (t *Turn) closeCalls(failure error) {
	t.mu.Lock()
	open := t.open
	t.open = nil
	t.mu.Unlock()
	if len(open) == 0 {
		return
	}
	why := t.whyCut(failure)
	cut := failure != nil || t.ctx.Err() != nil
	for id, call := range open {
		u := &acp.ToolCallUpdate{ToolCallID: id}
		switch {
		case call.background && !cut:
			u.Status = acp.Some(acp.ToolCallStatusCompleted)
		case call.handle != nil:
			call.handle.mu.Lock()
			_ = call.handle.fail(u, why) // never backwards: the call is open
			call.handle.mu.Unlock()
		default:
			u.Status = acp.Some(acp.ToolCallStatusFailed)
			u.RawOutput = acp.Some(failureOutput(why))
		}
		t.session.history.add(u)
		if err := t.session.post(t.sending, u); err != nil {
			return // the connection is gone, and with it everybody who could miss the others
		}
	}
}

// whyCut is what a tool call shows that did not come to its own end.
func (t *Turn) whyCut(failure error) string {
	reason := t.CancelReason()
	switch {
	case t.ctx.Err() != nil && reason != "":
		return "Cancelled: " + reason
	case t.ctx.Err() != nil:
		return "Cancelled."
	case errors.Is(failure, errPanicked):
		return "The agent failed."
	case failure != nil:
		return "The turn failed: " + failure.Error()
	}
	return "The turn ended before the tool did."
}

// absolute makes a path absolute. Relative ones are meant from dir.
func absolute(dir, path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// resolveLocations returns locations with absolute paths.
func (s *Session) resolveLocations(list []acp.ToolCallLocation) []acp.ToolCallLocation {
	for i, location := range list {
		if path := s.resolve(location.Path); path != location.Path {
			list = append([]acp.ToolCallLocation(nil), list...)
			list[i].Path = path
		}
	}
	return list
}

// resolveContent returns content whose diffs have absolute paths.
func (s *Session) resolveContent(list []acp.ToolCallContent) []acp.ToolCallContent {
	for i, content := range list {
		diff, ok := content.(*acp.Diff)
		if !ok {
			continue
		}
		if path := s.resolve(diff.Path); path != diff.Path {
			moved := *diff
			moved.Path = path
			list = append([]acp.ToolCallContent(nil), list...)
			list[i] = &moved
		}
	}
	return list
}
