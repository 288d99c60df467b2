package coder_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder"
	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
)

// open begins another session and returns its options.
func (c *client) open(prompt *acp.SystemPrompt) []acp.SessionConfigOption {
	c.Helper()
	var opened acp.NewSessionResponse
	c.must(acp.MethodSessionNew, &acp.NewSessionRequest{CWD: c.dir, MCPServers: []acp.MCPServer{}, SystemPrompt: prompt}, &opened)
	c.session = opened.SessionID
	return opened.ConfigOptions
}

// set sets an option to a value and returns all options.
func (c *client) set(id acp.SessionConfigID, value acp.SetConfigValue) ([]acp.SessionConfigOption, error) {
	var answer acp.SetSessionConfigOptionResponse
	err := c.rpc.Call(c.Context(), acp.MethodSessionSetConfigOption,
		&acp.SetSessionConfigOptionRequest{SessionID: c.session, ConfigID: id, Value: value}, &answer)
	return answer.ConfigOptions, err
}

// values are the current values of options, and on or off.
func values(options []acp.SessionConfigOption) []string {
	var list []string
	for _, o := range options {
		value := ""
		switch v := o.Value.(type) {
		case *acp.SessionConfigSelect:
			value = string(v.CurrentValue)
		case *acp.SessionConfigBoolean:
			value = map[bool]string{true: "on", false: "off"}[v.CurrentValue]
		}
		list = append(list, string(o.ID)+" "+value)
	}
	return list
}

func last(list []string) string { return list[len(list)-1] }

func choice(value string) acp.SetConfigValue {
	return &acp.SetConfigValueID{Value: acp.SessionConfigValueID(value)}
}

// S001.3, S001.32: model, thinking, the longest answer and approval are options of a session; a client without switches gets the
// last one as a choice of on and off.
func TestSessionOptions(t *testing.T) {
	s := modeltest.New(t, modeltest.Script(modeltest.Answer{Text: "hi"}))
	can := acp.ClientCapabilities{Session: &acp.ClientSessionCapabilities{ConfigOptions: &acp.SessionConfigOptionsCapabilities{Boolean: &acp.BooleanConfigOptionCapabilities{}}}}
	c := wires[0].begin(t, s, &client{can: can})
	want := []string{"model anthropic/claude-sonnet-5-5", "thinking default", "maxTokens 0", "mode full", "permissions default", "autoApprove off"}
	if diff := cmp.Diff(want, values(c.open(nil))); diff != "" {
		t.Errorf("options (-want +got):\n%s", diff)
	}
	for _, change := range []struct {
		id    acp.SessionConfigID
		value acp.SetConfigValue
		want  int
		now   string
	}{
		{"thinking", choice("high"), 1, "thinking high"},
		{"maxTokens", choice("8000"), 2, "maxTokens 8000"},
		{"maxTokens", choice("1234"), 2, "maxTokens 1234"},
		{"autoApprove", &acp.SetConfigBoolean{Value: true}, 5, "autoApprove on"},
		{"model", choice("anthropic/claude-haiku-4-5"), 0, "model anthropic/claude-haiku-4-5"},
	} {
		got, err := c.set(change.id, change.value)
		if err != nil || values(got)[change.want] != change.now {
			t.Errorf("%s: got %q, %v", change.now, values(got), err)
		}
	}
	for _, wrong := range []struct {
		id    acp.SessionConfigID
		value acp.SetConfigValue
	}{
		{"model", choice("nobody/knows")}, {"model", choice("openai/gpt-6.2-sol")}, {"thinking", choice("a lot")}, {"maxTokens", choice("-1")},
		{"maxTokens", choice("many")}, {"colour", choice("red")}, {"model", &acp.SetConfigBoolean{Value: true}},
	} {
		if _, err := c.set(wrong.id, wrong.value); !errors.Is(err, &acp.Error{Code: acp.CodeInvalidParams}) {
			t.Errorf("%s: got %v", wrong.id, err)
		}
	}
	c.turn("hello", acp.StopReasonEndTurn)
	if h := s.Last(); h.Model != "claude-haiku-4-5" || !strings.Contains(string(h.Body), `"max_tokens":1234`) {
		t.Errorf("the model was asked %s", h.Body)
	}
}

