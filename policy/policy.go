package policy

import (
	"fmt"
	"slices"
	"strings"
)

// A Policy says what may be done without asking, what must be asked, and what is denied. The zero Policy is ModeDefault
// without rules. Once it is used, its fields are left alone; Grants may change at any time. It may be used by several
// goroutines at once.
type Policy struct {
	Mode Mode `json:"mode,omitzero" toml:"mode,omitempty"`

	// Deny denies, whatever else is said.
	Deny []Rule `json:"deny,omitzero" toml:"deny,omitempty"`

	// Ask has the user asked each time, also in ModeBypass and whatever was granted. So a question that it leads to
	// offers no "always".
	Ask []Rule `json:"ask,omitzero" toml:"ask,omitempty"`

	// Allow lets pass. Each part of a call must be covered: each command of a shell line, and each file that it writes.
	Allow []Rule `json:"allow,omitzero" toml:"allow,omitempty"`

	// Grants are the user's own answers. Nil is none.
	Grants *Grants `json:"-" toml:"-"`

	// Real returns an absolute path after links, also for a file that doesn't exist yet. It is given paths with ".." in
	// them, which mean something else behind a link. Nil takes all paths as they are, cleaned: then a link inside the
	// roots leads out of them unseen.
	Real func(path string) (string, error) `json:"-" toml:"-"`
}

// A Source says what decided.
type Source string

// The sources, in the order in which they are looked at.
const (
	SourceDeny  Source = "deny"  // a rule that denies
	SourceGrant Source = "grant" // an answer of the user's that was kept
	SourceAsk   Source = "ask"   // a rule that asks
	SourceAllow Source = "allow" // rules that allow
	SourceMode  Source = "mode"  // the mode
)

// A Decision is what is to become of a call, and why.
type Decision struct {
	Verdict Verdict `json:"verdict"`
	Source  Source  `json:"source"`

	// Rules are the rules that decided: one that denies or asks, or all that together allow. It is empty if the mode did.
	Rules []Rule `json:"rules,omitzero"`

	// Grants are the ids of the grants that decided.
	Grants []string `json:"grants,omitzero"`

	// Reason says why, in a sentence for people.
	Reason string `json:"reason"`
}

// Decide judges a call. Deny comes before ask, ask before allow, and allow before the mode; ModePlan comes right after
// deny. A rule that denies but can't be told to be about the call, since that is not clear enough, asks. A grant for once
// that decides is used up. Grants that can't be read deny everything.
func (p *Policy) Decide(c Call) Decision {
	for {
		granted, err := p.Grants.about(&c)
		if err != nil {
			return unreadable(err)
		}
		d := p.decide(p.look(&c), granted)
		if p.Grants == nil || p.Grants.use(d.uses(granted)) {
			return d
		}
	}
}

// unreadable denies, since a rejection may be among what can't be read.
func unreadable(err error) Decision {
	return Decision{Verdict: Deny, Source: SourceGrant, Reason: err.Error()}
}

// uses returns the grants that decided.
func (d *Decision) uses(granted []Grant) []Grant {
	return slices.DeleteFunc(slices.Clone(granted), func(g Grant) bool { return !slices.Contains(d.Grants, g.ID) })
}

func (p *Policy) decide(v *view, granted []Grant) Decision {
	doubt, found := p.restrict(v, SourceDeny, p.Deny, Deny)
	if found && doubt.Verdict == Deny {
		return doubt
	}
	if d, ok := rejected(v, granted); ok {
		return d
	}
	if d, ok := p.plan(v); ok {
		return d
	}
	if found {
		return doubt
	}
	if d, ok := p.restrict(v, SourceAsk, p.Ask, Ask); ok {
		return d
	}
	d, missing := p.allow(v, granted)
	switch {
	case missing == "":
		return d
	case p.Mode == ModeBypass:
		return Decision{Verdict: Allow, Source: SourceMode, Reason: fmt.Sprintf("%s lets everything pass that no rule speaks of", p.Mode)}
	}
	return Decision{Verdict: Ask, Source: SourceMode, Reason: fmt.Sprintf("nothing allows that it %s", missing)}
}

