package agent_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
)

// T1, F37, S000.6, S003.8: once a cancel was read, while the prompt runs, the turn ends as cancelled, whatever Prompt returns.
func TestT1_WhateverPromptReturnsAfterACancel(t *testing.T) {
	outcomes := map[string]do{
		"nothing":  func(context.Context, *agent.Turn) (acp.StopReason, error) { return "", nil },
		"end turn": func(context.Context, *agent.Turn) (acp.StopReason, error) { return acp.StopReasonEndTurn, nil },
		"refusal":  func(context.Context, *agent.Turn) (acp.StopReason, error) { return acp.StopReasonRefusal, nil },
		"an error": func(context.Context, *agent.Turn) (acp.StopReason, error) { return "", errors.New("aborted") },
		"its own":  func(context.Context, *agent.Turn) (acp.StopReason, error) { return "", acp.ErrInternal("aborted") },
		"panic":    func(context.Context, *agent.Turn) (acp.StopReason, error) { panic("aborted") },
		"the cause": func(ctx context.Context, _ *agent.Turn) (acp.StopReason, error) {
			return "", context.Cause(ctx)
		},
	}
	for name, outcome := range outcomes {
		t.Run(name, func(t *testing.T) {
			p := start(t, agent.PromptFunc(func(ctx context.Context, turn *agent.Turn) (acp.StopReason, error) {
				<-ctx.Done()
				return outcome(ctx, turn)
			}), options(), `{}`)
			session := p.newSession()
			id := p.ask("session/prompt", prompt(session, "hi"))
			p.send(notification("session/cancel", in(session)))
			p.stopped(id, "cancelled")
		})
	}
}

// T1, F50: cancelling the request of a prompt is as good as cancelling the turn (W7).
func TestT1_CancellingTheRequestCancelsTheTurn(t *testing.T) {
	p := start(t, agent.PromptFunc(untilCancelled), options(), `{}`)
	session := p.newSession()
	id := p.ask("session/prompt", prompt(session, "hi"))
	p.send(notification("$/cancel_request", `{"requestId":`+id+`}`))
	p.stopped(id, "cancelled")
	p.silent()
}

// S001.22: the reason that the client gives reaches the agent, and the tool calls that it cuts short.
func TestT1_TheReasonOfACancelIsKept(t *testing.T) {
	for _, params := range []string{`{"sessionId":%q,"reason":"too slow"}`, `{"sessionId":%q,"_meta":{"reason":"too slow"}}`} {
		reason := make(chan string, 1)
		p := start(t, agent.PromptFunc(func(ctx context.Context, turn *agent.Turn) (acp.StopReason, error) {
			if _, err := turn.ToolCall(acp.ToolCall{Title: "Sleep"}); err != nil {
				return "", err
			}
			<-ctx.Done()
			if cause := context.Cause(ctx); !errors.Is(cause, agent.ErrCancelled) || !strings.Contains(cause.Error(), "too slow") {
				t.Errorf("the cause is %v", cause)
			}
			reason <- turn.CancelReason()
			return "", nil
		}), options(), `{}`)
		session := p.newSession()
		id := p.ask("session/prompt", prompt(session, "hi"))
		p.update("tool_call")
		p.send(notification("session/cancel", fmt.Sprintf(params, session)))
		if u := p.update("tool_call_update"); u.Params.Update["status"] != "failed" || !strings.Contains(u.text, "too slow") {
			t.Errorf("got %s", u.text)
		}
		p.stopped(id, "cancelled")
		if got := <-reason; got != "too slow" {
			t.Errorf("the reason is %q", got)
		}
	}
}

