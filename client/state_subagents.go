package client

import (
	"slices"

	"github.com/patchbay-dev/patchbay/acp"
)

// subagents is what a State knows of subagents. They are few, so that lists are copied and searched.
//
// What tool calls say and what the protocol's updates say is kept apart and brought together for show, so that neither the
// order in which they come nor the moment at which a call names its session makes a difference.
type subagents struct {
	list     []*Subagent // that are shown; replaced, never changed
	parts    []*subagentPart
	gone     acp.SessionID // of the part that was forgotten last, until it is seen what is shown without it
	early    []*Subagent   // of updates that were read, and whose turn to be handled has not come
	children map[acp.SessionID]*State
}

// A subagentPart is what is known of a subagent by one tool call, or of a child session by updates.
type subagentPart struct {
	task  *task     // nil for a child session
	child *Subagent // what updates said; nil for a task
	pos   int       // of a child session in the timeline
	shown *Subagent // nil if another part shows it
}

func (p *subagentPart) session() acp.SessionID {
	if p.task != nil {
		return p.task.session()
	}
	return p.child.SessionID
}

func (p *subagentPart) over() bool { return p.shown == nil || p.shown.Stage().Over() }

func (a *subagents) byCall(id acp.ToolCallID) *subagentPart {
	return a.find(func(p *subagentPart) bool { return p.task != nil && p.task.call == id })
}

func (a *subagents) byChild(id acp.SessionID) *subagentPart {
	return a.find(func(p *subagentPart) bool { return p.child != nil && p.child.SessionID == id })
}

func (a *subagents) find(is func(*subagentPart) bool) *subagentPart {
	if i := slices.IndexFunc(a.parts, is); i >= 0 {
		return a.parts[i]
	}
	return nil
}

// add notes something new. If that is too much, what ended first is forgotten, or else what is oldest.
func (a *subagents) add(p *subagentPart) *subagentPart {
	if len(a.parts) >= maxSubagents {
		i := max(0, slices.IndexFunc(a.parts, (*subagentPart).over))
		a.gone = a.parts[i].session()
		delete(a.children, a.gone)
		a.parts = slices.Delete(a.parts, i, i+1)
	}
	a.parts = append(a.parts, p)
	return p
}

// patchSubagent takes the protocol's own update of a child session.
func (s *State) patchSubagent(u *acp.SubagentUpdate) {
	s.subagents.early = slices.DeleteFunc(s.subagents.early, func(b *Subagent) bool { return b.SessionID == u.SessionID })
	p := s.subagents.byChild(u.SessionID)
	if p == nil {
		s.interrupt()
		p = s.subagents.add(&subagentPart{child: &Subagent{SessionID: u.SessionID}, pos: s.timeline.append(nil)})
	}
	b := *p.child
	b.patch(u)
	p.child = &b
	s.showSubagents(p)
}

// foresee notes the first update of a child session before it is handled, so that a question of the child, for which nothing of
// its parent's waits (W5), has its place in the tree.
func (s *State) foresee(u *acp.SubagentUpdate) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := Subagent{SessionID: u.SessionID}
	b.patch(u)
	b.readTitle()
	s.subagents.early = append(s.subagents.early, &b)
	s.revision++
}

func (b *Subagent) patch(u *acp.SubagentUpdate) {
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
	b.Title, b.Description = cutText(b.Title), cutText(b.Description)
	b.patchState(u.State)
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
	p := s.subagents.byCall(c.ID)
	if p == nil {
		if !startsSubagent(c) {
			return
		}
		p = s.subagents.add(&subagentPart{task: &task{call: c.ID}})
	}
	p.task.read(c)
	s.showSubagents(p)
}

