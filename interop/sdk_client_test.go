package interop_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// driveOurs starts the SDK's client with the agent of agent_test.go behind it.
func driveOurs(t *testing.T) *sdkClient {
	t.Helper()
	return driveWith(t, append(os.Environ(), agentVariable+"=1"), os.Args[0])
}

// S002.3: the version is always answered. W11: what is advertised is what the agent has methods for.
func TestSDKClientReadsOurCapabilities(t *testing.T) {
	c := driveOurs(t)
	r := c.must(initialize)
	delete(r.Result, "_meta")
	same(t, "initialize", r.Result, object{
		"protocolVersion": 1.0,
		"agentInfo":       object{"name": "interop", "title": "An agent of ours", "version": "1.2.3"},
		"authMethods":     []any{object{"id": "password", "name": "Password"}},
		"agentCapabilities": object{
			"loadSession":        true,
			"promptCapabilities": object{"image": true, "embeddedContext": true},
			"sessionCapabilities": object{
				"list": object{}, "resume": object{}, "close": object{}, "delete": object{}, "fork": object{},
			},
		},
	})
}

// W12: the update that the handler of session/new sent before its answer arrives after it.
func TestW12_SDKClientGetsNewSessionsUpdatesAfterTheAnswer(t *testing.T) {
	c := driveOurs(t)
	c.must(initialize)
	r := c.must(step{Request: "session/new", Params: object{"cwd": folder(t), "mcpServers": []any{}}})
	same(t, "modes", r.Result["modes"].(object)["currentModeId"], "ask")
	session := r.Result["sessionId"].(string)
	wire := r.Wire
	if len(r.Updates) == 0 {
		r = c.must(step{Until: "available_commands_update"})
		wire = append(wire, r.Wire...)
	}
	same(t, "order", slices.Compact(wire), []string{"answer", "session/update"})
	same(t, "updates", r.lines(), []string{"available_commands_update"})
	same(t, "session", r.Updates[0].SessionID, session)
}

func TestSDKClientStreamsATurn(t *testing.T) {
	c := driveOurs(t)
	session := c.start(folder(t))
	r := c.must(prompt(session, "say hello to you"))
	lines := r.lines()
	if len(lines) > 0 && lines[0] == "available_commands_update" { // of session/new
		lines = lines[1:]
	}
	same(t, "updates", lines, []string{
		"agent_thought_chunk what to say?",
		"plan",
		"agent_message_chunk hello ",
		"agent_message_chunk to ",
		"agent_message_chunk you",
	})
	same(t, "result", r.Result, object{
		"stopReason": "end_turn",
		"usage":      object{"totalTokens": 3.0, "inputTokens": 1.0, "outputTokens": 2.0},
	})
	ids := map[any]bool{}
	for _, u := range r.Updates {
		if u.Update["sessionUpdate"] == "agent_message_chunk" {
			ids[u.Update["messageId"]] = true
		}
	}
	if len(ids) != 1 || ids[nil] {
		t.Errorf("the chunks of one message have the ids %v", ids)
	}
}

func TestSDKClientSendsEveryKindOfContent(t *testing.T) {
	c := driveOurs(t)
	session := c.start(folder(t))
	r := c.must(step{Request: "session/prompt", Params: object{"sessionId": session, "prompt": []object{
		{"type": "text", "text": "kinds"},
		{"type": "image", "mimeType": "image/png", "data": "AAAA"},
		{"type": "resource_link", "name": "a.txt", "uri": "file:///a.txt", "size": 3},
		{"type": "resource", "resource": object{"uri": "file:///b.txt", "text": "b"}},
	}}})
	same(t, "kinds", r.text(), "TextContent ImageContent ResourceLink EmbeddedResource")
	same(t, "refusal", c.must(prompt(session, "refuse")).Result["stopReason"], "refusal")
}

func TestSDKClientDecidesPermission(t *testing.T) {
	c := driveOurs(t)
	session := c.start(folder(t))
	c.must(prompt(session, "say hello"))
	for _, test := range []struct {
		answer string
		want   []string
	}{
		{"allow_once", []string{
			"tool_call pending Delete everything", "tool_call_update in_progress", "tool_call_update gone", "tool_call_update completed",
		}},
		{"allow_always", []string{
			"tool_call pending Delete everything", "tool_call_update in_progress", "tool_call_update gone", "tool_call_update completed",
		}},
		{"reject_once", []string{"tool_call pending Delete everything", "tool_call_update failed not allowed"}},
	} {
		s := prompt(session, "permission")
		s.Answer = test.answer
		r := c.must(s)
		same(t, test.answer, r.lines(), test.want)
		same(t, "methods", r.methods(), []string{"session/request_permission"})
		same(t, "stop reason", r.Result["stopReason"], "end_turn")
		var kinds []any
		for _, option := range r.Asked[0].Params["options"].([]any) {
			kinds = append(kinds, option.(object)["kind"])
		}
		same(t, "options", kinds, []any{"allow_once", "allow_always", "reject_once", "reject_always"})
	}
}

