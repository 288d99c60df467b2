package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// narrow is remembering for a connection with little room in a message.
func narrow() agent.Options {
	o := remembering()
	o.MaxMessageBytes = 4 << 10
	return o
}

func isTooLarge(err error) bool {
	large := (*jsonrpc.TooLargeError)(nil)
	return errors.As(err, &large)
}

// What a call shows may be more than a message holds. The call can be failed all the same, and reaches an end.
func TestT2_CallsThatShowTooMuch(t *testing.T) {
	much := strings.Repeat("x", 5<<10)
	nearly := strings.Repeat("x", 3800)
	for name, c := range map[string]struct {
		do   func(turn *agent.Turn, call *agent.ToolCall) error
		want []string // the statuses that the client sees, of all calls
	}{
		"shown": {func(_ *agent.Turn, call *agent.ToolCall) error {
			if err := call.Output(acp.ToolContent(acp.Text(much))); !isTooLarge(err) {
				return errors.Join(errors.New("it was shown"), err)
			}
			return call.Fail("it is too much")
		}, []string{"pending", "failed"}},
		"completed": {func(_ *agent.Turn, call *agent.ToolCall) error {
			if err := call.Complete(acp.ToolContent(acp.Text(much))); !isTooLarge(err) || call.Status() != acp.ToolCallStatusPending {
				return errors.Join(errors.New("it was shown"), err)
			}
			return nil
		}, []string{"pending", "failed"}},
		"no room for a reason": {func(_ *agent.Turn, call *agent.ToolCall) error {
			return call.Output(acp.ToolContent(acp.Text(nearly)))
		}, []string{"pending", "", "failed"}},
		"announced": {func(turn *agent.Turn, call *agent.ToolCall) error {
			if _, err := turn.ToolCall(acp.ToolCall{Title: much}); !isTooLarge(err) {
				return errors.Join(errors.New("it was announced"), err)
			}
			return call.Complete()
		}, []string{"pending", "completed"}},
		"by updates": {func(turn *agent.Turn, call *agent.ToolCall) error {
			if err := turn.Update(&acp.ToolCall{ToolCallID: "never", Title: much}); !isTooLarge(err) {
				return errors.Join(errors.New("it was announced"), err)
			}
			if err := turn.Update(&acp.ToolCall{ToolCallID: "other", Title: "Other"}); err != nil {
				return err
			}
			if err := turn.Update(&acp.ToolCallUpdate{ToolCallID: "other", Status: acp.Some(acp.ToolCallStatusCompleted), Title: acp.Some(much)}); !isTooLarge(err) {
				return errors.Join(errors.New("it was completed"), err)
			}
			return call.Complete()
		}, []string{"pending", "pending", "completed", "failed"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t, agent.PromptFunc(func(_ context.Context, turn *agent.Turn) (acp.StopReason, error) {
				call, err := turn.ToolCall(acp.ToolCall{Title: "Show"})
				if err != nil {
					return "", err
				}
				return "", c.do(turn, call)
			}), narrow(), `{}`)
			id := p.ask("session/prompt", prompt(p.newSession(), "go"))
			for _, want := range c.want {
				m := p.next()
				got, _ := m.Params.Update["status"].(string)
				if m.kind() == "tool_call" && got == "" {
					got = "pending"
				}
				if got != want || m.Params.Update["toolCallId"] == "never" {
					t.Fatalf("got %.300s\nwant the status %q of a call that was announced", m.text, want)
				}
			}
			p.stopped(id, "end_turn")
		})
	}
}

// What was said in pieces, or asked in a message with less around it, may be more than a message of a replay holds.
func TestAReplayFitsIntoMessages(t *testing.T) {
	asked := strings.Repeat("ä", 1970)
	p := start(t, loader{PromptFunc: func(_ context.Context, turn *agent.Turn) (acp.StopReason, error) {
		for range 3 {
			if err := turn.Text(strings.Repeat("ö", 1000)); err != nil {
				return "", err
			}
		}
		_ = turn.Update(&acp.Plan{Entries: []acp.PlanEntry{{Content: strings.Repeat("x", 5<<10)}}})
		return "", nil
	}}, narrow(), `{}`)
	session := p.newSession()
	id := p.ask("session/prompt", prompt(session, asked))
	for range 3 {
		p.update("agent_message_chunk")
	}
	p.stopped(id, "end_turn")

	id = p.ask("session/load", `{"sessionId":"`+session+`","cwd":"/proj","mcpServers":[]}`)
	said := map[string]string{}
	ids := map[any]bool{}
	m := p.next()
	for ; m.Method != ""; m = p.next() {
		said[m.kind()] += m.chunk()
		ids[m.Params.Update["messageId"]] = true
	}
	if string(m.ID) != id || m.Error != nil {
		t.Fatalf("loading failed: %s", m.text)
	}
	if said["user_message_chunk"] != asked || said["agent_message_chunk"] != strings.Repeat("ö", 3000) || len(said) != 2 || len(ids) != 2 {
		t.Errorf("got %d bytes of %d asked and %d said, in messages %v", len(said["user_message_chunk"]), len(asked), len(said["agent_message_chunk"]), ids)
	}
}

// A loader replays what it remembers.
type loader struct{ agent.PromptFunc }

func (loader) LoadSession(ctx context.Context, s *agent.Session) (*acp.LoadSessionResponse, error) {
	return nil, s.Replay(ctx)
}