// showSubagents makes what is shown of what is known, after one part has changed. Each task is shown, and each child
// session that no task has named. What has not changed stays the same pointer, and is not looked at: there may be many.
func (s *State) showSubagents(changed *subagentPart) {
	a := &s.subagents
	touched := a.touchedBy(changed)
	list := make([]*Subagent, 0, len(a.parts))
	for _, p := range a.parts {
		kin := touched.of(p)
		if p == changed || kin != nil {
			p.shown = kin.show(p)
		}
		if p.shown != nil {
			list = append(list, p.shown)
		}
	}
	a.list = list
	for _, kin := range touched {
		if kin.child == nil {
			continue
		}
		shown := kin.child.shown
		if shown == nil {
			shown = kin.tasks[0].shown
		}
		s.timeline.set(kin.child.pos, shown)
	}
}

// A subagentKin is the parts that are about one child session.
type subagentKin struct {
	session acp.SessionID
	child   *subagentPart // nil if no update spoke of it
	tasks   []*subagentPart
}

type touchedKin []*subagentKin

// touchedBy returns the sessions that are shown in another way since a part has changed: its own, the one whose it was taken
// for, and that of the part that had to go for it.
func (a *subagents) touchedBy(changed *subagentPart) touchedKin {
	var touched touchedKin
	ids := [3]acp.SessionID{changed.session(), "", a.gone}
	if changed.shown != nil {
		ids[1] = changed.shown.SessionID
	}
	a.gone = ""
	for i, id := range ids {
		if (id != "" || i == 0 && changed.child != nil) && touched.find(id) == nil {
			touched = append(touched, &subagentKin{session: id})
		}
	}
	for _, p := range a.parts {
		switch kin := touched.of(p); {
		case kin == nil:
		case p.child != nil:
			kin.child = p
		default:
			kin.tasks = append(kin.tasks, p)
		}
	}
	return touched
}

// of returns the kin of a part, nil if it is not touched. A task whose session is not known has none.
func (t touchedKin) of(p *subagentPart) *subagentKin {
	id := p.session()
	if id == "" && p.task != nil {
		return nil
	}
	return t.find(id)
}

func (t touchedKin) find(id acp.SessionID) *subagentKin {
	for _, kin := range t {
		if kin.session == id {
			return kin
		}
	}
	return nil
}

// show makes what is shown of a part, nil if another one shows it. The kin is nil if the session is not known.
func (kin *subagentKin) show(p *subagentPart) *Subagent {
	switch {
	case kin == nil:
		return p.show(nil, false)
	case p.child != nil && len(kin.tasks) > 0:
		return nil
	}
	return p.show(kin.child, len(kin.tasks) > 1)
}

// show brings together what a task and what updates say. The latter comes first where both say the same. If several tasks
// go on with one session, what it is doing is said of those that have not ended.
func (p *subagentPart) show(child *subagentPart, several bool) *Subagent {
	var b Subagent
	if p.task != nil {
		b = p.task.subagent()
	}
	if child != nil {
		known := child.child
		b.SessionID = known.SessionID
		b.Title, b.Description = known.Title, or(known.Description, b.Description)
		if !several || !b.Status.Final() {
			b.State, b.Unconfirmed = known.State, known.Unconfirmed
		}
		b.Capabilities, b.CWD, b.AdditionalDirectories = known.Capabilities, known.CWD, known.AdditionalDirectories
		b.Meta, b.Unknown = known.Meta, known.Unknown
	}
	b.readTitle()
	return &b
}

// Subagents returns the subagents that the session's own updates speak of, in the order in which they appeared. The oldest
// of very many are forgotten.
func (s *State) Subagents() []*Subagent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clip(s.subagents.list)
}

// hasUnnamed reports whether a subagent works whose session is not known.
func (s *State) hasUnnamed() bool {
	return slices.ContainsFunc(s.Subagents(), func(b *Subagent) bool {
		return b.SessionID == "" && b.Status == acp.ToolCallStatusInProgress
	})
}

// AttachChild says which State belongs to a child session, so that SubagentTree can show the child's own subagents. A
// Client does so for the child sessions that its agent names in updates.
func (s *State) AttachChild(id acp.SessionID, child *State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.subagents.children == nil {
		s.subagents.children = map[acp.SessionID]*State{}
	}
	s.subagents.children[id] = child
}
