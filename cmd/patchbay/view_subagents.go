package main

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
)

// A reportedSubagent is a subagent as it was at the end, with those that it started.
type reportedSubagent struct {
	SessionID   acp.SessionID          `json:"sessionId,omitzero"`
	ToolCallID  acp.ToolCallID         `json:"toolCallId,omitzero"`
	Type        string                 `json:"type,omitzero"`
	Title       string                 `json:"title,omitzero"`
	Description string                 `json:"description,omitzero"`
	Continues   acp.SessionID          `json:"continues,omitzero"`
	Status      client.SubagentStage   `json:"status"`
	Error       string                 `json:"error,omitzero"`
	Model       string                 `json:"model,omitzero"`
	Tools       []reportedSubagentTool `json:"tools,omitzero"`
	Truncated   bool                   `json:"truncated,omitzero"`
	Subagents   []reportedSubagent     `json:"subagents,omitzero"`
}

// A reportedSubagentTool is a tool that a subagent used.
type reportedSubagentTool struct {
	ID     string `json:"id,omitzero"`
	Tool   string `json:"tool"`
	Status string `json:"status,omitzero"`
	Title  string `json:"title,omitzero"`
}

// reportSubagents returns a tree for the formats that programs read.
func reportSubagents(tree client.Subagents) []reportedSubagent {
	var list []reportedSubagent
	for _, n := range tree {
		r := reportedSubagent{
			SessionID: n.SessionID, ToolCallID: n.Call, Type: n.Type, Title: n.Title, Description: n.Description,
			Continues: acp.SessionID(n.Continues), Status: n.Stage(), Error: n.Failure, Model: n.Model, Truncated: n.Truncated,
			Subagents: reportSubagents(n.Children),
		}
		for _, t := range n.Tools {
			r.Tools = append(r.Tools, reportedSubagentTool(t))
		}
		list = append(list, r)
	}
	return list
}

// subagentsSince returns those of which something was said after the tree before was made.
func subagentsSince(before, now []reportedSubagent) (list []reportedSubagent) {
	for _, r := range now {
		same := func(b reportedSubagent) bool { return b.ToolCallID == r.ToolCallID && b.SessionID == r.SessionID }
		if i := slices.IndexFunc(before, same); i >= 0 {
			if reflect.DeepEqual(before[i], r) {
				continue
			}
			r.Subagents = subagentsSince(before[i].Subagents, r.Subagents)
		}
		list = append(list, r)
	}
	return list
}

// A subagentLine is what is printed of a subagent for people: what it is called and how far it is.
func subagentLine(b *client.Subagent) string {
	name := b.Name()
	if name == "" {
		name = "subagent"
	}
	facts := []string{cleanLine(string(b.Stage()))}
	if n := len(b.Tools); n > 0 {
		facts = append(facts, fmt.Sprintf("%d tools", n))
	}
	if b.Model != "" {
		facts = append(facts, cut(cleanLine(b.Model), 100))
	}
	line := cut(cleanLine(name), 200) + ": " + strings.Join(facts, ", ")
	if b.Failure != "" {
		line += ": " + cut(cleanLine(b.Failure), 500)
	}
	return line
}

// shownSubagents is what a textView has printed of subagents.
type shownSubagents struct {
	lines map[string]string      // by tool call and by session
	calls map[childCall]struct{} // of child sessions
}

type childCall struct {
	session acp.SessionID
	call    acp.ToolCallID
}

// subagents prints a line of each subagent when it begins and when it has ended, below the one that started it, and one of each
// tool call that a child session makes. What subagents say is for their parents.
func (v *textView) subagents(s *client.Session, u acp.SessionUpdate) {
	depth := 0
	root := s
	for ; root.Parent() != nil; root = root.Parent() {
		depth++
	}
	switch u := u.(type) {
	case *acp.ToolCall:
		v.childCall(s, u.ToolCallID, depth)
	case *acp.ToolCallUpdate:
		v.childCall(s, u.ToolCallID, depth)
	case *acp.SubagentUpdate:
	default:
		return
	}
	if len(root.State().Subagents()) == 0 {
		return
	}
	for depth, n := range root.State().SubagentTree().All() {
		v.subagent(n.Subagent, depth)
	}
}

// subagent prints how far a subagent is, if that is news.
func (v *textView) subagent(b *client.Subagent, depth int) {
	if v.news(b) {
		v.block(strings.Repeat("  ", depth+1) + v.style.cyan("> "+subagentLine(b)) + "\n")
	}
}

// news reports whether a subagent has come further than was known, and notes it.
func (v *textView) news(b *client.Subagent) bool {
	stage := string(b.Stage())
	if b.Stage() == client.SubagentPending {
		return false
	}
	news := true
	for _, key := range []string{"call " + string(b.Call), "session " + string(b.SessionID)} {
		if key == "call " || key == "session " || key[0] == 's' && b.Continues != "" {
			continue
		}
		news = news && v.children.lines[key] != stage
		if v.children.lines == nil {
			v.children.lines = map[string]string{}
		}
		v.children.lines[key] = stage
	}
	return news
}

// childCall prints the tool call of a child session, once it has a title.
func (v *textView) childCall(s *client.Session, id acp.ToolCallID, depth int) {
	key := childCall{s.ID(), id}
	call := s.State().ToolCall(id)
	if _, shown := v.children.calls[key]; depth == 0 || shown || call == nil || call.Title == "" {
		return
	}
	if v.children.calls == nil {
		v.children.calls = map[childCall]struct{}{}
	}
	v.children.calls[key] = struct{}{}
	v.block(strings.Repeat("  ", depth+1) + v.style.dim("* "+cut(cleanLine(call.Title), 200)) + "\n")
}
