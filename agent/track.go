package agent

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// statusOf returns the tool call that an update gives a status, and the status. ok is false if it gives none.
func statusOf(u acp.SessionUpdate) (id acp.ToolCallID, status acp.ToolCallStatus, ok bool) {
	switch u := u.(type) {
	case *acp.ToolCall:
		return u.ToolCallID, u.Status, true
	case *acp.ToolCallUpdate:
		status, ok = u.Status.Get()
		return u.ToolCallID, status, ok
	}
	return "", "", false
}

// trackable reports why the author can't give a tool call a status by an update.
func (t *Turn) trackable(id acp.ToolCallID) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if call := t.open[id]; call != nil && call.handle != nil {
		return fmt.Errorf("update tool call %s: use its *ToolCall, which knows its status", id)
	}
	return nil
}

// track keeps account of tool calls whose updates the author sends, or that stand for something else. Call is noted if
// the id is not open yet.
func (t *Turn) track(id acp.ToolCallID, status acp.ToolCallStatus, call *openCall) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case status.Final():
		delete(t.open, id)
	case t.open[id] == nil:
		t.setOpenLocked(id, call)
	}
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
		err := t.closeCall(u, call)
		if call.handle != nil {
			call.handle.mu.Lock()
			call.handle.reflect(u)
			call.handle.mu.Unlock()
		}
		if unsent(err) { // what the call shows leaves no room for the reason
			u = &acp.ToolCallUpdate{ToolCallID: id, Status: acp.Some(acp.ToolCallStatusFailed), RawOutput: acp.Some(failureOutput(why))}
			err = t.closeCall(u, call)
		}
		if !call.question {
			t.session.history.add(u)
		}
		if errors.Is(err, jsonrpc.ErrClosed) {
			return // nobody is left who could miss the others
		}
	}
}

// closeCall records and sends the last update of a tool call. The client is told also if that can't be recorded: it would
// show the call as running for ever (T2).
func (t *Turn) closeCall(u acp.SessionUpdate, call *openCall) error {
	if call.question {
		return t.session.post(t.sending, u)
	}
	recorded, err := t.session.record(u)
	if err != nil {
		t.session.conn.opts.Logger.Error("the end of a tool call can't be recorded", "session", t.session.ID(), "error", err)
	}
	defer recorded.done()
	return t.session.post(t.sending, u)
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
