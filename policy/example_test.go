package policy_test

import (
	"fmt"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/policy"
)

func Example() {
	p := policy.Policy{
		Mode:   policy.ModeAcceptEdits,
		Deny:   []policy.Rule{policy.MustRule("Read(~/.ssh/**)")},
		Allow:  []policy.Rule{policy.MustRule("Bash(git *)"), policy.MustRule("Bash(head *)")},
		Grants: &policy.Grants{},
	}
	place := policy.Place{Session: "s1", CWD: "/home/me/project", Home: "/home/me"}
	for _, line := range []string{"git log | head -5", "git log > log.txt", "git status; rm -rf ~", "cat ~/.ssh/id_ed25519"} {
		call := policy.FromToolCall(place, acp.ToolCallUpdate{
			ToolCallID: "1", Kind: acp.Some(acp.ToolKindExecute), RawInput: acp.Some(acp.Raw(fmt.Sprintf(`{"command":%q}`, line))),
		})
		fmt.Println(p.Decide(call).Verdict, line)
	}
	// Output:
	// allow git log | head -5
	// allow git log > log.txt
	// ask git status; rm -rf ~
	// deny cat ~/.ssh/id_ed25519
}

// The user is asked, answers "always", and isn't asked again: what was shown is what is kept.
func ExamplePolicy_Suggest() {
	p := policy.Policy{Grants: &policy.Grants{}}
	place := policy.Place{Session: "s1", CWD: "/home/me/project"}
	push := policy.Call{Place: place, Tool: policy.Bash, Command: "git push origin main"}

	rule, _ := p.Suggest(push)
	fmt.Println("Always allow", rule)
	_, err := p.Grants.Add(policy.Grant{Rule: rule, Allow: true, Scope: policy.ScopeSession, Session: place.Session, Shown: push.Command})
	if err != nil {
		fmt.Println(err)
		return
	}
	push.Command = "git push --tags"
	fmt.Println(p.Decide(push).Reason)
	// Output:
	// Always allow Bash(git push *)
	// allowed by Bash(git push *)
}