// T2, F46: all updates have been written, and open tool calls failed with a reason, before the answer. What comes later is an
// error on this side.
func TestT2_NothingIsOpenAndNothingFollows(t *testing.T) {
	var late *agent.Turn
	var call *agent.ToolCall
	p := start(t, agent.PromptFunc(func(_ context.Context, turn *agent.Turn) (acp.StopReason, error) {
		late = turn
		call, _ = turn.ToolCall(acp.ToolCall{ToolCallID: "c1", Title: "Run", Status: acp.ToolCallStatusInProgress})
		done, _ := turn.ToolCall(acp.ToolCall{ToolCallID: "c2", Title: "Read"})
		_ = done.Complete()
		_ = turn.Update(&acp.ToolCall{ToolCallID: "c3", Title: "By hand"})
		return "", turn.Text("bye")
	}), options(), `{}`)
	id := p.ask("session/prompt", prompt(p.newSession(), "hi"))
	p.update("tool_call")
	p.update("tool_call")
	p.update("tool_call_update")
	p.update("tool_call")
	p.says("bye")
	failed := map[any]string{}
	for range 2 {
		u := p.update("tool_call_update")
		if u.Params.Update["status"] != "failed" {
			t.Errorf("got %s", u.text)
		}
		failed[u.Params.Update["toolCallId"]] = u.text
	}
	for _, open := range []string{"c1", "c3"} {
		if !strings.Contains(failed[open], "The turn ended before the tool did.") {
			t.Errorf("%s: got %s", open, failed[open])
		}
	}
	p.stopped(id, "end_turn")
	if call.Status() != acp.ToolCallStatusFailed {
		t.Errorf("the handle says %s", call.Status())
	}
	_, err := late.ToolCall(acp.ToolCall{Title: "late"})
	_, permission := late.RequestPermission(t.Context(), call)
	_, terminal := late.CreateTerminal(t.Context(), acp.CreateTerminalRequest{Command: "ls"})
	for i, err := range []error{late.Text("late"), late.Plan(), call.Complete(), call.Text("late"), err, permission, terminal} {
		if !errors.Is(err, agent.ErrTurnEnded) {
			t.Errorf("%d: got %v, want ErrTurnEnded", i, err)
		}
	}
	p.silent()
}

// T2, F41, S003.8: goroutines that go on sending while Prompt returns are cut off before the answer, and what they write does
// not interleave.
func TestT2_NoUpdateFollowsTheAnswer(t *testing.T) {
	const senders = 4
	done := make(chan struct{}, senders)
	p := start(t, agent.PromptFunc(func(_ context.Context, turn *agent.Turn) (acp.StopReason, error) {
		for range senders {
			go func() {
				for turn.Text("more") == nil {
				}
				done <- struct{}{}
			}()
		}
		return "", nil
	}), options(), `{}`)
	session := p.newSession()
	for range 50 {
		p.ask("session/prompt", prompt(session, "hi"))
		for m := p.next(); m.Method != ""; m = p.next() {
			if m.chunk() != "more" {
				t.Fatalf("got %s", m.text)
			}
		}
		for range senders {
			<-done
		}
		p.silent()
	}
}

// T3, F34, F40: of 500 prompts each with a cancel in the same write all end cancelled, and the next one is untouched.
func TestT3_ACancelInTheSameWriteIsNeitherLostNorKept(t *testing.T) {
	p := start(t, agent.PromptFunc(func(ctx context.Context, turn *agent.Turn) (acp.StopReason, error) {
		if turn.PromptText() == "last" {
			return "", ctx.Err()
		}
		return untilCancelled(ctx, turn)
	}), options(), `{}`)
	session := p.newSession()
	for range 500 {
		line, id := p.request("session/prompt", prompt(session, "hi"))
		p.send(line, notification("session/cancel", in(session)))
		p.stopped(id, "cancelled")
	}
	p.stopped(p.ask("session/prompt", prompt(session, "last")), "end_turn")
}

// T3: a cancel with no turn accepted is dropped.
func TestT3_ACancelWithoutATurnIsDropped(t *testing.T) {
	p := start(t, agent.PromptFunc(func(ctx context.Context, _ *agent.Turn) (acp.StopReason, error) {
		return "", ctx.Err()
	}), options(), `{}`)
	session := p.newSession()
	line, id := p.request("session/prompt", prompt(session, "hi"))
	p.send(notification("session/cancel", in(session)), notification("session/cancel", in("other")), line)
	p.stopped(id, "end_turn")
}

