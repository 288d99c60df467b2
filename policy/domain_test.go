package policy_test

import (
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/policy"
)

// A rule is about a host however its name is spelled; where the spelling isn't the one that is looked up, the user is asked. A rule
// that restricts www. is about where a redirection leads there.
func TestHostsHaveManySpellings(t *testing.T) {
	for _, c := range []struct{ rule, address, want string }{
		{"WebFetch(domain:example.com)", "https://example.com/", "deny allow"},
		{"WebFetch(domain:example.com)", "https://EXAMPLE.com.:8443/", "deny allow"},
		{"WebFetch(domain:example.com)", "https://ｅｘａｍｐｌｅ.com/", "ask ask"},
		{"WebFetch(domain:example.com)", "https://example。com/", "ask ask"},
		{"WebFetch(domain:example.com)", "https://sub。ｅxample.com/", "ask ask"},
		{"WebFetch(domain:*.example.com)", "https://a.ｅxample.com/", "ask ask"},
		{"WebFetch(domain:xn--bcher-kva.example)", "https://XN--bcher-kva.example/", "deny allow"},
		{"WebFetch(domain:xn--bcher-kva.example)", "https://BÜCHER.example/", "ask ask"},
		{"WebFetch(domain:www.example.com)", "https://example.com/", "deny ask"},
		{"WebFetch(domain:example.com)", "https://example.com.evil.net/", "ask ask"},
		{"WebFetch(domain:example.com)", "https://notexample.com/", "ask ask"},
		{"WebFetch(domain:example.com)", "https://example.com@evil.net/", "ask ask"},
	} {
		call := policy.Call{Place: policy.Place{CWD: "/w"}, Tool: policy.WebFetch, URL: c.address}
		deny, allow := policy.Policy{Deny: rules(t, c.rule)}, policy.Policy{Allow: rules(t, c.rule)}
		if got := deny.Decide(call).Verdict.String() + " " + allow.Decide(call).Verdict.String(); got != c.want {
			t.Errorf("%s of %s: %s, want %s", c.rule, c.address, got, c.want)
		}
	}
}

// A rule for a host says how it is looked up.
func TestRulesForHostsAreInASCII(t *testing.T) {
	if _, err := policy.ParseRule("WebFetch(domain:bücher.example)"); err == nil || !strings.Contains(err.Error(), "xn--") {
		t.Errorf("got %v", err)
	}
}

// An address in a command that may be that of a host which is denied has the user asked.
func TestAddressesInCommandsHaveManySpellings(t *testing.T) {
	p := policy.Policy{Mode: policy.ModeBypass, Deny: rules(t, "WebFetch(domain:example.com)")}
	for line, want := range map[string]policy.Verdict{
		"curl https://example.com/x": policy.Deny, "curl https://ｅxample.com/x": policy.Ask, "curl https://example.org/x": policy.Allow,
	} {
		call := policy.Call{Place: policy.Place{CWD: "/w"}, Tool: policy.Bash, Command: line}
		if got := p.Decide(call).Verdict; got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}
