package client_test

import (
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
)

// F169: a turn that ends as if all were well, without a word, a tool call or a token, is marked; anything of these is an
// answer, and a turn that ends in another way says so itself.
func TestF169_ATurnWithoutAnythingInItIsMarked(t *testing.T) {
	const end = `{"stopReason":"end_turn"}`
	for name, c := range map[string]struct {
		update, answer string
		empty          bool
	}{
		"nothing":       {"", end, true},
		"zeroes":        {"", `{"stopReason":"end_turn","usage":{"totalTokens":0,"inputTokens":0,"outputTokens":0}}`, true},
		"a word of air": {`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":""}}`, end, true},
		"its echo":      {`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"go"}}`, end, true},
		"a plan":        {`{"sessionUpdate":"plan","entries":[]}`, end, true},
		"usage":         {`{"sessionUpdate":"usage_update","used":0,"size":9}`, end, true},
		"a word":        {`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"ok"}}`, end, false},
		"an image":      {`{"sessionUpdate":"agent_message_chunk","content":{"type":"image","mimeType":"image/png","data":""}}`, end, false},
		"a thought":     {`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"ok"}}`, end, false},
		"a call":        {`{"sessionUpdate":"tool_call","toolCallId":"t","title":"x"}`, end, false},
		"tokens":        {"", `{"stopReason":"end_turn","usage":{"totalTokens":7,"inputTokens":4,"outputTokens":3}}`, false},
		"a refusal":     {"", `{"stopReason":"refusal"}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			conn, a := connect(t, &user{}, client.Options{}, noCapabilities)
			turn, p := prompt(t, open(t, conn, a), a)
			if c.update != "" {
				a.send(update("s", c.update))
			}
			a.send(outcome(p, c.answer))
			within(t, "the turn", turn.Done())
			r, err := turn.Wait()
			if err != nil || r.Empty != c.empty {
				t.Errorf("the result is %+v, %v; want empty: %v", r, err, c.empty)
			}
		})
	}
	conn, a := connect(t, &user{}, client.Options{}, noCapabilities) // who asks for something does something
	turn, p := prompt(t, open(t, conn, a), a)
	a.send(asks(9, "session/request_permission", askPermission))
	a.next()
	a.send(outcome(p, end))
	if r := ends(t, turn, acp.StopReasonEndTurn); r.Empty {
		t.Errorf("the result is %+v", r)
	}
	conn, a = connect(t, &user{}, client.Options{}, noCapabilities)
	s := open(t, conn, a)
	for _, empty := range []bool{false, true} { // what one turn has said is not the next one's
		turn, p := prompt(t, s, a)
		if !empty {
			a.send(says("s", "hello"))
		}
		a.send(outcome(p, end))
		if r := ends(t, turn, acp.StopReasonEndTurn); r.Empty != empty {
			t.Errorf("the result is %+v", r)
		}
	}
}