// T4: a client that cancels while a permission is asked for answers it `cancelled` (S002.10), and the turn ends so.
func TestT4_SDKClientCancelsAPermission(t *testing.T) {
	c := driveOurs(t)
	session := c.start(folder(t))
	s := prompt(session, "permission")
	s.Answer = "cancelled"
	s.When = []any{"session/request_permission", cancel(session)}
	r := c.must(s)
	same(t, "stop reason", r.Result["stopReason"], "cancelled")
	lines := r.lines()
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, "tool_call_update failed") {
		t.Errorf("the last update is %q: the open tool call must fail before the turn ends (T2)", last)
	}
	same(t, "the next turn", c.must(prompt(session, "say still here")).text(), "still here")
}

// T1: the stop reason is cancelled, whatever the handler says. T2: the open tool call fails before that.
func TestT1_SDKClientCancelsInMidTurn(t *testing.T) {
	c := driveOurs(t)
	session := c.start(folder(t))
	for _, act := range []string{"wait", "stubborn"} {
		s := prompt(session, act)
		s.When = []any{"in_progress", cancel(session)}
		r := c.must(s)
		same(t, act, r.Result["stopReason"], "cancelled")
		same(t, "the last thing that came", r.Wire[len(r.Wire)-1], "answer")
		lines := r.lines()
		if last := lines[len(lines)-1]; !strings.HasPrefix(last, "tool_call_update failed") {
			t.Errorf("%s: the last update is %q, want a failed tool call", act, last)
		}
	}
	// T3: a cancel that comes between turns is dropped.
	c.do(cancel(session))
	same(t, "the next turn", c.must(prompt(session, "say still here")).Result["stopReason"], "end_turn")
}

// S002.5: one prompt a session; a second is an invalid request, and the first goes on.
func TestSDKClientPromptsTwice(t *testing.T) {
	c := driveOurs(t)
	session := c.start(folder(t))
	s := prompt(session, "permission")
	s.When = []any{"session/request_permission", prompt(session, "say me too")}
	r := c.must(s)
	if r.Then == nil || r.Then.Error == nil || r.Then.Error.Code != -32600 {
		t.Errorf("the second prompt got %+v, want the error -32600", r.Then)
	}
	same(t, "stop reason", r.Result["stopReason"], "end_turn")
}

func TestSDKClientServesFiles(t *testing.T) {
	c := driveOurs(t)
	cwd := folder(t)
	session := c.start(cwd)
	path := write(t, cwd, "in.txt", "one\ntwo\nthree\n")
	same(t, "whole", c.must(prompt(session, "read "+path)).text(), "one\ntwo\nthree\n")
	same(t, "a part", c.must(prompt(session, "read 2 1 "+path)).text(), "two\n")

	out := cwd + string(os.PathSeparator) + "out.txt"
	r := c.must(prompt(session, "write "+out+" some text"))
	same(t, "file", read(t, cwd, "out.txt"), "some text")
	same(t, "methods", r.methods(), []string{"fs/write_text_file"})
	same(t, "updates", r.lines(), []string{
		"tool_call pending Write " + out, "tool_call_update in_progress", "tool_call_update diff", "tool_call_update completed",
	})

	// The SDK's error for a file that isn't there (-32002) reaches the agent, whose turn fails with it (T6).
	if r := c.do(prompt(session, "read "+path+".missing")); r.Error == nil {
		t.Errorf("reading a missing file was answered with %v", r.Result)
	}
}

func TestSDKClientServesATerminal(t *testing.T) {
	c := driveOurs(t)
	session := c.start(folder(t))
	r := c.must(prompt(session, "run echo hello; exit 3"))
	same(t, "output", r.text(), "exit 3: hello\n")
	same(t, "methods", r.methods(), []string{
		"terminal/create", "terminal/wait_for_exit", "terminal/output", "terminal/kill", "terminal/release",
	})
}

func TestSDKClientAnswersForms(t *testing.T) {
	c := driveOurs(t)
	session := c.start(folder(t))
	s := prompt(session, "ask")
	s.Content = object{"name": "me"}
	same(t, "accepted", c.must(s).text(), `{"action":"accept","content":{"name":"me"}}`)
	same(t, "declined", c.must(prompt(session, "ask")).text(), `{"action":"decline"}`)
	r := c.must(prompt(session, "link"))
	same(t, "methods", r.methods(), []string{"elicitation/create", "elicitation/complete"})
}

