package client

import (
	"bytes"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

// A ToolCall is a tool call as far as it has come (S000.9, S000.10, S000.11). It never changes; when the call goes on,
// another ToolCall takes its place in the State.
type ToolCall struct {
	ID    acp.ToolCallID
	Title string
	Name  string
	Kind  acp.ToolKind // empty means acp.ToolKindOther

	// Status is what the agent said last, acp.ToolCallStatusPending if it said nothing. A State neither guesses nor
	// forbids: an agent that takes a final status back is believed, and a call that the agent left open stays open.
	Status acp.ToolCallStatus

	// Content and Locations are the last lists, each of which replaced the one before as a whole.
	Content   []acp.ToolCallContent
	Locations []acp.ToolCallLocation

	RawInput  acp.Raw
	RawOutput acp.Raw

	// Meta and Unknown have the further members of all updates. Where several have the same, the last one counts.
	Meta    acp.Meta
	Unknown acp.Unknown

	// Announced is false as long as only updates of the call have come, which some agents begin with.
	Announced bool

	// Parent is the call within which the call is made, such as the one that started a subagent. Empty means none, or
	// that the agent does not say.
	Parent acp.ToolCallID
}

func (*ToolCall) entry() {}

// Diffs returns the changes to files that the call shows.
func (c *ToolCall) Diffs() []*acp.Diff {
	var diffs []*acp.Diff
	for _, content := range c.Content {
		if d, ok := content.(*acp.Diff); ok {
			diffs = append(diffs, d)
		}
	}
	return diffs
}

// Terminals returns the terminals that the call shows. Some agents name one that this client did not create.
func (c *ToolCall) Terminals() []acp.TerminalID {
	var ids []acp.TerminalID
	for _, content := range c.Content {
		if t, ok := content.(*acp.Terminal); ok {
			ids = append(ids, t.TerminalID)
		}
	}
	return ids
}

// Text returns the text that the call shows, without diffs and terminals: its text blocks, one after the other.
func (c *ToolCall) Text() string {
	b := new(body)
	for _, content := range c.Content {
		if t, ok := content.(*acp.Content); ok {
			b.add(t.Content)
		}
	}
	return b.text.join()
}

// Failure returns why the call failed, if it did and the agent says so in the member error of the raw output (S004.8).
func (c *ToolCall) Failure() string {
	if c.Status != acp.ToolCallStatusFailed {
		return ""
	}
	return stringIn(c.RawOutput, "error")
}

// announce takes a tool_call. Where the call is known already, by updates that came before or because a history is
// played again, what the announcement leaves out stays as it was.
func (s *State) announce(u *acp.ToolCall) {
	c := s.callFor(u.ToolCallID)
	c.Announced = true
	c.Title = or(u.Title, c.Title)
	c.Name = or(u.Name, c.Name)
	c.Kind = or(u.Kind, c.Kind)
	c.Status = or(u.Status, c.Status)
	if u.Content != nil {
		c.Content = u.Content
	}
	if u.Locations != nil {
		c.Locations = u.Locations
	}
	if u.RawInput != nil {
		c.RawInput = u.RawInput
	}
	if u.RawOutput != nil {
		c.RawOutput = u.RawOutput
	}
	s.putCall(c, u.Meta, u.Unknown)
}

// patchCall takes a tool_call_update. One for a call that is not known begins it.
func (s *State) patchCall(u *acp.ToolCallUpdate) {
	c := s.callFor(u.ToolCallID)
	clears := s.NullClears
	patch(&c.Title, u.Title, clears)
	patch(&c.Name, u.Name, clears)
	patch(&c.Kind, u.Kind, clears)
	patch(&c.Status, u.Status, clears)
	patch(&c.Content, u.Content, clears)
	patch(&c.Locations, u.Locations, clears)
	patch(&c.RawInput, u.RawInput, clears)
	patch(&c.RawOutput, u.RawOutput, clears)
	c.Status = or(c.Status, acp.ToolCallStatusPending)
	s.putCall(c, u.Meta, u.Unknown)
}

// callFor returns a copy of a call, to be changed and put back.
func (s *State) callFor(id acp.ToolCallID) *ToolCall {
	if at, ok := s.byCallID[id]; ok {
		c := *s.calls.at(at.own)
		return &c
	}
	s.interrupt()
	if s.byCallID == nil {
		s.byCallID = map[acp.ToolCallID]place{}
	}
	s.byCallID[id] = place{s.timeline.append(nil), s.calls.append(nil)}
	return &ToolCall{ID: id, Status: acp.ToolCallStatusPending}
}

func (s *State) putCall(c *ToolCall, meta acp.Meta, unknown acp.Unknown) {
	c.Meta = merged(c.Meta, meta)
	c.Unknown = merged(c.Unknown, unknown)
	if raw, ok := meta["claudeCode"]; ok {
		c.Parent = or(acp.ToolCallID(stringIn(raw, "parentToolUseId")), c.Parent)
	}
	at := s.byCallID[c.ID]
	s.timeline.set(at.pos, c)
	s.calls.set(at.own, c)
	s.spotSubagent(c)
}

// or returns value, or otherwise if it is empty.
func or[T ~string](value, otherwise T) T {
	if value == "" {
		return otherwise
	}
	return value
}

// member returns a member of a JSON object, nil if there is no such thing.
func member(raw acp.Raw, names ...string) acp.Raw {
	if rawjson.Check(raw) != nil {
		return nil
	}
	for _, name := range names {
		if raw = bytes.TrimSpace(raw); raw.Kind() != '{' {
			return nil
		}
		raw = rawjson.Get(raw, name)
	}
	return raw
}

// stringIn returns a string in a JSON object, "" if there is no such thing.
func stringIn(raw acp.Raw, names ...string) string {
	return asString(member(raw, names...))
}

// asString returns what a JSON string says, "" for everything else.
func asString(raw acp.Raw) string {
	if raw.Kind() != '"' || rawjson.Check(raw) != nil { // a program may give a State what never was on a wire
		return ""
	}
	return rawjson.String(bytes.TrimSpace(raw))
}
