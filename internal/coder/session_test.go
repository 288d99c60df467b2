package coder_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
)

// load loads the session and returns its options.
func (c *client) load() ([]acp.SessionConfigOption, error) {
	var loaded acp.LoadSessionResponse
	err := c.rpc.Call(c.Context(), acp.MethodSessionLoad, &acp.LoadSessionRequest{SessionID: c.session, CWD: c.dir, MCPServers: []acp.MCPServer{}}, &loaded)
	return loaded.ConfigOptions, err
}

func (c *client) resume() ([]acp.SessionConfigOption, error) {
	var resumed acp.ResumeSessionResponse
	err := c.rpc.Call(c.Context(), acp.MethodSessionResume, &acp.ResumeSessionRequest{SessionID: c.session, CWD: c.dir}, &resumed)
	return resumed.ConfigOptions, err
}

// F161: the commands are advertised as soon as there is a session, also one that is loaded (S004.9).
func TestF161_CommandsAreAdvertised(t *testing.T) {
	c := begin(t, &client{})
	want := []string{"help", "clear", "compact", "model", "mode", "permissions", "cost", "init", "review", "demo"}
	names := func() (list []string) {
		c.await(func(u acp.SessionUpdate) bool { _, ok := u.(*acp.AvailableCommandsUpdate); return ok })
		for _, u := range c.seen() {
			if commands, ok := u.(*acp.AvailableCommandsUpdate); ok {
				for _, command := range commands.AvailableCommands {
					list = append(list, command.Name)
				}
			}
		}
		return list
	}
	if diff := cmp.Diff(want, names()); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
	c.forget()
	c.must(acp.MethodSessionLoad, &acp.LoadSessionRequest{SessionID: c.session, CWD: c.dir, MCPServers: []acp.MCPServer{}}, &acp.LoadSessionResponse{})
	if diff := cmp.Diff(want, names()); diff != "" {
		t.Errorf("commands after load (-want +got):\n%s", diff)
	}
}

// S003.3, S001.32: a slash command is told from a prompt, and an unknown one gets a clear answer. F160: each says something.
func TestF160_SlashCommands(t *testing.T) {
	c := begin(t, &client{})
	for prompt, want := range map[string]string{
		"/help":           "This is `patchbay agent` dev with the model \"offline\"",
		" /help ":         "reading in the session's folders passes",
		"/demo":           "`/demo NAME` shows a feature of the protocol",
		"/demo nonsense":  `There is no demo "nonsense"`,
		"/dance":          "There is no command /dance. There are /help, /clear, ",
		"/usr/bin/go vet": "I don't know what to do with",
		"/a.go":           "I don't know what to do with",
		"/":               "I don't know what to do with",
	} {
		if said := saidText(c.turn(prompt, acp.StopReasonEndTurn)); !strings.Contains(said, want) {
			t.Errorf("%q: got %q, want %q in it", prompt, said, want)
		}
	}
}

// What it says about itself is true: what is advertised works, and nothing else is (W11).
func TestAdvertised(t *testing.T) {
	c := begin(t, &client{})
	want := acp.AgentCapabilities{LoadSession: true, Providers: &acp.ProvidersCapabilities{}}
	want.PromptCapabilities.EmbeddedContext = true
	want.MCPCapabilities = acp.MCPCapabilities{HTTP: true, SSE: true}
	want.Auth.Status = &acp.AuthStatusCapabilities{}
	want.Auth.Logout = &acp.LogoutCapabilities{}
	want.SessionCapabilities.SystemPrompt = &acp.SessionSystemPromptCapabilities{
		Mode: &acp.SessionSystemPromptModeCapabilities{Override: &acp.SessionSystemPromptOverrideCapabilities{}},
	}
	want.SessionCapabilities.List = &acp.SessionListCapabilities{}
	want.SessionCapabilities.Close = &acp.SessionCloseCapabilities{}
	want.SessionCapabilities.Delete = &acp.SessionDeleteCapabilities{}
	want.SessionCapabilities.Resume = &acp.SessionResumeCapabilities{}
	want.SessionCapabilities.Fork = &acp.SessionForkCapabilities{}
	want.SessionCapabilities.Title = &acp.SessionTitleCapabilities{}
	want.SessionCapabilities.Status = &acp.SessionStatusCapabilities{}
	want.SessionCapabilities.Archive = &acp.SessionArchiveCapabilities{}
	want.SessionCapabilities.AdditionalDirectories = &acp.SessionAdditionalDirectoriesCapabilities{}
	if diff := cmp.Diff(want, c.agent.Capabilities()); diff != "" {
		t.Errorf("capabilities (-want +got):\n%s", diff)
	}
}

