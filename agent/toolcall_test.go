package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
)

// F159: a diff has its new text, also an empty one, no old text if the file is new, and an absolute path.
func TestF159_DiffsSayAll(t *testing.T) {
	empty, old := "", "x"
	p := start(t, agent.PromptFunc(func(_ context.Context, turn *agent.Turn) (acp.StopReason, error) {
		for _, diff := range []struct {
			path string
			old  *string
			text string
		}{{"new", nil, ""}, {"./sub/emptied", &old, ""}, {"/elsewhere/filled", &empty, "x"}} {
			call, err := turn.ToolCall(acp.ToolCall{Title: "Edit"})
			if err != nil {
				return "", err
			}
			if err := errors.Join(call.Diff(diff.path, diff.old, diff.text), call.Complete()); err != nil {
				return "", err
			}
		}
		return "", nil
	}), options(), `{}`)
	id := p.ask("session/prompt", prompt(p.newSession(), "hi"))
	for _, want := range []string{
		`{"newText":"","path":"/proj/new","type":"diff"}`,
		`{"newText":"","oldText":"x","path":"/proj/sub/emptied","type":"diff"}`,
		`{"newText":"x","oldText":"","path":"/elsewhere/filled","type":"diff"}`,
	} {
		p.update("tool_call")
		content, _ := p.update("tool_call_update").Params.Update["content"].([]any)
		if len(content) != 1 || sorted(content[0]) != want {
			t.Errorf("got %s, want %s", sorted(content), want)
		}
		p.update("tool_call_update")
	}
	p.stopped(id, "end_turn")
}

// S000.9, S000.11, S003.2, S002.12: a tool call goes from pending to its end, and shows text, diffs and terminals.
func TestAToolCallMovesForward(t *testing.T) {
	p := start(t, agent.PromptFunc(func(ctx context.Context, turn *agent.Turn) (acp.StopReason, error) {
		call, err := turn.ToolCall(acp.ToolCall{Title: "Edit", Name: "edit", Kind: acp.ToolKindEdit, Locations: []acp.ToolCallLocation{{Path: "main.go"}}})
		if err != nil {
			return "", err
		}
		term, err := turn.CreateTerminal(ctx, acp.CreateTerminalRequest{Command: "go"})
		if err != nil {
			return "", err
		}
		old := "a"
		for _, step := range []func() error{
			call.Start,
			call.Start, // no news
			func() error { return call.Text("one ") },
			func() error { return call.Textf("%s", "two") },
			func() error { return call.Diff("main.go", &old, "b") },
			func() error { return call.Terminal(term) },
			func() error { return call.Text("three") },
			func() error { return call.Locations(acp.ToolCallLocation{Path: "/other.go"}) },
			func() error { return call.Title("Edited") },
			func() error { return call.RawInput(map[string]int{"in": 1}) },
			func() error { return call.RawOutput(map[string]int{"out": 2}) },
			func() error { return call.Complete(acp.ToolContent(acp.Text("done"))) },
		} {
			if err := step(); err != nil {
				return "", err
			}
		}
		for name, err := range map[string]error{
			"Start": call.Start(), "Text": call.Text("x"), "Fail": call.Fail("x"), "Complete": call.Complete(), "Title": call.Title("x"),
		} {
			if !errors.Is(err, agent.ErrToolCallStatus) {
				t.Errorf("%s after the end returned %v", name, err)
			}
		}
		return "", nil
	}), options(), everything)
	id := p.ask("session/prompt", prompt(p.newSession(), "hi"))
	first := p.update("tool_call")
	if got := first.Params.Update; got["status"] != "pending" || got["kind"] != "edit" || !strings.Contains(first.text, `"path":"/proj/main.go"`) {
		t.Errorf("got %s", first.text)
	}
	p.reply(p.asked("terminal/create"), `{"terminalId":"t1"}`)
	one := `{"content":{"text":"one ","type":"text"},"type":"content"}`
	two := `{"content":{"text":"one two","type":"text"},"type":"content"}`
	diff := `{"newText":"b","oldText":"a","path":"/proj/main.go","type":"diff"}`
	term := `{"terminalId":"t1","type":"terminal"}`
	three := `{"content":{"text":"three","type":"text"},"type":"content"}`
	done := `{"content":{"text":"done","type":"text"},"type":"content"}`
	list := func(items ...string) string { return `"content":[` + strings.Join(items, ",") + `]` }
	for _, want := range []string{
		`"status":"in_progress"`, list(one), list(two), list(two, diff), list(two, diff, term), list(two, diff, term, three),
		`"locations":[{"path":"/other.go"}]`, `"title":"Edited"`, `"rawInput":{"in":1}`, `"rawOutput":{"out":2}`,
		list(two, diff, term, three, done) + `,"status":"completed"`,
	} {
		u := p.update("tool_call_update").Params.Update
		if u["toolCallId"] != first.Params.Update["toolCallId"] {
			t.Errorf("the id is %v", u["toolCallId"])
		}
		delete(u, "toolCallId")
		delete(u, "sessionUpdate")
		if got := sorted(u); got != "{"+want+"}" {
			t.Errorf("got  %s\nwant {%s}", got, want)
		}
	}
	p.stopped(id, "end_turn")
}

