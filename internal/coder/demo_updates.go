package coder

import (
	"context"
	"slices"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
)

func demoPlan(ctx context.Context, d *demonstration) (acp.StopReason, error) {
	steps := []string{"Look around", "Change something", "See whether it works"}
	for done := range len(steps) + 1 {
		if done > 0 && !sleep(ctx, 100*time.Millisecond) {
			return acp.StopReasonCancelled, nil
		}
		var entries []acp.PlanEntry
		for i, step := range steps {
			status := acp.PlanEntryStatusPending
			switch {
			case i < done:
				status = acp.PlanEntryStatusCompleted
			case i == done:
				status = acp.PlanEntryStatusInProgress
			}
			priorities := []acp.PlanEntryPriority{acp.PlanEntryPriorityHigh, acp.PlanEntryPriorityMedium, acp.PlanEntryPriorityLow}
			entries = append(entries, acp.PlanEntry{Content: step, Priority: priorities[i], Status: status})
		}
		if err := d.Plan(entries...); err != nil {
			return "", err
		}
	}
	return "", d.Text("The plan is done. Nothing else was.\n")
}

// demoUpdates sends every type of update that no other demo is about, and puts back what it has changed.
func demoUpdates(_ context.Context, d *demonstration) (acp.StopReason, error) {
	s, ok := d.Session().Value().(*session)
	if !ok {
		return "", acp.ErrSessionNotFound(d.Session().ID())
	}
	list := slices.Concat(conversationUpdates(), sessionUpdates(s), unstableUpdates(), []acp.SessionUpdate{
		&acp.AvailableCommandsUpdate{AvailableCommands: s.available()},
		&acp.ConfigOptionUpdate{ConfigOptions: d.coder.options(s)},
	})
	for _, u := range list {
		if err := d.Update(u); err != nil {
			return "", err
		}
	}
	return "", d.Text("Those were updates of every type. A client that doesn't take one of them may have got another in its place.\n")
}

func conversationUpdates() []acp.SessionUpdate {
	return []acp.SessionUpdate{
		acp.UserText("What you might have said elsewhere."),
		acp.AgentThought("A thought. "),
		acp.AgentText("A message. "),
		&acp.ToolCall{ToolCallID: "demo_updates", Title: "Demo", Kind: acp.ToolKindOther, Status: acp.ToolCallStatusInProgress},
		&acp.ToolCallUpdate{ToolCallID: "demo_updates", Status: acp.Some(acp.ToolCallStatusCompleted)},
		&acp.Plan{Entries: []acp.PlanEntry{{Content: "Demo", Priority: acp.PlanEntryPriorityLow, Status: acp.PlanEntryStatusCompleted}}},
	}
}

func sessionUpdates(s *session) []acp.SessionUpdate {
	commands := append(s.available(), acp.AvailableCommand{Name: "demo_command", Description: "Is there for a moment"})
	return []acp.SessionUpdate{
		&acp.AvailableCommandsUpdate{AvailableCommands: commands},
		&acp.CurrentModeUpdate{CurrentModeID: "demo"},
		&acp.ConfigOptionUpdate{ConfigOptions: demoConfig()},
		&acp.SessionInfoUpdate{Title: acp.Some("A demo of all updates"), UpdatedAt: acp.Some(time.Now().UTC().Format(time.RFC3339))},
		&acp.UsageUpdate{Used: 1234, Size: 200_000, Cost: &acp.Cost{Amount: 0.05, Currency: "USD"}},
	}
}

func demoConfig() []acp.SessionConfigOption {
	return []acp.SessionConfigOption{
		{
			ID: "demo_model", Name: "Model", Category: acp.SessionConfigOptionCategoryModel,
			Value: &acp.SessionConfigSelect{CurrentValue: "small", Options: acp.SessionConfigSelectOptions{
				Ungrouped: []acp.SessionConfigSelectOption{{Value: "small", Name: "Small"}, {Value: "large", Name: "Large"}},
			}},
		},
		{ID: "demo_switch", Name: "Switch", Value: &acp.SessionConfigBoolean{CurrentValue: true}},
	}
}

// unstableUpdates are those that a client has to ask for, or that are not part of the specification yet.
func unstableUpdates() []acp.SessionUpdate {
	running := &acp.RunningStateUpdate{}
	idle := &acp.IdleStateUpdate{StopReason: acp.IdleStopReasonEndTurn}
	return []acp.SessionUpdate{
		&acp.Notice{Severity: acp.NoticeSeverityWarning, Title: "A notice", Description: "It needs no answer."},
		&acp.CompactionUpdate{CompactionID: "demo", Status: acp.CompactionStatusInProgress},
		&acp.CompactionSummaryChunk{CompactionID: "demo", Content: acp.Text("What was said so far.")},
		&acp.CompactionUpdate{CompactionID: "demo", Status: acp.CompactionStatusCompleted},
		&acp.PlanUpdate{Plan: &acp.PlanItems{PlanID: "demo_items", Entries: []acp.PlanEntry{
			{Content: "Demo", Priority: acp.PlanEntryPriorityLow, Status: acp.PlanEntryStatusPending},
		}}},
		&acp.PlanUpdate{Plan: &acp.PlanMarkdown{PlanID: "demo_text", Content: "1. Demo"}},
		&acp.PlanRemoved{PlanID: "demo_items"},
		&acp.PlanRemoved{PlanID: "demo_text"},
		&acp.SubagentUpdate{SessionID: "demo_child", Title: acp.Some("A child"), State: acp.Some[acp.StateUpdate](running)},
		&acp.SessionMessageChunk{MessageID: "demo_message", Content: acp.Text("A word to the child.")},
		&acp.SessionMessage{
			MessageID: "demo_message", RecipientSessionID: acp.Some[acp.SessionID]("demo_child"),
			Content: acp.Some([]acp.ContentBlock{acp.Text("A word to the child.")}),
		},
		&acp.SubagentUpdate{SessionID: "demo_child", State: acp.Some[acp.StateUpdate](idle)},
	}
}
