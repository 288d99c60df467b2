package config_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/internal/config"
	"github.com/patchbay-dev/patchbay/policy"
)

// S002.13, S000.14: a project's file can restrict what the agent may do, and loosens nothing: its mode counts where it has no
// tool that the user's has not, and its rules may ask and deny.
func TestAProjectCanOnlyRestrict(t *testing.T) {
	for name, c := range map[string]struct {
		user, project, flag, env string
		want                     string
	}{
		"nobody":                 {want: "full | default"},
		"the user":               {user: "plan", want: "plan | user file"},
		"another name":           {user: "code", want: "full | user file"},
		"a variable":             {user: "plan", env: "ask", want: "ask | environment"},
		"a flag":                 {user: "plan", env: "ask", flag: "default", want: "full | flag"},
		"a project restricts":    {project: "read-only", want: "read-only | project file"},
		"a project plans":        {project: "plan", want: "plan | project file"},
		"a project loosens":      {user: "read-only", project: "full", want: "read-only | user file"},
		"other tools":            {user: "read-only", project: "safe", want: "read-only | user file"},
		"a way out":              {user: "sandbox", project: "plan", want: "sandbox | user file"},
		"out of plan":            {user: "plan", project: "read-only", want: "plan | user file"},
		"a flag beats a project": {flag: "full", project: "read-only", want: "full | flag"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			if c.user != "" {
				d.user(fmt.Sprintf("mode = %q", c.user))
			}
			if c.project != "" {
				d.project(fmt.Sprintf("mode = %q", c.project))
			}
			if c.flag != "" {
				d.flags["mode"] = c.flag
			}
			d.env["PATCHBAY_MODE"] = c.env
			mode := d.load().Mode
			kind := mode.From.Kind
			if kind == "" {
				kind = config.Default
			}
			if got := fmt.Sprintf("%s | %s", mode.Value, kind); got != c.want {
				t.Errorf("the mode is %s, want %s", got, c.want)
			}
		})
	}
	d := newDesk(t)
	d.user("allow = ['Bash(git *)']\nask = ['Bash(git push *)']\ndeny = ['Read(~/.ssh/**)']\npermission_timeout = 60")
	d.project("ask = ['Edit(*.sql)']\ndeny = ['Bash(rm *)']")
	got := d.load()
	if text := fmt.Sprint(got.Allow.Value, got.Ask.Value, got.Deny.Value, got.PermissionTimeout.Value); text !=
		"[Bash(git *)] [Bash(git push *) Edit(*.sql)] [Read(~/.ssh/**) Bash(rm *)] 1m0s" {
		t.Errorf("the rules are %s", text)
	}
	for setting, why := range map[string]string{
		"permissions = 'acceptEdits'": "the user's file only", "allow = ['Read']": "the user's file only", "permission_timeout = 0": "the user's file only",
		"deny = ['Bash(rm']": "not closed", "mode = 'wild'": `"wild" is none of`,
	} {
		d := newDesk(t)
		d.project(setting)
		if _, err := d.tryFrom("home/project"); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: got %v", setting, err)
		}
	}
}

// The two settings about what passes agree: a flag has its way, and in a file the one that says more.
func TestPermissionsAndAutoApprove(t *testing.T) {
	for name, c := range map[string]struct {
		user  string
		flags map[string]string
		want  policy.Mode
	}{
		"neither":        {"", nil, policy.ModeDefault},
		"permissions":    {"permissions = 'acceptEdits'", nil, policy.ModeAcceptEdits},
		"approve":        {"auto_approve = true", nil, policy.ModeBypass},
		"both":           {"permissions = 'default'\nauto_approve = true", nil, policy.ModeDefault},
		"a flag allows":  {"permissions = 'default'", map[string]string{"auto_approve": "true"}, policy.ModeBypass},
		"a flag forbids": {"permissions = 'bypassPermissions'", map[string]string{"auto_approve": "false"}, policy.ModeDefault},
		"a flag agrees":  {"permissions = 'acceptEdits'", map[string]string{"auto_approve": "false"}, policy.ModeAcceptEdits},
	} {
		d := newDesk(t)
		d.user(c.user)
		for flag, word := range c.flags {
			d.flags[flag] = word
		}
		if got := d.load().Permissions.Value; got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
	if got := newDesk(t).load().PermissionTimeout.Value; got != 30*time.Minute {
		t.Errorf("an answer may take %s", got)
	}
}
