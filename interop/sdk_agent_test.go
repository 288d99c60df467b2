package interop_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
)

// S000.1–3: the handshake, and what it says about the agent.
func TestSDKAgentIntroducesItself(t *testing.T) {
	c := spawn(t, sdkAgent(t), new(user))
	same(t, "name", *c.AgentInfo(), acp.Implementation{Name: "peer", Title: "A peer", Version: "1.2.3"})
	if !c.Capabilities().LoadSession || c.Capabilities().SessionCapabilities.Fork == nil {
		t.Errorf("capabilities: %+v", c.Capabilities())
	}
	s := newSession(t, c)
	// What we said of ourselves: only what is plugged in (W11).
	var hello struct {
		ClientInfo         object
		ClientCapabilities object
	}
	if err := json.Unmarshal([]byte(say(t, s, "hello", nil).must(t).text()), &hello); err != nil {
		t.Fatal(err)
	}
	same(t, "client info", hello.ClientInfo, object{"name": "interop", "version": "1.2.3"})
	same(t, "fs", hello.ClientCapabilities["fs"], any(object{"readTextFile": true, "writeTextFile": true}))
	same(t, "terminal", hello.ClientCapabilities["terminal"], any(true))
	same(t, "elicitation", hello.ClientCapabilities["elicitation"], nil)
}

func TestSDKAgentStreamsATurn(t *testing.T) {
	s := newSession(t, spawn(t, sdkAgent(t), new(user)))
	e := say(t, s, "say hello to you", nil).must(t)
	same(t, "updates", e.lines(t), []string{
		"agent_thought_chunk what to say?",
		"plan",
		"agent_message_chunk hello ",
		"agent_message_chunk to ",
		"agent_message_chunk you",
	})
	same(t, "stop reason", e.result.StopReason, acp.StopReasonEndTurn)
	same(t, "usage", e.result.Usage.TotalTokens, uint64(3))
}

func TestSDKAgentAsksForPermission(t *testing.T) {
	u := new(user)
	s := newSession(t, spawn(t, sdkAgent(t), u))
	for _, answer := range []acp.PermissionOptionKind{acp.PermissionOptionKindAllowOnce, acp.PermissionOptionKindAllowAlways} {
		u.answer = answer
		same(t, string(answer), say(t, s, "permission", nil).must(t).lines(t), []string{
			"tool_call pending Delete everything", "tool_call_update in_progress", "tool_call_update completed " + string(answer),
		})
		same(t, "asked", u.notes(), []string{"permission Delete everything"})
	}
	u.answer = acp.PermissionOptionKindRejectOnce
	same(t, "rejected", say(t, s, "permission", nil).must(t).lines(t), []string{
		"tool_call pending Delete everything", "tool_call_update in_progress", "tool_call_update failed reject_once",
	})
}

// T4: cancelling while a permission is pending. The agent sends updates after the cancel, which are part of the turn.
func TestT4_SDKAgentIsCancelledWhileItAsks(t *testing.T) {
	s := newSession(t, spawn(t, sdkAgent(t), new(user)))
	e := say(t, s, "permission", nil).must(t)
	same(t, "stop reason", e.result.StopReason, acp.StopReasonCancelled)
	same(t, "the last update", e.lines(t)[len(e.updates)-1], "usage_update")
	same(t, "the next turn", say(t, s, "say still here", nil).must(t).text(), "still here")
}

