package coder

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
	"github.com/patchbay-dev/patchbay/internal/tool"
)

// demoSubagent shows a subagent that takes some steps and then says something. None of it is kept.
func demoSubagent(ctx context.Context, d *demonstration) (acp.StopReason, error) {
	const prompt = "Look around, slowly."
	call, err := d.ToolCall(acp.ToolCall{
		Title: "Look around", Name: taskTool, Kind: acp.ToolKindOther, Status: acp.ToolCallStatusInProgress,
		RawInput: acp.Raw(`{"description":"Look around","prompt":"` + prompt + `","subagent_type":"explore"}`),
	})
	if err != nil {
		return "", err
	}
	done := &progress{call: call}
	child := d.NewChild(agent.Child{Title: "Look around (@explore subagent)", Description: "Looks around", Call: call})
	child.SetRecorder(done)
	if err := call.Meta(aboutChild(child.ID(), d.Session().ID())); err != nil {
		return "", err
	}
	stop, err := child.Run(ctx, []acp.ContentBlock{acp.Text(prompt)}, demoLookAround)
	switch {
	case ctx.Err() != nil:
		return acp.StopReasonCancelled, nil
	case err != nil:
		return "", err
	case stop == acp.StopReasonCancelled:
		return "", errors.Join(call.Fail("You have cancelled the subagent."), d.Text("The subagent was cancelled, and the turn goes on.\n"))
	}
	summary, _ := done.summary()
	text := fmt.Sprintf("Nothing has moved.\n\n<task_metadata>\nsession_id: %s\n</task_metadata>", child.ID())
	return "", errors.Join(call.SetText(text), (&work{shown: call}).finish(&tool.Result{
		Text: text, Content: []acp.ToolCallContent{},
		Metadata: taskMetadata{SessionID: child.ID(), Summary: summary, Model: taskModel{"demo", "patchbay"}},
	}), d.Text("The subagent is done.\n"))
}

// demoLookAround is what the subagent does.
func demoLookAround(ctx context.Context, t *agent.Turn) (acp.StopReason, error) {
	for _, title := range []string{"List .", "Read README.md", "Think about it"} {
		call, err := t.ToolCall(acp.ToolCall{Title: title, Name: "demo", Kind: acp.ToolKindRead, Status: acp.ToolCallStatusInProgress})
		if err != nil {
			return "", err
		}
		if !sleep(ctx, 300*time.Millisecond) {
			return acp.StopReasonCancelled, nil
		}
		if err := call.Complete(); err != nil {
			return "", err
		}
	}
	return "", t.Text("Nothing has moved.")
}
