package coder_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
)

// A prompt that says nothing is the client's mistake, whatever the model's provider would say of it.
func TestEmptyPromptIsRefused(t *testing.T) {
	m := &scripted{forever: []any{model.Text("hello"), stop(model.StopEnd)}}
	c := with(t, m)
	for _, prompt := range [][]acp.ContentBlock{{}, {acp.Text("")}, {acp.Text(" \n"), acp.Text("\t")}} {
		err := c.rpc.Call(t.Context(), acp.MethodSessionPrompt, &acp.PromptRequest{SessionID: c.session, Prompt: prompt}, &acp.PromptResponse{})
		if sent := (*acp.Error)(nil); !errors.As(err, &sent) || sent.Code != acp.CodeInvalidParams {
			t.Errorf("%v: got %v", prompt, err)
		}
	}
	if n := len(m.requests); n != 0 {
		t.Errorf("the model was asked %d times", n)
	}
}

// What is said of a call that fails has a limit, though its input, which may be part of it, has none.
func TestFailuresOfHugeCallsAreBrief(t *testing.T) {
	s := modeltest.New(t, modeltest.Script(
		calling(called("read", `{"path":"`+strings.Repeat("x", 1<<20)+`"}`)), modeltest.Answer{Text: "hello"}))
	chat.begin(t, s, &client{}).turn("go on", acp.StopReasonEndTurn)
	if text := lastResult(s); len(text) > 16<<10 {
		t.Errorf("the model is told %d bytes", len(text))
	}
}

// A client that keeps more of a command's output than it was asked to does not fill the model's context with it.
func TestOutputIsCutWhereTheClientDoesNot(t *testing.T) {
	zero := uint32(0)
	s := modeltest.New(t, modeltest.Script(calling(called("shell", `{"command":"make test"}`)), modeltest.Answer{Text: "hello"}))
	c := terminals(&client{}, acp.WaitForTerminalExitResponse{ExitCode: &zero}, strings.Repeat("é", 1<<20)+"\nthe end\n")
	chat.begin(t, s, c).turn("go on", acp.StopReasonEndTurn)
	if text := lastResult(s); len(text) > 70<<10 || !strings.HasSuffix(text, "the end\n") || !strings.Contains(text, "this is the end of its output") {
		t.Errorf("the model is told %d bytes: %.100s", len(text), text)
	}
}

// chat is the wire whose model may be told anything: nobody knows how much it holds.
var chat = wires[2]

// lastResult is what the model was told last of a call.
func lastResult(s *modeltest.Server) string {
	messages := s.Last().Messages
	return messages[len(messages)-1].Results[0].Text
}

// A pause of less than a second is not told as none.
func TestRetryAfterIsRoundedUp(t *testing.T) {
	c := with(t, &scripted{answers: [][]any{{&model.Error{Provider: "acme", Status: 429, RetryAfter: 1500 * time.Millisecond}}}})
	_, err := c.prompt("hi")
	if sent := (*acp.Error)(nil); !errors.As(err, &sent) || !strings.Contains(string(sent.Data), `"retryAfter":2`) {
		t.Errorf("got %v", err)
	}
}
