package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/policy"
)

// lasting is what "always" would cover for a call, where that is kept here: the agent is told "once", so that it asks again and
// the policy answers. Nil is none.
type lasting struct {
	allow, reject policy.Rule // zero if no rule would do
	wants         policy.Call
	scopes        []policy.Scope
}

// lastingOf finds the rules to offer (F59).
func lastingOf(p *policy.Policy, wants policy.Call) *lasting {
	l := &lasting{wants: wants, scopes: []policy.Scope{policy.ScopeSession}}
	if p.Grants.Store != nil {
		l.scopes = append(l.scopes, policy.ScopeWorkspace, policy.ScopeAlways)
	}
	l.allow, _ = p.Suggest(wants)
	l.reject, _ = p.SuggestReject(wants)
	return l
}

// scopeLetters are what is typed after y or n, and scopeWords what that means.
var (
	scopeLetters = map[policy.Scope]string{policy.ScopeSession: "s", policy.ScopeWorkspace: "w", policy.ScopeAlways: "a"}
	scopeWords   = map[policy.Scope]string{policy.ScopeSession: "in this session", policy.ScopeWorkspace: "in this folder", policy.ScopeAlways: "everywhere"}
)

// offers are lines that say what can be answered, and what exactly it would cover.
func (l *lasting) offers(options []acp.PermissionOption) []string {
	if l == nil {
		return nil
	}
	var lines []string
	for _, o := range []struct {
		letter, verb string
		rule         policy.Rule
		verdict      policy.Verdict
	}{{"y", "always allow", l.allow, policy.Allow}, {"n", "always reject", l.reject, policy.Deny}} {
		if _, can := policy.Choose(o.verdict, options); !can || o.rule.IsZero() {
			continue
		}
		var ways []string
		for _, scope := range l.scopes {
			ways = append(ways, o.letter+scopeLetters[scope]+" "+scopeWords[scope])
		}
		lines = append(lines, fmt.Sprintf("%s %s: %s", o.verb, cleanLine(o.rule.String()), strings.Join(ways, ", ")))
	}
	return lines
}

// read returns what an answer such as "ys" means, nil if nothing.
func (l *lasting) read(line string, options []acp.PermissionOption) (acp.RequestPermissionOutcome, *policy.Grant) {
	line = strings.ToLower(strings.TrimSpace(line))
	if l == nil || len(line) != 2 {
		return nil, nil
	}
	verdict, rule := policy.Allow, l.allow
	if line[0] == 'n' {
		verdict, rule = policy.Deny, l.reject
	} else if line[0] != 'y' {
		return nil, nil
	}
	i := slices.IndexFunc(l.scopes, func(s policy.Scope) bool { return scopeLetters[s] == line[1:] })
	id, can := policy.Choose(verdict, options)
	if i < 0 || !can || rule.IsZero() {
		return nil, nil
	}
	g := &policy.Grant{Rule: rule, Allow: verdict == policy.Allow, Scope: l.scopes[i], Shown: l.wants.String()}
	switch g.Scope {
	case policy.ScopeSession:
		g.Session = l.wants.Session
	case policy.ScopeWorkspace:
		g.Workspace = l.wants.CWD
	}
	return acp.PermissionSelected(id), g
}
