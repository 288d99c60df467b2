package interop_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// same compares what was found with what is expected.
func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// drivePatchbay starts the SDK's client with `patchbay agent` behind it.
func drivePatchbay(t *testing.T) *sdkClient {
	t.Helper()
	requirePeers(t)
	return drive(t, patchbay(t), "agent")
}

func TestSDKClientDrivesPatchbayAgent(t *testing.T) {
	c := drivePatchbay(t)
	cwd := folder(t)
	write(t, cwd, "notes.txt", "first\na line with TODO in it\n")
	session := c.start(cwd)
	r := c.must(prompt(session, "find TODO then read notes.txt"))
	same(t, "stop reason", r.Result["stopReason"], "end_turn")
	if !slices.Contains(r.methods(), "fs/read_text_file") {
		t.Errorf("the file was not read through the client: %v", r.methods())
	}
	if shown := strings.Join(r.lines(), "\n"); !strings.Contains(shown, "a line with TODO in it") {
		t.Errorf("what was found is not shown:\n%s", shown)
	}
}

// Nothing is written or run before the user has allowed it, and nothing at all if they don't.
func TestSDKClientDecidesForPatchbayAgent(t *testing.T) {
	c := drivePatchbay(t)
	cwd := folder(t)
	session := c.start(cwd)

	s := prompt(session, "write new.txt: some text")
	s.Answer = "reject_once"
	r := c.must(s)
	if !slices.Contains(r.methods(), "session/request_permission") || slices.Contains(r.methods(), "fs/write_text_file") {
		t.Errorf("a rejected write: the agent called %v", r.methods())
	}
	if _, err := os.Stat(filepath.Join(cwd, "new.txt")); err == nil {
		t.Error("a rejected write was made")
	}
	if states := r.states(); len(states) == 0 || states[len(states)-1] != "failed" {
		t.Errorf("the rejected call went through %v, want failed at the end", states)
	}

	r = c.must(prompt(session, "write new.txt: some text"))
	asked, wrote := slices.Index(r.methods(), "session/request_permission"), slices.Index(r.methods(), "fs/write_text_file")
	if asked < 0 || wrote < asked {
		t.Errorf("methods %v: want a permission, then the write", r.methods())
	}
	same(t, "what was written", strings.TrimSpace(read(t, cwd, "new.txt")), "some text")
	if states := r.states(); len(states) == 0 || states[len(states)-1] != "completed" {
		t.Errorf("the allowed call went through %v, want completed at the end", states)
	}

	r = c.must(prompt(session, "run echo hello"))
	for _, method := range []string{"terminal/create", "terminal/wait_for_exit", "terminal/release"} {
		if !slices.Contains(r.methods(), method) {
			t.Errorf("no %s in %v", method, r.methods())
		}
	}
}

func TestSDKClientCancelsPatchbayAgent(t *testing.T) {
	c := drivePatchbay(t)
	session := c.start(folder(t))

	s := prompt(session, "/demo stream 1000 20")
	s.When = []any{"agent_message_chunk", cancel(session)}
	same(t, "stop reason", c.must(s).Result["stopReason"], "cancelled")

	s = prompt(session, "run sleep 60")
	s.When = []any{"terminal/wait_for_exit", cancel(session)}
	r := c.must(s)
	same(t, "stop reason", r.Result["stopReason"], "cancelled")
	if !slices.Contains(r.methods(), "terminal/release") {
		t.Errorf("the terminal of a cancelled turn was not released (T4): %v", r.methods())
	}
	same(t, "the next turn", c.must(prompt(session, "help")).Result["stopReason"], "end_turn")
}

