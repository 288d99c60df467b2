package coder_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder"
	"github.com/patchbay-dev/patchbay/internal/config"
	"github.com/patchbay-dev/patchbay/internal/model"
)

// ruled starts an agent whose user's file says so, and a session. The model makes the calls, a turn each.
func ruled(t *testing.T, c *client, file string, calls ...string) (*client, *scripted) {
	t.Helper()
	m := &scripted{}
	for i := 0; i < len(calls); i += 2 {
		m.answers = append(m.answers, callOf(calls[i], calls[i+1]), finished)
	}
	c.T, c.coder = t, coder.With(m)
	c.configure(file)
	c.connect(t, c.coder)
	c.dir = realDir(t)
	c.session = c.openWith()
	return c, m
}

// configure has the user's file say so from now on.
func (c *client) configure(file string) {
	c.Helper()
	home := c.TempDir()
	if err := os.WriteFile(filepath.Join(home, config.FileName), []byte(file), 0o600); err != nil {
		c.Fatal(err)
	}
	c.coder.Configure(func(dir string) (*config.Config, error) {
		return config.Load(config.Options{Dir: dir, Home: home, UserDir: home, Env: func(string) string { return "" }})
	})
}

// told is what the model was told of the call of the n-th turn.
func told(t *testing.T, m *scripted, n int) model.Result {
	t.Helper()
	return resultOf(t, m.requests[2*n+1])
}

