package client

import (
	"bytes"
	"slices"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

// A Subagent is an agent that works for the session's agent. A State learns of it in two ways: by the protocol's own
// updates, and, from agents without those, by tool calls whose input has a subagent_type (S004.11). Where both speak of
// the same child session they are one Subagent. It never changes; another one takes its place in the State.
type Subagent struct {
	// SessionID names the child session. Empty means that it is not known yet, and may never be.
	SessionID acp.SessionID

	// Call is the tool call that started the subagent, empty if there is none. Its status is the subagent's where State
	// is nil.
	Call acp.ToolCallID

	// Parent is the Call of the subagent that started this one. Empty means that the session's agent did.
	Parent acp.ToolCallID

	Title       string
	Description string

	// What a tool call says: the type of subagent, its task, the session that it continues, and the slash command that
	// asked for it.
	Type, Prompt, Continues, Command string

	// What the result of a tool call says: the model as provider/model, the tools that the subagent used, and whether
	// that was cut short.
	Model     string
	Tools     []SubagentTool
	Truncated bool

	// Status is how far the tool call has come, empty if there is none.
	Status acp.ToolCallStatus

	// State is what the child session is doing, the last that was known: running, idle, waiting for the user, or
	// something that this package does not know. Nil means that nothing was said.
	State acp.StateUpdate

	// Unconfirmed means that the agent can't see any more whether State still holds.
	Unconfirmed bool

	// Capabilities say what the client may do to the child session, nil for nothing.
	Capabilities *acp.SubagentSessionCapabilities

	// CWD and AdditionalDirectories are where the child session works, empty for where its parent does.
	CWD                   string
	AdditionalDirectories []string

	// Meta and Unknown have the further members of the protocol's updates.
	Meta    acp.Meta
	Unknown acp.Unknown
}

// A SubagentTool is a tool that a subagent used.
type SubagentTool struct {
	ID, Tool, Status, Title string
}

// A SubagentNode is a subagent and those that it started.
type SubagentNode struct {
	*Subagent
	Children []*SubagentNode
}

func (*Subagent) entry() {}

// subagents is what a State knows of subagents. They are few, so that lists are copied and searched.
type subagents struct {
	list     []*Subagent // replaced, never changed
	pos      []int       // of each in the timeline; -1 if its tool call stands there
	children map[acp.SessionID]*State
}

func (a *subagents) index(is func(*Subagent) bool) int { return slices.IndexFunc(a.list, is) }

func (a *subagents) bySession(id acp.SessionID) int {
	return a.index(func(b *Subagent) bool { return id != "" && b.SessionID == id })
}

// put stores a subagent at an index, -1 for a new one, which has a place in the timeline or -1.
func (a *subagents) put(i int, b *Subagent, pos int) {
	a.list = slices.Clone(a.list)
	if i < 0 {
		a.list = append(a.list, b)
		a.pos = append(a.pos, pos)
		return
	}
	a.list[i] = b
}

func (a *subagents) remove(i int) {
	a.list = slices.Delete(slices.Clone(a.list), i, i+1)
	a.pos = slices.Delete(a.pos, i, i+1)
}

// patchSubagent takes the protocol's own update of a child session.
func (s *State) patchSubagent(u *acp.SubagentUpdate) {
	a := &s.subagents
	b := Subagent{SessionID: u.SessionID}
	i := a.bySession(u.SessionID)
	if i >= 0 {
		b = *a.list[i]
	}
	patch(&b.Title, u.Title, true)
	patch(&b.Description, u.Description, true)
	patch(&b.CWD, u.CWD, true)
	patch(&b.AdditionalDirectories, u.AdditionalDirectories, true)
	patch(&b.Meta, u.Meta, true)
	b.Unknown = merged(b.Unknown, u.Unknown)
	if capabilities, ok := u.Capabilities.Get(); ok {
		b.Capabilities = &capabilities
	} else if u.Capabilities.IsNull() {
		b.Capabilities = nil
	}
	b.patchState(u.State)
	if i < 0 {
		s.interrupt()
		a.put(-1, &b, s.timeline.append(&b))
		return
	}
	a.put(i, &b, 0)
	s.timeline.set(a.pos[i], &b)
}

// patchState keeps the last known state when the agent says that it does not know, which ends nothing.
func (b *Subagent) patchState(change acp.Optional[acp.StateUpdate]) {
	if change.IsZero() {
		return
	}
	state, _ := change.Get()
	if _, lost := state.(*acp.UnknownStateUpdate); lost && b.State != nil {
		b.Unconfirmed = true
		return
	}
	b.State, b.Unconfirmed = state, false
}

// spotSubagent looks whether a tool call starts a subagent (S004.11). The type of subagent stands in its input or, from
// some agents, beside it, and may come with the first update that follows the announcement only.
func (s *State) spotSubagent(c *ToolCall) {
	a := &s.subagents
	i := a.index(func(b *Subagent) bool { return b.Call == c.ID })
	if i < 0 && !startsSubagent(c) {
		return
	}
	b := Subagent{Call: c.ID}
	if i >= 0 {
		b = *a.list[i]
	}
	b.readCall(c)
	if b.Parent = c.Parent; b.Parent != "" && a.index(func(p *Subagent) bool { return p.Call == b.Parent }) < 0 {
		b.Parent = ""
	}
	if j := a.bySession(b.SessionID); j >= 0 && j != i && a.list[j].Call == "" {
		s.mergeSubagent(i, j, b)
		return
	}
	a.put(i, &b, -1)
	if i >= 0 {
		s.timeline.set(a.pos[i], &b)
	}
}

// mergeSubagent brings together what a tool call said, b at index i or -1, with what updates said of the same child
// session, at index j.
func (s *State) mergeSubagent(i, j int, b Subagent) {
	a := &s.subagents
	known := a.list[j]
	b.Title = or(known.Title, b.Title)
	b.Description = or(known.Description, b.Description)
	b.State, b.Unconfirmed, b.Capabilities = known.State, known.Unconfirmed, known.Capabilities
	b.CWD, b.AdditionalDirectories = known.CWD, known.AdditionalDirectories
	b.Meta, b.Unknown = known.Meta, known.Unknown
	a.put(j, &b, 0)
	s.timeline.set(a.pos[j], &b)
	if i >= 0 {
		a.remove(i)
	}
}

func startsSubagent(c *ToolCall) bool {
	if _, ok := c.Unknown["subagent_type"]; ok {
		return true
	}
	return bytes.Contains(c.RawInput, []byte("subagent_type")) && stringIn(c.RawInput, "subagent_type") != ""
}

// readCall takes what a tool call says of the subagent that it started.
func (b *Subagent) readCall(c *ToolCall) {
	b.Status = c.Status
	b.Type = c.said("subagent_type", b.Type)
	b.Description = c.said("description", b.Description)
	b.Prompt = c.said("prompt", b.Prompt)
	b.Continues = c.said("session_id", b.Continues)
	b.Command = c.said("command", b.Command)
	for _, text := range []string{c.Text(), stringIn(c.RawOutput, "output")} {
		b.SessionID = or(acp.SessionID(sessionInText(text)), b.SessionID)
	}
	for _, raw := range []acp.Raw{c.Meta["sessionId"], c.Meta["patchbay.dev/subagent"], c.Unknown["metadata"], member(c.RawOutput, "metadata")} {
		b.readMetadata(raw) // which nothing that a model has written can contradict
	}
	b.SessionID = or(b.SessionID, acp.SessionID(b.Continues))
}

// said returns a string from the input of a call or from beside it.
func (c *ToolCall) said(name, otherwise string) string {
	return or(stringIn(c.RawInput, name), or(asString(c.Unknown[name]), otherwise))
}

// readMetadata takes the object that says how the subagent did, or the bare id of its session.
func (b *Subagent) readMetadata(raw acp.Raw) {
	b.SessionID = or(acp.SessionID(or(asString(raw), stringIn(raw, "sessionId"))), b.SessionID)
	if model := stringIn(raw, "model", "modelID"); model != "" {
		b.Model = strings.TrimPrefix(stringIn(raw, "model", "providerID")+"/"+model, "/")
	}
	if truncated := member(raw, "truncated"); truncated != nil {
		b.Truncated = truncated.Kind() == 't'
	}
	if summary := member(raw, "summary"); summary.Kind() == '[' {
		b.Tools = toolsIn(summary)
	}
}

func toolsIn(summary acp.Raw) []SubagentTool {
	tools := []SubagentTool{}
	for c := rawjson.Walk(summary); c.Next(); {
		tools = append(tools, SubagentTool{
			ID:     stringIn(c.Value(), "id"),
			Tool:   stringIn(c.Value(), "tool"),
			Status: stringIn(c.Value(), "state", "status"),
			Title:  stringIn(c.Value(), "state", "title"),
		})
	}
	return tools
}

// sessionInText returns the id of the child session that the output of a task ends with:
//
//	<task_metadata>
//	session_id: ses_401a7c450ffe
//	</task_metadata>
func sessionInText(text string) string {
	i := strings.LastIndex(text, "<task_metadata>") // a subagent may have quoted its own subagent before
	if i < 0 {
		return ""
	}
	text, _, _ = strings.Cut(text[i:], "</task_metadata>")
	_, id, _ := strings.Cut(text, "session_id:")
	if fields := strings.Fields(id); len(fields) > 0 {
		return fields[0]
	}
	return ""
}

// Subagents returns the subagents that the session's own updates speak of, in the order in which they appeared.
func (s *State) Subagents() []*Subagent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clip(s.subagents.list)
}