// T3: a prompt that is refused takes no cancel from the turn that runs, and leaves none behind.
func TestT3_ARefusedPromptIsNoTurn(t *testing.T) {
	p := start(t, agent.PromptFunc(untilCancelled), options(), `{}`)
	session := p.newSession()
	first := p.ask("session/prompt", prompt(session, "hi"))
	// S002.5: a second prompt gets Invalid Request, and the first goes on.
	p.failure(p.ask("session/prompt", prompt(session, "me too")), acp.CodeInvalidRequest, "busy", session)
	p.send(notification("session/cancel", in(session)))
	p.stopped(first, "cancelled")
	// So does one whose content is refused: the session is free for the next.
	image := fmt.Sprintf(`{"sessionId":%q,"prompt":[{"type":"image","data":"","mimeType":"image/png"}]}`, session)
	p.failure(p.ask("session/prompt", image), acp.CodeInvalidParams, "image")
	p.failure(p.ask("session/prompt", in(session)), acp.CodeInvalidParams, "prompt")
	line, id := p.request("session/prompt", prompt(session, "hi"))
	p.send(line, notification("session/cancel", in(session)))
	p.stopped(id, "cancelled")
}

// T4, S002.10: cancelling a turn ends its permission requests, and the session goes on.
func TestT4_PendingPermissionsEndAsCancelled(t *testing.T) {
	asked := make(chan error, 1)
	p := start(t, agent.PromptFunc(func(ctx context.Context, turn *agent.Turn) (acp.StopReason, error) {
		if turn.PromptText() == "again" {
			return "", ctx.Err()
		}
		call, err := turn.ToolCall(acp.ToolCall{Title: "Write"})
		if err != nil {
			return "", err
		}
		_, err = call.Allow(context.Background()) // ends with the turn all the same
		asked <- err
		return "", err
	}), options(), `{}`)
	session := p.newSession()
	id := p.ask("session/prompt", prompt(session, "hi"))
	p.update("tool_call")
	question := p.asked("session/request_permission")
	p.send(notification("session/cancel", in(session)))
	if m := p.next(); m.Method != "$/cancel_request" || !strings.Contains(m.text, string(question.ID)) {
		t.Errorf("got %s", m.text)
	}
	p.update("tool_call_update")
	p.stopped(id, "cancelled")
	p.reply(question, `{"outcome":{"outcome":"cancelled"}}`) // too late, and harmless
	if err := <-asked; !errors.Is(err, agent.ErrCancelled) || !errors.Is(err, context.Canceled) {
		t.Errorf("Allow returned %v", err)
	}
	p.stopped(p.ask("session/prompt", prompt(session, "again")), "end_turn")
}

// T4: terminals that were made through a cancelled turn are killed and released before the answer. The answer does not wait
// for one that the client is still making: that one goes when it is there.
func TestT4_TerminalsGoWithTheTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := start(t, &full{PromptFunc: func(ctx context.Context, turn *agent.Turn) (acp.StopReason, error) {
			term, err := turn.CreateTerminal(ctx, acp.CreateTerminalRequest{Command: "sleep", Args: []string{"99"}})
			if err != nil {
				t.Error(err)
			}
			if _, err := turn.CreateTerminal(ctx, acp.CreateTerminalRequest{Command: "late"}); !errors.Is(err, agent.ErrCancelled) {
				t.Errorf("CreateTerminal returned %v", err)
			}
			if _, err := term.Wait(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("Wait returned %v", err)
			}
			return "", nil
		}}, options(), everything)
		for _, closed := range []bool{false, true} {
			session := p.newSession()
			id := p.ask("session/prompt", prompt(session, "hi"))
			p.reply(p.asked("terminal/create"), `{"terminalId":"t1"}`)
			late := p.asked("terminal/create")
			cancelled := time.Now()
			p.send(notification("session/cancel", in(session)))
			p.takesAway("t1")
			p.stopped(id, "cancelled")
			if waited := time.Since(cancelled); waited > 0 {
				t.Errorf("the answer took %s", waited)
			}
			if closed { // the session is gone, and the terminal has to go all the same
				p.result(p.ask("session/close", in(session)))
			}
			p.reply(late, `{"terminalId":"t2"}`)
			p.takesAway("t2")
			p.silent()
		}
	})
}

