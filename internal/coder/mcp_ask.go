package coder

import (
	"context"
	"errors"
	"fmt"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
	"github.com/patchbay-dev/patchbay/internal/mcp"
	"github.com/patchbay-dev/patchbay/internal/tool"
)

// begin notes in which turn a call is made, until end is called: it may be a subagent's.
func (m *servers) begin(call string, t *agent.Turn) (end func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.turns == nil {
		m.turns = map[string]*agent.Turn{}
	}
	m.turns[call] = t
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.turns, call)
	}
}

// turnOf is the turn of a call; nil if there is no such call.
func (m *servers) turnOf(call string) *agent.Turn {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.turns[call]
}

// elicit asks the user what an MCP server wants to know: in the turn of the call that it asks for, or in that of the session if
// there is one, so that it ends with that. A user who can't be asked has declined, as far as the server is concerned (F145).
func (m *servers) elicit(ctx context.Context, s *agent.Session, e mcp.Elicitation) (acp.ElicitationAction, error) {
	t := m.turnOf(e.CallID)
	if t == nil {
		t = s.Turn()
	}
	ask := s.Elicit
	if t != nil {
		s, ask = t.Session(), t.Elicit
	}
	response, err := ask(ctx, acp.CreateElicitationRequest{
		Message: fmt.Sprintf("The MCP server %q asks: %s", tool.OneLine(e.Server, maxServerTitle), tool.Visible(e.Message)),
		Mode:    e.Mode,
		Scope:   &acp.ElicitationSessionScope{SessionID: s.ID(), ToolCallID: acp.ToolCallID(e.CallID)},
	})
	switch {
	case errors.Is(err, acp.ErrUnsupported):
		return &acp.ElicitationDeclineAction{}, nil
	case err != nil:
		return nil, err
	}
	return response.Action, nil
}