// A failed call says why, to people and to programs (S004.8), and ids are not used twice.
func TestAToolCallFails(t *testing.T) {
	p := start(t, agent.PromptFunc(func(_ context.Context, turn *agent.Turn) (acp.StopReason, error) {
		call, err := turn.ToolCall(acp.ToolCall{ToolCallID: "c", Title: "Run"})
		if err != nil {
			return "", err
		}
		if _, err := turn.ToolCall(acp.ToolCall{ToolCallID: "c", Title: "Again"}); !errors.Is(err, agent.ErrToolCallStatus) {
			t.Errorf("the id was taken twice: %v", err)
		}
		if _, err := turn.ToolCall(acp.ToolCall{Title: "Odd", Status: "odd"}); err == nil {
			t.Error("an odd status was taken")
		}
		if err := turn.Update(&acp.ToolCallUpdate{ToolCallID: "c", Status: acp.Some(acp.ToolCallStatusCompleted)}); err == nil {
			t.Error("an update went past the handle")
		}
		return "", call.Fail(errors.New("exit status 1"))
	}), options(), `{}`)
	id := p.ask("session/prompt", prompt(p.newSession(), "hi"))
	p.update("tool_call")
	u := p.update("tool_call_update")
	for _, part := range []string{`"status":"failed"`, `"rawOutput":{"error":"exit status 1"}`, `"text":"exit status 1"`} {
		if !strings.Contains(u.text, part) {
			t.Errorf("got %s, want %s in it", u.text, part)
		}
	}
	p.stopped(id, "end_turn")
}

