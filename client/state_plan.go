package client

import (
	"slices"

	"github.com/patchbay-dev/patchbay/acp"
)

// A Plan is a version of what the agent means to do. An agent has one plan, without an id, or several with ids.
type Plan struct {
	ID acp.PlanID

	// Content is *acp.PlanItems for a list of tasks, which is what plans are today, or one of the unstable forms. It is
	// nil if the plan was Removed.
	Content acp.PlanUpdateContent

	// Removed is true for an entry of the timeline that says that the plan is gone.
	Removed bool

	Meta    acp.Meta
	Unknown acp.Unknown
}

func (*Plan) entry() {}

// Entries returns the tasks of the plan, if it is a list of tasks.
func (p *Plan) Entries() []acp.PlanEntry {
	if items, ok := p.Content.(*acp.PlanItems); ok {
		return items.Entries
	}
	return nil
}

// planID returns the id that a plan has in any of its forms.
func planID(content acp.PlanUpdateContent) acp.PlanID {
	switch c := content.(type) {
	case *acp.PlanItems:
		return c.PlanID
	case *acp.PlanFile:
		return c.PlanID
	case *acp.PlanMarkdown:
		return c.PlanID
	case *acp.UnknownPlan:
		return acp.PlanID(stringIn(c.Raw, "planId"))
	}
	return ""
}

// setPlan puts a plan in the place of the one with its id, or adds it. The new version replaces the old as a whole.
func (s *State) setPlan(p *Plan) {
	s.timeline.append(p)
	plans := slices.Clone(s.plans) // readers have the old ones
	if i := planIndex(plans, p.ID); i >= 0 {
		plans[i] = p
	} else {
		plans = append(plans, p)
	}
	s.plans = plans
}

// removePlan takes a plan out. One that is not there is not removed again.
func (s *State) removePlan(u *acp.PlanRemoved) {
	i := planIndex(s.plans, u.PlanID)
	if i < 0 {
		return
	}
	s.plans = slices.Delete(slices.Clone(s.plans), i, i+1)
	s.timeline.append(&Plan{ID: u.PlanID, Removed: true, Meta: u.Meta, Unknown: u.Unknown})
}

func planIndex(plans []*Plan, id acp.PlanID) int {
	return slices.IndexFunc(plans, func(p *Plan) bool { return p.ID == id })
}
