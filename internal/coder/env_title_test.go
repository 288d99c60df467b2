//go:build unix

package coder_test

import (
	"context"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/model"
)

// A command that would look like another one is shown as what it is where the user is asked about it, and its input stays as
// the model wrote it. No rule is about such a line, so that there is no "always".
func TestPermissionsDisguiseNothing(t *testing.T) {
	const input = `{"command":"echo \u202e\u001b[2K > x"}`
	c := &client{permit: func(_ context.Context, asked *acp.RequestPermissionRequest) acp.RequestPermissionOutcome {
		const shown = `echo \u202e␛[2K > x`
		if title := asked.ToolCall.Title.Or(""); title != "Run `"+shown+"`" {
			t.Errorf("the title is %q", title)
		}
		if raw := asked.ToolCall.RawInput.Or(nil); string(raw) != input {
			t.Errorf("the input is %q", raw)
		}
		if len(asked.Options) != 2 {
			t.Errorf("the options are %q", asked.Options)
		}
		return acp.PermissionCancelled()
	}}
	s := stage(t, c, "shell", input)
	got := s.script(s.turn("go", acp.StopReasonCancelled))
	if !strings.Contains(got, "\n  [```]\n") || strings.ContainsAny(got, "\u202e\x1b") {
		t.Errorf("got\n%s", got)
	}
	if len(c.asked) != 1 {
		t.Errorf("%d questions", len(c.asked))
	}
}

// The name of a tool that isn't there is the model's too.
func TestNamesOfToolsDisguiseNothing(t *testing.T) {
	s := stage(t, &client{})
	s.model.answers = [][]any{{&model.Call{ID: "call", Name: "re\u202ead", Input: acp.Raw(`{}`)}, model.Stop{Reason: model.StopCalls}}}
	got := s.script(s.turn("go", acp.StopReasonEndTurn))
	if !strings.HasPrefix(got, `re\u202ead | `) {
		t.Errorf("got\n%s", got)
	}
}
