package coder_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder"
)

// The list names every demo, and every demo that needs no hook, and no cancel, ends by itself having said something.
func TestEachDemoEnds(t *testing.T) {
	c := begin(t, &client{permit: answers(acp.PermissionOptionKindAllowOnce)})
	list := saidText(c.turn("/demo", acp.StopReasonEndTurn))
	ends := map[string]acp.StopReason{
		"refusal": acp.StopReasonRefusal, "max_tokens": acp.StopReasonMaxTokens, "max_turn_requests": acp.StopReasonMaxTurnRequests,
	}
	for _, name := range coder.Demos() {
		if !strings.Contains(list, "* `"+name) {
			t.Errorf("the list lacks %s:\n%s", name, list)
		}
		switch name {
		case "failure", "error", "panic", "hang", "deaf", "stream":
			continue // have tests of their own
		}
		end := acp.StopReasonEndTurn
		if ends[name] != "" {
			end = ends[name]
		}
		if said := saidText(c.turn("/demo "+name, end)); said == "" {
			t.Errorf("%s says nothing", name)
		}
	}
}

func TestDemoStream(t *testing.T) {
	c := begin(t, &client{})
	got := c.turn("/demo stream 50 0", acp.StopReasonEndTurn)
	chunks := slices.DeleteFunc(got, func(u acp.SessionUpdate) bool { _, ok := u.(*acp.AgentMessageChunk); return !ok })
	if len(chunks) != 50 || !strings.HasPrefix(saidText(got), "word 1 word 2 ") {
		t.Errorf("%d chunks: %q", len(chunks), saidText(got))
	}
	for _, bad := range []string{"/demo stream x", "/demo stream 1 -1", "/demo stream 99999999"} {
		if _, err := c.prompt(bad); !errors.Is(err, &acp.Error{Code: acp.CodeInvalidParams}) {
			t.Errorf("%s: got %v", bad, err)
		}
	}
	c.forget()  // what came before must not have the cancel sent before the prompt
	go func() { // a slow stream can be cancelled
		c.await(func(u acp.SessionUpdate) bool { return strings.Contains(saidText([]acp.SessionUpdate{u}), "word 1 ") })
		c.cancel()
	}()
	c.turn("/demo stream 1000 1000", acp.StopReasonCancelled)
}

func TestDemoMessage(t *testing.T) {
	c := begin(t, &client{})
	for prompt, want := range map[string]int{"/demo message": 1000, "/demo message 0": 0, "/demo message 1": 1, "/demo message 5000000": 5_000_000} {
		if got := len(saidText(c.turn(prompt, acp.StopReasonEndTurn))); got != want {
			t.Errorf("%s: %d bytes", prompt, got)
		}
	}
}

// Every kind of content and of tool call is shown.
func TestDemoContentAndTools(t *testing.T) {
	c := begin(t, &client{})
	kinds := map[string]bool{}
	for _, u := range c.turn("/demo content", acp.StopReasonEndTurn) {
		if chunk, ok := u.(*acp.AgentMessageChunk); ok {
			kinds[fmt.Sprintf("%T", chunk.Content)] = true
		}
	}
	if len(kinds) != 5 {
		t.Errorf("content of the kinds %v", kinds)
	}
	got := c.script(c.turn("/demo tools", acp.StopReasonEndTurn))
	for _, want := range []string{
		"read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other",
	} {
		if !strings.Contains(got, "demo_"+want+" "+want+" pending DIR/demo.txt:2\n  in_progress\n") {
			t.Errorf("no call of the kind %s:\n%s", want, got)
		}
	}
	if !strings.Contains(got, `completed [DIR/demo.txt: "one\ntwo\n" to "one\nthree\n"] [DIR/demo.txt.new: new "new\n"]`) ||
		!strings.Contains(got, "failed [it failed on purpose]") {
		t.Errorf("no diff or no failure:\n%s", got)
	}
}

