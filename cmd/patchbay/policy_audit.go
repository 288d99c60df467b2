package main

import (
	"fmt"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/policy"
	"github.com/patchbay-dev/patchbay/policy/ledger"
)

// record writes down what was decided. If it can't, nothing passes (S001.20, F61), unless nobody has said that there must be a log:
// then that is noted, once.
func (r *run) record(s *client.Session, q *request, a *answer) error {
	err := r.rules.unlogged
	if r.rules.audit != nil {
		err = r.rules.audit.Append(logEntry(s, q, a))
	}
	if err == nil || r.rules.strict {
		return err
	}
	r.noted.Do(func() { r.show(func(v view) { v.note("decisions are not written down: " + err.Error()) }) })
	return nil
}

func logEntry(s *client.Session, q *request, a *answer) ledger.Entry {
	e := ledger.EntryOf(q.wants, q.made)
	e.Agent, e.ToolCallID, e.Title, e.By = agentName(s.Client().AgentInfo()), q.call.ID, titleOf(q.call), answeredBy(a.by)
	option := chosenOf(q.Options, a.outcome)
	if e.Allowed = option != nil && option.Kind.Allows(); option != nil {
		e.Option = option.Kind
	}
	if a.granted != nil {
		e.Granted = grantText(*a.granted)
	}
	return e
}

func answeredBy(why denialReason) ledger.By {
	switch why {
	case deniedByUser:
		return ledger.ByUser
	case deniedUnattended, deniedTooLate, deniedCancelled, deniedNoOption:
		return ledger.ByNobody
	}
	return ledger.ByPolicy
}

func agentName(info *acp.Implementation) string {
	if info == nil {
		return ""
	}
	return fmt.Sprintf("%s %s", info.Name, info.Version)
}

// grantText says a grant in words: "allow Bash(git push *), always".
func grantText(g policy.Grant) string {
	verb := "allow"
	if !g.Allow {
		verb = "reject"
	}
	return fmt.Sprintf("%s %s, %s", verb, g.Rule, g.Scope)
}
