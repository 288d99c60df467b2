package registry

import (
	"slices"
	"strings"
	"testing"
)

// F175: an agent gets the keys of its own providers, and no others.
func TestF175_EachAgentHasItsOwnKeys(t *testing.T) {
	for _, name := range []string{"ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GITHUB_TOKEN", "PATCHBAY_TEST_MORE"} {
		t.Setenv(name, "secret of "+name)
	}
	t.Setenv("AGENT_SETTING", "of the user")
	agent := func(environment []string) *Found {
		return &Found{Agent: &Agent{Environment: environment}, Env: map[string]string{"AGENT_SETTING": "of the list"}}
	}
	for name, test := range map[string]struct {
		environment, allow []string
		has, lacks         string
	}{
		"its own":            {[]string{"GEMINI_*"}, nil, "PATH GEMINI_API_KEY", "ANTHROPIC_API_KEY GITHUB_TOKEN"},
		"and more":           {[]string{"GEMINI_*"}, []string{"GITHUB_TOKEN"}, "PATH GEMINI_API_KEY GITHUB_TOKEN", "ANTHROPIC_API_KEY"},
		"none":               {[]string{}, nil, "PATH", "GEMINI_API_KEY ANTHROPIC_API_KEY GITHUB_TOKEN"},
		"nothing said":       {nil, nil, "PATH GEMINI_API_KEY GITHUB_TOKEN", ""},
		"nothing said, more": {nil, []string{"PATCHBAY_TEST_MORE"}, "PATH PATCHBAY_TEST_MORE", "GEMINI_API_KEY"},
	} {
		env := agent(test.environment).Command(test.allow...).Env
		has := func(name string) bool {
			return slices.ContainsFunc(env, func(entry string) bool { return strings.HasPrefix(entry, name+"=") })
		}
		for _, variable := range strings.Fields(test.has) {
			if !has(variable) {
				t.Errorf("%s: %s is missing", name, variable)
			}
		}
		for _, variable := range strings.Fields(test.lacks) {
			if has(variable) {
				t.Errorf("%s: %s is there", name, variable)
			}
		}
		if last := slices.IndexFunc(env, func(entry string) bool { return entry == "AGENT_SETTING=of the list" }); last < 0 {
			t.Errorf("%s: what the list says of the environment is missing", name)
		}
	}
}

// Every known agent says which variables it may have, if only that it needs none.
func TestF175_EveryKnownAgentHasAList(t *testing.T) {
	for _, a := range known {
		if a.Environment == nil {
			t.Errorf("%s has no list of variables", a.ID)
		}
	}
}