// AttachChild says which State belongs to a child session, so that SubagentTree can show the child's own subagents.
func (s *State) AttachChild(id acp.SessionID, child *State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.subagents.children == nil {
		s.subagents.children = map[acp.SessionID]*State{}
	}
	s.subagents.children[id] = child
}

// SubagentTree returns the subagents as a tree: those of a subagent are the ones that its tool calls started within
// the session, and those of its child session where that was attached.
func (s *State) SubagentTree() []*SubagentNode { return s.subagentTree(map[*State]bool{}) }

// subagentTree looks at each State once, so that children that contain each other end it.
func (s *State) subagentTree(seen map[*State]bool) []*SubagentNode {
	seen[s] = true
	list, children := s.subagentLinks()
	byCall := map[acp.ToolCallID]*SubagentNode{}
	nodes := make([]*SubagentNode, len(list))
	for i, b := range list {
		nodes[i] = &SubagentNode{Subagent: b}
		if child := children[i]; child != nil && !seen[child] {
			nodes[i].Children = child.subagentTree(seen)
		}
		if b.Call != "" {
			byCall[b.Call] = nodes[i]
		}
	}
	var roots []*SubagentNode
	for _, n := range nodes {
		parent := byCall[n.Parent]
		if parent == nil || parent == n {
			roots = append(roots, n)
			continue
		}
		parent.Children = append(parent.Children, n)
	}
	return roots
}

// subagentLinks returns the subagents and the State of each, nil if it is not attached.
func (s *State) subagentLinks() ([]*Subagent, []*State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	children := make([]*State, len(s.subagents.list))
	for i, b := range s.subagents.list {
		children[i] = s.subagents.children[b.SessionID]
	}
	return slices.Clip(s.subagents.list), children
}
