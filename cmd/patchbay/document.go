package main

import (
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

// A document is all of a session, to be printed or exported. docs/sessions.md is its reference.
type document struct {
	SessionID acp.SessionID       `json:"sessionId"`
	Title     string              `json:"title,omitzero"`
	CWD       string              `json:"cwd"`
	Updated   string              `json:"updated,omitzero"`
	Agent     *acp.Implementation `json:"agent,omitzero"`
	Entries   []entry             `json:"entries"`
	Subagents []reportedSubagent  `json:"subagents,omitzero"`
}

// An entry is something that was said or done. Its member type says which of the others it has.
type entry struct {
	Type     string             `json:"type"` // message, toolCall, plan, mode, notice, compaction, subagent, sessionMessage or update
	Role     client.Role        `json:"role,omitzero"`
	Content  []acp.ContentBlock `json:"content,omitzero"`
	ToolCall *reportedCall      `json:"toolCall,omitzero"`
	Plan     []acp.PlanEntry    `json:"plan,omitzero"`
	Mode     acp.SessionModeID  `json:"mode,omitzero"`
	Text     string             `json:"text,omitzero"`
	Update   acp.Raw            `json:"update,omitzero"` // of a type that is not known here

	subagent *client.Subagent
	failure  string // of a tool call
}

// newDocument makes a document of what is known of a session.
func newDocument(c *client.Client, s *client.Session, info *acp.SessionInfo) *document {
	state := s.State()
	t := &document{SessionID: s.ID(), Title: state.Title(), CWD: s.CWD(), Updated: info.UpdatedAt, Agent: c.AgentInfo(), Entries: []entry{}}
	if t.Title == "" {
		t.Title = info.Title
	}
	for e := range state.Timeline().Values() {
		t.Entries = append(t.Entries, entryOf(e))
	}
	t.Subagents = reportSubagents(state.SubagentTree())
	return t
}

func entryOf(e client.Entry) entry {
	switch e := e.(type) {
	case *client.Message:
		return entry{Type: "message", Role: e.Role, Content: e.Blocks()}
	case *client.ToolCall:
		return entry{Type: "toolCall", ToolCall: &reportedCall{e.ID, e.Title, e.Kind, e.Status, e.Locations, e.Content, e.RawInput, e.RawOutput}, failure: e.Failure()}
	case *client.Plan:
		return entry{Type: "plan", Plan: e.Entries(), Text: planText(e)}
	case *client.ModeChange:
		return entry{Type: "mode", Mode: e.Mode}
	case *client.Notice:
		return entry{Type: "notice", Text: e.Title + "\n" + e.Description}
	case *client.Compaction:
		return entry{Type: "compaction", Text: e.Summary.Text()}
	case *client.Subagent:
		return entry{Type: "subagent", Text: subagentLine(e), subagent: e}
	case *client.SessionMessage:
		return entry{Type: "sessionMessage", Content: e.Blocks()}
	case *client.Unknown:
		return entry{Type: "update", Update: rawUpdate(e.Update)}
	}
	return entry{Type: "update"}
}

// planText returns what there is to read of a plan that is no list of tasks.
func planText(p *client.Plan) string {
	switch content := p.Content.(type) {
	case *acp.PlanMarkdown:
		return content.Content
	case *acp.PlanFile:
		return content.URI
	}
	if p.Removed {
		return "removed"
	}
	return ""
}

// rawUpdate returns an update as it came.
func rawUpdate(u acp.SessionUpdate) acp.Raw {
	text, err := json.Marshal(&acp.SessionNotification{Update: u}, jsonOptions)
	if err != nil {
		return nil
	}
	return rawjson.Get(text, "update")
}

// json writes a document for programs.
func (t *document) json(w io.Writer) error {
	return (&output{w: w}).print(t, jsontext.WithIndent("  "))
}

// A part is what a document for people has of an entry: who or what it is, words, and what is to be kept as it was typed.
type part struct {
	Kind  string // user, agent, thought, tool, plan or note
	Head  string // one line; empty for words, whose kind says all
	Words []acp.ContentBlock
	Plain string // output, changes to files, and the like
}

// parts returns a document for people. Nothing in it can do anything to a terminal.
func (t *document) parts() (list []part) {
	for _, e := range t.Entries {
		switch e.Type {
		case "message":
			list = append(list, part{Kind: string(e.Role), Words: e.Content})
		case "toolCall":
			list = append(list, toolPart(e.ToolCall, e.failure))
		case "plan":
			list = append(list, part{Kind: "plan", Head: "Plan", Plain: planLines(e.Plan) + clean(e.Text)})
		case "mode":
			list = append(list, part{Kind: "note", Head: "Mode: " + cleanLine(string(e.Mode))})
		case "notice":
			list = append(list, part{Kind: "note", Head: cleanLine(e.Text)})
		case "compaction":
			list = append(list, part{Kind: "note", Head: "The context was shortened", Plain: clean(e.Text)})
		case "subagent":
			list = append(list, part{Kind: "note", Head: "Subagent " + subagentLine(e.subagent)})
		case "sessionMessage":
			list = append(list, part{Kind: "note", Head: "Message between sessions", Words: e.Content})
		default:
			list = append(list, part{Kind: "note", Head: "An update that is not known here", Plain: clean(string(e.Update))})
		}
	}
	return list
}

func toolPart(call *reportedCall, failure string) part {
	title := call.Title
	if title == "" {
		title = string(call.ToolCallID)
	}
	p := part{Kind: "tool", Head: cut(cleanLine(title), 500) + " (" + kindAndStatus(call.Kind, call.Status) + ")"}
	for _, content := range call.Content {
		switch content := content.(type) {
		case *acp.Content:
			p.Plain += ended(clean(textOf(content.Content)))
		case *acp.Diff:
			p.Plain += style{}.unified(content)
		case *acp.Terminal:
			p.Plain += "[terminal " + cleanLine(string(content.TerminalID)) + "]\n"
		}
	}
	if failure = ended(clean(failure)); !strings.Contains(p.Plain, failure) {
		p.Plain += failure
	}
	return p
}

func planLines(entries []acp.PlanEntry) string {
	text := ""
	for _, e := range entries {
		mark := map[acp.PlanEntryStatus]string{acp.PlanEntryStatusCompleted: "x", acp.PlanEntryStatusInProgress: ">"}[e.Status]
		if mark == "" {
			mark = " "
		}
		text += "[" + mark + "] " + cleanLine(e.Content) + "\n"
	}
	return text
}

// ended ends the last line of a text.
func ended(text string) string {
	if text == "" || text[len(text)-1] == '\n' {
		return text
	}
	return text + "\n"
}