// S000.5: what was said comes again before the answer of session/load.
func TestSDKClientLoadsFromPatchbayAgent(t *testing.T) {
	c := drivePatchbay(t)
	cwd := folder(t)
	write(t, cwd, "notes.txt", "some text\n")
	session := c.start(cwd)
	c.must(prompt(session, "read notes.txt"))
	c.must(step{Request: "session/close", Params: object{"sessionId": session}})
	r := c.must(step{Request: "session/load", Params: object{"sessionId": session, "cwd": cwd, "mcpServers": []any{}}})
	lines := slices.DeleteFunc(r.lines(), func(l string) bool {
		return strings.HasPrefix(l, "available_commands_update") || strings.HasPrefix(l, "session_info_update")
	})
	if len(lines) == 0 || lines[0] != "user_message_chunk read notes.txt" {
		t.Errorf("the history begins with %q", lines)
	}
	if !strings.Contains(strings.Join(lines, "\n"), "some text") {
		t.Errorf("the history lacks the tool's result:\n%s", strings.Join(lines, "\n"))
	}
	same(t, "the next turn", c.must(prompt(session, "help")).Result["stopReason"], "end_turn")
}

// Everything that `/demo` shows fits the SDK's schema: its client complains on standard error about an update that
// doesn't, and answers a request that doesn't with an error.
func TestSDKClientTakesEveryDemo(t *testing.T) {
	c := drivePatchbay(t)
	session := c.start(folder(t))
	for demo, want := range map[string]string{
		"stream 3 0": "end_turn", "message 1000": "end_turn", "content": "end_turn", "tools": "end_turn", "plan": "end_turn", "subagent": "end_turn",
		"updates": "end_turn", "permission": "end_turn", "elicitation form": "end_turn", "elicitation url": "end_turn",
		"refusal": "refusal", "max_tokens": "max_tokens", "max_turn_requests": "max_turn_requests",
	} {
		s := prompt(session, "/demo "+demo)
		r := c.do(s)
		if r.Error != nil {
			t.Errorf("/demo %s: %+v", demo, *r.Error)
			continue
		}
		same(t, "/demo "+demo, r.Result["stopReason"], want)
		for _, a := range r.Asked {
			if a.Answer["error"] != nil {
				t.Errorf("/demo %s: %s was answered with %v", demo, a.Method, a.Answer)
			}
		}
	}
	for _, demo := range []string{"failure", "error -32603"} {
		if r := c.do(prompt(session, "/demo "+demo)); r.Error == nil || r.Error.Code != -32603 {
			t.Errorf("/demo %s: got %v and the error %+v, want -32603", demo, r.Result, r.Error)
		}
	}
}

// S004.12: the SDK's client sees a subagent as a tool call, or gets its own updates under its id, as it can take them.
func TestSDKClientSeesASubagent(t *testing.T) {
	c := drivePatchbay(t)
	cwd := folder(t)
	write(t, cwd, "notes.txt", "TODO: rest\n")
	session := c.start(cwd)
	r := c.must(prompt(session, "task explore: find TODO"))
	same(t, "stop reason", r.Result["stopReason"], "end_turn")
	child := ""
	for _, u := range r.Updates {
		output, _ := u.Update["rawOutput"].(object)
		if metadata, ok := output["metadata"].(object); ok {
			child, _ = metadata["sessionId"].(string)
			if !strings.Contains(fmt.Sprint(output["output"]), "notes.txt:1") {
				t.Errorf("the output is %v", output)
			}
		}
	}
	if child == "" {
		t.Fatalf("the subagent has no session:\n%s", strings.Join(r.lines(), "\n"))
	}
	list := c.must(step{Request: "session/list", Params: object{"_meta": object{"patchbay.dev/subagent": object{"parentSessionId": session}}}})
	if sessions, _ := list.Result["sessions"].([]any); len(sessions) != 1 || sessions[0].(object)["sessionId"] != child {
		t.Errorf("its subagents are %v", list.Result)
	}
	c.must(step{Request: "session/load", Params: object{"sessionId": child, "cwd": cwd, "mcpServers": []any{}}})
}

// states are the states that the reply's tool calls went through, in order.
func (r reply) states() (list []string) {
	for _, u := range r.Updates {
		if s, ok := u.Update["status"].(string); ok {
			list = append(list, s)
		}
	}
	return list
}
