package tool

import (
	"context"
	"fmt"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
)

// maxEntriesOfPlan bounds a plan.
const maxEntriesOfPlan = 100

// Plan returns the tool that shows a plan.
func Plan() *Tool {
	return define(Tool{
		Name:        "plan",
		Description: "Shows the user what you mean to do and how far it has come. Each plan replaces the one before: give all entries every time.",
		Kind:        acp.ToolKindThink,
	}, preparePlan)
}

type planInput struct {
	Entries []struct {
		Content  string                `json:"content" minLength:"1"`
		Priority acp.PlanEntryPriority `json:"priority,omitzero" enum:"high,medium,low" jsonschema:"The default is medium."`
		Status   acp.PlanEntryStatus   `json:"status,omitzero" enum:"pending,in_progress,completed" jsonschema:"The default is pending."`
	} `json:"entries" minItems:"1"`
}

func preparePlan(env Env, in planInput) (*Job, error) {
	if len(in.Entries) > maxEntriesOfPlan {
		return nil, fmt.Errorf("the plan has %d entries; nobody reads more than %d", len(in.Entries), maxEntriesOfPlan)
	}
	var entries []acp.PlanEntry
	var list strings.Builder
	busy := 0
	for i, e := range in.Entries {
		if strings.TrimSpace(e.Content) == "" {
			return nil, fmt.Errorf("entry %d of the plan is empty", i+1)
		}
		if e.Priority == "" {
			e.Priority = acp.PlanEntryPriorityMedium
		}
		if e.Status == "" {
			e.Status = acp.PlanEntryStatusPending
		}
		if e.Status == acp.PlanEntryStatusInProgress {
			busy++
		}
		entries = append(entries, acp.PlanEntry{Content: e.Content, Priority: e.Priority, Status: e.Status})
		fmt.Fprintf(&list, "%d. %s (%s)\n", i+1, e.Content, e.Status)
	}
	return &Job{
		Title: "Plan " + count(len(entries), "step"),
		Call:  harmless,
		run: func(context.Context) (*Result, error) {
			if err := env.Plan(entries); err != nil {
				return nil, fmt.Errorf("showing the plan: %w", err)
			}
			r := textResult("The plan has "+count(len(entries), "step"), list.String())
			if busy > 1 {
				r.Text += fmt.Sprintf("%d steps are in progress at once. A plan is easier to follow if it is one.\n", busy)
			}
			return r, nil
		},
	}, nil
}
