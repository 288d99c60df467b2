package main

import (
	"context"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/policy"
)

// guard decides about what the agent does through us without asking: by the same policy that answers its permission requests,
// so that an agent which never asks is bound as well (F55). What the user has allowed it is not asked about again.
func (r *run) guard(ctx context.Context, s *client.Session, a *client.Access) error {
	call, wants := accessed(placeOf(s), a)
	q := &request{call: call, wants: wants, made: decide(r.rules.policy, wants)}
	q.SessionID, q.Options = s.ID(), guardOptions
	if q.made.Verdict == policy.Ask && r.consented(ctx, s, a, &wants) {
		q.made.Verdict, q.made.Reason = policy.Allow, "the agent has asked about this, and was allowed to"
	}
	if q.made.Verdict == policy.Allow {
		err := r.record(s, q, &answer{outcome: choose(policy.Allow, guardOptions), by: reasonOf(q.made)})
		if err != nil {
			r.unrecorded(q, err)
			return acp.ErrInternal("%s: permission denied", call.Title)
		}
		return nil
	}
	if a.Write != nil && r.asker.terminal {
		call.Content = []acp.ToolCallContent{acp.DiffContent(a.Write.Path, r.textOf(ctx, s, a.Write.Path), a.Write.Content)}
	}
	if option := chosenOf(guardOptions, r.answer(ctx, s, q)); option != nil && option.Kind.Allows() {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return acp.ErrInternal("%s: permission denied", call.Title)
}

// guardOptions are the answers to a question that is ours and not the agent's.
var guardOptions = acp.PermissionOptions(acp.PermissionOptionKindAllowOnce, acp.PermissionOptionKindRejectOnce)

// accessed describes what an agent does, for people and for rules.
func accessed(place policy.Place, a *client.Access) (*client.ToolCall, policy.Call) {
	switch {
	case a.Read != nil:
		return &client.ToolCall{
			Title: "Read " + a.Read.Path, Kind: acp.ToolKindRead, Locations: []acp.ToolCallLocation{{Path: a.Read.Path}},
		}, policy.FromReadTextFile(place, *a.Read)
	case a.Write != nil:
		return &client.ToolCall{
			Title: "Write " + a.Write.Path, Kind: acp.ToolKindEdit, Locations: []acp.ToolCallLocation{{Path: a.Write.Path}},
		}, policy.FromWriteTextFile(place, *a.Write)
	}
	wants := policy.FromCreateTerminal(place, *a.Command)
	return &client.ToolCall{Title: "Run " + wants.Command, Kind: acp.ToolKindExecute}, wants
}
