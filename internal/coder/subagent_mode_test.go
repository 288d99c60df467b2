package coder_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder"
	"github.com/patchbay-dev/patchbay/internal/model"
)

// A subagent has the tools of its session's mode, and no more when the mode changes while it works.
func TestSubagentsAreInTheModeOfTheirSession(t *testing.T) {
	working, changed := make(chan struct{}), make(chan struct{})
	m := parent([]*model.Call{startTask("1", "general", "work")}, func(ctx context.Context, r *model.Request) []any {
		if len(lastOf(r).Results) > 0 {
			return says(lastOf(r).Results[0].Text)
		}
		close(working)
		select {
		case <-changed:
		case <-ctx.Done():
			return []any{ctx.Err()}
		}
		return calls(&model.Call{ID: "1", Name: "write", Input: acp.Raw(`{"path":"a","text":"b"}`)})
	})
	c := opens(t, &client{permit: answers(acp.PermissionOptionKindAllowOnce)}, coder.With(m))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.turn("go", acp.StopReasonEndTurn)
	}()
	<-working
	c.must(acp.MethodSessionSetMode, &acp.SetSessionModeRequest{SessionID: c.session, ModeID: "plan"}, nil)
	close(changed)
	<-ended
	requests := m.about("work")
	if names := toolNames(requests[0]); !slices.Contains(names, "write") {
		t.Errorf("it began with %v", names)
	}
	names := toolNames(requests[1])
	if slices.Contains(names, "write") || slices.Contains(names, "propose") || !slices.Contains(names, "read") || strings.Contains(requests[1].System, "propose") {
		t.Errorf("it went on with %v, and is told\n%s", names, requests[1].System)
	}
	if result := lastOf(requests[1]).Results[0]; !result.Failed {
		t.Errorf("it has written: %+v", result)
	}
}
