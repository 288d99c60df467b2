package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/internal/confine"
	"github.com/patchbay-dev/patchbay/policy"
)

// folders returns a session's place, whose folder has a link that leads out of it.
func folders(t *testing.T) (place policy.Place, outside string) {
	t.Helper()
	root, outside := t.TempDir(), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(root, "out")); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	return policy.Place{CWD: root, Roots: []string{root}}, outside
}

// S000.13: what passes without asking. Package policy has the tests of what it makes of calls; here is what reaches it.
func TestModes(t *testing.T) {
	place, outside := folders(t)
	inside := filepath.Join(place.CWD, "a.txt")
	edit := func(kind acp.ToolKind, path string) *client.ToolCall {
		return &client.ToolCall{Kind: kind, Locations: []acp.ToolCallLocation{{Path: path}}}
	}
	command := func(line string) *client.ToolCall {
		return &client.ToolCall{Kind: acp.ToolKindExecute, RawInput: acp.Raw(`{"command":"` + line + `"}`)}
	}
	const ask, allow, deny = policy.Ask, policy.Allow, policy.Deny
	for _, c := range []struct {
		what string
		call *client.ToolCall
		want [4]policy.Verdict // default, acceptEdits, bypassPermissions, plan
	}{
		{"reading", edit(acp.ToolKindRead, inside), [4]policy.Verdict{allow, allow, allow, allow}},
		{"reading outside", edit(acp.ToolKindRead, filepath.Join(outside, "a")), [4]policy.Verdict{ask, ask, allow, deny}},
		{"an edit", edit(acp.ToolKindEdit, inside), [4]policy.Verdict{ask, allow, allow, deny}},
		{"a deletion", edit(acp.ToolKindDelete, inside), [4]policy.Verdict{ask, allow, allow, deny}},
		{"an edit of nothing in particular", &client.ToolCall{Kind: acp.ToolKindEdit}, [4]policy.Verdict{ask, ask, allow, deny}},
		{"an edit outside", edit(acp.ToolKindEdit, filepath.Join(outside, "a")), [4]policy.Verdict{ask, ask, allow, deny}},
		{"an edit by a link that leads out", edit(acp.ToolKindEdit, filepath.Join(place.CWD, "out", "a")), [4]policy.Verdict{ask, ask, allow, deny}},
		{"a diff outside", &client.ToolCall{Kind: acp.ToolKindEdit, Content: []acp.ToolCallContent{acp.DiffContent("/etc/passwd", nil, "")}}, [4]policy.Verdict{ask, ask, allow, deny}},
		{"something", &client.ToolCall{}, [4]policy.Verdict{ask, ask, allow, deny}},
		{"a command", command("make"), [4]policy.Verdict{ask, ask, allow, deny}},
		{"a command for files", command("mkdir x"), [4]policy.Verdict{ask, allow, allow, deny}},
		{"a command for files elsewhere", command("mkdir out/x"), [4]policy.Verdict{ask, ask, allow, deny}},
		{"a line that could fill the stack", command(strings.Repeat("(", 1<<20)), [4]policy.Verdict{ask, ask, allow, deny}},
	} {
		for i, mode := range []policy.Mode{policy.ModeDefault, policy.ModeAcceptEdits, policy.ModeBypass, policy.ModePlan} {
			p := &policy.Policy{Mode: mode, Real: confine.Real}
			if got := decide(p, policy.FromToolCall(place, told(c.call))).Verdict; got != c.want[i] {
				t.Errorf("%s in %s: %v, want %v", c.what, mode, got, c.want[i])
			}
		}
	}
}

// A request may leave out what the agent has said of the call before.
func TestRequestsAreReadWithWhatIsKnown(t *testing.T) {
	known := &client.ToolCall{ID: "c", Title: "Old", Kind: acp.ToolKindEdit, RawInput: acp.Raw(`{}`)}
	call := described(known, &acp.ToolCallUpdate{ToolCallID: "c", Title: acp.Some("New")})
	if call.Title != "New" || call.Kind != acp.ToolKindEdit || string(call.RawInput) != `{}` || known.Title != "Old" {
		t.Errorf("got %+v", call)
	}
	if call = described(nil, &acp.ToolCallUpdate{ToolCallID: "d"}); call.ID != "d" || titleOf(call) != "tool call d" {
		t.Errorf("got %+v", call)
	}
}