// To a client that understands everything goes every type of update that there is.
func TestDemoUpdatesSendsEveryType(t *testing.T) {
	c := &client{}
	c.can.Session = &acp.ClientSessionCapabilities{
		Notices: &acp.NoticeCapabilities{}, Compaction: &acp.CompactionCapabilities{},
		ConfigOptions: &acp.SessionConfigOptionsCapabilities{Boolean: &acp.BooleanConfigOptionCapabilities{}},
	}
	c.can.Plan = &acp.PlanCapabilities{}
	c.can.Subagents = &acp.SubagentCapabilities{}
	begin(t, c)
	types := map[string]bool{}
	for _, u := range c.turn("/demo updates", acp.StopReasonEndTurn) {
		types[strings.TrimPrefix(reflect.TypeOf(u).String(), "*acp.")] = true
	}
	for _, want := range []string{
		"UserMessageChunk", "AgentMessageChunk", "AgentThoughtChunk", "ToolCall", "ToolCallUpdate", "Plan", "AvailableCommandsUpdate",
		"CurrentModeUpdate", "ConfigOptionUpdate", "SessionInfoUpdate", "UsageUpdate", "Notice", "CompactionUpdate",
		"CompactionSummaryChunk", "PlanUpdate", "PlanRemoved", "SubagentUpdate", "SessionMessage", "SessionMessageChunk",
	} {
		if !types[want] {
			t.Errorf("no %s was sent", want)
		}
	}
	if types["UnknownUpdate"] {
		t.Error("an update was not understood")
	}
}

func TestDemoPlan(t *testing.T) {
	c := begin(t, &client{})
	var first []acp.PlanEntryStatus
	for _, u := range c.turn("/demo plan", acp.StopReasonEndTurn) {
		if plan, ok := u.(*acp.Plan); ok {
			first = append(first, plan.Entries[0].Status)
		}
	}
	want := []acp.PlanEntryStatus{"in_progress", "completed", "completed", "completed"}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Errorf("the first entry (-want +got):\n%s", diff)
	}
}

func TestDemoPermission(t *testing.T) {
	for _, kind := range []acp.PermissionOptionKind{"allow_once", "allow_always", "reject_once", "reject_always"} {
		c := begin(t, &client{permit: answers(kind)})
		got := c.turn("/demo permission", acp.StopReasonEndTurn)
		end := "failed"
		if kind.Allows() {
			end = "completed"
		}
		if !strings.Contains(saidText(got), fmt.Sprintf("You chose %q", kind)) || !strings.Contains(c.script(got), "  "+end) {
			t.Errorf("%s: got %s\n%s", kind, saidText(got), c.script(got))
		}
	}
	c := begin(t, &client{permit: answers("none of these")})
	c.turn("/demo permission", acp.StopReasonCancelled)
}

func TestDemoElicitation(t *testing.T) {
	c := &client{permit: answers(acp.PermissionOptionKindAllowOnce)}
	c.can.Elicitation = &acp.ElicitationCapabilities{Form: &acp.ElicitationFormCapabilities{}}
	var answer acp.ElicitationAction = &acp.ElicitationAcceptAction{
		Content: map[string]acp.ElicitationContentValue{"name": acp.StringValue("Ann"), "count": acp.IntegerValue(3)},
	}
	c.handle = map[string]func([]byte) (any, error){
		acp.MethodElicitationCreate: func([]byte) (any, error) { return &acp.CreateElicitationResponse{Action: answer}, nil },
	}
	begin(t, c)
	for _, each := range []struct {
		prompt string
		answer acp.ElicitationAction
		want   string
	}{
		{"/demo elicitation", answer, "You accepted.\n* count: 3\n* name: \"Ann\"\n"},
		{"/demo elicitation form", &acp.ElicitationDeclineAction{}, "You did not accept: you declined.\n"},
		{"/demo elicitation", &acp.ElicitationCancelAction{}, "You did not accept: you cancelled.\n"},
		{"/demo elicitation url", answer, "You accepted.\n"}, // it has no such capability, and is asked for permission
		{"/demo elicitation smoke", answer, "There is no way to ask called \"smoke\""},
	} {
		answer = each.answer
		if said := saidText(c.turn(each.prompt, acp.StopReasonEndTurn)); !strings.Contains(said, each.want) {
			t.Errorf("%s: got %q, want %q", each.prompt, said, each.want)
		}
	}
}