// S000.12, S002.10: permission is asked with four options, and an answer is what was offered, or no permission (F57).
func TestPermissions(t *testing.T) {
	tests := []struct {
		outcome string
		want    string
	}{
		{`{"outcome":"selected","optionId":"allow_once"}`, "true <nil>"},
		{`{"outcome":"selected","optionId":"allow_always"}`, "true <nil>"},
		{`{"outcome":"selected","optionId":"reject_once"}`, "false <nil>"},
		{`{"outcome":"selected","optionId":"reject_always"}`, "false <nil>"},
		{`{"outcome":"cancelled"}`, "false the client cancelled the turn"},
		{`{"outcome":"selected","optionId":"allow-once"}`, `false request permission: the client chose "allow-once", which was not offered`},
		{`{"outcome":"later"}`, `false request permission: the client answered with the unknown outcome "later"`},
	}
	p := start(t, agent.PromptFunc(func(ctx context.Context, turn *agent.Turn) (acp.StopReason, error) {
		call, err := turn.ToolCall(acp.ToolCall{
			ToolCallID: "c", Title: "Run ls", Name: "run", Kind: acp.ToolKindExecute, RawInput: acp.Raw(`{"command":"ls"}`),
			Content: []acp.ToolCallContent{acp.ToolContent(acp.Text("ls"))}, Locations: []acp.ToolCallLocation{{Path: "/proj"}},
		})
		if err != nil {
			return "", err
		}
		ok, err := call.Allow(ctx)
		_ = call.Complete()
		return "", turn.Text(fmt.Sprint(ok, " ", err))
	}), options(), `{}`)
	session := p.newSession()
	for _, test := range tests {
		id := p.ask("session/prompt", prompt(session, "hi"))
		p.update("tool_call")
		question := p.asked("session/request_permission")
		if got := sorted(question.Params.ToolCall); got != `{"content":[{"content":{"text":"ls","type":"text"},"type":"content"}],"kind":"execute",`+
			`"locations":[{"path":"/proj"}],"name":"run","rawInput":{"command":"ls"},"status":"pending","title":"Run ls","toolCallId":"c"}` {
			t.Errorf("the question is about %s", got)
		}
		for _, kind := range []string{"allow_once", "allow_always", "reject_once", "reject_always"} {
			if !strings.Contains(question.text, `"kind":"`+kind+`"`) {
				t.Errorf("%s is not offered: %s", kind, question.text)
			}
		}
		p.reply(question, `{"outcome":`+test.outcome+`}`)
		p.update("tool_call_update")
		p.says(test.want)
		p.stopped(id, "end_turn")
	}
}

// A turn reads and writes through the client, runs commands there, and asks the user for input.
func TestATurnUsesItsClient(t *testing.T) {
	p := start(t, agent.PromptFunc(func(ctx context.Context, turn *agent.Turn) (acp.StopReason, error) {
		text, err := turn.ReadTextFile(ctx, "a.txt", 2, 3)
		if err != nil {
			return "", err
		}
		if err := turn.WriteTextFile(ctx, "/b.txt", text); err != nil {
			return "", err
		}
		if _, err := turn.ReadTextFile(ctx, "a.txt", -1, 0); err == nil {
			t.Error("line -1 was asked for")
		}
		if _, err := turn.ReadTextFile(ctx, "none", 0, 0); !errors.Is(err, &acp.Error{Code: acp.CodeResourceNotFound}) {
			t.Errorf("the client's error is %v", err)
		}
		term, err := turn.CreateTerminal(ctx, acp.CreateTerminalRequest{Command: "ls"})
		if err != nil {
			return "", err
		}
		status, err := term.Wait(ctx)
		if err != nil || *status.ExitCode != 3 {
			t.Errorf("Wait returned %v, %v", status, err)
		}
		out, err := term.Output(ctx)
		if err != nil || out.Output != "out" {
			t.Errorf("Output returned %v, %v", out, err)
		}
		for _, err := range []error{term.Kill(ctx), term.Release(ctx), term.Release(ctx)} {
			if err != nil {
				t.Error(err)
			}
		}
		answer, err := turn.Elicit(ctx, acp.CreateElicitationRequest{Message: "Name?", Mode: &acp.ElicitationFormMode{}})
		if err != nil {
			return "", err
		}
		return "", turn.Textf("%T", answer.Action)
	}), options(), everything)
	session := p.newSession()
	id := p.ask("session/prompt", prompt(session, "hi"))
	expect := func(method, params, result string) {
		t.Helper()
		m := p.asked(method)
		if !strings.Contains(m.text, params) || m.Params.SessionID != session {
			t.Errorf("got %s, want %s in it", m.text, params)
		}
		p.reply(m, result)
	}
	expect("fs/read_text_file", `"path":"/proj/a.txt","line":2,"limit":3`, `{"content":"text"}`)
	expect("fs/write_text_file", `"path":"/b.txt","content":"text"`, `null`)
	p.refuse(p.asked("fs/read_text_file"), `{"code":-32002,"message":"no such file"}`)
	expect("terminal/create", `"command":"ls"`, `{"terminalId":"t1"}`)
	expect("terminal/wait_for_exit", `"terminalId":"t1"`, `{"exitCode":3}`)
	expect("terminal/output", `"terminalId":"t1"`, `{"output":"out","truncated":false}`)
	expect("terminal/kill", `"terminalId":"t1"`, `{}`)
	expect("terminal/release", `"terminalId":"t1"`, `{}`)
	expect("elicitation/create", `"mode":"form"`, `{"action":"decline"}`)
	p.says("*acp.ElicitationDeclineAction")
	p.stopped(id, "end_turn")
}

