package client

import (
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
)

func TestStatePromptAndEcho(t *testing.T) {
	for name, c := range map[string]struct{ come, have string }{
		"no echo": {`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hi"}}`, `
user  "Look at "+"this"+{"type":"resource_link","uri":"u","name":"n"}  sent
agent  "Hi"`},
		"the same in chunks": {`
{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"Look"},"messageId":"m"}
{"sessionUpdate":"usage_update","used":0,"size":0}
{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":" at this"},"messageId":"m"}
{"sessionUpdate":"user_message_chunk","content":{"type":"resource_link","name":"n","uri":"u"},"messageId":"m"}
{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"(expanded)"},"messageId":"m"}`, `
user m "Look at "+"this"+{"type":"resource_link","uri":"u","name":"n"}  sent
usage: {"sessionUpdate":"usage_update","used":0,"size":0}`},
		"somebody else": {`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"Looking"}}
{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"Look"}}`, `
user  "Look at "+"this"+{"type":"resource_link","uri":"u","name":"n"}  sent
user  "Looking"`},
		"too late": {`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hi"}}
{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"Look"}}`, `
user  "Look at "+"this"+{"type":"resource_link","uri":"u","name":"n"}  sent
agent  "Hi"
user  "Look"`},
	} {
		t.Run(name, func(t *testing.T) {
			var s State
			s.UserPrompt(acp.Text("Look at "), acp.Text("this"), acp.Link("n", "u"))
			for _, u := range read(t, c.come) {
				s.Apply(u)
			}
			same(t, show(s.Snapshot()), c.have)
			if text := s.Messages().At(0).Text(); text != "Look at this" {
				t.Errorf("the prompt's text is %q", text)
			}
		})
	}
}

func TestStateEndTurnBeginsAnotherMessage(t *testing.T) {
	s := applied(t, `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"}}`)
	s.EndTurn()
	s.Apply(acp.AgentText("b"))
	same(t, show(s.Snapshot()), `
agent  "a"
agent  "b"`)
}
