package coder

import (
	"slices"

	"github.com/patchbay-dev/patchbay/acp"
)

// A lost has the subagents that were at work when a process was killed, in the order in which they began.
type lost []*acp.SubagentUpdate

// see notes what a subagent is doing.
func (l *lost) see(u *acp.SubagentUpdate) {
	state, ok := u.State.Get()
	if !ok {
		return
	}
	*l = slices.DeleteFunc(*l, func(before *acp.SubagentUpdate) bool { return before.SessionID == u.SessionID })
	switch state.(type) {
	case *acp.RunningStateUpdate, *acp.RequiresActionStateUpdate:
		*l = append(*l, u)
	}
}

// ends are the updates that say that nothing of it works any more.
func (l lost) ends() (updates []acp.SessionUpdate) {
	for _, u := range l {
		updates = append(updates, &acp.SubagentUpdate{
			SessionID: u.SessionID, Meta: u.Meta,
			State: acp.Some[acp.StateUpdate](&acp.IdleStateUpdate{
				StopReason: acp.IdleStopReasonError, Error: acp.ErrInternal("The session broke off before the subagent ended."),
			}),
		})
	}
	return updates
}