// Report says the status once more with each text; Meta adds to what was said before.
func TestAToolCallReports(t *testing.T) {
	p := start(t, agent.PromptFunc(func(_ context.Context, turn *agent.Turn) (acp.StopReason, error) {
		call, err := turn.ToolCall(acp.ToolCall{Title: "Work"})
		if err != nil {
			return "", err
		}
		return "", errors.Join(call.Meta(acp.Meta{"a": acp.Raw(`1`)}), call.Meta(acp.Meta{"b": acp.Raw(`2`)}), call.Report("one"), call.Report("two"), call.Complete())
	}), options(), `{}`)
	id := p.ask("session/prompt", prompt(p.newSession(), "go"))
	p.update("tool_call")
	p.update("tool_call_update")
	if got := sorted(p.update("tool_call_update").Params.Update["_meta"]); got != `{"a":1,"b":2}` {
		t.Errorf("_meta is %s", got)
	}
	for _, text := range []string{"one", "two"} {
		u := p.update("tool_call_update").Params.Update
		if want := fmt.Sprintf(`[{"content":{"text":%q,"type":"text"},"type":"content"}]`, text); u["status"] != "in_progress" || sorted(u["content"]) != want {
			t.Errorf("got %s", sorted(u))
		}
	}
	p.update("tool_call_update")
	p.stopped(id, "end_turn")
}

// What there is to say at a tool's end goes in one update; paths become absolute, and why it failed comes after what it showed.
func TestAToolCallEndsInOneUpdate(t *testing.T) {
	p := start(t, agent.PromptFunc(func(_ context.Context, turn *agent.Turn) (acp.StopReason, error) {
		for _, failed := range []bool{false, true} {
			call, err := turn.ToolCall(acp.ToolCall{Title: "Look"})
			if err != nil {
				return "", err
			}
			if err := call.End(agent.Outcome{RawOutput: make(chan int)}); err == nil {
				t.Error("a channel has been written as JSON")
			}
			end := agent.Outcome{
				Failed: failed, RawOutput: map[string]int{"n": 1}, Locations: []acp.ToolCallLocation{{Path: "a.go"}},
				Content: []acp.ToolCallContent{acp.ToolContent(acp.Text("seen"))},
			}
			if failed {
				end.Reason = "too far away"
			}
			if err := call.End(end); err != nil {
				return "", err
			}
			if err := call.End(end); !errors.Is(err, agent.ErrToolCallStatus) {
				t.Errorf("a second end: %v", err)
			}
		}
		return "", nil
	}), options(), `{}`)
	id := p.ask("session/prompt", prompt(p.newSession(), "hi"))
	for _, want := range []string{`"status":"completed"`, `too far away","type":"text"},"type":"content"}],"locations":[{"path":"/proj/a.go"}],"rawOutput":{"n":1},"sessionUpdate":"tool_call_update","status":"failed"`} {
		p.update("tool_call")
		u := sorted(p.update("tool_call_update").Params.Update)
		if !strings.Contains(u, want) || !strings.Contains(u, `[{"content":{"text":"seen","type":"text"},"type":"content"}`) || !strings.Contains(u, `"rawOutput":{"n":1}`) {
			t.Errorf("got %s\nwant %s in it", u, want)
		}
	}
	p.stopped(id, "end_turn")
}
