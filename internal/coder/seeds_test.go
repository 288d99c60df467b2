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
	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
)

// S001.19: a session works in its folders and nowhere else. The exceptions are the folders that its client names, and a path that
// is not absolute is meant from the working directory.
func TestTheFoldersAreTheBoundary(t *testing.T) {
	more, outside := t.TempDir(), t.TempDir()
	for path, text := range map[string]string{filepath.Join(more, "m.txt"): "of more\n", filepath.Join(outside, "o.txt"): "of outside\n"} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	read := func(path string) modeltest.Called { return called("read", fmt.Sprintf(`{"path":%q}`, path)) }
	s := modeltest.New(t, modeltest.Script(
		calling(read("a.txt"), read(filepath.Join(more, "m.txt")), read(filepath.Join(outside, "o.txt")), called("write", fmt.Sprintf(`{"path":%q,"text":"x"}`, filepath.Join(outside, "new.txt")))),
		modeltest.Answer{Text: "done"},
	))
	c := wires[0].begin(t, s, &client{}, "a.txt", "of the session\n")
	var opened acp.NewSessionResponse
	c.must(acp.MethodSessionNew, &acp.NewSessionRequest{CWD: c.dir, AdditionalDirectories: []string{more}, MCPServers: []acp.MCPServer{}}, &opened)
	c.session = opened.SessionID
	c.turn("read them", acp.StopReasonEndTurn)
	results := s.Last().Messages[2].Results
	for i, want := range []string{"of the session", "of more", "outside the roots", "outside the roots"} {
		if len(results) != 4 || !strings.Contains(results[i].Text, want) {
			t.Fatalf("the model was given %+v", results)
		}
	}
	if len(c.asked) > 0 {
		t.Errorf("the user was asked for what can't be: %+v", c.asked)
	}
}

// S002.11: text, links, embedded text and data, images and sound reach a model by whatever wire, where it takes them; nothing of it is
// lost on the way, and the user's words stay apart from what they have attached.
func TestContentOnEveryWire(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		s := modeltest.New(t, modeltest.Script(modeltest.Answer{Text: "I see."}))
		c := w.begin(t, s, &client{})
		link := &acp.ResourceLink{Name: "spec.md", URI: "file:///docs/spec.md"}
		prompt := []acp.ContentBlock{acp.Text("what is this?"), link, acp.TextResource("file:///a.go", "text/x-go", "package attached"), acp.Text("and now?")}
		images, sound := 0, 0
		if w.name != "chat" { // nobody knows what the model behind it takes
			images, prompt = 1, append(prompt, acp.Image("image/png", []byte("\x89PNG\r\n\x1a\n")))
		}
		if w.name == "gemini" {
			sound, prompt = 1, append(prompt, acp.Audio("audio/wav", []byte("RIFF")))
		}
		c.must(acp.MethodSessionPrompt, &acp.PromptRequest{SessionID: c.session, Prompt: prompt}, &acp.PromptResponse{})
		said := s.Last().Messages[0]
		at := -1
		for _, want := range []string{"what is this?", "spec.md", "file:///docs/spec.md", "file:///a.go", "package attached", "and now?"} {
			i := strings.Index(said.Text, want)
			if i < at || i < 0 {
				t.Errorf("%q is missing, or not in its place, in %q", want, said.Text)
			}
			at = max(i, at)
		}
		if said.Images != images || said.Audio != sound {
			t.Errorf("the model was given %d images and %d sounds", said.Images, said.Audio)
		}
	})
}

// S002.12, S000.9, S000.10: a turn sends all the updates that there are for what is done in it: the user's words when it is loaded, reasoning
// and words, calls with kind, locations, input, content and output, the plan with priority and status, commands and usage. Those of
// modes come when there are modes.
func TestUpdatesOfATurn(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		s := modeltest.New(t, modeltest.Script(
			modeltest.Answer{Thought: "hm", Text: "I look.", Calls: []modeltest.Called{
				called("plan", `{"entries":[{"content":"look","priority":"high","status":"in_progress"}]}`), called("read", `{"path":"a.txt"}`),
				called("edit", `{"path":"a.txt","edits":[{"old":"hello","new":"moon"}]}`),
			}},
			modeltest.Answer{Text: "Done."},
		))
		c := w.begin(t, s, &client{}, "a.txt", "hello\n")
		seen := map[string]bool{}
		note := func(u acp.SessionUpdate) { seen[describeUpdate(u)] = true }
		c.await(func(u acp.SessionUpdate) bool { note(u); return seen["commands"] })
		for _, u := range c.turn("change it", acp.StopReasonEndTurn) {
			note(u)
		}
		c.forget()
		if _, err := c.load(); err != nil {
			t.Fatal(err)
		}
		for _, u := range c.seen() {
			note(u)
		}
		want := []string{
			"commands", "user", "message", "plan high in_progress",
			"call think pending", "call read pending with input at 1", "call edit pending with input at 1",
			"update in_progress", "update completed with content with output",
		}
		if w.name != "chat" {
			want = append(want, "usage") // the window of such a model is not known
		}
		if w.name != "responses" && w.name != "chat" {
			want = append(want, "thought")
		}
		for _, each := range want {
			if !seen[each] {
				t.Errorf("there was no update %q", each)
			}
		}
		if t.Failed() {
			t.Logf("there were %v", seen)
		}
	})
}

