package client

import (
	"slices"

	"github.com/patchbay-dev/patchbay/acp"
)

// SubagentTree returns the subagents as a tree: those of a subagent are the ones that its tool calls started within
// the session, and those of its child session where that was attached.
func (s *State) SubagentTree() Subagents { return s.subagentTree(map[*State]bool{}) }

// subagentTree looks at each State once, so that children that contain each other end it.
func (s *State) subagentTree(seen map[*State]bool) Subagents {
	seen[s] = true
	list, children := s.subagentLinks()
	byCall, bySession := map[acp.ToolCallID]*SubagentNode{}, map[acp.SessionID]*SubagentNode{}
	nodes := make(Subagents, len(list))
	for i, b := range list {
		nodes[i] = &SubagentNode{Subagent: titled(b, children[b.SessionID])}
		if b.Call != "" {
			byCall[b.Call] = nodes[i]
		}
		bySession[b.SessionID] = began(bySession[b.SessionID], nodes[i])
	}
	for _, n := range nodes {
		if child := children[n.SessionID]; child != nil && !seen[child] && bySession[n.SessionID] == n {
			n.Children = child.subagentTree(seen)
		}
	}
	var roots Subagents
	for _, n := range nodes {
		parent := byCall[n.Parent]
		if parent == nil || inCircle(byCall, n) {
			roots = append(roots, n)
			continue
		}
		parent.Children = append(parent.Children, n)
	}
	return roots
}

// began returns which of two, the first of which may be nil, began the session that both have.
func began(a, b *SubagentNode) *SubagentNode {
	if a == nil || a.Continues != "" && b.Continues == "" {
		return b
	}
	return a
}

// inCircle reports whether a subagent is said to have started itself, be it by way of others.
func inCircle(byCall map[acp.ToolCallID]*SubagentNode, n *SubagentNode) bool {
	up := byCall[n.Parent]
	for range byCall {
		if up == n || up == nil {
			break
		}
		up = byCall[up.Parent]
	}
	return up == n
}

// titled gives a subagent the title that its session has got, if its parent has said none.
func titled(b *Subagent, child *State) *Subagent {
	if b.Title != "" || child == nil {
		return b
	}
	title := child.Title()
	if title == "" {
		return b
	}
	named := *b
	named.Title = cutText(title)
	named.readTitle()
	return &named
}

// subagentLinks returns the subagents and the States of those that are attached.
func (s *State) subagentLinks() ([]*Subagent, map[acp.SessionID]*State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	children := map[acp.SessionID]*State{}
	list := slices.Clip(s.subagents.list)
	for _, b := range s.subagents.early {
		if !slices.ContainsFunc(list, func(known *Subagent) bool { return known.SessionID == b.SessionID }) {
			list = append(list, b)
		}
	}
	for _, b := range list {
		if child := s.subagents.children[b.SessionID]; child != nil {
			children[b.SessionID] = child
		}
	}
	return list, children
}
