package client

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/patchbay-dev/patchbay/acp"
)

// drawUpdate draws an update of one of a few things, so that many are about the same one.
func drawUpdate(t *rapid.T) acp.SessionUpdate {
	id := rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "id")
	text := acp.Text(rapid.StringN(0, 3, -1).Draw(t, "text"))
	block := rapid.SampledFrom([]acp.ContentBlock{text, text, text, acp.Link("n", "u")}).Draw(t, "block")
	return rapid.SampledFrom([]acp.SessionUpdate{
		&acp.UserMessageChunk{Content: block, MessageID: acp.MessageID(id)},
		&acp.AgentMessageChunk{Content: block, MessageID: acp.MessageID(id), Unknown: acp.Unknown{id + "x": acp.Raw(`1`)}},
		&acp.AgentThoughtChunk{Content: block, MessageID: acp.MessageID(id)},
		&acp.ToolCall{ToolCallID: acp.ToolCallID(id), Title: id},
		&acp.ToolCallUpdate{ToolCallID: acp.ToolCallID(id), Status: acp.Some(acp.ToolCallStatusCompleted), Content: acp.Some([]acp.ToolCallContent{acp.ToolContent(block)})},
		&acp.ToolCallUpdate{ToolCallID: acp.ToolCallID(id), RawInput: acp.Some(acp.Raw(`{"subagent_type":"t","session_id":"a"}`)), Meta: acp.Meta{id: acp.Raw(`2`)}},
		&acp.Plan{Entries: []acp.PlanEntry{{Content: id}}},
		&acp.PlanUpdate{Plan: &acp.PlanMarkdown{PlanID: acp.PlanID(id), Content: id}},
		&acp.PlanRemoved{PlanID: acp.PlanID(id)},
		&acp.CurrentModeUpdate{CurrentModeID: acp.SessionModeID(id)},
		&acp.Notice{Title: id},
		&acp.CompactionUpdate{CompactionID: acp.CompactionID(id), Status: acp.CompactionStatusInProgress, Summary: acp.Some([]acp.ContentBlock{block})},
		&acp.CompactionSummaryChunk{CompactionID: acp.CompactionID(id), Content: block},
		&acp.SubagentUpdate{SessionID: acp.SessionID(id), Title: acp.Some(id)},
		&acp.SessionMessage{MessageID: acp.MessageID(id), SenderSessionID: acp.Some(acp.SessionID("s"))},
		&acp.SessionMessageChunk{MessageID: acp.MessageID(id), Content: block},
		&acp.SessionInfoUpdate{Title: acp.Some(id), Meta: acp.Meta{id: acp.Raw(`3`)}},
		&acp.UnknownUpdate{Type: "u"},
	}).Draw(t, "update")
}

// Reading between updates makes no difference to what is read later, and what was read once never changes.
func TestStateReadingChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		updates := rapid.SliceOfN(rapid.Custom(drawUpdate), 0, 200).Draw(t, "updates")
		var unread, read State
		var kept []Snapshot
		var shown []string
		for _, u := range updates {
			unread.Apply(u)
			read.Apply(u)
			if rapid.Bool().Draw(t, "read") {
				kept = append(kept, read.Snapshot())
				shown = append(shown, show(kept[len(kept)-1]))
			}
		}
		if got, want := show(read.Snapshot()), show(unread.Snapshot()); got != want {
			t.Fatalf("read between updates:\n%s\nread at the end:\n%s", got, want)
		}
		for i := range kept {
			if got := show(kept[i]); got != shown[i] {
				t.Fatalf("snapshot %d was\n%s\nand became\n%s", i, shown[i], got)
			}
		}
	})
}

// It makes no difference into which chunks an agent cuts a text, in a message, in an echo of a prompt, or in a summary.
func TestStateChunksAreOneText(t *testing.T) {
	cut := func(t *rapid.T, text string) (pieces []string) {
		for text != "" {
			n := rapid.IntRange(1, len(text)).Draw(t, "cut")
			pieces, text = append(pieces, text[:n]), text[n:]
		}
		return pieces
	}
	rapid.Check(t, func(t *rapid.T) {
		prompt := rapid.SliceOf(rapid.StringMatching(`[a-c ]{0,8}`)).Draw(t, "prompt")
		text := rapid.StringMatching(`[a-z]{1,30}`).Draw(t, "text")
		id := acp.MessageID(rapid.SampledFrom([]string{"", "m"}).Draw(t, "id"))
		var s State
		var blocks []acp.ContentBlock
		for _, p := range prompt {
			blocks = append(blocks, acp.Text(p))
		}
		s.UserPrompt(blocks...)
		for _, p := range cut(t, strings.Join(prompt, "")) {
			s.Apply(&acp.UserMessageChunk{Content: acp.Text(p), MessageID: id})
		}
		for _, p := range cut(t, text) {
			s.Apply(&acp.AgentMessageChunk{Content: acp.Text(p), MessageID: id})
			s.Apply(&acp.CompactionSummaryChunk{CompactionID: "c", Content: acp.Text(p)})
			if id == "" {
				break // the compaction interrupts a message without an id
			}
		}
		m := s.Messages()
		if m.Len() != 2 || m.At(0).Text() != strings.Join(prompt, "") {
			t.Fatalf("got %s", show(s.Snapshot()))
		}
		if id != "" && (m.At(1).Text() != text || s.Compactions().At(0).Summary.Text() != text) {
			t.Fatalf("got %s", show(s.Snapshot()))
		}
	})
}

// A vector is a slice whose views never change.
func TestStateListIsASlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var v vector[int]
		var model []int
		dropped := 0
		type kept struct {
			list List[int]
			want []int
		}
		var views []kept
		for range rapid.IntRange(0, 400).Draw(t, "steps") {
			switch n := rapid.IntRange(0, 9).Draw(t, "step"); {
			case n < 6 || len(model) == 0:
				v.append(n)
				model = append(model, n)
			case n == 6:
				v.drop()
				model = model[1:]
				dropped++
			case n == 7:
				i := rapid.IntRange(0, len(model)-1).Draw(t, "i")
				v.set(dropped+i, -n)
				model[i] = -n
				v.set(dropped-1, 99)
			default:
				views = append(views, kept{v.view(), slices.Clone(model)})
			}
		}
		views = append(views, kept{v.view(), model})
		for _, k := range views {
			if got := k.list.Slice(); !slices.Equal(got, k.want) {
				t.Fatalf("got %v, want %v", got, k.want)
			}
		}
	})
}

func TestStateListStopsAndPanics(t *testing.T) {
	var v vector[int]
	for i := range 3 {
		v.append(i)
	}
	list, seen := v.view(), 0
	for range list.All() {
		seen++
		break
	}
	for range list.Values() {
		seen++
		break
	}
	if seen != 2 {
		t.Errorf("saw %d items, want 2", seen)
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic beyond the end")
		}
	}()
	list.At(3)
}

// A redraw of a session with 10,000 entries after an update of one of them.
func BenchmarkStateRedraw(b *testing.B) {
	s := new(State)
	for i := range 10000 {
		s.Apply(&acp.ToolCall{ToolCallID: acp.ToolCallID(fmt.Sprint(i)), Title: "t"})
	}
	u := &acp.ToolCallUpdate{ToolCallID: "5000", Status: acp.Some(acp.ToolCallStatusInProgress)}
	b.ReportAllocs()
	for b.Loop() {
		s.Apply(u)
		_ = s.Snapshot()
	}
}
