package coder_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder"
	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/sandbox"
)

// modeUpdates are what the client was told of modes: those that the session is in, and the values of the option.
func modeUpdates(updates []acp.SessionUpdate) (list []string) {
	for _, u := range updates {
		switch u := u.(type) {
		case *acp.CurrentModeUpdate:
			list = append(list, "mode "+string(u.CurrentModeID))
		case *acp.ConfigOptionUpdate:
			list = append(list, "option "+valueOf(u.ConfigOptions, "mode"))
		}
	}
	return list
}

// valueOf is the current value of an option.
func valueOf(options []acp.SessionConfigOption, id string) string {
	for _, v := range values(options) {
		if value, ok := strings.CutPrefix(v, id+" "); ok {
			return value
		}
	}
	return ""
}

// S002.7, S002.9, S001.14, F60: modes are offered in both ways, with the names of the seeds, and changed in either, or by a
// command. Each change is confirmed in the way that it came, and told in the other.
func TestS002_9_ModesAreOfferedAndSet(t *testing.T) {
	c := begin(t, &client{})
	var opened acp.NewSessionResponse
	c.must(acp.MethodSessionNew, &acp.NewSessionRequest{CWD: c.dir, MCPServers: []acp.MCPServer{}}, &opened)
	c.session = opened.SessionID
	offered := map[acp.SessionModeID]acp.SessionMode{}
	for _, m := range opened.Modes.AvailableModes {
		offered[m.ID] = m
	}
	for id, name := range map[acp.SessionModeID]string{"full": "Full Access", "read-only": "Read-Only", "safe": "Safe Mode"} {
		if offered[id].Name != name {
			t.Errorf("%s is offered as %+v", id, offered[id])
		}
	}
	if opened.Modes.CurrentModeID != "full" || valueOf(opened.ConfigOptions, "mode") != "full" {
		t.Errorf("a session begins with %s and %s", opened.Modes.CurrentModeID, valueOf(opened.ConfigOptions, "mode"))
	}
	setMode := func(id string) error {
		var answer acp.Raw
		err := c.rpc.Call(t.Context(), acp.MethodSessionSetMode, &acp.SetSessionModeRequest{SessionID: c.session, ModeID: acp.SessionModeID(id)}, &answer)
		if err == nil && string(answer) != "{}" {
			t.Errorf("session/set_mode answers %s", answer)
		}
		return err
	}
	byOption := func(id string) error {
		options, err := c.set("mode", choice(id))
		if err == nil && valueOf(options, "mode") != id {
			t.Errorf("the answer has %q", values(options))
		}
		return err
	}
	byCommand := func(id string) error {
		said := saidText(c.turn("/mode "+id, acp.StopReasonEndTurn))
		if !strings.Contains(said, "now `"+id+"`") {
			return errors.New(said)
		}
		return nil
	}
	for _, change := range []struct {
		set  func(string) error
		to   string
		want []string
	}{
		{setMode, "plan", []string{"mode plan", "option plan"}},
		{setMode, "code", []string{"mode full", "option full"}},
		{setMode, "default", []string{"mode full", "option full"}},
		{byOption, "architect", []string{"mode architect"}},
		{byOption, "architect", nil},
		{byCommand, "ask", []string{"mode ask", "option ask"}},
	} {
		c.forget()
		if err := change.set(change.to); err != nil {
			t.Errorf("%s: %v", change.to, err)
		}
		if diff := cmp.Diff(change.want, modeUpdates(c.seen())); diff != "" {
			t.Errorf("%s: told (-want +got):\n%s", change.to, diff)
		}
	}
	for _, set := range []func(string) error{setMode, byOption} {
		if err := set("turbo"); !errors.Is(err, &acp.Error{Code: acp.CodeInvalidParams}) || !strings.Contains(err.Error(), "read-only, ") {
			t.Errorf("a mode that there is not: got %v", err)
		}
	}
	if err := byCommand("turbo"); err == nil || !strings.Contains(err.Error(), `no mode "turbo"`) {
		t.Errorf("a mode that there is not: got %v", err)
	}
	c.must(acp.MethodSessionClose, &acp.CloseSessionRequest{SessionID: c.session}, nil)
	if got, err := c.load(); err != nil || valueOf(got, "mode") != "ask" {
		t.Errorf("a session that is loaded is in mode %q, %v", valueOf(got, "mode"), err)
	}
}