// W7: a turn is cancelled by session/cancel, and by the end of its context; either way it ends with the agent's answer.
func TestW7_SDKAgentIsCancelledInMidTurn(t *testing.T) {
	s := newSession(t, spawn(t, sdkAgent(t), new(user)))
	e := say(t, s, "wait", func(turn *client.Turn, u acp.SessionUpdate) {
		if update, ok := u.(*acp.ToolCallUpdate); ok && update.Status.Or("") == acp.ToolCallStatusInProgress {
			if err := turn.Cancel(context.Background()); err != nil {
				t.Error(err)
			}
		}
	}).must(t)
	same(t, "stop reason", e.result.StopReason, acp.StopReasonCancelled)
	same(t, "updates", e.lines(t), []string{
		"tool_call pending Wait", "tool_call_update in_progress", "tool_call_update failed interrupted", "usage_update",
	})

	ctx, cancel := context.WithCancel(deadline(t))
	defer cancel()
	turn, err := s.Prompt(ctx, acp.Text("wait"))
	if err != nil {
		t.Fatal(err)
	}
	for u := range turn.Updates() {
		if update, ok := u.(*acp.ToolCallUpdate); ok && update.Status.Or("") == acp.ToolCallStatusInProgress {
			cancel()
		}
	}
	result, err := turn.Wait()
	if err != nil {
		t.Fatal(err)
	}
	same(t, "stop reason", result.StopReason, acp.StopReasonCancelled)
}

func TestSDKAgentUsesOurFiles(t *testing.T) {
	c := spawn(t, sdkAgent(t), new(user))
	s := newSession(t, c)
	path := write(t, s.CWD(), "in.txt", "one\r\ntwo\nthree")
	same(t, "whole", say(t, s, "read "+path, nil).must(t).text(), "one\r\ntwo\nthree")
	same(t, "a part", say(t, s, "lines 2 1 "+path, nil).must(t).text(), "two\n")

	say(t, s, "write "+filepath.Join(s.CWD(), "out.txt")+" some text", nil).must(t)
	same(t, "written", read(t, s.CWD(), "out.txt"), "some text")

	// Outside the roots the SDK's agent gets an error, with which it fails its turn.
	outside := write(t, folder(t), "secret.txt", "secret")
	if e := say(t, s, "read "+outside, nil); e.err == nil {
		t.Errorf("a path outside the roots was read: %q", e.text())
	}
	missing := say(t, s, "read "+path+".missing", nil)
	var rpc *acp.Error
	if !errors.As(missing.err, &rpc) {
		t.Errorf("a missing file: %v", missing.err)
	}
}

func TestSDKAgentUsesOurTerminal(t *testing.T) {
	s := newSession(t, spawn(t, sdkAgent(t), new(user)))
	var got struct {
		ExitCode  int
		Output    string
		Truncated bool
	}
	text := say(t, s, "run echo $GREETING; pwd; exit 3", nil).must(t).text()
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	same(t, "exit code", got.ExitCode, 3)
	same(t, "output", got.Output, "hello\n"+s.CWD()+"\n")

	// The limit is 1000 bytes, and what is kept is the end.
	text = say(t, s, "run yes line | head -n 1000; echo end", nil).must(t).text()
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if !got.Truncated || len(got.Output) > 1000 || !strings.HasSuffix(got.Output, "line\nend\n") {
		t.Errorf("truncated %v, %d bytes", got.Truncated, len(got.Output))
	}
	same(t, "a line without args", say(t, s, "shell echo a && echo b", nil).must(t).text(), "a\nb\n")
}

// S000.17: an agent that wants a sign-in says -32000. The client signs in and asks once more.
func TestSDKAgentWantsASignIn(t *testing.T) {
	command := sdkAgent(t)
	command.Env = append(os.Environ(), "SIGN_IN=1")
	var offered []acp.AuthMethodID
	c := spawnWith(t, command, new(user), client.Options{
		Auth: func(_ context.Context, _ *client.Client, methods []acp.AuthMethod) (acp.AuthMethodID, error) {
			for _, m := range methods {
				offered = append(offered, m.(*acp.AuthMethodAgent).ID)
			}
			return "password", nil
		},
	})
	s := newSession(t, c)
	same(t, "offered", offered, []acp.AuthMethodID{"password"})
	same(t, "the turn", say(t, s, "say hello", nil).must(t).text(), "hello")
}