// A terminal that the author waits for no more is killed and released when it is there.
func TestATerminalThatNobodyWaitsForGoes(t *testing.T) {
	asked := make(chan struct{})
	p := start(t, agent.PromptFunc(func(ctx context.Context, turn *agent.Turn) (acp.StopReason, error) {
		short, stop := context.WithCancel(ctx)
		go func() {
			<-asked
			stop()
		}()
		_, err := turn.CreateTerminal(short, acp.CreateTerminalRequest{Command: "late"})
		if !errors.Is(err, context.Canceled) || errors.Is(err, agent.ErrCancelled) {
			t.Errorf("CreateTerminal returned %v", err)
		}
		return "", turn.Text("gave up")
	}), options(), everything)
	id := p.ask("session/prompt", prompt(p.newSession(), "hi"))
	late := p.asked("terminal/create")
	close(asked)
	p.says("gave up")
	p.stopped(id, "end_turn")
	p.reply(late, `{"terminalId":"t1"}`)
	p.takesAway("t1")
	p.silent()
}

// T4: a terminal of a turn that ended by itself is the author's, until the session ends.
func TestT4_ATerminalMayOutliveItsTurn(t *testing.T) {
	p := start(t, &full{PromptFunc: func(ctx context.Context, turn *agent.Turn) (acp.StopReason, error) {
		_, err := turn.CreateTerminal(ctx, acp.CreateTerminalRequest{Command: "server", CWD: "sub"})
		return "", err
	}}, options(), everything)
	session := p.newSession()
	id := p.ask("session/prompt", prompt(session, "hi"))
	create := p.asked("terminal/create")
	if !strings.Contains(create.text, `"cwd":"/proj/sub"`) || create.Params.SessionID != session {
		t.Errorf("got %s", create.text)
	}
	p.reply(create, `{"terminalId":"t1"}`)
	p.stopped(id, "end_turn")
	closing := p.ask("session/close", in(session))
	p.takesAway("t1")
	p.result(closing)
}

// T5: a turn has no deadline, and its questions to the client have none.
func TestT5_ATurnMayTakeDays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := start(t, agent.PromptFunc(func(ctx context.Context, turn *agent.Turn) (acp.StopReason, error) {
			time.Sleep(24 * time.Hour) // of the bubble
			_, err := turn.ReadTextFile(ctx, "a", 0, 0)
			return "", err
		}), options(), everything)
		p.patience = 72 * time.Hour
		id := p.ask("session/prompt", prompt(p.newSession(), "hi"))
		question := p.asked("fs/read_text_file")
		time.Sleep(24 * time.Hour)
		p.reply(question, `{"content":""}`)
		p.stopped(id, "end_turn")
	})
}

// T6: a failure is an error to the client, never an empty end of the turn, and the session goes on.
func TestT6_FailuresAreErrors(t *testing.T) {
	tests := map[string]struct {
		do      do
		code    int
		message string
	}{
		"a plain error": {
			func(context.Context, *agent.Turn) (acp.StopReason, error) { return "", errors.New("no such model") },
			acp.CodeInternalError, "no such model",
		},
		"an error of the protocol": {
			func(context.Context, *agent.Turn) (acp.StopReason, error) {
				return "", fmt.Errorf("model: %w", acp.ErrAuthRequired())
			},
			acp.CodeAuthRequired, "authentication required",
		},
		"an error and a stop reason": {
			func(context.Context, *agent.Turn) (acp.StopReason, error) {
				return acp.StopReasonEndTurn, errors.New("overloaded")
			},
			acp.CodeInternalError, "overloaded",
		},
		"a deadline of the agent's own": {
			func(context.Context, *agent.Turn) (acp.StopReason, error) { return "", context.DeadlineExceeded },
			acp.CodeInternalError, "deadline",
		},
		"an unknown stop reason": {
			func(context.Context, *agent.Turn) (acp.StopReason, error) { return "done", nil },
			acp.CodeInternalError, "done",
		},
		// W9, F88
		"a panic": {
			func(context.Context, *agent.Turn) (acp.StopReason, error) { panic("nil map") },
			acp.CodeInternalError, "nil map",
		},
		"a goroutine that ends": {
			func(context.Context, *agent.Turn) (acp.StopReason, error) { runtime.Goexit(); return "", nil },
			acp.CodeInternalError, "failed",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := start(t, agent.PromptFunc(func(ctx context.Context, turn *agent.Turn) (acp.StopReason, error) {
				if turn.PromptText() == "again" {
					return "", nil
				}
				if _, err := turn.ToolCall(acp.ToolCall{Title: "Ask"}); err != nil {
					t.Error(err)
				}
				return test.do(ctx, turn)
			}), options(), `{}`)
			session := p.newSession()
			id := p.ask("session/prompt", prompt(session, "hi"))
			p.update("tool_call")
			if u := p.update("tool_call_update"); u.Params.Update["status"] != "failed" { // T2 holds too
				t.Errorf("got %s", u.text)
			}
			p.failure(id, test.code, test.message)
			p.stopped(p.ask("session/prompt", prompt(session, "again")), "end_turn")
		})
	}
}