// S000.13: what passes without a question is an option of its own, in the terms of the seed, and the older switch is in step
// with it.
func TestS000_13_PermissionsSayWhatPasses(t *testing.T) {
	calls := []string{
		"read", `{"path":"a.txt"}`, "write", `{"path":"b.txt","text":"b"}`, "shell", `{"command":"mkdir -p sub && mv b.txt sub"}`, "shell", `{"command":"touch c.txt"}`,
		"write", `{"path":".git/hooks/pre-commit","text":"b"}`,
	}
	for _, each := range []struct {
		permissions, approve string
		asked                []bool
	}{
		{"default", "off", []bool{false, true, true, true, true}},
		{"acceptEdits", "off", []bool{false, false, false, true, true}},
		{"bypassPermissions", "on", []bool{false, false, false, false, false}},
	} {
		t.Run(each.permissions, func(t *testing.T) {
			c, m := ruled(t, &client{permit: answers(acp.PermissionOptionKindAllowOnce)}, "", calls...)
			if err := os.WriteFile(filepath.Join(c.dir, "a.txt"), []byte("a"), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := c.set("permissions", choice(each.permissions))
			if err != nil || valueOf(got, "permissions") != each.permissions || valueOf(got, "autoApprove") != each.approve {
				t.Errorf("the options are %q, %v", values(got), err)
			}
			for i, want := range each.asked {
				c.turn("go", acp.StopReasonEndTurn)
				if asked := len(c.asked) > 0; asked != want {
					t.Errorf("%s: asked %t", calls[2*i+1], asked)
				}
				if r := told(t, m, i); r.Failed {
					t.Errorf("%s: %s", calls[2*i+1], r.Text)
				}
			}
			if got, err := c.set("autoApprove", choice("off")); err != nil || valueOf(got, "permissions") == "bypassPermissions" {
				t.Errorf("switched off, the options are %q, %v", values(got), err)
			}
		})
	}
	c := begin(t, &client{})
	if got, err := c.set("autoApprove", choice("on")); err != nil || valueOf(got, "permissions") != "bypassPermissions" {
		t.Errorf("switched on, the options are %q, %v", values(got), err)
	}
	if _, err := c.set("permissions", choice("plan")); !errors.Is(err, &acp.Error{Code: acp.CodeInvalidParams}) {
		t.Errorf("what is a mode is no permission: %v", err)
	}
	if said := saidText(c.turn("/permissions acceptEdits", acp.StopReasonEndTurn)); !strings.Contains(said, "are `acceptEdits`") {
		t.Errorf("/permissions says %q", said)
	}
}

// S000.14, F56, F60: rules decide, and nothing after them: what they allow is done without a question, what they have asked is
// asked although everything passes, without an "always", and what they deny is a failed call that names the rule, also by
// another name of the file and for a search.
func TestF56_RulesDecideAlone(t *testing.T) {
	const rules = "permissions = 'bypassPermissions'\nallow = ['Bash(echo *)']\nask = ['Bash(git push *)', 'Read(asked.txt)']\ndeny = ['Read(secret/**)', 'Bash(rm *)', 'WebFetch(domain:example.com)']\n"
	for _, each := range []struct {
		tool, input string
		asked       bool
		denied      string // by this rule
	}{
		{tool: "shell", input: `{"command":"echo a"}`},
		{tool: "read", input: `{"path":"a.txt"}`},
		{tool: "read", input: `{"path":"asked.txt"}`, asked: true},
		{tool: "shell", input: `{"command":"git push nowhere"}`, asked: true},
		{tool: "shell", input: `{"command":"echo a; git push nowhere"}`, asked: true},
		{tool: "read", input: `{"path":"secret/key"}`, denied: "Read(secret/**)"},
		{tool: "read", input: `{"path":"link"}`, denied: "Read(secret/**)"},
		{tool: "list", input: `{"path":"secret"}`, denied: "Read(secret/**)"},
		{tool: "grep", input: `{"pattern":"x","path":"secret"}`, denied: "Read(secret/**)"},
		{tool: "shell", input: `{"command":"cat secret/key"}`, denied: "Read(secret/**)"},
		{tool: "shell", input: `{"command":"true && rm a.txt"}`, denied: "Bash(rm *)"},
		{tool: "fetch", input: `{"url":"https://www.example.com/"}`, denied: "WebFetch(domain:example.com)"},
	} {
		t.Run(each.tool+" "+each.input, func(t *testing.T) {
			c, m := ruled(t, &client{permit: answers(acp.PermissionOptionKindRejectOnce)}, rules, each.tool, each.input)
			for name, text := range map[string]string{"a.txt": "a", "asked.txt": "b", "secret/key": "xyz"} {
				path := filepath.Join(c.dir, name)
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Symlink("secret/key", filepath.Join(c.dir, "link")); err != nil {
				t.Skip(err)
			}
			script := c.script(c.turn("go", acp.StopReasonEndTurn))
			r := told(t, m, 0)
			if asked := len(c.asked) > 0; asked != each.asked {
				t.Errorf("asked %t", asked)
			}
			if each.asked && (len(c.asked[0].Options) != 2 || !strings.Contains(r.Text, "the user has rejected it")) {
				t.Errorf("asked with %+v; the model is told %q", c.asked[0].Options, r.Text)
			}
			why := "the rule " + each.denied + " of patchbay.toml denies it; nothing was done"
			if denied := each.denied != ""; denied != (r.Text == why) || denied && !strings.Contains(script, "failed ["+why+"]") {
				t.Errorf("the model is told %q, and the user\n%s", r.Text, script)
			}
			if strings.Contains(r.Text, "xyz") {
				t.Error("it was read")
			}
		})
	}
}

// F56: what a rule denies to read is not come by in searching and listing the folder that it is in either.
func TestF56_SearchesPassOverWhatIsDenied(t *testing.T) {
	c, m := ruled(t, &client{}, "deny = ['Read(secret/**)', 'Read(*.pem)']",
		"grep", `{"pattern":"xyz"}`, "glob", `{"pattern":"**"}`, "list", `{"depth":3}`)
	for _, name := range []string{"a.txt", "a.pem", "secret/key"} {
		path := filepath.Join(c.dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("xyz\n"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 {
		c.turn("go", acp.StopReasonEndTurn)
		r := told(t, m, i)
		if r.Failed || !strings.Contains(r.Text, "a.txt") || strings.Contains(r.Text, "key") || strings.Contains(r.Text, "a.pem") {
			t.Errorf("%s: the model is told %q", r.Name, r.Text)
		}
	}
}

// S001.30: a question says why it is asked.
func TestS001_30_AQuestionSaysWhy(t *testing.T) {
	c, _ := ruled(t, &client{permit: answers(acp.PermissionOptionKindAllowOnce)}, "", "write", `{"path":"b.txt","text":"b"}`)
	c.turn("go", acp.StopReasonEndTurn)
	if len(c.asked) != 1 {
		t.Fatalf("asked %d times, want once: writes ask", len(c.asked))
	}
	if why := string(c.asked[0].Meta["patchbay.dev/reason"]); !strings.Contains(why, "nothing allows that it changes "+filepath.Join(c.dir, "b.txt")) {
		t.Errorf("the reason is %q", why)
	}
}

// F52: a client that has no way to ask its user is found out by its first answer, and is not asked again: what would be asked
// is rejected, which is said, and what passes anyway is done.
func TestF52_AClientThatCantBeAsked(t *testing.T) {
	c, m := ruled(t, &client{}, "allow = ['Bash(echo *)']",
		"write", `{"path":"b.txt","text":"b"}`, "write", `{"path":"b.txt","text":"b"}`, "shell", `{"command":"echo hello"}`)
	for i, want := range []int{1, 0, 0} {
		c.turn("go", acp.StopReasonEndTurn)
		if len(c.asked) != want {
			t.Errorf("turn %d: asked %d times, want %d", i, len(c.asked), want)
		}
	}
	for i := range 2 {
		if r := told(t, m, i); !r.Failed || !strings.Contains(r.Text, "this client can't ask for it") {
			t.Errorf("the model is told %+v", r)
		}
	}
	if r := told(t, m, 2); r.Failed || !strings.Contains(r.Text, "hello") {
		t.Errorf("what a rule allows: %+v", r)
	}
	if _, err := os.Stat(filepath.Join(c.dir, "b.txt")); err == nil {
		t.Error("it was written")
	}
}

// F62: where nobody answers in time, the question is withdrawn and the call rejected, with words that say so, and the turn goes
// on.
func TestF62_NoAnswerInTimeIsARejection(t *testing.T) {
	withdrawn := make(chan struct{})
	c := &client{permit: func(ctx context.Context, _ *acp.RequestPermissionRequest) acp.RequestPermissionOutcome {
		<-ctx.Done()
		close(withdrawn)
		return acp.PermissionCancelled()
	}}
	c, m := ruled(t, c, "permission_timeout = 1", "write", `{"path":"b.txt","text":"b"}`)
	script := c.script(c.turn("go", acp.StopReasonEndTurn))
	<-withdrawn
	const why = "nobody has answered within 1s, which is a rejection; nothing was done"
	if r := told(t, m, 0); r.Text != why || !r.Failed || !strings.Contains(script, why) {
		t.Errorf("the model is told %+v, and the user\n%s", r, script)
	}
}

// S001.20, F59: what was answered for good is remembered by the store for later processes: a permission where the session works in
// the same folder, a rejection in any. What is chosen for the session is too, but for what lets everything pass.
func TestS001_20_AnswersOutliveTheProcess(t *testing.T) {
	for kind, verb := range map[acp.PermissionOptionKind]string{
		acp.PermissionOptionKindAllowAlways: "allowed", acp.PermissionOptionKindRejectAlways: "rejected",
	} {
		t.Run(verb, func(t *testing.T) {
			dir := t.TempDir()
			db := openStore(t, dir)
			shell := callOf("shell", `{"command":"echo hello"}`)
			m := &scripted{answers: [][]any{shell, finished, shell, finished, shell, finished}}
			c := &client{dir: realDir(t), permit: answers(kind)}
			c.connect(t, coder.WithStore(m, db))
			c.session = c.openWith()
			c.turn("go", acp.StopReasonEndTurn)
			for id, value := range map[acp.SessionConfigID]string{"mode": "safe", "permissions": "acceptEdits"} {
				if _, err := c.set(id, choice(value)); err != nil {
					t.Fatal(err)
				}
			}
			next := c.successor(t, db, dir, m)
			got, err := next.load()
			if want := []string{"safe", "acceptEdits"}; err != nil || !slices.Equal(want, []string{valueOf(got, "mode"), valueOf(got, "permissions")}) {
				t.Errorf("the options are %q, %v", values(got), err)
			}
			if _, err := next.set("mode", choice("full")); err != nil {
				t.Fatal(err)
			}
			if _, err := next.set("permissions", choice("bypassPermissions")); err != nil {
				t.Fatal(err)
			}
			if kind == acp.PermissionOptionKindAllowAlways {
				if _, err := next.set("permissions", choice("default")); err != nil {
					t.Fatal(err)
				}
			}
			next.turn("go", acp.StopReasonEndTurn)
			if len(next.asked) > 0 || resultOf(t, m.requests[3]).Failed == kind.Allows() {
				t.Errorf("asked %d times, and the model is told %+v", len(next.asked), resultOf(t, m.requests[3]))
			}
			next.must(acp.MethodSessionClose, &acp.CloseSessionRequest{SessionID: next.session}, nil)
			next.dir = realDir(t)
			if got, err := next.load(); err != nil || valueOf(got, "permissions") != "default" {
				t.Errorf("the options are %q, %v", values(got), err)
			}
			next.turn("go", acp.StopReasonEndTurn)
			if asked := len(next.asked) > 0; asked != kind.Allows() {
				t.Errorf("in another folder: asked %t", asked)
			}
		})
	}
}

// S000.13: a question about a command offers what it would cover, and where no rule would do, only answers for once.
func TestS000_13_OptionsNameWhatTheyCover(t *testing.T) {
	for input, want := range map[string][]string{
		`{"command":"go test ./..."}`:          {"Allow", "Always allow Bash(go test *) in this session", "Reject", "Always reject Bash(go test *) in this session"},
		`{"command":"echo \u202e"}`:            {"Allow", "Reject"},
		`{"command":"if then"}`:                {"Allow", "Reject"},
		`{"command":"go test; ls >/dev/null"}`: {"Allow", "Always allow Bash(go test; ls >/dev/null) in this session", "Reject", "Always reject Bash(go test; ls >/dev/null) in this session"},
	} {
		c, _ := ruled(t, &client{permit: answers(acp.PermissionOptionKindRejectOnce)}, "", "shell", input)
		c.turn("go", acp.StopReasonEndTurn)
		var got []string
		for _, o := range c.asked[0].Options {
			got = append(got, o.Name)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", input, diff)
		}
	}
}