// S000.5: loading repeats what was said and done, before the answer. So it does after the session was closed.
func TestLoad(t *testing.T) {
	c := begin(t, &client{}, "a.txt", "hello\n")
	live := c.turn("read a.txt", acp.StopReasonEndTurn)
	load := &acp.LoadSessionRequest{SessionID: c.session, CWD: c.dir, MCPServers: []acp.MCPServer{}}
	for _, closed := range []bool{false, true} {
		if closed {
			c.must(acp.MethodSessionClose, &acp.CloseSessionRequest{SessionID: c.session}, nil)
		}
		c.forget()
		c.must(acp.MethodSessionLoad, load, nil)
		replay := c.seen()
		if len(replay) == 0 {
			t.Fatal("nothing was repeated")
		}
		if first, ok := replay[0].(*acp.UserMessageChunk); !ok || first.Content.(*acp.TextContent).Text != "read a.txt" {
			t.Errorf("the replay begins with %#v", replay[0])
		}
		if saidText(replay) != saidText(live) || !strings.Contains(c.script(replay), "completed [a.txt has 1 line]") {
			t.Errorf("closed %t: got\n%s\n%s", closed, saidText(replay), c.script(replay))
		}
	}
	said := saidText(c.turn("dance", acp.StopReasonEndTurn))
	if strings.Contains(said, "there is no language model behind me") {
		t.Errorf("it has forgotten that it said hello:\n%s", said)
	}
}

// F68: a session that doesn't exist is an error, soon.
func TestUnknownSession(t *testing.T) {
	c := begin(t, &client{})
	for method, params := range map[string]any{
		acp.MethodSessionLoad:   &acp.LoadSessionRequest{SessionID: "no", CWD: c.dir, MCPServers: []acp.MCPServer{}},
		acp.MethodSessionResume: &acp.ResumeSessionRequest{SessionID: "no", CWD: c.dir},
		acp.MethodSessionFork:   &acp.ForkSessionRequest{SessionID: "no", CWD: c.dir},
		acp.MethodSessionPrompt: &acp.PromptRequest{SessionID: "no", Prompt: []acp.ContentBlock{acp.Text("list")}},
	} {
		if err := c.rpc.Call(t.Context(), method, params, nil); !errors.Is(err, &acp.Error{Code: acp.CodeResourceNotFound}) {
			t.Errorf("%s: got %v", method, err)
		}
	}
}

// Sessions are listed by folder, the one used last first, with a title; deleted ones are not (S004.6).
func TestListForkDelete(t *testing.T) {
	c := begin(t, &client{}, "a.txt", "hello\n")
	first := c.session
	c.turn("  read   a.txt ", acp.StopReasonEndTurn)
	var forked acp.ForkSessionResponse
	c.must(acp.MethodSessionFork, &acp.ForkSessionRequest{SessionID: first, CWD: c.dir}, &forked)
	c.session = forked.SessionID
	if said := saidText(c.turn("dance", acp.StopReasonEndTurn)); strings.Contains(said, "no language model behind me") {
		t.Error("the fork doesn't know what was said")
	}
	list := func(cwd string) (ids []acp.SessionID) {
		var answer acp.ListSessionsResponse
		c.must(acp.MethodSessionList, &acp.ListSessionsRequest{CWD: cwd}, &answer)
		for _, s := range answer.Sessions {
			if s.CWD != c.dir || s.Title != "read a.txt" || s.UpdatedAt == "" {
				t.Errorf("listed as %+v", s)
			}
			ids = append(ids, s.SessionID)
		}
		return ids
	}
	if diff := cmp.Diff([]acp.SessionID{forked.SessionID, first}, list(c.dir)); diff != "" {
		t.Errorf("sessions (-want +got):\n%s", diff)
	}
	if got := list(t.TempDir()); len(got) != 0 {
		t.Errorf("sessions of another folder: %v", got)
	}
	c.must(acp.MethodSessionDelete, &acp.DeleteSessionRequest{SessionID: first}, nil)
	if diff := cmp.Diff([]acp.SessionID{forked.SessionID}, list("")); diff != "" {
		t.Errorf("sessions after delete (-want +got):\n%s", diff)
	}
	if err := c.rpc.Call(t.Context(), acp.MethodSessionList, &acp.ListSessionsRequest{Cursor: "x"}, nil); !errors.Is(err, &acp.Error{Code: acp.CodeInvalidParams}) {
		t.Errorf("a cursor of no page: got %v", err)
	}
}

// S003.5, F167: sessions have their own folder and know nothing of each other.
func TestSessionsAreIsolated(t *testing.T) {
	c := begin(t, &client{}, "a.txt", "hello\n")
	first := c.session
	c.turn("list", acp.StopReasonEndTurn)
	var other acp.NewSessionResponse
	c.must(acp.MethodSessionNew, &acp.NewSessionRequest{CWD: t.TempDir(), MCPServers: []acp.MCPServer{}}, &other)
	c.session = other.SessionID
	got := c.turn("list", acp.StopReasonEndTurn)
	if !strings.Contains(c.script(got), ". has 0 entries") || !strings.Contains(saidText(got), "no language model behind me") {
		t.Errorf("got\n%s%s", c.script(got), saidText(got))
	}
	c.session = first
	if got := c.script(c.turn("list", acp.StopReasonEndTurn)); !strings.Contains(got, ". has 1 entry") {
		t.Errorf("got\n%s", got)
	}
}
