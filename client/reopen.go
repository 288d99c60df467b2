package client

import (
	"context"
	"errors"
	"fmt"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// resumeAgain resumes a session that an earlier connection had. Its State goes on, since the agent says nothing of what was.
func (c *Client) resumeAgain(ctx context.Context, req acp.ResumeSessionRequest, state *State) (*Session, error) {
	spec := setup{req.CWD, req.AdditionalDirectories, req.MCPServers, req.SystemPrompt, state}
	if err := c.check(acp.MethodSessionResume, &spec); err != nil {
		return nil, err
	}
	req.MCPServers = spec.servers
	return c.open(ctx, &spec, req.SessionID, func(ctx context.Context) (*opened, error) {
		resp, err := request[acp.ResumeSessionResponse](ctx, c, acp.MethodSessionResume, &req)
		if err != nil {
			return nil, err
		}
		return &opened{req.SessionID, resp.Modes, resp.ConfigOptions, resp.Unknown}, nil
	})
}

// loadAgain loads a session that an earlier connection had. Its history goes into a new State, and is not shown to the
// Handler, which has seen it.
func (c *Client) loadAgain(ctx context.Context, req acp.LoadSessionRequest) (*Session, error) {
	spec := setup{req.CWD, req.AdditionalDirectories, req.MCPServers, req.SystemPrompt, nil}
	if err := c.check(acp.MethodSessionLoad, &spec); err != nil {
		return nil, err
	}
	req.MCPServers = spec.servers
	return c.open(ctx, &spec, req.SessionID, func(ctx context.Context) (*opened, error) {
		pending, err := c.conn.Prepare(acp.MethodSessionLoad, &req)
		if err != nil {
			return nil, err
		}
		if s := c.Session(req.SessionID); s != nil {
			s.replay.Store(pending)
		}
		if err := pending.Send(ctx); err != nil {
			return nil, err
		}
		var resp acp.LoadSessionResponse
		if err := pending.Wait(ctx, &resp); err != nil {
			return nil, err
		}
		return &opened{req.SessionID, resp.Modes, resp.ConfigOptions, resp.Unknown}, nil
	})
}

// replays reports whether an update is part of a history that the Handler has seen before: one that was read between the
// request that loads the session anew and its answer.
func (s *Session) replays(req *jsonrpc.Request) bool {
	pending := s.replay.Load()
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

// choose makes a session what it was: in another mode, the agent would do what it had not been allowed to. What the agent
// does not offer any more is left alone.
func (s *Session) choose(ctx context.Context, was choice) error {
	var failed []error
	for i := range was.config {
		if value := changed(&was.config[i], s.state.Config()); value != nil {
			failed = append(failed, s.SetConfigOption(ctx, was.config[i].ID, value))
		}
	}
	if was.model != "" && was.model != s.state.Models().Current {
		failed = append(failed, s.SetModel(ctx, was.model))
	}
	if was.mode != "" && was.mode != s.state.Mode() {
		failed = append(failed, s.SetMode(ctx, was.mode))
	}
	if err := errors.Join(failed...); err != nil {
		return fmt.Errorf("put session %s back to what the user had chosen: %w", s.id, err)
	}
	return nil
}

// changed returns the value that an option had, nil if it has it still or can't have it.
func changed(was *acp.SessionConfigOption, now []acp.SessionConfigOption) acp.SetConfigValue {
	for i := range now {
		if now[i].ID != was.ID {
			continue
		}
		switch old := was.Value.(type) {
		case *acp.SessionConfigSelect:
			if is, ok := now[i].Value.(*acp.SessionConfigSelect); ok && is.CurrentValue != old.CurrentValue {
				return &acp.SetConfigValueID{Value: old.CurrentValue}
			}
		case *acp.SessionConfigBoolean:
			if is, ok := now[i].Value.(*acp.SessionConfigBoolean); ok && is.CurrentValue != old.CurrentValue {
				return &acp.SetConfigBoolean{Value: old.CurrentValue}
			}
		}
	}
	return nil
}
