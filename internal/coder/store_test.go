package coder_test

import (
	"errors"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
)

// F173: of the sessions that are closed, only those that were used last are kept. One that is open is kept however long it
// is idle: it takes prompts, is listed, and can be loaded once it is closed.
func TestF173_AnOpenSessionIsKept(t *testing.T) {
	c := begin(t, &client{})
	opened := c.session
	c.turn("hello", acp.StopReasonEndTurn)
	var first acp.SessionID
	for i := range 300 {
		var other acp.NewSessionResponse
		c.must(acp.MethodSessionNew, &acp.NewSessionRequest{CWD: c.dir, MCPServers: []acp.MCPServer{}}, &other)
		c.session = other.SessionID
		if i == 0 {
			first = other.SessionID
		}
		c.turn("hello", acp.StopReasonEndTurn) // without a turn it is in no list
		c.must(acp.MethodSessionClose, &acp.CloseSessionRequest{SessionID: other.SessionID}, &acp.CloseSessionResponse{})
	}
	c.session = opened
	var list acp.ListSessionsResponse
	c.must(acp.MethodSessionList, &acp.ListSessionsRequest{}, &list)
	if n := len(list.Sessions); n != 256 {
		t.Errorf("%d sessions are listed, want 256", n)
	}
	load := func(id acp.SessionID) error {
		return c.rpc.Call(t.Context(), acp.MethodSessionLoad, &acp.LoadSessionRequest{SessionID: id, CWD: c.dir, MCPServers: []acp.MCPServer{}}, nil)
	}
	if err := load(first); !errors.Is(err, &acp.Error{Code: acp.CodeResourceNotFound}) {
		t.Errorf("loading a session that was dropped: %v", err)
	}
	c.turn("hello again", acp.StopReasonEndTurn)
	c.must(acp.MethodSessionClose, &acp.CloseSessionRequest{SessionID: opened}, &acp.CloseSessionResponse{})
	if err := load(opened); err != nil {
		t.Errorf("loading the session that was open: %v", err)
	}
}
