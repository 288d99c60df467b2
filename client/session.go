package client

import (
	"context"
	"iter"

	"github.com/patchbay-dev/patchbay/acp"
)

// A Session is a conversation with the agent.
type Session struct{}

func (s *Session) ID() acp.SessionID { return "" }
func (s *Session) Client() *Client   { return nil }
func (s *Session) Cwd() string       { return "" }

// Roots returns the directories that the session works in, the working directory first.
func (s *Session) Roots() []string { return nil }
func (s *Session) State() *State   { return nil }

// Parent returns the session that this one is a subagent of, nil for an ordinary session.
func (s *Session) Parent() *Session { return nil }

func (s *Session) Prompt(ctx context.Context, blocks ...acp.ContentBlock) (*Turn, error) {
	return nil, nil
}

// Run is Prompt and Wait, for those who see the updates in their Handler.
func (s *Session) Run(ctx context.Context, blocks ...acp.ContentBlock) (*Result, error) {
	return nil, nil
}
func (s *Session) Updates() iter.Seq[acp.SessionUpdate]                       { return nil }
func (s *Session) Turn() *Turn                                                { return nil }
func (s *Session) Cancel(ctx context.Context) error                           { return nil }
func (s *Session) Close(ctx context.Context) error                            { return nil }
func (s *Session) Done() <-chan struct{}                                      { return nil }
func (s *Session) SetMode(ctx context.Context, id acp.SessionModeID) error    { return nil }
func (s *Session) SetTitle(ctx context.Context, title string) (string, error) { return "", nil }
func (s *Session) SetConfigOption(ctx context.Context, id acp.SessionConfigID, value acp.SetConfigValue) error {
	return nil
}