// A boolean option is understood in whatever way a client says on or off, and no other; an option with values is not.
func TestOnAndOffAreUnderstood(t *testing.T) {
	switches := acp.ClientCapabilities{Session: &acp.ClientSessionCapabilities{ConfigOptions: &acp.SessionConfigOptionsCapabilities{Boolean: &acp.BooleanConfigOptionCapabilities{}}}}
	for name, can := range map[string]acp.ClientCapabilities{"with switches": switches, "without": {}} {
		t.Run(name, func(t *testing.T) {
			s := modeltest.New(t, modeltest.Script(modeltest.Answer{Text: "hi"}))
			c := wires[0].begin(t, s, &client{can: can})
			for _, each := range []struct{ value, want string }{
				{`"value":"on"`, "on"}, {`"value":"off"`, "off"}, {`"value":"true"`, "on"}, {`"value":"false"`, "off"},
				{`"value":true,"type":"boolean"`, "on"}, {`"value":false,"type":"boolean"`, "off"},
			} {
				var answer acp.SetSessionConfigOptionResponse
				c.must(acp.MethodSessionSetConfigOption, acp.Raw(fmt.Sprintf(`{"sessionId":%q,"configId":"autoApprove",%s}`, c.session, each.value)), &answer)
				if got := last(values(answer.ConfigOptions)); got != "autoApprove "+each.want {
					t.Errorf("%s: got %s", each.value, got)
				}
			}
			for _, wrong := range []struct {
				id    acp.SessionConfigID
				value acp.SetConfigValue
				want  string
			}{
				{"autoApprove", choice("maybe"), `"maybe" is neither on nor off`},
				{"autoApprove", choice("1"), "neither on nor off"},
				{"thinking", &acp.SetConfigBoolean{Value: true}, `"thinking" is a choice of values`},
				{"colour", &acp.SetConfigBoolean{Value: true}, `no option "colour"`},
			} {
				_, err := c.set(wrong.id, wrong.value)
				if !errors.Is(err, &acp.Error{Code: acp.CodeInvalidParams}) || !strings.Contains(err.Error(), wrong.want) {
					t.Errorf("%s: got %v", wrong.id, err)
				}
			}
		})
	}
}

// S001.32: what is approved for the whole session is not asked.
func TestAutoApprove(t *testing.T) {
	s := modeltest.New(t, modeltest.Script(calling(called("write", `{"path":"b.txt","text":"b"}`)), modeltest.Answer{Text: "done"}))
	c := wires[0].begin(t, s, &client{})
	if _, err := c.set("autoApprove", choice("on")); err != nil { // as a client does that knows no switches
		t.Fatal(err)
	}
	c.turn("write", acp.StopReasonEndTurn)
	if len(c.asked) > 0 {
		t.Errorf("the user was asked: %+v", c.asked)
	}
	if text, err := os.ReadFile(filepath.Join(c.dir, "b.txt")); err != nil || string(text) != "b" {
		t.Errorf("wrote %q, %v", text, err)
	}
}

// S001.3: a client may add to what the model is told, or put its own in its place; the folder and the project's
// instructions stay.
func TestSystemPrompt(t *testing.T) {
	s := modeltest.New(t, modeltest.Script(modeltest.Answer{Text: "hi"}))
	c := wires[0].begin(t, s, &client{}, "AGENTS.md", "Say moon.")
	for mode, want := range map[acp.SystemPromptMode]bool{acp.SystemPromptModeAppend: true, acp.SystemPromptModeOverride: false} {
		c.open(&acp.SystemPrompt{Mode: mode, Content: []acp.ContentBlock{acp.Text("Speak Latin.")}})
		c.turn("hello", acp.StopReasonEndTurn)
		told := s.Last().System
		for part, in := range map[string]bool{"Speak Latin.": true, "Say moon.": true, c.dir: true, "coding agent of Patchbay": want} {
			if strings.Contains(told, part) != in {
				t.Errorf("%s: %q is in it: %t\n%s", mode, part, !in, told)
			}
		}
	}
}

