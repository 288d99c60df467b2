package main

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"
)

// A killable is an agent that may be killed, and what it has said.
type killable struct {
	*process
	lines chan string // closed by the goroutine that reads, when the agent has ended
	seen  []string    // updates, as they were on the wire
}

func startKillable(t *testing.T, state string) *killable {
	t.Helper()
	k := &killable{process: startProcess(t, []string{"XDG_STATE_HOME=" + state}, "--model", "offline", "--auto-approve"), lines: make(chan string, 10_000)}
	go func() { // ends with the process
		defer close(k.lines)
		for {
			line, err := k.out.ReadString('\n')
			if err != nil {
				return // half a line was not said
			}
			k.lines <- line
		}
	}()
	k.call(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`)
	return k
}

// note keeps an update that is part of the conversation.
func (k *killable) note(line string) {
	if strings.Contains(line, `"session/update"`) && !strings.Contains(line, `"available_commands_update"`) {
		k.seen = append(k.seen, line)
	}
}

// call sends a request and returns the answer.
func (k *killable) call(line string) string {
	k.Helper()
	k.write(line)
	for line := range k.lines {
		if !strings.Contains(line, `"method"`) {
			return line
		}
		k.note(line)
	}
	k.Fatalf("the agent has ended before it answered %s", line)
	return ""
}

// kill ends the process, and takes what it said until then.
func (k *killable) kill() {
	_ = k.cmd.Process.Kill()
	for line := range k.lines {
		k.note(line)
	}
	_ = k.cmd.Wait()
}

// transcript is what updates say: each that is no piece of a text as it was, the pieces of texts joined.
func transcript(t *testing.T, updates []string) string {
	t.Helper()
	var b strings.Builder
	last := ""
	for _, line := range updates {
		var n struct {
			Params struct {
				Update struct {
					SessionUpdate string
					MessageID     string
					Content       struct{ Text string }
				}
			}
		}
		if err := json.Unmarshal([]byte(line), &n); err != nil && !strings.Contains(line, `"tool_call`) {
			t.Error(err)
		}
		switch u := n.Params.Update; u.SessionUpdate {
		case "user_message_chunk":
			continue
		case "agent_message_chunk":
			if u.MessageID != last {
				b.WriteString("\n" + u.MessageID + " ")
			}
			last = u.MessageID
			b.WriteString(u.Content.Text)
		default:
			last = ""
			b.WriteString("\n" + line)
		}
	}
	return b.String()
}

// Killed at any moment of a busy session, the agent has lost nothing that its client saw: the next process loads the session
// at once, shows all of it, and goes on (F64, F77, F91).
func TestAKilledAgentsSessionIsWhole(t *testing.T) {
	rounds := 5
	if os.Getenv("PATCHBAY_SOAK") != "" {
		rounds = 200
	}
	state, dir := t.TempDir(), t.TempDir()
	k := startKillable(t, state)
	opened := k.call(`{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"` + dir + `","mcpServers":[]}}`)
	_, session, _ := strings.Cut(opened, `"sessionId":"`)
	session, _, _ = strings.Cut(session, `"`)
	for round := range rounds {
		for range 10 {
			k.write(`{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"` + session + `","prompt":[{"type":"text","text":"/demo stream 200 1"}]}}`)
			k.write(`{"jsonrpc":"2.0","id":4,"method":"session/prompt","params":{"sessionId":"` + session + `","prompt":[{"type":"text","text":"run echo hi"}]}}`)
		}
		time.Sleep(time.Duration(rand.IntN(120)) * time.Millisecond) // the moment
		k.kill()
		live := transcript(t, k.seen)
		k = startKillable(t, state)
		answer := k.call(`{"jsonrpc":"2.0","id":2,"method":"session/load","params":{"sessionId":"` + session + `","cwd":"` + dir + `","mcpServers":[]}}`)
		if strings.Contains(answer, `"error"`) {
			t.Fatalf("round %d: %s", round, answer)
		}
		if replay := transcript(t, k.seen); !strings.HasPrefix(replay, live) {
			t.Fatalf("round %d: the client saw\n%s\nand is shown\n%s", round, live, replay)
		}
		answer = k.call(`{"jsonrpc":"2.0","id":5,"method":"session/prompt","params":{"sessionId":"` + session + `","prompt":[{"type":"text","text":"list"}]}}`)
		if !strings.Contains(answer, `"end_turn"`) {
			t.Fatalf("round %d: it does not go on: %s", round, answer)
		}
	}
	k.kill()
}