// S002.13: the mode "sandbox" is offered only where the system can hold it. Why it is not is logged once, and said to whoever
// asks for it.
func TestS002_13_NoSandboxWithoutAWall(t *testing.T) {
	var log bytes.Buffer
	c := &client{}
	a := coder.With(&scripted{})
	a.Wall(sandbox.Support{Reason: "this kernel has no Landlock"}, slog.New(slog.NewTextHandler(&log, nil)))
	c.connect(t, a)
	c.dir = t.TempDir()
	for range 2 {
		var opened acp.NewSessionResponse
		c.must(acp.MethodSessionNew, &acp.NewSessionRequest{CWD: c.dir, MCPServers: []acp.MCPServer{}}, &opened)
		c.session = opened.SessionID
		if slices.ContainsFunc(opened.Modes.AvailableModes, func(m acp.SessionMode) bool { return m.ID == "sandbox" }) {
			t.Error("it is offered")
		}
	}
	if got := log.String(); strings.Count(got, "this kernel has no Landlock") != 1 {
		t.Errorf("logged:\n%s", got)
	}
	_, err := c.set("mode", choice("sandbox"))
	if !errors.Is(err, &acp.Error{Code: acp.CodeInvalidParams}) || !strings.Contains(err.Error(), "this kernel has no Landlock") {
		t.Errorf("got %v", err)
	}
	a.Wall(sandbox.Support{OK: true}, slog.Default())
	if got, err := c.set("mode", choice("sandbox")); err != nil || valueOf(got, "mode") != "sandbox" {
		t.Errorf("with a wall: %v", err)
	}
}

// S001.14: in the mode "plan" the model proposes, and the user's yes leads to the mode in which the plan is carried out, which
// the client is told; no leaves all as it is. What is called together with the proposal is not carried out: the model didn't
// have it.
func TestS001_14_PlanProposesAndAsksToSwitch(t *testing.T) {
	for _, answer := range []struct {
		kind  acp.PermissionOptionKind
		want  []string
		asked int // in the turn, the proposal included
		text  string
	}{
		{acp.PermissionOptionKindAllowAlways, []string{"mode full", "option full"}, 1, `The mode is now "full" and the permissions are "acceptEdits"`},
		{acp.PermissionOptionKindAllowOnce, []string{"mode full", "option full"}, 2, `The mode is now "full" and the permissions are "default"`},
		{acp.PermissionOptionKindRejectOnce, nil, 1, "The user does not agree yet"},
	} {
		t.Run(string(answer.kind), func(t *testing.T) {
			write := &model.Call{ID: "2", Name: "write", Input: acp.Raw(`{"path":"b.txt","text":"b"}`)}
			m := &scripted{
				answers: [][]any{
					{&model.Call{ID: "1", Name: "propose", Input: acp.Raw(`{"plan":"1. Write b.txt"}`)}, write, stop(model.StopCalls)},
					{&model.Call{ID: "3", Name: "write", Input: write.Input}, stop(model.StopCalls)},
				},
				forever: finished,
			}
			c := with(t, m)
			c.permit = answers(answer.kind)
			c.must(acp.MethodSessionSetMode, &acp.SetSessionModeRequest{SessionID: c.session, ModeID: "plan"}, nil)
			got := c.turn("make b.txt", acp.StopReasonEndTurn)
			if diff := cmp.Diff(answer.want, modeUpdates(got)); diff != "" {
				t.Errorf("told (-want +got):\n%s", diff)
			}
			if len(c.asked) != answer.asked {
				t.Fatalf("asked %d times", len(c.asked))
			}
			call := c.asked[0].ToolCall
			content, _ := call.Content.Get()
			if call.Kind.Or("") != acp.ToolKindSwitchMode || len(content) != 1 || !strings.Contains(c.content(content[0]), "1. Write b.txt") {
				t.Errorf("asked about %+v", call)
			}
			results := m.requests[1].Messages[2].Results
			if !strings.Contains(results[0].Text, answer.text) || results[1].Text != `the mode "plan" has no tool "write"; nothing was done` {
				t.Errorf("the model is told %+v", results)
			}
			if written := c.file("b.txt") == "b"; written != answer.kind.Allows() {
				t.Errorf("written: %t", written)
			}
		})
	}
}