// A part of a system prompt that no model takes is not dropped unseen.
func TestSystemPromptIsText(t *testing.T) {
	c := begin(t, &client{})
	prompt := &acp.SystemPrompt{Mode: acp.SystemPromptModeAppend, Content: []acp.ContentBlock{acp.Text("Look:"), acp.Image("image/png", []byte("x"))}}
	err := c.rpc.Call(t.Context(), acp.MethodSessionNew,
		&acp.NewSessionRequest{CWD: c.dir, MCPServers: []acp.MCPServer{}, SystemPrompt: prompt}, &acp.NewSessionResponse{})
	if sent := (*acp.Error)(nil); !errors.As(err, &sent) || sent.Code != acp.CodeInvalidParams || !strings.Contains(sent.Message, "content[1]") {
		t.Errorf("got %v", err)
	}
}

// S004.9: instructions come from the repository's root down to the working directory, and from folders below when something
// there is touched. One text under two names is told once.
func TestInstructions(t *testing.T) {
	repo := t.TempDir()
	write := func(path, text string) {
		path = filepath.Join(repo, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(".git/HEAD", "")
	write("AGENTS.md", "of the root")
	write("app/AGENTS.md", "of the app")
	write("app/CLAUDE.md", "of the app")
	write("app/deep/CLAUDE.md", "of the deep")
	write("app/deep/a.txt", "a")
	write("other/AGENTS.md", "of another")
	s := modeltest.New(t, modeltest.Script(
		calling(called("read", `{"path":"deep/a.txt"}`)), calling(called("read", `{"path":"deep/a.txt"}`)), modeltest.Answer{Text: "done"},
	))
	c := wires[0].begin(t, s, &client{})
	c.dir = filepath.Join(repo, "app")
	c.open(nil)
	c.turn("hello", acp.StopReasonEndTurn)
	told := s.Heard()[0].System
	if root, app := strings.Index(told, "of the root"), strings.Index(told, "of the app"); root < 0 || app < root {
		t.Errorf("the model was told %s", told)
	}
	if strings.Count(told, "of the app") != 1 || strings.Contains(told, "of the deep") || strings.Contains(told, "of another") {
		t.Errorf("the model was told %s", told)
	}
	var results []bool
	for _, m := range s.Last().Messages {
		for _, r := range m.Results {
			results = append(results, strings.Contains(r.Text, "of the deep"))
		}
	}
	if !slices.Equal(results, []bool{true, false}) {
		t.Errorf("the folder's instructions came with the results %v", results)
	}
}

// S004.9: a project's own commands are offered, and again when they change; what a file says goes to the model, with what the user
// typed.
func TestProjectCommands(t *testing.T) {
	s := modeltest.New(t, modeltest.Script(modeltest.Answer{Text: "done"}))
	c := wires[0].begin(t, s, &client{}, "a.txt", "a")
	folder := filepath.Join(c.dir, ".patchbay", "commands")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	file := "---\r\ndescription: Fix an issue\r\nargument-hint: number\r\n---\r\nFix the issue $ARGUMENTS.\r\n"
	for name, text := range map[string]string{"fix.md": file, "help.md": "not this", "bad name.md": "x", "empty.md": "", "note.txt": "x"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var offered []acp.AvailableCommand
	for _, u := range c.turn("hello", acp.StopReasonEndTurn) {
		if commands, ok := u.(*acp.AvailableCommandsUpdate); ok {
			offered = commands.AvailableCommands
		}
	}
	i := slices.IndexFunc(offered, func(a acp.AvailableCommand) bool { return a.Name == "fix" })
	if i < 0 || offered[i].Description != "Fix an issue" || offered[i].Input.(*acp.UnstructuredCommandInput).Hint != "number" {
		t.Errorf("offered %+v", offered)
	}
	if n := len(offered); n != coder.OwnCommands()+1 {
		t.Errorf("%d commands are offered", n)
	}
	c.turn("/fix 42", acp.StopReasonEndTurn)
	if said := s.Last().Messages; said[len(said)-1].Text != "Fix the issue 42." {
		t.Errorf("the model was told %+v", said[len(said)-1])
	}
	for _, u := range c.turn("hello again", acp.StopReasonEndTurn) {
		if _, ok := u.(*acp.AvailableCommandsUpdate); ok {
			t.Error("what has not changed is offered again")
		}
	}
}

// A conversation that nearly fills the window is summarised before it overflows, and goes on from the summary. The client
// sees it happen.
func TestCompaction(t *testing.T) {
	for name, tooLong := range map[string]bool{"in time": false, "when the provider says so": true} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			s := modeltest.New(t, func(h *modeltest.Heard) modeltest.Answer {
				asked++
				last := h.Messages[len(h.Messages)-1].Text
				switch {
				case strings.Contains(last, "<conversation>"):
					return modeltest.Answer{Text: "They want the moon."}
				case tooLong && asked == 2:
					return modeltest.Answer{Fault: modeltest.Fault{Status: 400, Message: "prompt is too long: 300000 tokens > 200000 maximum"}}
				case tooLong:
					return modeltest.Answer{Text: "I see."}
				}
				return modeltest.Answer{Text: "I see.", Input: 999_000, Output: 10}
			})
			can := acp.ClientCapabilities{Session: &acp.ClientSessionCapabilities{Compaction: &acp.CompactionCapabilities{}}}
			c := wires[0].begin(t, s, &client{can: can})
			c.turn("give me the moon", acp.StopReasonEndTurn)
			var seen []string
			for _, u := range c.turn("and now?", acp.StopReasonEndTurn) {
				if compaction, ok := u.(*acp.CompactionUpdate); ok {
					seen = append(seen, string(compaction.Status))
				}
			}
			if !slices.Equal(seen, []string{"in_progress", "completed"}) {
				t.Errorf("the client saw %q", seen)
			}
			said := s.Last().Messages
			if len(said) != 3 || !strings.Contains(said[0].Text, "They want the moon.") || said[2].Text != "and now?" {
				t.Errorf("the model was told %+v", said)
			}
		})
	}
}