func describeUpdate(u acp.SessionUpdate) string {
	switch u := u.(type) {
	case *acp.AvailableCommandsUpdate:
		return "commands"
	case *acp.UserMessageChunk:
		return "user"
	case *acp.AgentMessageChunk:
		return "message"
	case *acp.AgentThoughtChunk:
		return "thought"
	case *acp.UsageUpdate:
		return "usage"
	case *acp.Plan:
		return fmt.Sprintf("plan %s %s", u.Entries[0].Priority, u.Entries[0].Status)
	case *acp.ToolCall:
		text := fmt.Sprintf("call %s %s", u.Kind, u.Status)
		if len(u.Locations) > 0 {
			text += fmt.Sprintf(" with input at %d", len(u.Locations))
		}
		return text
	case *acp.ToolCallUpdate:
		text := "update"
		if status, ok := u.Status.Get(); ok {
			text += " " + string(status)
		}
		if content := u.Content.Or(nil); len(content) > 0 {
			text += " with content"
		}
		if raw, ok := u.RawOutput.Get(); ok && len(raw) > 0 {
			text += " with output"
		}
		return text
	}
	return fmt.Sprintf("%T", u)
}

// F63, F64, F65: loading repeats all that was said and done, calls and their contents included, before it answers; resuming
// repeats nothing. Both go on from there.
func TestF64_TheReplayEqualsWhatWasLive(t *testing.T) {
	s := modeltest.New(t, modeltest.Script( // no two reads in a row: they are made at once, in no order
		modeltest.Answer{Thought: "hm", Text: "I look. ", Calls: []modeltest.Called{
			called("read", `{"path":"a.txt"}`), called("shell", `{"command":"echo moon"}`), called("read", `{"path":"no.txt"}`),
		}},
		modeltest.Answer{Text: "Done."},
	))
	c := wires[0].begin(t, s, &client{}, "a.txt", "hello\n")
	live := c.turn("look at it", acp.StopReasonEndTurn)
	c.forget()
	if _, err := c.resume(); err != nil {
		t.Fatal(err)
	}
	c.await(func(u acp.SessionUpdate) bool { return describeUpdate(u) == "commands" })
	for _, u := range c.seen() {
		if kind := describeUpdate(u); kind != "commands" {
			t.Errorf("resuming sent %s", kind)
		}
	}
	c.forget()
	if _, err := c.load(); err != nil {
		t.Fatal(err)
	}
	replay := c.seen() // nothing is waited for
	if diff := cmp.Diff(c.script(live), c.script(replay)); diff != "" || !strings.Contains(c.script(live), "completed") {
		t.Errorf("calls (-live +replay):\n%s", diff)
	}
	if saidText(replay) != saidText(live) || describeUpdate(replay[0]) != "user" || !slices.ContainsFunc(replay, func(u acp.SessionUpdate) bool { return describeUpdate(u) == "thought" }) {
		t.Errorf("live was %q, and the replay %q", saidText(live), saidText(replay))
	}
	c.turn("go on", acp.StopReasonEndTurn)
	if said := s.Last().Messages; len(said) != 5 || said[0].Text != "look at it" {
		t.Errorf("the model was told %+v", said)
	}
}

// F71: a session is listed with the folder that it was opened with last, and works there.
func TestF71_TheFolderOfARequestWins(t *testing.T) {
	c := begin(t, &client{}, "a.txt", "hello\n")
	c.dir = t.TempDir()
	if _, err := c.load(); err != nil {
		t.Fatal(err)
	}
	if got := c.script(c.turn("list", acp.StopReasonEndTurn)); !strings.Contains(got, ". has 0 entries") {
		t.Errorf("got\n%s", got)
	}
	var list acp.ListSessionsResponse
	c.must(acp.MethodSessionList, &acp.ListSessionsRequest{CWD: c.dir}, &list)
	if len(list.Sessions) != 1 || list.Sessions[0].SessionID != c.session {
		t.Errorf("listed are %+v", list.Sessions)
	}
}

// F74, F118: what keeps a session from being opened is said, with the place of a mistake; only a key that is missing is a matter of
// signing in.
func TestF74_WhyASessionCannotBeOpened(t *testing.T) {
	c, _ := signingIn(t, map[string]string{"PATCHBAY_MODEL": "offline"})
	if err := c.newSession(); err != nil {
		t.Fatal(err)
	}
	c.choose("thinking = \"a lot\"\n")
	_, loading := c.load()
	for what, err := range map[string]error{"load": loading, "new": c.newSession()} {
		if !errors.Is(err, &acp.Error{Code: acp.CodeInternalError}) || !strings.Contains(err.Error(), filepath.Join(c.dir, "patchbay.toml")+":1:") {
			t.Errorf("%s: got %v", what, err)
		}
	}
}

// F125: options belong to a session.
func TestF125_OptionsBelongToASession(t *testing.T) {
	s := modeltest.New(t, modeltest.Script(modeltest.Answer{Text: "hi"}))
	c := wires[0].begin(t, s, &client{})
	first := c.session
	c.open(nil)
	c.turn("/model anthropic/claude-haiku-4-5", acp.StopReasonEndTurn)
	if _, err := c.set("autoApprove", choice("on")); err != nil {
		t.Fatal(err)
	}
	c.turn("hello", acp.StopReasonEndTurn)
	if got := s.Last().Model; got != "claude-haiku-4-5" {
		t.Errorf("the model was %s", got)
	}
	for _, session := range []func(){func() { c.session = first }, func() { c.open(nil) }} {
		session()
		c.turn("hello", acp.StopReasonEndTurn)
		if got := s.Last().Model; got != "claude-sonnet-5-5" {
			t.Errorf("the model of another session was %s", got)
		}
		got, err := c.set("maxTokens", choice("0"))
		if err != nil || last(values(got)) != "autoApprove off" {
			t.Errorf("the options of another session are %q, %v", values(got), err)
		}
	}
}
