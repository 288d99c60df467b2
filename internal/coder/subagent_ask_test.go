package coder_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder"
	"github.com/patchbay-dev/patchbay/internal/model"
)

// F51: a subagent's permission is asked in its parent's session, with the subagent named, and what the user decides for good counts
// for that session. The call that it is about is shown there until it ends.
func TestF51_ASubagentAsksInItsParentsSession(t *testing.T) {
	write := func(path string) *model.Call {
		return &model.Call{ID: "1", Name: "write", Input: acp.Raw(`{"path":"` + path + `","text":"x"}`)}
	}
	m := parent([]*model.Call{startTask("1", "general", "a.txt")}, func(_ context.Context, r *model.Request) []any {
		if len(lastOf(r).Results) == 0 {
			return calls(write(first(r)))
		}
		return says(lastOf(r).Results[0].Text)
	})
	c := opens(t, &client{permit: answers(acp.PermissionOptionKindAllowAlways)}, coder.With(m))
	updates := c.turn("go", acp.StopReasonEndTurn)
	if len(c.asked) != 1 {
		t.Fatalf("asked %d times", len(c.asked))
	}
	asked := c.asked[0]
	title, _ := asked.ToolCall.Title.Get()
	if asked.SessionID != c.session || title != "do a.txt (@general subagent): Write a.txt" || !strings.Contains(string(asked.Meta["patchbay.dev/subagent"]), "sessionId") {
		t.Errorf("asked %+v with %s", asked.ToolCall, asked.Meta)
	}
	var statuses []string
	for _, u := range updates {
		switch u := u.(type) {
		case *acp.ToolCall:
			if u.ToolCallID == asked.ToolCall.ToolCallID {
				statuses = append(statuses, u.Title)
			}
		case *acp.ToolCallUpdate:
			if status, ok := u.Status.Get(); ok && u.ToolCallID == asked.ToolCall.ToolCallID {
				statuses = append(statuses, string(status))
			}
		}
	}
	if diff := cmp.Diff([]string{title, "in_progress", "completed"}, statuses); diff != "" {
		t.Errorf("the call (-want +got):\n%s", diff)
	}
	if text, err := os.ReadFile(filepath.Join(c.dir, "a.txt")); err != nil || string(text) != "x" {
		t.Errorf("the file holds %q, %v", text, err)
	}
	m.answer = parent([]*model.Call{write("b.txt")}, nil).answer
	c.turn("/clear", acp.StopReasonEndTurn)
	c.turn("go", acp.StopReasonEndTurn)
	if len(c.asked) != 0 {
		t.Error("what the user has decided is asked again")
	}
}

// A subagent that fails is a failed call with the reason, which the model is told; the turn goes on (T6).
func TestASubagentThatFailsIsAFailedCall(t *testing.T) {
	overloaded := &model.Error{Provider: "acme", Status: 529, Message: "overloaded"}
	m := parent([]*model.Call{startTask("1", "explore", "fails"), startTask("2", "explore", "refuses"), startTask("3", "nobody", "x")},
		func(_ context.Context, r *model.Request) []any {
			if first(r) == "fails" {
				return []any{model.Text("I begin"), overloaded}
			}
			return []any{stop(model.StopRefusal)}
		})
	c := opens(t, &client{}, coder.With(m))
	updates := c.turn("go", acp.StopReasonEndTurn)
	requests := m.about("go")
	results := lastOf(requests[len(requests)-1]).Results
	for i, want := range []string{
		"The subagent has failed: the model's provider acme failed with status 529: overloaded\n\n<task_metadata>",
		"The subagent's model has refused the work.\n\n<task_metadata>",
		`there is no type of subagents named "nobody"; there are general, explore`,
	} {
		if !results[i].Failed || !strings.HasPrefix(results[i].Text, want) {
			t.Errorf("the model is told %+v, want %q", results[i], want)
		}
	}
	failed := 0
	for _, out := range outputs(t, updates) {
		if out.Error != "" {
			failed++
		}
	}
	if failed != 3 {
		t.Errorf("%d calls have failed:\n%s", failed, c.script(updates))
	}
}

// What subagents use is on their parent's bill, in the turn's answer and in /cost.
func TestSubagentsAreOnTheirParentsBill(t *testing.T) {
	used := model.Usage{InputTokens: 10, OutputTokens: 1}
	m := parent([]*model.Call{startTask("1", "general", "outer")}, func(_ context.Context, r *model.Request) []any {
		if first(r) == "outer" && len(lastOf(r).Results) == 0 {
			return append([]any{used}, calls(startTask("1", "explore", "inner"))...)
		}
		return append([]any{used}, says("ok")...)
	})
	c := opens(t, &client{}, coder.With(m))
	answer, err := c.prompt("go")
	if err != nil {
		t.Fatal(err)
	}
	if answer.Usage == nil || answer.Usage.InputTokens != 30 || answer.Usage.TotalTokens != 33 {
		t.Errorf("the turn has used %+v", answer.Usage)
	}
	if said := saidText(c.turn("/cost", acp.StopReasonEndTurn)); !strings.Contains(said, "3 requests: 30 tokens in, 3 out") {
		t.Errorf("/cost says %q", said)
	}
}