// S001.32: the commands that need no model say what they do.
func TestOwnCommands(t *testing.T) {
	s := modeltest.New(t, modeltest.Script(modeltest.Answer{Text: "Yes.", Input: 1000, Output: 100}))
	c := wires[0].begin(t, s, &client{})
	c.turn("remember the moon", acp.StopReasonEndTurn)
	for _, step := range []struct{ prompt, want string }{
		{"/cost", "1 requests: 1000 tokens in, 100 out. That has cost about $0."},
		{"/model", "The model is anthropic/claude-sonnet-5-5"},
		{"/model anthropic/claude-haiku-4-5", "The model is now anthropic/claude-haiku-4-5"},
		{"/model nobody/knows", `can't be used`},
		{"/compact", "is now a summary"},
		{"/clear", "is forgotten"},
		{"/compact", "nothing to compact"},
	} {
		if got := saidText(c.turn(step.prompt, acp.StopReasonEndTurn)); !strings.Contains(got, step.want) {
			t.Errorf("%s: got %q, want %q in it", step.prompt, got, step.want)
		}
	}
	c.turn("what was it?", acp.StopReasonEndTurn)
	if said := s.Last().Messages; len(said) != 1 {
		t.Errorf("the model was told %+v", said)
	}
	c.turn("/init", acp.StopReasonEndTurn)
	if said := s.Last().Messages; !strings.Contains(said[len(said)-1].Text, "AGENTS.md") {
		t.Errorf("the model was told %+v", said)
	}
}

