package client

import (
	"context"
	"errors"
	"fmt"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// replays reports whether an update is part of a history that the Handler has seen before: one that was read between the
// request that loads the session anew and its answer. The history of its subagents is part of it.
func (s *Session) replays(req *jsonrpc.Request) bool {
	pending := s.root().replay.Load()
	return pending != nil && req != nil && pending.Covers(req)
}

// abandonCalls ends the tool calls that an agent has left open by dying (F46).
func (s *State) abandonCalls() {
	for _, call := range s.ToolCalls().Slice() {
		if call.Status == acp.ToolCallStatusPending || call.Status == acp.ToolCallStatusInProgress {
			s.Apply(&acp.ToolCallUpdate{ToolCallID: call.ID, Status: acp.Some(acp.ToolCallStatusFailed)})
		}
	}
}

// A choice is what the user has chosen in a session, and an agent may have forgotten when it opens the session again.
type choice struct {
	mode   acp.SessionModeID
	model  string
	config []acp.SessionConfigOption
}

func choiceOf(s *State) choice { return choice{s.Mode(), s.Models().Current, s.Config()} }

// choose makes a session what it was: in another mode, the agent would do what it had not been allowed to. So an agent that
// says nothing of modes, options or models, when it opens the session again, is told them. What it does not offer any more
// is left alone.
func (s *Session) choose(ctx context.Context, was choice) error {
	var failed []error
	for i := range was.config {
		if value := changed(&was.config[i], s.state.Config(), s.said.options == nil); value != nil {
			failed = append(failed, s.SetConfigOption(ctx, was.config[i].ID, value))
		}
	}
	if was.model != "" && (was.model != s.state.Models().Current || s.said.unknown["models"] == nil) {
		failed = append(failed, s.SetModel(ctx, was.model))
	}
	if was.mode != "" && (was.mode != s.state.Mode() || s.said.modes == nil) {
		failed = append(failed, s.SetMode(ctx, was.mode))
	}
	if err := errors.Join(failed...); err != nil {
		return fmt.Errorf("put session %s back to what the user had chosen: %w", s.id, err)
	}
	return nil
}

// changed returns the value that an option had, nil if it has it still or can't have it. Of a silent agent it is not known
// which value the option has.
func changed(was *acp.SessionConfigOption, now []acp.SessionConfigOption, silent bool) acp.SetConfigValue {
	if silent {
		now = []acp.SessionConfigOption{*was}
	}
	for i := range now {
		if now[i].ID != was.ID {
			continue
		}
		switch old := was.Value.(type) {
		case *acp.SessionConfigSelect:
			if is, ok := now[i].Value.(*acp.SessionConfigSelect); ok && (silent || is.CurrentValue != old.CurrentValue) {
				return &acp.SetConfigValueID{Value: old.CurrentValue}
			}
		case *acp.SessionConfigBoolean:
			if is, ok := now[i].Value.(*acp.SessionConfigBoolean); ok && (silent || is.CurrentValue != old.CurrentValue) {
				return &acp.SetConfigBoolean{Value: old.CurrentValue}
			}
		}
	}
	return nil
}
