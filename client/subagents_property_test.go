package client

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/patchbay-dev/patchbay/acp"
)

// sortedTree writes everything of a tree, without regard to which subagent appeared first.
func sortedTree(nodes Subagents, indent string) string {
	var parts []string
	for _, n := range nodes {
		parts = append(parts, indent+asJSON(n.Subagent)+" "+string(n.Stage())+"\n"+sortedTree(n.Children, indent+"  "))
	}
	slices.Sort(parts)
	return strings.Join(parts, "")
}

// drawTask draws the updates of a task, in the order in which an agent would send them. Its child session is known by then, or not.
func drawTask(t *rapid.T, i int, sessions []string) []acp.SessionUpdate {
	id := acp.ToolCallID(fmt.Sprintf("call%d", i))
	input := fmt.Sprintf(`{"description":"d%d","prompt":"p"}`, i)
	update := func(status acp.ToolCallStatus, rawInput string) *acp.ToolCallUpdate {
		u := &acp.ToolCallUpdate{ToolCallID: id, Status: acp.Some(status)}
		if rawInput != "" {
			u.RawInput = acp.Some(acp.Raw(rawInput))
		}
		return u
	}
	typed := update(acp.ToolCallStatusInProgress, strings.Replace(input, "{", `{"subagent_type":"explore",`, 1))
	if rapid.Bool().Draw(t, "beside") {
		typed = update(acp.ToolCallStatusInProgress, "")
		typed.Unknown = acp.Unknown{"subagent_type": acp.Raw(`"explore"`), "description": acp.Raw(fmt.Sprintf(`"d%d"`, i))}
	}
	if parent := rapid.IntRange(-1, 5).Draw(t, "parent"); parent >= 0 {
		typed.Meta = acp.Meta{"claudeCode": acp.Raw(fmt.Sprintf(`{"parentToolUseId":"call%d"}`, parent))}
	}
	list := []acp.SessionUpdate{&acp.ToolCall{ToolCallID: id, Title: "task", RawInput: acp.Raw(`{}`)}, typed}
	ending := rapid.IntRange(0, 4).Draw(t, "end")
	for range rapid.IntRange(0, 3).Draw(t, "progress") {
		u, text := update(acp.ToolCallStatusInProgress, ""), "<task_metadata>session_id: quoted</task_metadata>"
		if ending == 4 {
			text = "what it does is not replaced by a report"
		}
		u.Content = acp.Some([]acp.ToolCallContent{acp.ToolContent(acp.Text(text))})
		list = append(list, u)
	}
	session := rapid.SampledFrom(sessions).Draw(t, "session")
	text := fmt.Sprintf(`done\n<task_metadata>\nsession_id: %s\n</task_metadata>`, session)
	end := update(acp.ToolCallStatusCompleted, "")
	switch ending {
	case 0:
		return list // it works still
	case 1:
		end.RawOutput = acp.Some(acp.Raw(`{"output":"` + text + `"}`))
	case 2:
		end.RawOutput = acp.Some(acp.Raw(`{"output":"<task_metadata>session_id: quoted</task_metadata>","metadata":{"sessionId":"` + session + `","summary":[{"id":"1","tool":"read"}],"truncated":true,"model":{"modelID":"m","providerID":"p"}}}`))
	case 3:
		end.Content = acp.Some([]acp.ToolCallContent{acp.ToolContent(acp.Text(strings.ReplaceAll(text, `\n`, "\n")))})
	case 4:
		end = update(acp.ToolCallStatusFailed, "")
		end.RawOutput = acp.Some(acp.Raw(`{"error":"no"}`))
	}
	return append(list, end)
}

// drawChild draws what the protocol's own updates say of a child session. They are patches, whose order counts.
func drawChild(t *rapid.T, session string) []acp.SessionUpdate {
	var list []acp.SessionUpdate
	for range rapid.IntRange(0, 3).Draw(t, "updates") {
		list = append(list, &acp.SubagentUpdate{
			SessionID: acp.SessionID(session),
			Title:     rapid.SampledFrom([]acp.Optional[string]{{}, acp.Some("D (@general subagent)"), acp.Null[string]()}).Draw(t, "title"),
			State: rapid.SampledFrom([]acp.Optional[acp.StateUpdate]{
				{}, acp.Some[acp.StateUpdate](&acp.RunningStateUpdate{}), acp.Some[acp.StateUpdate](&acp.IdleStateUpdate{}), acp.Some[acp.StateUpdate](&acp.UnknownStateUpdate{}),
			}).Draw(t, "state"),
		})
	}
	return list
}