// A client may say where a provider is, with a key that nobody else gets and that is never shown.
func TestProviders(t *testing.T) {
	s := modeltest.New(t, modeltest.Script(modeltest.Answer{Text: "hi"}))
	c := &client{}
	a, err := coder.New(coder.Options{Config: configured(t, map[string]string{"PATCHBAY_MODEL": "anthropic", "ANTHROPIC_API_KEY": "the-users"})})
	if err != nil {
		t.Fatal(err)
	}
	c.connect(t, a)
	c.dir = t.TempDir()
	set := &acp.SetProviderRequest{ProviderID: "anthropic", APIType: acp.LLMProtocolAnthropic, BaseURL: s.AnthropicURL(), Headers: map[string]string{"X-Api-Key": "the-clients"}}
	c.must("providers/set", set, nil)
	var list acp.ListProvidersResponse
	c.must("providers/list", &acp.ListProvidersRequest{}, &list)
	i := slices.IndexFunc(list.Providers, func(p acp.ProviderInfo) bool { return p.ProviderID == "anthropic" })
	if i < 0 || list.Providers[i].Current == nil || list.Providers[i].Current.BaseURL != s.AnthropicURL() {
		t.Errorf("providers %+v", list.Providers)
	}
	c.open(nil)
	c.turn("hello", acp.StopReasonEndTurn)
	if key := s.Last().Header.Get("X-Api-Key"); key != "the-clients" {
		t.Errorf("the key was %q", key)
	}
	for _, wrong := range []*acp.SetProviderRequest{
		{ProviderID: "anthropic", APIType: "smoke signals", BaseURL: s.URL}, {ProviderID: "anthropic", APIType: acp.LLMProtocolAnthropic, BaseURL: "nonsense"},
		{ProviderID: "anthropic", APIType: acp.LLMProtocolAnthropic, BaseURL: s.URL, Headers: map[string]string{"Cookie": "c"}},
	} {
		if err := c.rpc.Call(t.Context(), "providers/set", wrong, nil); !errors.Is(err, &acp.Error{Code: acp.CodeInvalidParams}) {
			t.Errorf("%+v: got %v", wrong, err)
		}
	}
	c.must("providers/disable", &acp.DisableProviderRequest{ProviderID: "anthropic"}, nil)
	err = c.rpc.Call(t.Context(), acp.MethodSessionNew, &acp.NewSessionRequest{CWD: c.dir, MCPServers: []acp.MCPServer{}}, nil)
	if err == nil || !strings.Contains(err.Error(), "disabled") {
		t.Errorf("a session with a provider that is disabled: %v", err)
	}
}

// What a turn has done before its provider failed is remembered: the model that is told to go on has to know of it.
func TestT6_WhatWasDoneBeforeAFailureIsRemembered(t *testing.T) {
	s := modeltest.New(t, modeltest.Script(
		calling(called("write", `{"path":"b.txt","text":"b"}`)),
		modeltest.Answer{Fault: modeltest.Fault{Status: 401, Message: "no such key"}},
		modeltest.Answer{Text: "done"},
	))
	c := wires[0].begin(t, s, &client{})
	if _, err := c.prompt("write"); err == nil {
		t.Fatal("the turn did not fail")
	}
	c.turn("go on", acp.StopReasonEndTurn)
	said := s.Last().Messages
	if len(said) != 5 || len(said[1].Calls) != 1 || len(said[2].Results) != 1 || !strings.HasPrefix(said[3].Text, "[interrupted: ") {
		t.Errorf("the model was told %+v", said)
	}
}

// A failed call says once why.
func TestAFailedCommandIsShownOnce(t *testing.T) {
	s := modeltest.New(t, modeltest.Script(calling(called("shell", `{"command":"echo oops; exit 3"}`)), modeltest.Answer{Text: "done"}))
	c := wires[0].begin(t, s, &client{})
	script := c.script(c.turn("try", acp.StopReasonEndTurn))
	if strings.Count(script, "ended with status 3") != 1 {
		t.Errorf("got\n%s", script)
	}
}