// F60: a mode that is chosen in mid-turn counts from the next request to the model on, and one that forbids a call at once: also
// the one about which a question waits, whatever the answer is.
func TestF60_AModeIsChangedInMidTurn(t *testing.T) {
	m := &scripted{answers: [][]any{
		{&model.Call{ID: "1", Name: "list", Input: acp.Raw(`{}`)}, &model.Call{ID: "2", Name: "write", Input: acp.Raw(`{"path":"b.txt","text":"b"}`)},
			&model.Call{ID: "3", Name: "edit", Input: acp.Raw(`{"path":"b.txt","edits":[{"old":"b","new":"c"}]}`)}, stop(model.StopCalls)},
	}, forever: finished}
	c := with(t, m)
	const why = `the mode "read-only" has no tool %q; nothing was done`
	allow := answers(acp.PermissionOptionKindAllowOnce)
	c.permit = func(ctx context.Context, req *acp.RequestPermissionRequest) acp.RequestPermissionOutcome {
		if _, err := c.set("mode", choice("read-only")); err != nil {
			t.Error(err)
		}
		return allow(ctx, req)
	}
	script := c.script(c.turn("go", acp.StopReasonEndTurn))
	results := m.requests[1].Messages[2].Results
	for i, name := range []string{"write", "edit"} {
		want := fmt.Sprintf(why, name)
		if got := results[i+1]; got.Text != want || !got.Failed || !strings.Contains(script, "["+want+"]") {
			t.Errorf("the model is told %+v, and the user\n%s", got, script)
		}
	}
	if _, err := os.Stat(filepath.Join(c.dir, "b.txt")); err == nil {
		t.Error("it was written")
	}
	if slices.ContainsFunc(m.requests[1].Tools, func(tool model.Tool) bool { return tool.Name == "write" }) {
		t.Error("the next request offers what the mode forbids")
	}
}

// S002.13: where the system can't hold the mode that is configured, there is no session without it; one that is loaded and was
// in that mode changes nothing until its user says so.
func TestS002_13_AModeThatCantBeHadIsNotLoosened(t *testing.T) {
	c := &client{T: t, dir: realDir(t), coder: coder.WithStore(&scripted{}, openStore(t, t.TempDir()))}
	c.configure("")
	c.coder.Wall(sandbox.Support{OK: true}, slog.Default())
	c.connect(t, c.coder)
	c.session = c.openWith()
	if _, err := c.set("mode", choice("sandbox")); err != nil {
		t.Fatal(err)
	}
	c.must(acp.MethodSessionClose, &acp.CloseSessionRequest{SessionID: c.session}, nil)
	c.coder.Wall(sandbox.Support{Reason: "this kernel has no Landlock"}, slog.New(slog.DiscardHandler))
	if got, err := c.load(); err != nil || valueOf(got, "mode") != "read-only" {
		t.Errorf("a session that is loaded is in mode %q, %v", valueOf(got, "mode"), err)
	}
	c.configure("mode = 'sandbox'")
	err := c.rpc.Call(t.Context(), acp.MethodSessionNew, &acp.NewSessionRequest{CWD: c.dir, MCPServers: []acp.MCPServer{}}, nil)
	if !errors.Is(err, &acp.Error{Code: acp.CodeInvalidParams}) || !strings.Contains(err.Error(), "this kernel has no Landlock") {
		t.Errorf("a new session: got %v", err)
	}
}

// S002.13: a mode without MCP servers asks them for nothing, prompts included.
func TestS002_13_PromptsOfServersNeedAModeThatHasThem(t *testing.T) {
	m := &scripted{forever: finished}
	c, _ := withServers(t, &client{}, m, mcpCommand(t, "s", "full"))
	c.await(hasCommand("mcp__s__review"))
	if _, err := c.set("mode", choice("safe")); err != nil {
		t.Fatal(err)
	}
	if said := saidText(c.turn("/mcp__s__review main.go", acp.StopReasonEndTurn)); !strings.Contains(said, "The mode `safe` has no MCP servers") || len(m.requests) > 0 {
		t.Errorf("said %q, and asked the model %d times", said, len(m.requests))
	}
}

// F60: a plan that is agreed to after the user has chosen another mode doesn't take that back.
func TestF60_AnAgreementComesTooLate(t *testing.T) {
	var c *client
	c, m := ruled(t, &client{permit: func(ctx context.Context, req *acp.RequestPermissionRequest) acp.RequestPermissionOutcome {
		if _, err := c.set("mode", choice("read-only")); err != nil {
			c.Error(err)
		}
		return answers(acp.PermissionOptionKindAllowAlways)(ctx, req)
	}}, "mode = 'plan'", "propose", `{"plan":"Write it."}`)
	c.turn("go", acp.StopReasonEndTurn)
	if r := told(t, m, 0); !r.Failed || !strings.Contains(r.Text, `the mode "read-only" has no tool "propose"`) {
		t.Errorf("the model is told %+v", r)
	}
	if said := saidText(c.turn("/mode", acp.StopReasonEndTurn)); !strings.HasPrefix(said, "The mode is `read-only`") {
		t.Errorf("/mode says %q", said)
	}
}