// shuffledTask puts the updates of a task into any order in which its end does not come before its type.
func shuffledTask(t *rapid.T, list []acp.SessionUpdate) []acp.SessionUpdate {
	typed, end := list[1], list[len(list)-1]
	mixed := rapid.Permutation(list).Draw(t, "mixed")
	i, j := slices.Index(mixed, typed), slices.Index(mixed, end)
	if j < i {
		mixed[i], mixed[j] = end, typed
	}
	return mixed
}

// S004.11: the tree depends on what is said, and not on the order: not on how the updates of tasks and of child sessions are
// interleaved, nor on the order of those of one task, as far as its input comes before its result.
func TestStateSubagentsInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sessions := []string{"a", "b", "c"}
		var told, queues [][]acp.SessionUpdate
		for i := range rapid.IntRange(1, 5).Draw(t, "tasks") {
			list := drawTask(t, i, sessions)
			told, queues = append(told, list), append(queues, shuffledTask(t, list))
		}
		for _, session := range sessions {
			list := drawChild(t, session)
			told, queues = append(told, list), append(queues, list)
		}
		var plain, mixed State
		for _, u := range slices.Concat(told...) {
			plain.Apply(u)
		}
		for left := queues; len(left) > 0; {
			i := rapid.IntRange(0, len(left)-1).Draw(t, "next")
			if len(left[i]) == 0 {
				left = slices.Delete(left, i, i+1)
				continue
			}
			mixed.Apply(left[i][0])
			left[i] = left[i][1:]
		}
		if got, want := sortedTree(mixed.SubagentTree(), ""), sortedTree(plain.SubagentTree(), ""); got != want {
			t.Fatalf("mixed:\n%s\nin order:\n%s", got, want)
		}
		if nodes := len(plain.Subagents()); countNodes(plain.SubagentTree()) != nodes {
			t.Fatalf("%d subagents, and a tree of\n%s", nodes, sortedTree(plain.SubagentTree(), ""))
		}
		for _, e := range mixed.Timeline().All() {
			if b, ok := e.(*Subagent); ok && !slices.Contains(mixed.Subagents(), b) {
				t.Fatalf("the timeline has what is no more: %s", asJSON(b))
			}
		}
	})
}

func countNodes(a Subagents) (n int) {
	for range a.All() {
		n++
	}
	return n
}

// S004.11: whatever an agent says where a task is described, nothing panics, and nothing is without bounds.
func FuzzStateSubagents(f *testing.F) {
	f.Add(`{"subagent_type":"a","session_id":"s"}`, `{"output":"<task_metadata>session_id: s</task_metadata>","metadata":{"sessionId":"s","summary":[{}]}}`, `{"sessionId":"s"}`, "T (@a subagent)")
	f.Add(`{"subagent_type":1}`, `[{"metadata":3}]`, `"s"`, "(@ subagent)")
	f.Add(`{"subagent_type":"\ud800"`, `{"output":"<task_metadata>"}`, `{"parentToolUseId":"1"}`, " subagent)")
	f.Add(`{"subagent_type":"a"}{`, `{"metadata":{"summary":[1,{"state":[]},null],"model":"m","truncated":"yes"}}`, `null`, "\x00(@\xff subagent)")
	f.Add(`0`, `"`, `0`, `0`)
	f.Fuzz(func(t *testing.T, input, output, meta, title string) {
		s := new(State)
		for _, id := range []acp.ToolCallID{"1", "2"} {
			s.Apply(&acp.ToolCall{ToolCallID: id, Title: title, RawInput: acp.Raw(input), RawOutput: acp.Raw(output), Meta: acp.Meta{"claudeCode": acp.Raw(meta), "sessionId": acp.Raw(meta)}})
			s.Apply(&acp.ToolCallUpdate{ToolCallID: id, Status: acp.Some(acp.ToolCallStatusCompleted), Unknown: acp.Unknown{"subagent_type": acp.Raw(input), "metadata": acp.Raw(output)}})
		}
		for _, b := range s.Subagents() {
			s.Apply(&acp.SubagentUpdate{SessionID: b.SessionID, Title: acp.Some(title)})
			child := new(State)
			child.Apply(&acp.SubagentUpdate{SessionID: "x", Title: acp.Some(title)})
			s.AttachChild(b.SessionID, child)
		}
		for _, n := range s.SubagentTree().All() {
			if _ = n.Name() + string(n.Stage()); len(n.Tools) > maxSubagentTools || len(n.Prompt) > maxSubagentText {
				t.Errorf("too much of %s", asJSON(n.Subagent))
			}
		}
	})
}