// A file of the project's that leads out of it is not told to anyone: it would be a way to any file of the user's.
func TestInstructionsStayInside(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("the secret"), 0o666); err != nil {
		t.Fatal(err)
	}
	s := modeltest.New(t, modeltest.Script(calling(called("read", `{"path":"sub/a.txt"}`)), modeltest.Answer{Text: "done"}))
	c := wires[0].begin(t, s, &client{}, "inside.md", "of the project")
	for _, folder := range []string{"sub", ".patchbay/commands"} {
		if err := os.MkdirAll(filepath.Join(c.dir, folder), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(c.dir, "sub", "a.txt"), []byte("a"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, link := range [][2]string{
		{secret, "AGENTS.md"}, {"inside.md", "CLAUDE.md"}, {secret, "sub/CLAUDE.md"}, {secret, ".patchbay/commands/leak.md"},
	} {
		if err := os.Symlink(link[0], filepath.Join(c.dir, link[1])); err != nil {
			t.Skip("no links here: ", err)
		}
	}
	c.turn("hello", acp.StopReasonEndTurn)
	c.turn("/leak", acp.StopReasonEndTurn)
	for _, h := range s.Heard() {
		if strings.Contains(string(h.Body), "the secret") {
			t.Errorf("the model was told %s", h.Body)
		}
		if !strings.Contains(h.System, "of the project") {
			t.Errorf("a link within the project was not followed: %s", h.System)
		}
	}
}

// A compaction that fails keeps the session from nothing while there is room, and one that succeeds is not lost with a
// request that fails after it.
func TestCompactionAndFailures(t *testing.T) {
	for name, summaryFails := range map[string]bool{"no summary": true, "no answer after it": false} {
		t.Run(name, func(t *testing.T) {
			fail := false
			s := modeltest.New(t, func(h *modeltest.Heard) modeltest.Answer {
				switch summary := strings.Contains(h.Messages[len(h.Messages)-1].Text, "<conversation>"); {
				case summary && summaryFails:
					return modeltest.Answer{Text: "no", Stop: "refusal"}
				case summary:
					return modeltest.Answer{Text: "They want the moon."}
				case fail:
					return modeltest.Answer{Fault: modeltest.Fault{Status: 401}}
				}
				return modeltest.Answer{Text: "I see.", Input: 900_000, Output: 10}
			})
			c := wires[0].begin(t, s, &client{})
			c.turn("give me the moon", acp.StopReasonEndTurn)
			fail = !summaryFails
			if _, err := c.prompt("and now?"); (err != nil) != fail {
				t.Fatalf("got %v", err)
			}
			fail = false
			c.turn("go on", acp.StopReasonEndTurn)
			if first := s.Last().Messages[0].Text; strings.Contains(first, "They want the moon.") == summaryFails {
				t.Errorf("the model was told %q first", first)
			}
		})
	}
}

// A picture is not as long as its base64: it drives nothing out of the conversation.
func TestAPictureIsNotLong(t *testing.T) {
	s := modeltest.New(t, modeltest.Script(modeltest.Answer{Text: "I see.", Input: 2000}))
	c := wires[0].begin(t, s, &client{})
	png := append([]byte("\x89PNG\r\n\x1a\n"), make([]byte, 3<<20)...)
	c.must(acp.MethodSessionPrompt, &acp.PromptRequest{SessionID: c.session, Prompt: []acp.ContentBlock{acp.Text("what is it?"), acp.Image("image/png", png)}}, nil)
	c.turn("and now?", acp.StopReasonEndTurn)
	if said := s.Last().Messages; len(said) != 3 || said[0].Images != 1 {
		t.Errorf("the model was told %d messages", len(said))
	}
}
