package client_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
)

func piece(kind, message, text, more string) string {
	return update("s", fmt.Sprintf(`{"sessionUpdate":%q,"messageId":%q,"content":{"type":"text","text":%q}%s}`, kind, message, text, more))
}

// F171: pieces of a message that have waited for a loop come as one; what parts them (another message, another kind, a tool
// call, a member of its own) keeps them apart, the order stays, and the Handler sees each.
func TestF171_PiecesThatWaitAreJoined(t *testing.T) {
	for _, join := range []bool{false, true} {
		h := &user{}
		c, a := connect(t, h, client.Options{JoinChunks: join}, noCapabilities)
		s := open(t, c, a)
		turn, p := prompt(t, s, a)
		const said, thought = "agent_message_chunk", "agent_thought_chunk"
		a.send(piece(said, "1", "a", ""), piece(said, "1", "b", ""), piece(said, "1", "c", ""),
			piece(said, "2", "d", ""),
			piece(thought, "2", "e", ""), piece(thought, "2", "f", ""),
			update("s", `{"sessionUpdate":"tool_call","toolCallId":"t","title":"x"}`),
			piece(said, "3", "g", ""), piece(said, "3", "h", `,"_meta":{"x":1}`), piece(said, "3", "i", ""), piece(said, "3", "j", ""),
			outcome(p, `{"stopReason":"end_turn"}`))
		ends(t, turn, acp.StopReasonEndTurn)
		var got []string
		for u := range turn.Updates() {
			text := textOf(u)
			if chunk, ok := u.(*acp.AgentThoughtChunk); ok {
				text = "thought:" + chunk.Content.(*acp.TextContent).Text
			}
			got = append(got, text)
		}
		want := "a b c d thought:e thought:f ToolCall g h i j"
		if join {
			want = "abc d thought:ef ToolCall g h ij"
		}
		if joined := strings.Join(got, " "); joined != want {
			t.Errorf("joining %v: the loop saw %s, want %s", join, joined, want)
		}
		if heard := len(strings.Fields(h.all())); heard != 11 {
			t.Errorf("the handler heard %d updates, want each of 11", heard)
		}
		if text := s.State().Messages().At(1).Text(); text != "abc" { // the first is the prompt
			t.Errorf("the state has %q, want abc", text)
		}
	}
}

// However slow the loop and however small the budget, each letter arrives once and in order, and what was forgotten before a
// loop began is counted by updates.
func TestF171_JoinedPiecesLoseNothing(t *testing.T) {
	const n = 500
	o := small
	o.JoinChunks = true
	c, a := connect(t, &user{}, o, noCapabilities)
	s := open(t, c, a)
	turn, p := prompt(t, s, a)
	sent := flood(a, p, n)
	var text strings.Builder
	for u := range turn.Updates() {
		text.WriteString(textOf(u))
	}
	within(t, "the agent", sent)
	if missed := turn.Missed(); missed > 0 {
		t.Fatalf("%d updates are missing", missed)
	}
	var want strings.Builder
	for i := range n {
		fmt.Fprintf(&want, "%d %s", i, strings.Repeat("x", 1<<10))
	}
	if text.String() != want.String() {
		t.Errorf("the loop saw %d bytes, want the %d that were said", text.Len(), want.Len())
	}
	turn, p = prompt(t, s, a)
	sent = flood(a, p, n)
	ends(t, turn, acp.StopReasonEndTurn)
	within(t, "the agent", sent)
	kept := 0
	for u := range turn.Updates() {
		kept += len(textOf(u)) >> 10
	}
	if kept == 0 || kept+turn.Missed() != n {
		t.Errorf("a late loop saw %d updates and missed %d, want %d in all", kept, turn.Missed(), n)
	}
}
