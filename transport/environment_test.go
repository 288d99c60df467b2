package transport_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/transport"
)

// F175: a peer gets what every program needs, and of the rest what is named.
func TestF175_OnlyNamedVariablesReachAPeer(t *testing.T) {
	for name, value := range map[string]string{
		"ANTHROPIC_API_KEY": "sk-a", "OPENAI_API_KEY": "sk-o", "GITHUB_TOKEN": "ghp", "AWS_SECRET_ACCESS_KEY": "s", "SSH_AUTH_SOCK": "/s",
		"HTTPS_PROXY": "http://proxy:1", "HTTP_PROXY": "http://me:secret@proxy:1", "LC_ALL": "C", "GOPATH": "/go", "PATCHBAY_TEST_EMPTY": "",
	} {
		t.Setenv(name, value)
	}
	for _, test := range []struct {
		names     []string
		has, lack string
	}{
		{nil, "PATH HTTPS_PROXY LC_ALL GOPATH", "ANTHROPIC_API_KEY OPENAI_API_KEY GITHUB_TOKEN AWS_SECRET_ACCESS_KEY SSH_AUTH_SOCK HTTP_PROXY"},
		{[]string{"ANTHROPIC_API_KEY"}, "PATH ANTHROPIC_API_KEY", "OPENAI_API_KEY GITHUB_TOKEN"},
		{[]string{"AWS_*", "PATCHBAY_TEST_EMPTY"}, "AWS_SECRET_ACCESS_KEY PATCHBAY_TEST_EMPTY", "ANTHROPIC_API_KEY"},
		{[]string{"HTTP_PROXY", "SSH_AUTH_SOCK"}, "HTTP_PROXY SSH_AUTH_SOCK", "OPENAI_API_KEY"},
		{[]string{"OPENAI_API"}, "PATH", "OPENAI_API_KEY"},
		{[]string{"*"}, "ANTHROPIC_API_KEY GITHUB_TOKEN", ""},
	} {
		env := transport.AllowEnv(test.names...)
		has := func(name string) bool {
			return slices.ContainsFunc(env, func(entry string) bool { return strings.HasPrefix(entry, name+"=") })
		}
		for _, name := range strings.Fields(test.has) {
			if !has(name) {
				t.Errorf("%q lacks %s", test.names, name)
			}
		}
		for _, name := range strings.Fields(test.lack) {
			if has(name) {
				t.Errorf("%q has %s", test.names, name)
			}
		}
	}
}