// restrict looks for a rule that is about the call. One that may be, asks.
func (p *Policy) restrict(v *view, source Source, rules []Rule, verdict Verdict) (Decision, bool) {
	var doubt Rule
	for _, r := range rules {
		switch v.touches(r) {
		case yes:
			return Decision{Verdict: verdict, Source: source, Rules: []Rule{r}, Reason: fmt.Sprintf("%s is to %s", r, verdict)}, true
		case maybe:
			if doubt.IsZero() {
				doubt = r
			}
		}
	}
	if doubt.IsZero() {
		return Decision{}, false
	}
	return Decision{Verdict: Ask, Source: source, Rules: []Rule{doubt}, Reason: fmt.Sprintf("%s is to %s, and may be about this", doubt, verdict)}, true
}

func rejected(v *view, granted []Grant) (Decision, bool) {
	for _, g := range granted {
		if !g.Allow && v.touches(g.Rule) == yes {
			return Decision{
				Verdict: Deny, Source: SourceGrant, Rules: []Rule{g.Rule}, Grants: []string{g.ID}, Reason: fmt.Sprintf("%s was rejected (%s)", g.Rule, g.Scope),
			}, true
		}
	}
	return Decision{}, false
}

// plan denies what writes or executes.
func (p *Policy) plan(v *view) (Decision, bool) {
	if p.Mode != ModePlan {
		return Decision{}, false
	}
	for _, part := range v.parts {
		looks := v.call.Unclear == "" && v.call.mcp() && slices.Contains([]string{"read", "search", "fetch", "think"}, string(v.call.Kind))
		if part.deed == changes || part.deed == runs || part.deed == other && !looks {
			return Decision{Verdict: Deny, Source: SourceMode, Reason: fmt.Sprintf("plan changes and executes nothing, and this %s", part.what)}, true
		}
	}
	return Decision{}, false
}

// allow looks whether each part is covered, and says which is not.
func (p *Policy) allow(v *view, granted []Grant) (d Decision, missing string) {
	d = Decision{Verdict: Allow, Source: SourceMode}
	rules, ids := p.allowing(granted)
	for _, part := range v.parts {
		used, ok := v.partCovered(rules, part)
		switch {
		case ok:
			for _, r := range used {
				d.note(r, p.Allow, ids)
			}
		case !v.passes(p.Mode, part):
			return d, part.what
		}
	}
	d.Reason = d.because(p.Mode)
	return d, ""
}

// allowing are all rules that allow, and the ids of those that come from grants.
func (p *Policy) allowing(granted []Grant) (rules []Rule, ids map[Rule]string) {
	rules = slices.Clone(p.Allow)
	ids = map[Rule]string{}
	for _, g := range granted {
		if g.Allow && ids[g.Rule] == "" {
			rules = append(rules, g.Rule)
			ids[g.Rule] = g.ID
		}
	}
	return rules, ids
}

// partCovered returns the rules that together cover a part, if any do.
func (v *view) partCovered(rules []Rule, p part) ([]Rule, bool) {
	for _, r := range rules {
		if v.covers(r, p) {
			return []Rule{r}, true
		}
	}
	if p.deed == runs && v.call.Unclear == "" {
		return v.cover(rules, p.command)
	}
	return nil, false
}

// note keeps a rule that took part in the decision.
func (d *Decision) note(r Rule, allow []Rule, ids map[Rule]string) {
	if slices.Contains(d.Rules, r) {
		return
	}
	d.Rules = append(d.Rules, r)
	if slices.Contains(allow, r) {
		if d.Source == SourceMode {
			d.Source = SourceAllow
		}
		return
	}
	d.Source = SourceGrant
	d.Grants = append(d.Grants, ids[r])
}

func (d *Decision) because(m Mode) string {
	if len(d.Rules) == 0 {
		return fmt.Sprintf("%s lets it pass", m.name())
	}
	names := make([]string, len(d.Rules))
	for i, r := range d.Rules {
		names[i] = r.String()
	}
	return "allowed by " + strings.Join(names, ", ")
}

// name is the mode's name, also if it is empty.
func (m Mode) name() Mode {
	if m == "" {
		return ModeDefault
	}
	return m
}