// W11: a client without forms is not asked for what choices can't answer.
func TestDemoElicitationWithoutForms(t *testing.T) {
	c := begin(t, &client{})
	if said := saidText(c.turn("/demo elicitation", acp.StopReasonEndTurn)); !strings.Contains(said, "Your client can't be asked this") {
		t.Errorf("got %q", said)
	}
}

// A page that the user agreed to visit is reported as done.
func TestDemoElicitationByPage(t *testing.T) {
	c := &client{}
	c.can.Elicitation = &acp.ElicitationCapabilities{URL: &acp.ElicitationURLCapabilities{}}
	done := make(chan acp.ElicitationID, 1)
	var asked acp.CreateElicitationRequest
	c.handle = map[string]func([]byte) (any, error){
		acp.MethodElicitationCreate: func(params []byte) (any, error) {
			err := json.Unmarshal(params, &asked)
			return &acp.CreateElicitationResponse{Action: &acp.ElicitationAcceptAction{}}, err
		},
		acp.MethodElicitationComplete: func(params []byte) (any, error) {
			var n acp.CompleteElicitationNotification
			err := json.Unmarshal(params, &n)
			done <- n.ElicitationID
			return nil, err
		},
	}
	begin(t, c)
	if said := saidText(c.turn("/demo elicitation url", acp.StopReasonEndTurn)); !strings.Contains(said, "You accepted.") {
		t.Errorf("got %q", said)
	}
	if id := <-done; id == "" || id != asked.Mode.(*acp.ElicitationURLMode).ElicitationID {
		t.Errorf("%q is done, asked was %+v", id, asked.Mode)
	}
}

func TestDemoErrors(t *testing.T) {
	c := begin(t, &client{})
	for _, each := range []struct {
		prompt string
		code   int
		data   string
	}{
		{"/demo failure", acp.CodeInternalError, `{"provider":"demo","status":529,"retryAfter":7,"retryable":true}`}, // F168
		{"/demo error", acp.CodeInternalError, `{"demo":true}`},
		{"/demo error -32000", -32000, `{"demo":true}`},
		{"/demo error x", acp.CodeInvalidParams, ""},
		{"/demo panic", acp.CodeInternalError, ""}, // W9
	} {
		_, err := c.prompt(each.prompt)
		var sent *acp.Error
		if !errors.As(err, &sent) || sent.Code != each.code || string(sent.Data) != each.data {
			t.Errorf("%s: got %#v", each.prompt, err)
		}
	}
	c.turn("list", acp.StopReasonEndTurn) // the connection lives
}

func TestDemoHang(t *testing.T) {
	c := begin(t, &client{})
	c.forget()
	go func() {
		c.await(func(u acp.SessionUpdate) bool {
			return strings.Contains(saidText([]acp.SessionUpdate{u}), "Nothing happens until you cancel.")
		})
		c.cancel()
	}()
	c.turn("/demo hang", acp.StopReasonCancelled)
	c.turn("/demo deaf 0", acp.StopReasonEndTurn)
}

// Where other things share the process, the demos that would harm them are not available.
func TestDemosThatNeedHooks(t *testing.T) {
	c := begin(t, &client{})
	for _, prompt := range []string{"/demo stray", "/demo crash"} {
		if said := saidText(c.turn(prompt, acp.StopReasonEndTurn)); !strings.Contains(said, "only available where the agent is a process of its own") {
			t.Errorf("%s: got %q", prompt, said)
		}
	}
	var lines []string
	crashed, cancel := context.WithCancel(t.Context())
	c = beginWith(t, &client{}, coder.Options{Hooks: coder.Hooks{
		Stray: func(line string) error { lines = append(lines, line); return nil },
		Crash: cancel,
	}})
	c.turn("/demo stray", acp.StopReasonEndTurn)
	if len(lines) != 5 {
		t.Errorf("stray lines %q", lines)
	}
	if c.turn("/demo crash", acp.StopReasonEndTurn); crashed.Err() == nil {
		t.Error("it did not crash")
	}
}