// S000.16: every stop reason reaches the client, with the turn's usage.
func TestStopReasonsAndUsage(t *testing.T) {
	p := start(t, agent.PromptFunc(func(_ context.Context, turn *agent.Turn) (acp.StopReason, error) {
		turn.SetUsage(acp.Usage{TotalTokens: 3, InputTokens: 2, OutputTokens: 1})
		turn.SetMeta(acp.Meta{"x": acp.Raw("1")})
		return acp.StopReason(turn.PromptText()), nil
	}), options(), `{}`)
	session := p.newSession()
	for _, reason := range []string{"end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"} {
		result := p.result(p.ask("session/prompt", prompt(session, reason)))
		if result["stopReason"] != reason || fmt.Sprint(result["usage"]) != "map[inputTokens:2 outputTokens:1 totalTokens:3]" || result["_meta"] == nil {
			t.Errorf("got %v", result)
		}
	}
}

// S001.17, S003.5: several sessions run their turns side by side, each with its own state.
func TestSessionsDontWaitForEachOther(t *testing.T) {
	p := start(t, agent.PromptFunc(func(ctx context.Context, turn *agent.Turn) (acp.StopReason, error) {
		s := turn.Session()
		n, _ := s.Value().(int)
		s.SetValue(n + 1)
		if turn.PromptText() == "wait" {
			return untilCancelled(ctx, turn)
		}
		return "", turn.Textf("%d", n)
	}), options(), `{}`)
	one, two := p.newSession(), p.newSession()
	if one == two {
		t.Fatal("two sessions have one id")
	}
	waiting := p.ask("session/prompt", prompt(one, "wait"))
	for _, want := range []string{"0", "1"} {
		id := p.ask("session/prompt", prompt(two, "hi"))
		if m := p.says(want); m.Params.SessionID != two {
			t.Errorf("got %s", m.text)
		}
		p.stopped(id, "end_turn")
	}
	p.send(notification("session/cancel", in(one)))
	p.stopped(waiting, "cancelled")
	id := p.ask("session/prompt", prompt(one, "hi"))
	p.says("1")
	p.stopped(id, "end_turn")
}

// S003.3: a slash command is parsed from the prompt.
func TestCommandsAreParsed(t *testing.T) {
	tests := map[string]string{
		"/fix main.go now":  "fix|main.go now|true",
		" /help ":           "help||true",
		"/fix\n\nline":      "fix|line|true",
		"fix":               "||false",
		"/":                 "||false",
		"/home/me/file.txt": "||false",
		"":                  "||false",
	}
	p := start(t, agent.PromptFunc(func(_ context.Context, turn *agent.Turn) (acp.StopReason, error) {
		name, input, ok := turn.Command()
		return "", turn.Textf("%s|%s|%t", name, input, ok)
	}), options(), `{}`)
	session := p.newSession()
	for text, want := range tests {
		id := p.ask("session/prompt", prompt(session, text))
		p.says(want)
		p.stopped(id, "end_turn")
	}
}
