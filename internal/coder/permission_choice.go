package coder

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
	"github.com/patchbay-dev/patchbay/internal/config"
	"github.com/patchbay-dev/patchbay/internal/tool"
	"github.com/patchbay-dev/patchbay/policy"
)

// passing are the modes of permissions, in words.
var passing = map[policy.Mode]struct{ name, description string }{
	policy.ModeDefault:     {"Ask", "Reading in the session's folders passes; the rest is asked"},
	policy.ModeAcceptEdits: {"Accept edits", "Changes of files in the session's folders pass, too"},
	policy.ModeBypass:      {"Bypass", "Nothing is asked, save what a rule says"},
}

// permissionsOption says what passes without a question (S000.13).
func permissionsOption(now settings) acp.SessionConfigOption {
	var list []acp.SessionConfigSelectOption
	for _, id := range config.Permissions {
		words := passing[policy.Mode(id)]
		list = append(list, acp.SessionConfigSelectOption{Value: acp.SessionConfigValueID(id), Name: words.name, Description: words.description})
	}
	return acp.SessionConfigOption{
		ID: optionPermissions, Name: "Permissions",
		Description: "What passes without a question",
		Value:       choose(string(now.permissions), list),
	}
}

// approveOption is the same as a switch.
func approveOption(now settings) acp.SessionConfigOption {
	return acp.SessionConfigOption{
		ID: optionAutoApprove, Name: "Approve everything",
		Description: "Write files and run commands without asking",
		Value:       &acp.SessionConfigBoolean{CurrentValue: now.permissions == policy.ModeBypass},
	}
}

// setPermissions changes what passes without a question.
func (s *session) setPermissions(text string) error {
	if _, ok := passing[policy.Mode(text)]; !ok {
		return acp.ErrInvalidParams("there are no permissions %q; there are %s", text, listed(config.Permissions))
	}
	s.change(func(o *settings) { o.permissions = policy.Mode(text) })
	return nil
}

// approve switches everything on or off.
func (s *session) approve(on bool) {
	s.change(func(o *settings) {
		switch {
		case on:
			o.permissions = policy.ModeBypass
		case o.permissions == policy.ModeBypass:
			o.permissions = policy.ModeDefault
		}
	})
}

// permissionsAgain is what stays of permissions when a session is opened once more after it was closed: what let everything pass
// was for that span of work, and what let edits pass for those folders. Only what is configured does so again.
func permissionsAgain(before policy.Mode, c *config.Config, sameFolders bool) policy.Mode {
	if before == policy.ModeBypass || before != policy.ModeDefault && !sameFolders {
		return c.Permissions.Value
	}
	return before
}

// permissionsCommand says what may be done without asking, takes answers back, or changes what passes.
func (c *Coder) permissionsCommand(_ context.Context, t *agent.Turn, s *session, input string) (acp.StopReason, error) {
	words := strings.Fields(input)
	switch {
	case len(words) == 0:
		return "", t.Text(s.permissionsHelp())
	case words[0] == "revoke" && len(words) > 1:
		return "", revokeCommand(t, s, words[1:])
	case len(words) > 1 || words[0] == "revoke":
		return "", t.Text("`/permissions` says what there is, `/permissions revoke ID` takes an answer back, and `/permissions revoke all` all of them.\n")
	}
	if err := s.setPermissions(words[0]); err != nil {
		return "", t.Textf("%s\n", plain(err))
	}
	if err := errors.Join(s.keepSettings(), t.ConfigOptions(c.options(s)...)); err != nil {
		return "", err
	}
	return "", t.Text(s.passingHelp())
}

func revokeCommand(t *agent.Turn, s *session, ids []string) error {
	if ids[0] == "all" {
		ids = nil
		for _, g := range s.grants.List() {
			ids = append(ids, g.ID)
		}
	}
	revoked, err := s.revoke(ids...)
	switch {
	case err != nil:
		return err
	case len(revoked) < len(ids):
		return t.Textf("There is no such answer, and `/permissions` lists those that there are. Taken back: %d.\n", len(revoked))
	}
	return t.Textf("Taken back: %d. From now on it is asked again.\n", len(revoked))
}

func (s *session) passingHelp() string {
	now := s.chosen().permissions
	return fmt.Sprintf("The permissions are `%s`: %s.\n", now, firstSmall(passing[now].description))
}

// firstSmall begins a text with a small letter.
func firstSmall(text string) string { return strings.ToLower(text[:1]) + text[1:] }

// permissionsHelp lists all that decides about calls in the session.
func (s *session) permissionsHelp() string {
	var b strings.Builder
	b.WriteString(s.passingHelp())
	for _, list := range []struct {
		verb  string
		rules config.Value[[]policy.Rule]
	}{{"Denied", s.config.Deny}, {"Asked each time", s.config.Ask}, {"Allowed", s.config.Allow}} {
		if len(list.rules.Value) > 0 {
			fmt.Fprintf(&b, "\n%s by patchbay.toml:\n\n", list.verb)
		}
		for _, r := range list.rules.Value {
			fmt.Fprintf(&b, "* `%s`\n", tool.Visible(r.String()))
		}
	}
	given := s.grants.List()
	if len(given) == 0 {
		b.WriteString("\nYou have given no answer that lasts.\n")
		return b.String()
	}
	b.WriteString("\nYour answers for this session; `/permissions revoke ID` takes one back:\n\n")
	for _, g := range given {
		fmt.Fprintf(&b, "* %s: %s `%s`, for \"%s\"\n", g.ID, verdictOf(g), tool.OneLine(g.Rule.String(), maxCovered), tool.OneLine(g.Shown, maxCovered))
	}
	return b.String()
}

func verdictOf(g policy.Grant) string {
	switch {
	case g.Allow && g.Sandboxed:
		return "allowed in the sandbox"
	case g.Allow:
		return "allowed"
	}
	return "rejected"
}
