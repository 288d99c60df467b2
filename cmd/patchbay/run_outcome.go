package main

import (
	"context"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
)

// An outcome is how a run ended.
type outcome struct {
	agent     *acp.Implementation
	session   *client.Session // nil if there was none
	beginning beginning       // how it was opened
	wanted    acp.SessionID   // the session that was asked for, if it was one that was there already
	replaced  acp.SessionID   // the same, if a new one has taken its place
	said      int             // how many messages and tool calls the session had before the turn
	called    int
	subagents []reportedSubagent // that it had by then
	result    *client.Result     // nil if the turn did not end
	denied    []denial
	changed   []string  // the files
	cost      *acp.Cost // of the turn
	took      time.Duration
	signIns   []string   // the agent's ways to sign in
	stopped   bool       // whether the turn, or what came before it, is over
	cause     error      // what had ended the context by then
	end       *exitError // nil if all went well
}

// begin says which session it is.
func (o *outcome) begin(s *client.Session, how beginning) {
	o.session, o.beginning = s, how
	if how != beginNew {
		o.said, o.called = s.State().Messages().Len(), s.State().ToolCalls().Len()
		o.subagents = reportSubagents(s.State().SubagentTree())
	}
}

// stop keeps why the context has ended, if it has. What comes after the first call, while the agent is being ended, doesn't
// count.
func (o *outcome) stop(ctx context.Context) {
	if !o.stopped {
		o.stopped, o.cause = true, context.Cause(ctx)
	}
}
