package policy

import (
	"fmt"
	"slices"
	"strings"
)

// An Explanation is how a decision came about.
type Explanation struct {
	Call     string   `json:"call"`
	Decision Decision `json:"decision"`
	Mode     Mode     `json:"mode"`
	ModeFrom string   `json:"modeFrom,omitzero"` // as RuleNote.From

	// Rules are all rules and grants that were looked at, in order, also those that came too late to decide.
	Rules []RuleNote `json:"rules"`

	// Parts are all things that the call does.
	Parts []PartNote `json:"parts"`
}

// A RuleNote says what a rule has to do with a call.
type RuleNote struct {
	Source Source `json:"source"`
	Rule   Rule   `json:"rule"`
	Grant  string `json:"grant,omitzero"` // the grant's id
	Says   string `json:"says"`

	// From says where the rule came from: a file, a flag, the id of a grant. A Policy knows grants alone; whoever has put it together may fill it in.
	From string `json:"from,omitzero"`
}

// A PartNote says what lets one part of a call pass.
type PartNote struct {
	What   string `json:"what"`
	Passes bool   `json:"passes"`
	By     string `json:"by"` // rules or the mode, or "nothing"
}

// Explain is Decide with all that was looked at. It uses up no grant.
func (p *Policy) Explain(c Call) Explanation {
	v := p.look(&c)
	granted, err := p.Grants.about(&c)
	e := Explanation{Call: c.String(), Decision: p.decide(v, granted), Mode: p.Mode.name()}
	if err != nil {
		e.Decision = unreadable(err)
	}
	e.restricting(v, SourceDeny, p.Deny)
	for _, g := range granted {
		if !g.Allow {
			e.Rules = append(e.Rules, RuleNote{Source: SourceGrant, Rule: g.Rule, Grant: g.ID, From: "id " + g.ID, Says: v.touches(g.Rule).says()})
		}
	}
	e.restricting(v, SourceAsk, p.Ask)
	rules, ids := p.allowing(granted)
	covered := map[Rule][]string{}
	for _, part := range v.parts {
		used, ok := v.partCovered(rules, part)
		for _, r := range used {
			covered[r] = append(covered[r], part.what)
		}
		e.Parts = append(e.Parts, p.partNote(v, part, used, ok))
	}
	for i, r := range rules {
		note := RuleNote{Source: SourceAllow, Rule: r, Says: "covers nothing that no rule before it covers"}
		if i >= len(p.Allow) {
			note.Source, note.Grant, note.From = SourceGrant, ids[r], "id "+ids[r]
		}
		if parts := slices.Compact(covered[r]); len(parts) > 0 {
			note.Says = "covers that it " + strings.Join(parts, ", and that it ")
		}
		e.Rules = append(e.Rules, note)
	}
	return e
}

func (e *Explanation) restricting(v *view, source Source, rules []Rule) {
	for _, r := range rules {
		e.Rules = append(e.Rules, RuleNote{Source: source, Rule: r, Says: v.touches(r).says()})
	}
}

func (m match) says() string {
	switch m {
	case yes:
		return "is about it"
	case maybe:
		return "may be about it: the call is not clear enough to tell"
	}
	return "is not about it"
}

func (p *Policy) partNote(v *view, part part, used []Rule, covered bool) PartNote {
	note := PartNote{What: part.what, By: "nothing"}
	switch {
	case covered:
		names := make([]string, len(used))
		for i, r := range used {
			names[i] = r.String()
		}
		note.Passes, note.By = true, strings.Join(names, ", ")
	case v.passes(p.Mode, part):
		note.Passes, note.By = true, "mode "+string(p.Mode.name())
	}
	return note
}

// String is the explanation for people, in a few lines.
func (e Explanation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n  %s\n", e.Decision.Verdict, e.Call, e.Decision.Reason)
	for _, r := range e.Rules {
		fmt.Fprintf(&b, "  %-5s %s%s: %s\n", r.Source, r.Rule, origin(r.From), r.Says)
	}
	fmt.Fprintf(&b, "  mode  %s%s\n", e.Mode, origin(e.ModeFrom))
	for _, p := range e.Parts {
		fmt.Fprintf(&b, "  it %s: %s\n", p.What, p.By)
	}
	return b.String()
}

func origin(from string) string {
	if from == "" {
		return ""
	}
	return " (" + from + ")"
}
