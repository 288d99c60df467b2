package tool

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
)

// Plan returns the tool that shows a plan.
func Plan() *Tool {
	return define(Tool{
		Name:        "plan",
		Description: "Shows the user what you mean to do and how far it has come. Each plan replaces the one before: give all entries every time.",
		Kind:        acp.ToolKindThink,
		Schema: acp.Raw(`{"type":"object","required":["entries"],"properties":{"entries":{"type":"array","minItems":1,"items":` +
			`{"type":"object","required":["content"],"properties":{` +
			`"content":{"type":"string","minLength":1},` +
			`"priority":{"type":"string","enum":["high","medium","low"],"description":"The default is medium."},` +
			`"status":{"type":"string","enum":["pending","in_progress","completed"],"description":"The default is pending."}}}}}}`),
	}, preparePlan)
}

type planInput struct {
	Entries []struct {
		Content  string                `json:"content"`
		Priority acp.PlanEntryPriority `json:"priority"`
		Status   acp.PlanEntryStatus   `json:"status"`
	} `json:"entries"`
}

func preparePlan(env Env, in planInput) (*Job, error) {
	var entries []acp.PlanEntry
	var list strings.Builder
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
		if !e.Priority.Known() || !e.Status.Known() {
			return nil, fmt.Errorf("entry %d of the plan has the priority %q and the status %q, which are not known", i+1, e.Priority, e.Status)
		}
		entries = append(entries, acp.PlanEntry{Content: e.Content, Priority: e.Priority, Status: e.Status})
		fmt.Fprintf(&list, "%d. %s (%s)\n", i+1, e.Content, e.Status)
	}
	if len(entries) == 0 {
		return nil, errors.New("the plan has no entries")
	}
	return &Job{
		Title: "Plan " + count(len(entries), "step"),
		run: func(context.Context) (*Result, error) {
			if err := env.Plan(entries); err != nil {
				return nil, fmt.Errorf("showing the plan: %w", err)
			}
			return textResult("The plan has "+count(len(entries), "step"), list.String()), nil
		},
	}, nil
}
