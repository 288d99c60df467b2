package main

import (
	"github.com/patchbay-dev/patchbay/internal/config"
	"github.com/patchbay-dev/patchbay/policy"
)

// origins are those of the rules that the flags have.
func (f *ruleFlags) origins() []config.Origin {
	all := config.OriginsOf(policy.SourceDeny, f.Deny, flagged("--deny"))
	all = append(all, config.OriginsOf(policy.SourceAsk, f.Ask, flagged("--ask"))...)
	return append(all, config.OriginsOf(policy.SourceAllow, f.Allow, flagged("--allow"))...)
}

func flagged(name string) config.Source { return config.Source{Kind: config.Flag, Name: name} }

// explain says how a decision comes about, and where each rule is from. A rule that is in several places is from the first.
func (b *rulebook) explain(call policy.Call) policy.Explanation {
	e := b.policy.Explain(call)
	e.Decision = unasked(b.policy, e.Decision)
	if b.modeFrom != (config.Source{}) {
		e.ModeFrom = b.modeFrom.String()
	}
	for i, r := range e.Rules {
		for _, o := range b.origins {
			if o.List == r.Source && o.Rule == r.Rule {
				e.Rules[i].From = o.From.String()
				break
			}
		}
	}
	return e
}
