package agent_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

// drain reads what the other side writes, and drops it.
func drain(stream jsonrpc.Stream) {
	for {
		if _, err := stream.Read(1 << 20); err != nil {
			return
		}
	}
}

// BenchmarkText streams pieces of 100 bytes through a turn, and for comparison through a bare connection.
func BenchmarkText(b *testing.B) {
	piece := fmt.Sprintf("%100d", 0)
	b.Run("turn", func(b *testing.B) {
		p := start(b, agent.PromptFunc(func(_ context.Context, turn *agent.Turn) (acp.StopReason, error) {
			for b.Loop() {
				if err := turn.Text(piece); err != nil {
					b.Error(err)
				}
			}
			return "", nil
		}), options(), `{}`)
		b.ReportAllocs()
		p.ask("session/prompt", prompt(p.newSession(), "hi"))
		for {
			frames, err := p.stream.Read(1 << 20)
			if err != nil {
				b.Fatal(err)
			}
			if last := frames[len(frames)-1].Data; len(last) < 100 { // the answer
				return
			}
		}
	})
	b.Run("bare", func(b *testing.B) {
		ours, theirs := transport.Pipe()
		conn := jsonrpc.NewConn(ours, nil, jsonrpc.Options{})
		defer conn.Close()
		go drain(theirs)
		b.ReportAllocs()
		for b.Loop() {
			err := conn.Notify(context.Background(), acp.MethodSessionUpdate, &acp.SessionNotification{
				SessionID: "sess_0123456789", Update: &acp.AgentMessageChunk{Content: acp.Text(piece), MessageID: "msg_0123456789_1"},
			})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkPrompt is the round trip of a prompt with one piece of text.
func BenchmarkPrompt(b *testing.B) {
	p := start(b, agent.PromptFunc(func(_ context.Context, turn *agent.Turn) (acp.StopReason, error) {
		return "", turn.Text("hi")
	}), options(), `{}`)
	session := p.newSession()
	b.ReportAllocs()
	for b.Loop() {
		id := p.ask("session/prompt", prompt(session, "hi"))
		p.says("hi")
		p.stopped(id, "end_turn")
	}
}