// Every kind of update passes the SDK's schema: it complains on standard error about one that doesn't, and end sees that.
func TestSDKClientTakesEveryKindOfUpdate(t *testing.T) {
	c := driveOurs(t)
	session := c.start(folder(t))
	c.must(prompt(session, "say hello"))
	same(t, "updates", c.must(prompt(session, "updates")).lines(), []string{
		"available_commands_update",
		"current_mode_update https://example.com/modes#auto",
		"config_option_update",
		"session_info_update A title",
		"usage_update",
		"notice",
		"compaction_update",
		"compaction_summary_chunk so far",
		"compaction_update",
		"subagent_update",
	})
}

// S000.5: the history comes as updates before the answer.
func TestSDKClientLoadsASession(t *testing.T) {
	c := driveOurs(t)
	cwd := folder(t)
	session := c.start(cwd)
	c.must(prompt(session, "say hello"))
	r := c.must(step{Request: "session/load", Params: object{"sessionId": session, "cwd": cwd, "mcpServers": []any{}}})
	same(t, "modes", r.Result["modes"].(object)["currentModeId"], "ask")
	var told []string
	for _, line := range r.lines() {
		if strings.Contains(line, "message_chunk") {
			told = append(told, line)
		}
	}
	same(t, "the last thing that came", r.Wire[len(r.Wire)-1], "answer")
	same(t, "history", strings.Join(told, "\n"), "user_message_chunk say hello\nagent_message_chunk hello")
}

func TestSDKClientManagesSessions(t *testing.T) {
	c := driveOurs(t)
	cwd := folder(t)
	session := c.start(cwd)
	list := c.must(step{Request: "session/list", Params: object{}})
	same(t, "list", list.Result["sessions"], []any{object{"sessionId": session, "cwd": cwd}})

	setMode := object{"sessionId": session, "modeId": "https://example.com/modes#auto"}
	c.must(step{Request: "session/set_mode", Params: setMode})
	setModel := object{"sessionId": session, "configId": "model", "value": "large"}
	options := c.must(step{Request: "session/set_config_option", Params: setModel}).Result["configOptions"].([]any)
	same(t, "model", options[0].(object)["currentValue"], "large")

	fork := c.must(step{Request: "session/fork", Params: object{"sessionId": session, "cwd": cwd, "mcpServers": []any{}}})
	other := fork.Result["sessionId"].(string)
	same(t, "the fork", c.must(prompt(other, "say I am another")).text(), "I am another")

	// Closing cancels first.
	s := prompt(session, "wait")
	s.When = []any{"in_progress", step{Request: "session/close", Params: object{"sessionId": session}}}
	r := c.must(s)
	same(t, "stop reason", r.Result["stopReason"], "cancelled")
	c.must(step{Request: "session/resume", Params: object{"sessionId": session, "cwd": cwd, "mcpServers": []any{}}})
	same(t, "resumed", c.must(prompt(session, "say back")).text(), "back")
	c.must(step{Request: "session/delete", Params: object{"sessionId": other}})
}

// What is wrong gets the code of its own, and the connection goes on.
func TestSDKClientGetsErrors(t *testing.T) {
	c := driveOurs(t)
	session := c.start(folder(t))
	image := []object{{"type": "text", "text": "kinds"}, {"type": "audio", "mimeType": "audio/wav", "data": "AAAA"}}
	for name, test := range map[string]struct {
		step step
		code int
	}{
		"unknown session":     {prompt("nobody", "say hello"), -32002},
		"unknown method":      {step{Request: "_example.com/none", Params: object{}}, -32601},
		"missing prompt":      {step{Request: "session/prompt", Params: object{"sessionId": session}}, -32602},
		"relative cwd":        {step{Request: "session/new", Params: object{"cwd": "here", "mcpServers": []any{}}}, -32602},
		"content not taken":   {step{Request: "session/prompt", Params: object{"sessionId": session, "prompt": image}}, -32602},
		"no protocol version": {step{Request: "initialize", Params: object{}}, -32602},
		"a failure":           {prompt(session, "fail"), -32603},
		"loading nobody": {
			step{Request: "session/load", Params: object{"sessionId": "nobody", "cwd": folder(t), "mcpServers": []any{}}}, -32002,
		},
	} {
		if r := c.do(test.step); r.Error == nil || r.Error.Code != test.code {
			t.Errorf("%s: got %v and the error %+v, want %d", name, r.Result, r.Error, test.code)
		}
	}
	same(t, "afterwards", c.must(prompt(session, "say still here")).text(), "still here")
}

// A thousand updates keep their order through a pipe that is read by someone else (W5).
func TestW5_SDKClientGetsManyUpdatesInOrder(t *testing.T) {
	c := driveOurs(t)
	session := c.start(folder(t))
	const count = 1000
	var want strings.Builder
	for i := range count {
		fmt.Fprintf(&want, "%d ", i)
	}
	same(t, "text", c.must(prompt(session, fmt.Sprint("many ", count))).text(), want.String())
}
