package config

import (
	"fmt"
	"slices"
	"time"

	"github.com/patchbay-dev/patchbay/policy"
)

// Modes are the modes that a session can begin in, and the other names of the first one. Package coder says what they are.
var Modes = []string{"full", "read-only", "safe", "sandbox", "plan", "architect", "ask", "default", "code"}

// stricter are the modes with no tool that the named one has not: those that a project's file may choose in its place. From
// "plan" a way leads to "full", which the user has to be at already.
var stricter = map[string][]string{
	"full":      {"read-only", "safe", "sandbox", "plan", "architect", "ask"},
	"sandbox":   {"read-only", "safe", "architect", "ask"},
	"read-only": {"architect", "ask"},
	"architect": {"read-only", "ask"},
}

// Permissions are the modes of permissions to choose from.
var Permissions = []string{string(policy.ModeDefault), string(policy.ModeAcceptEdits), string(policy.ModeBypass)}

// defaultPermissionTimeout is how long the user has to answer a question, in seconds.
const defaultPermissionTimeout = 1800

// modeOf returns the mode to begin in. A project can only choose a stricter one than the user's: it doesn't decide what may
// be done here.
func modeOf(own, project settings) Value[string] {
	mode := get[string](own, nameMode)
	if mode.Value == "" || mode.Value == "default" || mode.Value == "code" {
		mode.Value = Modes[0]
	}
	wanted := get[string](project, nameMode)
	if mode.From.Kind != Flag && mode.From.Kind != Environment && slices.Contains(stricter[mode.Value], wanted.Value) {
		return wanted
	}
	return mode
}

// permissionsOf returns what passes without a question. The older setting auto_approve says all or nothing, and counts where
// it stands alone or is a flag, which permissions can't be.
func permissionsOf(own settings) Value[policy.Mode] {
	said := get[string](own, namePermissions)
	all := get[bool](own, nameAutoApprove)
	mode := Value[policy.Mode]{policy.Mode(said.Value), said.From}
	switch flag := all.From.Kind == Flag; {
	case all.Value && (said.Value == "" || flag):
		return Value[policy.Mode]{policy.ModeBypass, all.From}
	case flag && mode.Value == policy.ModeBypass:
		return Value[policy.Mode]{policy.ModeDefault, all.From}
	case said.Value == "":
		mode.Value = policy.ModeDefault
	}
	return mode
}

// rulesOf returns the rules of a list: the project's join the user's, since both lists that a project may have only restrict.
func rulesOf(name string, own, project settings) Value[[]policy.Rule] {
	var all Value[[]policy.Rule]
	for _, s := range []settings{own, project} {
		texts := get[[]string](s, name)
		rules, _ := policy.ParseRules(texts.Value...) // the schema has seen to them
		if len(rules) > 0 {
			all = Value[[]policy.Rule]{append(all.Value, rules...), texts.From}
		}
	}
	return all
}

// An Origin says where a rule came from.
type Origin struct {
	List policy.Source // the list that has it: deny, ask or allow
	Rule policy.Rule
	From Source // the place of the list
}

// OriginsOf are the origins of rules that are all from one place.
func OriginsOf(list policy.Source, rules []policy.Rule, from Source) []Origin {
	var all []Origin
	for _, r := range rules {
		all = append(all, Origin{list, r, from})
	}
	return all
}

// originsOf returns where the rules came from, the user's before the project's.
func originsOf(own, project settings) []Origin {
	var all []Origin
	for _, list := range []policy.Source{policy.SourceDeny, policy.SourceAsk, policy.SourceAllow} {
		for _, s := range []settings{own, project} {
			said := rulesOf(string(list), s, nil) // allow is no project's: the schema has seen to that
			all = append(all, OriginsOf(list, said.Value, said.From)...)
		}
	}
	return all
}

// timeoutOf returns how long the user has to answer a question; 0 is for ever.
func timeoutOf(own settings) Value[time.Duration] {
	seconds := get[int64](own, namePermissionTimeout)
	if seconds.From == (Source{}) {
		seconds.Value = defaultPermissionTimeout
	}
	return Value[time.Duration]{time.Duration(seconds.Value) * time.Second, seconds.From}
}

func eachRule(value any) error {
	for _, text := range value.([]any) {
		if _, err := policy.ParseRule(text.(string)); err != nil {
			return err
		}
	}
	return nil
}

// ruleTexts are rules as a file has them.
func ruleTexts(rules []policy.Rule) []string {
	texts := []string{}
	for _, r := range rules {
		texts = append(texts, fmt.Sprint(r))
	}
	return texts
}
