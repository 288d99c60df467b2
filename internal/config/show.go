package config

import (
	"slices"
	"strings"
)

// An Entry is a setting with its effective value, for people to read. It has no secret in it.
type Entry struct {
	Name  string // as a file has it: "max_tokens", "providers.openai.base_url"
	Value any    // a string, a bool, a number or a list of strings
	From  Source
}

// What an entry says of a key.
const (
	KeyNone     = "none"
	KeySet      = "set"
	KeyWithheld = "withheld" // there is one, and it does not go to an address that a project gives
)

// Entries returns all settings, a provider's after the general ones. The model is the one that is set, "" if none is.
func (c *Config) Entries() []Entry {
	all := []Entry{
		{nameAgent, c.Agent.Value, c.Agent.From},
		{nameModel, c.Model.Value, c.Model.From},
		{nameThinking, c.Thinking.Value, c.Thinking.From},
		{nameMaxTokens, c.MaxTokens.Value, c.MaxTokens.From},
		{nameMode, c.Mode.Value, c.Mode.From},
		{namePermissions, string(c.Permissions.Value), c.Permissions.From},
		{nameAutoApprove, c.AutoApprove.Value, c.AutoApprove.From},
		{nameAllow, ruleTexts(c.Allow.Value), c.Allow.From},
		{nameAsk, ruleTexts(c.Ask.Value), c.Ask.From},
		{nameDeny, ruleTexts(c.Deny.Value), c.Deny.From},
		{namePermissionTimeout, int(c.PermissionTimeout.Value.Seconds()), c.PermissionTimeout.From},
		{nameAudit, c.Audit.Value, c.Audit.From},
		{nameInstructions, c.Instructions.Value, c.Instructions.From},
		{nameSessions, c.Sessions.Value, c.Sessions.From},
		{nameKeepSessions, c.KeepSessions.Value, c.KeepSessions.From},
		{nameTrusted, slices.Clip(c.TrustedURLs.Value), c.TrustedURLs.From},
		{nameKeepKeys, slices.Clip(c.KeepKeys.Value), c.KeepKeys.From},
		{nameSilence, plainly(c.Silence.Value), c.Silence.From},
		{nameAttempts, c.Attempts.Value, c.Attempts.From},
	}
	for _, p := range c.Providers() {
		at := path{nameProviders, p.Name}
		all = append(all,
			Entry{at.with("api").String(), p.API.Value, p.API.From},
			Entry{at.with("base_url").String(), p.BaseURL.Value, p.BaseURL.From},
			Entry{at.with("key").String(), p.keyState(), p.Key.From},
		)
		if p.KeyEnv.From != (Source{}) {
			all = append(all, Entry{at.with("key_env").String(), p.KeyEnv.Value[0], p.KeyEnv.From})
		}
		all = append(all, c.modelEntries(at.with("models"))...)
	}
	return all
}

func (p *Provider) keyState() string {
	switch {
	case p.Withheld:
		return KeyWithheld
	case p.Key.Value.IsZero():
		return KeyNone
	}
	return KeySet
}

// modelEntries are what the files say of models.
func (c *Config) modelEntries(at path) []Entry {
	var all []Entry
	for key, v := range c.all {
		if strings.HasPrefix(key, at.key()+"\x00") {
			all = append(all, Entry{path(strings.Split(key, "\x00")).String(), v.Value, v.From})
		}
	}
	slices.SortFunc(all, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Problem returns why the chosen model can't be used; nil if it can.
func (c *Config) Problem() error {
	choice, err := c.Choose()
	if err != nil || choice.Provider == "" {
		return err
	}
	p, err := c.Provider(choice.Provider)
	if err != nil {
		return err
	}
	return p.Check()
}
