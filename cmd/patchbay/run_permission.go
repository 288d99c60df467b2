package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/policy"
)

// A request is something that is to be decided: a question of the agent's, or what it does without one.
type request struct {
	acp.RequestPermissionRequest
	call  *client.ToolCall // as it is known
	wants policy.Call      // as rules see it
	made  policy.Decision  // what the policy makes of it

	agents *acp.RequestPermissionRequest // the agent's question; nil for what it does without one
}

// A decision is the answer to a permission request, for views to show.
type decision struct {
	call    *client.ToolCall
	option  *acp.PermissionOption // nil if the agent offered none that fits
	allowed bool
	by      string // a denialReason, "rule" or "grant" if that was it, or else "mode"
	rule    string // that decided, if one did
}

// An answer is what the agent gets, and who gives it.
type answer struct {
	outcome acp.RequestPermissionOutcome
	by      denialReason
	granted *policy.Grant // what the user said with "always"
}

// RequestPermission decides by the policy, or asks on the terminal. Without one, the answer is no.
func (r *run) RequestPermission(ctx context.Context, s *client.Session, req *acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
	call := described(s.Asked(req), &req.ToolCall)
	wants := policy.FromToolCall(placeOf(s), told(call))
	return r.answer(ctx, s, &request{*req, call, wants, decide(r.rules.policy, wants), req}), nil
}

// answer answers a question as the policy has decided, and the user where that leaves it open. It is written down, and then
// shown: what can't be written down does not pass (F61).
func (r *run) answer(ctx context.Context, s *client.Session, q *request) acp.RequestPermissionOutcome {
	a := r.settle(ctx, s, q)
	if err := r.record(s, q, &a); err != nil {
		return r.unrecorded(q, err)
	}
	if a.granted != nil {
		if _, err := r.rules.policy.Grants.Add(*a.granted); err != nil {
			r.show(func(v view) { v.note("the answer holds for this call alone: " + err.Error()) })
		}
	}
	r.decided(q, &a)
	return a.outcome
}

// unrecorded denies what can't be written down.
func (r *run) unrecorded(q *request, err error) acp.RequestPermissionOutcome {
	r.show(func(v view) { v.note(err.Error()) })
	a := answer{outcome: choose(policy.Deny, q.Options), by: deniedUnrecorded}
	r.decided(q, &a)
	return a.outcome
}

func (r *run) settle(ctx context.Context, s *client.Session, q *request) answer {
	switch id, offered := policy.Choose(q.made.Verdict, q.Options); {
	case q.made.Verdict == policy.Deny:
		return answer{outcome: choose(policy.Deny, q.Options), by: reasonOf(q.made)}
	case offered:
		return answer{outcome: acp.PermissionSelected(id), by: reasonOf(q.made)}
	case !r.asker.terminal && q.made.Verdict == policy.Allow: // it offers none, or only "always", which nobody has said
		return answer{outcome: client.Select(q.Options, acp.PermissionOptionKindRejectOnce), by: deniedNoOption}
	case !r.asker.terminal:
		return answer{outcome: choose(policy.Deny, q.Options), by: deniedUnattended}
	}
	return r.question(ctx, s, q)
}

// reasonOf says what has decided.
func reasonOf(d policy.Decision) denialReason {
	switch d.Source {
	case policy.SourceMode:
		return deniedByMode
	case policy.SourceGrant:
		return deniedByGrant
	}
	return deniedByRule
}

// question asks the user, who sees what it is about: on the screen of the view or else beside it. No answer in time is a
// rejection (F62).
func (r *run) question(ctx context.Context, s *client.Session, q *request) answer {
	if r.rules.patience > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, r.rules.patience, errPatience)
		defer stop()
	}
	r.asker.mu.Lock()
	defer r.asker.mu.Unlock()
	seen := false
	r.show(func(v view) { seen = v.question(s, q.call) })
	if !seen {
		r.asker.show(q.call)
	}
	outcome, granted := r.asker.ask(ctx, questionOf(q), q.Options, lastingOf(r.rules.policy, q.wants))
	switch {
	case ctx.Err() == nil || chosenOf(q.Options, outcome) != nil:
	case context.Cause(ctx) == errPatience:
		return answer{outcome: choose(policy.Deny, q.Options), by: deniedTooLate}
	default:
		return answer{outcome: outcome, by: deniedCancelled}
	}
	return answer{outcome, deniedByUser, granted}
}

// questionOf is what is asked: the title, in the agent's words, and what rules and the log see in it unless the title ends with that.
// A title may say anything, and what is shown of an input is cut.
func questionOf(q *request) string {
	title, wants := cleanLine(titleOf(q.call)), cleanLine(q.wants.Resource())
	switch what := cleanLine(q.wants.String()); {
	case q.wants.Unclear != "":
		return fmt.Sprintf("%s\n  it %s", title, cut(cleanLine(q.wants.Unclear), maxQuestion))
	case q.wants.Dir != "" && q.wants.Dir != q.wants.CWD:
		return fmt.Sprintf("%s\n  which is: %s in %s", title, cut(what, maxQuestion), cleanLine(q.wants.Dir))
	case wants != "" && (title == wants || strings.HasSuffix(title, " "+wants) || strings.HasSuffix(title, "`"+wants+"`")):
		return title
	default:
		return fmt.Sprintf("%s\n  which is: %s", title, cut(what, maxQuestion))
	}
}

// maxQuestion is how much is shown of what is asked about, in characters.
const maxQuestion = 4096

// decided keeps and shows a decision.
func (r *run) decided(q *request, a *answer) {
	d := decision{call: q.call, by: string(a.by), option: chosenOf(q.Options, a.outcome)}
	d.allowed = d.option != nil && d.option.Kind.Allows()
	if d.allowed && a.by == deniedByUser && q.agents != nil {
		r.mu.Lock()
		r.consents.add(&consent{asked: q.agents, wants: q.wants, diffs: q.call.Diffs()})
		r.mu.Unlock()
	}
	if rules := q.made.Rules; len(rules) > 0 && (a.by == deniedByRule || a.by == deniedByGrant) {
		d.rule = rules[0].String()
	}
	r.show(func(v view) {
		if !d.allowed {
			r.denied = append(r.denied, denial{q.call.ID, titleOf(q.call), q.call.Kind, a.by, d.rule})
		}
		v.decided(&d)
	})
}

// titleOf returns something to call a tool call by.
func titleOf(call *client.ToolCall) string {
	if call.Title == "" {
		return fmt.Sprintf("tool call %s", call.ID)
	}
	return call.Title
}
