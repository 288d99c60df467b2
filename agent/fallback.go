package agent

import (
	"slices"
	"strings"
	"sync"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

// A fallback remembers what stands for the updates that the client does not understand.
type fallback struct {
	mu          sync.Mutex // guards everything below
	compactions map[acp.CompactionID]bool
	plan        acp.PlanID                   // that the one plan of the client shows
	subagents   map[acp.SessionID]bool       // that are shown as tool calls
	booleans    map[acp.SessionConfigID]bool // options that are shown as selects
}

// adapt returns an update that the client understands: u itself, its fallback, or nil if there is nothing to say.
func (s *Session) adapt(u acp.SessionUpdate) acp.SessionUpdate {
	switch u := u.(type) {
	case *acp.Notice, *acp.CompactionUpdate, *acp.CompactionSummaryChunk, *acp.ConfigOptionUpdate:
		return s.adaptSession(u)
	case *acp.PlanUpdate, *acp.PlanRemoved:
		if s.conn.clientCapabilities().Plan == nil {
			return s.adaptPlan(u)
		}
	case *acp.SubagentUpdate:
		if s.conn.clientCapabilities().Subagents == nil {
			if hasCall(u) {
				return nil
			}
			return s.subagentCall(u)
		}
	case *acp.SessionMessage, *acp.SessionMessageChunk:
		if s.conn.clientCapabilities().Subagents == nil {
			return nil
		}
	}
	return u
}

// adaptSession does adapt for what clientCapabilities.session is about.
func (s *Session) adaptSession(u acp.SessionUpdate) acp.SessionUpdate {
	var can acp.ClientSessionCapabilities
	if c := s.conn.clientCapabilities().Session; c != nil {
		can = *c
	}
	switch u := u.(type) {
	case *acp.Notice:
		if can.Notices == nil {
			return s.message(u.Meta, noticeText(u))
		}
	case *acp.CompactionUpdate:
		if can.Compaction == nil {
			return s.compactionMessage(u)
		}
	case *acp.CompactionSummaryChunk:
		if can.Compaction == nil {
			return nil
		}
	case *acp.ConfigOptionUpdate:
		adapted := *u
		adapted.ConfigOptions = s.adaptOptions(u.ConfigOptions)
		return &adapted
	}
	return u
}

// noticeText is what an agent says to a client without notices, as the specification allows.
func noticeText(n *acp.Notice) string {
	var text strings.Builder
	switch n.Severity {
	case acp.NoticeSeverityWarning:
		text.WriteString("Warning: ")
	case acp.NoticeSeverityError:
		text.WriteString("Error: ")
	}
	text.WriteString(n.Title)
	if n.Description != "" {
		text.WriteString("\n\n" + n.Description)
	}
	return text.String()
}

// compactionMessage is what an agent says to a client that does not understand compactions: it may take a while, and the
// user would wonder. The summary is not said.
func (s *Session) compactionMessage(u *acp.CompactionUpdate) acp.SessionUpdate {
	f, meta := &s.fallback, u.Meta.Or(nil)
	f.mu.Lock()
	defer f.mu.Unlock()
	begun := f.compactions[u.CompactionID]
	switch u.Status {
	case acp.CompactionStatusCompleted:
		delete(f.compactions, u.CompactionID)
		return s.message(meta, "The conversation's context has been compacted.")
	case acp.CompactionStatusCancelled:
		delete(f.compactions, u.CompactionID)
		return s.message(meta, "Compacting the conversation's context was cancelled.")
	case acp.CompactionStatusFailed:
		delete(f.compactions, u.CompactionID)
		text := "Compacting the conversation's context has failed."
		if why, ok := u.Error.Get(); ok {
			text = "Compacting the conversation's context has failed: " + why
		}
		return s.message(meta, text)
	}
	if begun {
		return nil
	}
	if f.compactions == nil {
		f.compactions = map[acp.CompactionID]bool{}
	}
	f.compactions[u.CompactionID] = true
	return s.message(meta, "Compacting the conversation's context…")
}

// adaptPlan shows plans to a client that knows only one at a time: the one that was updated last.
func (s *Session) adaptPlan(u acp.SessionUpdate) acp.SessionUpdate {
	f := &s.fallback
	f.mu.Lock()
	defer f.mu.Unlock()
	switch u := u.(type) {
	case *acp.PlanRemoved:
		if u.PlanID != f.plan {
			return nil
		}
		f.plan = ""
		return &acp.Plan{Entries: []acp.PlanEntry{}}
	case *acp.PlanUpdate:
		id, entries := planEntries(u.Plan)
		if entries == nil {
			return nil
		}
		f.plan = id
		return &acp.Plan{Entries: entries, Meta: u.Meta}
	}
	return u
}

func planEntries(plan acp.PlanUpdateContent) (acp.PlanID, []acp.PlanEntry) {
	one := func(text string) []acp.PlanEntry {
		return []acp.PlanEntry{{Content: text, Priority: acp.PlanEntryPriorityMedium, Status: acp.PlanEntryStatusInProgress}}
	}
	switch p := plan.(type) {
	case *acp.PlanItems:
		return p.PlanID, some(p.Entries)
	case *acp.PlanMarkdown:
		return p.PlanID, one(p.Content)
	case *acp.PlanFile:
		return p.PlanID, one(p.URI)
	}
	return "", nil
}

// subagentCall shows a child session as a tool call of its parent.
func (s *Session) subagentCall(u *acp.SubagentUpdate) acp.SessionUpdate {
	f := &s.fallback
	f.mu.Lock()
	defer f.mu.Unlock()
	id := acp.ToolCallID("subagent_" + u.SessionID)
	status, known := subagentStatus(u)
	if !f.subagents[u.SessionID] {
		if f.subagents == nil {
			f.subagents = map[acp.SessionID]bool{}
		}
		f.subagents[u.SessionID] = !status.Final()
		return &acp.ToolCall{
			ToolCallID: id, Title: u.Title.Or("Subagent"), Kind: acp.ToolKindOther, Status: status,
			Content: subagentContent(u),
		}
	}
	call := &acp.ToolCallUpdate{ToolCallID: id}
	if title, ok := u.Title.Get(); ok {
		call.Title = acp.Some(title)
	}
	if content := subagentContent(u); content != nil {
		call.Content = acp.Some(content)
	}
	if known {
		call.Status = acp.Some(status)
	}
	if status.Final() {
		delete(f.subagents, u.SessionID) // it may work again, which is another call
	}
	return call
}

// hasCall reports whether a tool call of the author's shows the child.
func hasCall(u *acp.SubagentUpdate) bool {
	meta, _ := u.Meta.Get()
	about := meta[childMeta]
	return about.Kind() == '{' && rawjson.Get(about, "toolCallId") != nil
}

func subagentContent(u *acp.SubagentUpdate) []acp.ToolCallContent {
	var texts []string
	if text, ok := u.Description.Get(); ok && text != "" {
		texts = append(texts, text)
	}
	if state, ok := u.State.Get(); ok {
		if idle, ok := state.(*acp.IdleStateUpdate); ok && idle.Error != nil {
			texts = append(texts, idle.Error.Message)
		}
	}
	var content []acp.ToolCallContent
	for _, text := range texts {
		content = append(content, acp.ToolContent(acp.Text(text)))
	}
	return content
}

// subagentStatus is what the state of a child session is as a status, and whether the update says anything about it.
func subagentStatus(u *acp.SubagentUpdate) (status acp.ToolCallStatus, known bool) {
	state, ok := u.State.Get()
	if !ok {
		return acp.ToolCallStatusPending, false
	}
	idle, ok := state.(*acp.IdleStateUpdate)
	switch {
	case !ok:
		return acp.ToolCallStatusInProgress, true
	case idle.StopReason == "" || idle.StopReason == acp.IdleStopReasonEndTurn:
		return acp.ToolCallStatusCompleted, true
	}
	return acp.ToolCallStatusFailed, true
}

// The values of the select that stands for a boolean option.
const (
	optionOn  acp.SessionConfigValueID = "on"
	optionOff acp.SessionConfigValueID = "off"
)

// adaptOptions returns options that the client understands. The list itself is left alone.
func (s *Session) adaptOptions(list []acp.SessionConfigOption) []acp.SessionConfigOption {
	can := s.conn.clientCapabilities().Session
	if can != nil && can.ConfigOptions != nil && can.ConfigOptions.Boolean != nil {
		return list
	}
	adapted := slices.Clone(list)
	for i := range list {
		boolean, ok := list[i].Value.(*acp.SessionConfigBoolean)
		if !ok {
			continue
		}
		adapted[i].Value = selectOf(boolean)
		s.fallback.mu.Lock()
		if s.fallback.booleans == nil {
			s.fallback.booleans = map[acp.SessionConfigID]bool{}
		}
		s.fallback.booleans[list[i].ID] = true
		s.fallback.mu.Unlock()
	}
	return adapted
}

func selectOf(boolean *acp.SessionConfigBoolean) *acp.SessionConfigSelect {
	current := optionOff
	if boolean.CurrentValue {
		current = optionOn
	}
	return &acp.SessionConfigSelect{CurrentValue: current, Options: acp.SessionConfigSelectOptions{
		Ungrouped: []acp.SessionConfigSelectOption{{Value: optionOn, Name: "On"}, {Value: optionOff, Name: "Off"}},
	}}
}

// meant returns the value that the client meant for an option which it knows as a select.
func (s *Session) meant(id acp.SessionConfigID, value acp.SetConfigValue) acp.SetConfigValue {
	chosen, ok := value.(*acp.SetConfigValueID)
	if !ok {
		return value
	}
	s.fallback.mu.Lock()
	boolean := s.fallback.booleans[id]
	s.fallback.mu.Unlock()
	if !boolean || chosen.Value != optionOn && chosen.Value != optionOff {
		return value
	}
	return &acp.SetConfigBoolean{Value: chosen.Value == optionOn}
}
